"""The settings that are tried for the published tables: a method, its rank and λ, and the views of the tensor."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from ...baselines import make_method
from ...data.relational import RelationalData
from ...errors import DataError, Problem
from ...model.method import METHODS
from ...model.predictor import Predictor
from .turned import VIEWS, TurnedModels

TURNED = ", turned"
"""The end of the label of a method that is fitted to the turned tensor, alone or with the usual view."""

DATA = ("kinship", "umls", "nations")

LAMBDAS: Mapping[str, tuple[float, ...]] = {
    "kinship": (5.0, 10.0), "umls": (5.0, 10.0), "nations": (1.0, 3.16, 10.0),
}  # fmt: skip
"""The values of λ that are tried, by data set."""


@dataclass(frozen=True)
class Setting:
    """A method with all of its parameters.

    >>> Setting("CP", {"rank": 5, "lam": 1.0}).name
    'CP, rank 5, λ 1'

    Attributes:
        method: one of `mrwtd.METHODS`.
        parameters: the arguments of `mrwtd.make_method`.
        views: the views whose x are averaged.
    """

    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    views: tuple[str, ...] = VIEWS[:1]

    @property
    def label(self) -> str:
        """The row of the table that it belongs to."""
        return self.method + TURNED * (self.views != VIEWS[:1])

    @property
    def name(self) -> str:
        """The label with the parameters."""
        views = "" if self.views == VIEWS[:1] else f", by {' and '.join(self.views)}"
        rest = {name: value for name, value in self.parameters.items() if name not in ("rank", "lam", "seed")}
        lam = f", λ {self.parameters['lam']:g}" if "lam" in self.parameters else ""
        others = "".join(f", {name}={value}" for name, value in rest.items())
        return f"{self.method}, rank {self.parameters['rank']}{lam}{others}{views}"

    def fit(self, train: RelationalData) -> Predictor:
        """The fitted method."""
        if self.views == VIEWS[:1]:
            return make_method(self.method, **self.parameters).fit(train)
        return TurnedModels(lambda: make_method(self.method, **self.parameters), self.views).fit(train)


RANKS: Mapping[str, tuple[int, ...]] = {"kinship": (60, 100), "umls": (60, 100), "nations": (3, 5, 10)}
TURNED_RANKS: Mapping[str, tuple[int, ...]] = {"kinship": (60,), "umls": (60,), "nations": (5, 10)}
SAMPLED_RANKS: Mapping[str, tuple[int, ...]] = {"kinship": (10,), "umls": (), "nations": (5, 10)}
TURNED_SAMPLED_RANKS: Mapping[str, tuple[int, ...]] = {"kinship": (), "umls": (), "nations": (10, 14)}
"""The ranks that are tried, by data set: less for methods that sample, whose steps cost the sixth power of the rank."""

TURNED_VIEWS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "kinship": (VIEWS,), "umls": (VIEWS,), "nations": (VIEWS[1:], VIEWS),
}  # fmt: skip
"""The views whose x are averaged."""

SAMPLED = frozenset(name for name, method in METHODS.items() if getattr(method, "family", "") == "Bayesian")

LABELS = ("RESCAL", "BTF", "MrWTD-L", "MrWTD-L" + TURNED, "MrWTD-B", "MrWTD-B" + TURNED)
"""The rows of the table."""

QUICK_LABELS = ("RESCAL", "MrWTD-L")

SWEEPS = {"sweeps": 400, "burn_in": 100}


def check_label(label: str) -> str:
    """The label of a row, or a `DataError` if it names no method.

    >>> check_label("MrWTD-L,turned")
    'MrWTD-L, turned'
    """
    name, turned, rest = label.partition(",")
    if turned and rest.strip() != TURNED[2:]:
        raise DataError(Problem(f"the method {label!r}", "the name of a method, or NAME, turned"))
    return str(METHODS[name.strip()].name) + TURNED * bool(turned)


def settings(labels: Iterable[str], data: str, quick: bool = False) -> list[Setting]:
    """The settings to try on a data set.

    >>> [setting.name for setting in settings(["MrWTD-L"], "nations")][:2]
    ['MrWTD-L, rank 3, λ 1', 'MrWTD-L, rank 3, λ 3.16']
    """
    chosen: list[Setting] = []
    for label in labels:
        name, turned = label.removesuffix(TURNED), label.endswith(TURNED)
        tried = _of_method(name, data, turned)
        chosen += tried[:1] if quick else tried
    return chosen


def _of_method(name: str, data: str, turned: bool) -> list[Setting]:
    # The turned views alone are better than all three where relations repeat each other.
    views: Sequence[tuple[str, ...]] = TURNED_VIEWS[data] if turned else (VIEWS[:1],)
    if name in SAMPLED:
        ranks = (TURNED_SAMPLED_RANKS if turned else SAMPLED_RANKS)[data]
        return [Setting(name, {"rank": rank, "seed": 0, **SWEEPS}, view) for rank, view in product(ranks, views)]
    ranks, coding = (TURNED_RANKS if turned else RANKS)[data], {"coding": "signs"} if name == "RESCAL" else {}
    return [
        Setting(name, {"rank": rank, "lam": lam, **coding, "seed": 0}, view)
        for rank, lam, view in product(ranks, LAMBDAS[data], views)
    ]
