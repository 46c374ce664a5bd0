"""The parameters of methods: their ranges, labels and help texts.

A class of method declares its parameters in `parameters`. The check before a fit, the options of the command line, the
settings and URLs of the dashboard, its widgets, its exported code and the names of its runs are made from these
declarations. Types and defaults are those of `__init__`.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..data.arguments import LARGEST, check_bool, check_choice, check_range
from ..data.relations import KINDS, Relation
from ..errors import DataError, Problem
from ..typing import Array
from .initialization import STARTS
from .lambda_grid import GRID
from .losses import LOSSES, Loss, default_loss

AUTO = "auto"

RANK, OBJECTS_PER_FACTOR = 20, 5
"""The default rank: the first, or less so that there are at least this many objects per factor."""


def default_rank(n_objects: int) -> int:
    """The default rank: 20, or less for small data.

    >>> default_rank(15), default_rank(104), default_rank(4)
    (3, 20, 2)
    """
    return max(2, min(RANK, n_objects // OBJECTS_PER_FACTOR))


@dataclass(frozen=True)
class Parameter:
    """One parameter of a method.

    Attributes:
        name: of the argument, and of the option of the command line.
        label: in forms and tables.
        help: one line, without a full stop.
        short: before the value in the names of runs.
        offered: whether the command line and the dashboard offer it.
        query: its name in URLs, if that is different.
    """

    name: str
    label: str = ""
    help: str = ""
    short: str = ""
    offered: bool = False
    query: str = ""

    @property
    def key(self) -> str:
        """Its name in settings and URLs."""
        return self.query or self.name

    def check(self, value: Any, relations: Sequence[Relation] = ()) -> None:
        """Refuse an invalid value."""
        raise NotImplementedError

    def parse(self, text: str) -> Any:
        """The value of a text; a ValueError with the reason if it is invalid."""
        raise NotImplementedError

    def text(self, value: Any) -> str:
        """A value as `parse` reads it."""
        return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Number(Parameter):
    """A number.

    >>> rank = Number("rank", low=1, high=500, whole=True)
    >>> rank.parse("3")
    3
    >>> rank.parse("0")
    Traceback (most recent call last):
    ValueError: is not between 1 and 500

    Attributes:
        low, high: the smallest and the largest value.
        whole: whether it is a whole number.
        span: the smallest and the largest value in forms and URLs, if that range is smaller.
        grid: the values that a form offers, if they are few.
        automatic: whether "auto" is allowed, for a search.
        optional: whether None is allowed, for a default.
    """

    low: float = 0.0
    high: float = LARGEST
    whole: bool = False
    span: tuple[float, float] | None = None
    grid: tuple[float, ...] = ()
    automatic: bool = False
    optional: bool = False

    @property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest value in forms and URLs."""
        return self.span or (self.low, self.high)

    def check(self, value: Any, relations: Sequence[Relation] = ()) -> None:
        """Refuse values that are not numbers or outside the range."""
        if isinstance(value, str) and value == AUTO and not self.automatic:
            numbers = f"a {'whole ' * self.whole}number from {self.low:g}"
            raise DataError(Problem(f"{self.name} = {AUTO!r}", f"{numbers}: this method has no search for it"))
        if not ((self.automatic and isinstance(value, str) and value == AUTO) or (self.optional and value is None)):
            check_range(self.name, value, self.low, self.high, whole=self.whole)

    def parse(self, text: str) -> float | int | str:
        """A number within the span, or "auto"."""
        if self.automatic and text == AUTO:
            return AUTO
        try:
            number = float(text)
        except ValueError:
            raise ValueError("is not a number") from None
        low, high = self.bounds
        if not (math.isfinite(number) and low <= number <= high):
            raise ValueError(f"is not between {low:g} and {high:g}")
        if self.whole and number != int(number):
            raise ValueError("is not a whole number")
        return int(number) if self.whole else number


@dataclass(frozen=True)
class Choice(Parameter):
    """One of several options, each with an explanation.

    >>> Choice("coding", options={"signs": "±1"}).parse("none")
    Traceback (most recent call last):
    ValueError: is not here
    """

    options: Mapping[str, str] = field(default_factory=dict, hash=False)

    def check(self, value: Any, relations: Sequence[Relation] = ()) -> None:
        """Refuse other values."""
        check_choice(self.name, value, self.options)

    def parse(self, text: str) -> str:
        """The option itself."""
        if text not in self.options:
            raise ValueError("is not here")
        return text


@dataclass(frozen=True)
class Flag(Parameter):
    """True or False.

    >>> Flag("standardize").parse("False")
    False
    >>> Flag("standardize").parse("maybe")
    Traceback (most recent call last):
    ValueError: is neither True nor False
    """

    def check(self, value: Any, relations: Sequence[Relation] = ()) -> None:
        """Refuse anything else."""
        check_bool(self.name, value)

    def parse(self, text: str) -> bool:
        """The value written as "True" or "False"."""
        if text not in ("True", "False"):
            raise ValueError("is neither True nor False")
        return text == "True"


@dataclass(frozen=True)
class LossOfRelation(Parameter):
    """A loss for all relations, or one per relation or kind."""

    per_relation = True

    def check(self, value: Any, relations: Sequence[Relation] = ()) -> None:
        """Refuse unknown losses, and losses that cannot be used for their relation."""
        for loss, relation in zip(losses_of(value, relations), relations, strict=True):
            loss.check(relation)

    def parse(self, text: str) -> str:
        """The name of a loss."""
        if text not in LOSSES:
            raise ValueError("is not here")
        return text

    def parse_for(self, text: str, kind: str, relation: str) -> str:
        """The name of a loss for a kind of relation."""
        if kind not in LOSSES[self.parse(text)].kinds:
            raise ValueError(f"is not for {kind} relations")
        return text


@dataclass(frozen=True)
class WeightOfRelation(Number):
    """A number for all binary relations, or one per relation."""

    per_relation = True

    def check(self, value: Any, relations: Sequence[Relation] = ()) -> None:
        """Refuse values that are not numbers or outside the range."""
        positive_weights(value, relations)

    def parse_for(self, text: str, kind: str, relation: str) -> float:
        """A number for a binary relation."""
        if kind != "binary":
            raise ValueError(f"is for binary relations, and {relation} holds {kind} values")
        return float(self.parse(text))


def named(*parameters: Parameter) -> dict[str, Parameter]:
    """Parameters by name."""
    return {parameter.name: parameter for parameter in parameters}


GIVEN_RANK = Number(
    "rank", "Rank", "How many hidden factors describe an object", "rank", offered=True,
    low=1, high=10_000, whole=True, span=(1, 500), optional=True,
)  # fmt: skip

COMMON = named(
    GIVEN_RANK,
    Number(
        "lam", "λ, strength of the regularization", "Large: simple and cautious. Small: follows every known entry",
        "λ", offered=True, span=(GRID[-1], GRID[0]), grid=GRID, automatic=True,
    ),
    Number(
        "seed", "Seed", "Of the split and of every random choice", "seed", offered=True, whole=True, span=(0, 9_999),
    ),
)  # fmt: skip
"""The parameters of every method."""

LOSS = LossOfRelation("loss", "Loss", "How a wrong prediction is charged", offered=True)

FITTING = named(
    replace(GIVEN_RANK, automatic=True),
    LOSS,
    Number("max_iter", low=1, whole=True),
    Number("tol", high=1),
)
"""The parameters of methods with a loss and iterations."""

POSITIVE_WEIGHT = WeightOfRelation(
    "positive_weight", "Positive weight", "A factor on positive entries of binary relations", offered=True,
    query="weight", span=(0.01, 100.0),
)  # fmt: skip

MRWTD = named(
    Choice(
        "init", "Initialization",
        "Where the search for the factors begins. Spectral is computed from the data, eigen is that of the paper",
        "start", offered=True, query="start", options={name: name for name in STARTS},
    ),
    POSITIVE_WEIGHT,
    Flag("standardize"),
    Number(
        "ensemble", "Ensemble",
        "From 2 up: average this many refits of MrWTD to random weights of the entries. Slower, more accurate, and "
        "their spread is an error bar",
        "ensemble", offered=True, low=1, high=1_000, whole=True, span=(1, 16),
    ),
    Number("snapshots", high=10_000, whole=True), Number("n_jobs", low=1, high=1_000, whole=True),
)  # fmt: skip
"""The additional parameters of MrWTD."""


def losses_of(loss: str | Mapping[str, str], relations: Sequence[Relation]) -> list[Loss]:
    """The loss of each relation: a name for all, or {relation or kind: name}; "auto" depends on the kind.

    >>> relations = [Relation("calls", "count", True), Relation("distance", "real", True)]
    >>> [loss.name for loss in losses_of({"calls": "huber"}, relations)]
    ['huber', 'quadratic']
    """
    if not isinstance(loss, (str, Mapping)):
        raise DataError(Problem(f"loss = {loss!r}", f"a name ({', '.join(LOSSES)}), 'auto' or a mapping"))
    given = {} if isinstance(loss, str) else loss
    _check_relations("loss", [name for name in given if name not in KINDS], relations)
    names = [loss if isinstance(loss, str) else given.get(r.name, given.get(r.kind, AUTO)) for r in relations]
    return [
        LOSSES[default_loss(relation.kind) if name == AUTO else str(name)]
        for name, relation in zip(names, relations, strict=True)
    ]


def positive_weights(given: float | Mapping[str, float], relations: Sequence[Relation]) -> Array:
    """The factor on positive entries of each relation: a number for all, or {relation: number}, 1 by default.

    >>> positive_weights({"likes": 3}, [Relation("likes", "binary", True), Relation("calls", "binary", True)])
    array([3., 1.])
    """
    if isinstance(given, Mapping):
        _check_relations("positive_weight", given, relations)
        weights = [given.get(relation.name, 1.0) for relation in relations]
    else:
        weights = [given] * len(relations)
    for weight in weights:
        check_range("positive_weight", weight, 0)
    return np.array(weights, dtype=np.float64)


def _check_relations(parameter: str, given: Iterable[str], relations: Sequence[Relation]) -> None:
    names = [relation.name for relation in relations]
    for name in given:
        if name not in names:
            raise DataError(Problem(f"the relation {name!r} in {parameter}", f"one of {', '.join(map(repr, names))}"))
