"""What a visitor has chosen, and how it stands in the address: no Streamlit, so that it can be tested alone.

One object holds all of it: what a run depends on, what is looked at, and the choices of each page. A name with a dot
belongs to one relation (`loss.advice`, `weight.advice`) or to one page (`network.threshold`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..baselines import METHODS
from ..data.location import site_folder
from ..data.reciprocity import WAYS
from ..model.lambda_grid import GRID
from ..model.losses import LOSSES
from ..model.starts import STARTS
from .menu import pages

ORDERS = ("alike", "listed")
"""How objects can be ordered whatever the data; its attributes are further ways."""

RANKS, SEEDS, SHARES, LAMS, ENSEMBLES, WEIGHTS = (
    (1, 500),
    (0, 9_999),
    (0.01, 0.99),
    (GRID[-1], GRID[0]),
    (1, 16),
    (0.01, 100.0),
)
"""The least and the greatest of each number that may be chosen."""

OWN = "own-"
"""Begins the name of a data set that the visitor has uploaded; its digest follows."""

AUTO = "auto"

MANY = 50_000
"""With more entries than this, a tenth of them is enough to learn from."""


@dataclass(frozen=True)
class Settings:
    """Everything that decides what is trained and what the pages show.

    >>> Settings("monastery", relation="esteem", rank=5).to_query()
    {'data': 'monastery', 'relation': 'esteem', 'rank': '5'}

    Attributes:
        data: the name of a sample, or of an uploaded data set, which says how its absent rows were read.
        relation: the relation that is looked at; empty is the one that the data set begins with.
        order: how the objects are ordered in pictures: one of `ORDERS`, or an attribute.
        train, seed: the share of the entries to learn from, and the seed of the split and of the fits.
        by: what is held out of directed relations: "auto", "entry" or "pair".
        rank, lam, start, ensemble: parameters of MrWTD; the first two of all methods. λ is "auto" or a number.
        loss, weight: the loss and the positive weight of the relations where they are not the usual ones.
        methods: what is trained, ours first.
        run: the run that is looked at; empty is the newest of the data set.
        method: the method that is looked at; empty is the first of the run.
        views: what was chosen on the pages, by "page.what".
    """

    data: str = "aucs"
    relation: str = ""
    order: str = ORDERS[0]
    train: float = 0.3
    seed: int = 0
    by: str = AUTO
    rank: int = 10
    lam: float | str = AUTO
    start: str = "spectral"
    ensemble: int = 1
    methods: tuple[str, ...] = ("MrWTD", "RESCAL", "Degree")
    loss: Mapping[str, str] = field(default_factory=dict)
    weight: Mapping[str, float] = field(default_factory=dict)
    run: str = ""
    method: str = ""
    views: Mapping[str, str] = field(default_factory=dict)

    def change(self, **changes: Any) -> Settings:
        """The settings with some of them changed; what belongs to one data set does not go over to another.

        >>> Settings("monastery", relation="esteem").change(data="aucs").relation
        ''
        >>> Settings().change(**{"network.threshold": "0.5"}).views
        {'network.threshold': '0.5'}
        """
        if changes.get("data", self.data) != self.data:
            changes = {"relation": "", "order": ORDERS[0], "loss": {}, "weight": {}, "run": "", "views": {}} | changes
        views = {
            **changes.pop("views", self.views),
            **{name: changes.pop(name) for name in list(changes) if "." in name},
        }
        return replace(self, **changes, views={name: value for name, value in views.items() if value != ""})

    def get(self, name: str) -> Any:
        """A setting by its name in the address: None where a page's own choice was not made.

        >>> Settings().get("rank"), Settings().get("network.threshold")
        (10, None)
        """
        return self.views.get(name) if "." in name else getattr(self, name)

    def to_query(self) -> dict[str, str]:
        """The parameters of an address that brings these settings back: the data set, and what is not the default."""
        return dict(self._query())

    def asked(self) -> dict[str, str]:
        """The part that a run depends on, in full: what is kept with the run.

        >>> Settings("florentine", rank=3).asked()["rank"]
        '3'
        """
        looks = {"relation", "order", "run", "method", "views", "loss", "weight"}
        plain = {one.name: _text(getattr(self, one.name)) for one in fields(self) if one.name not in looks}
        return plain | {name: value for name, value in self._query() if name.startswith(("loss.", "weight."))}

    def _query(self) -> Iterator[tuple[str, str]]:
        usual = Settings(self.data)
        for one in fields(self):
            value = getattr(self, one.name)
            if isinstance(value, Mapping):
                prefix = "" if one.name == "views" else f"{one.name}."
                yield from ((f"{prefix}{name}", _text(own)) for name, own in value.items())
            elif one.name == "data" or value != getattr(usual, one.name):
                yield one.name, _text(value)


def suggested(n_objects: int, n_entries: int) -> dict[str, float]:
    """A rank and a share to learn from that suit the size of a data set.

    >>> suggested(15, 210), suggested(104, 248_768)
    ({'rank': 3, 'train': 0.5}, {'rank': 10, 'train': 0.1})
    """
    rank = max(2, min(Settings.rank, n_objects // 5))
    return {"rank": rank, "train": 0.1 if n_entries > MANY else 0.5 if n_objects < 50 else 0.3}


@dataclass(frozen=True)
class Choices:
    """What may be chosen within a data set.

    Attributes:
        relations: the names of its relations.
        attributes: the attributes that its objects can be ordered by.
        begin: which relation is shown until another is chosen.
        kinds: the kind of each relation.
    """

    relations: Sequence[str]
    attributes: Sequence[str] = ()
    begin: int = 0
    kinds: Sequence[str] = ()


def from_query(
    query: Mapping[str, str], datasets: Sequence[str], choices: Callable[[str], Choices], default: str = Settings.data
) -> tuple[Settings, tuple[str, ...]]:
    """Settings from the parameters of an address, and a sentence for each that could not be taken.

    Parameters of other names are none of ours: trackers add theirs to links.

    >>> settings, notes = from_query({"data": "kinshp"}, ["aucs"], lambda name: Choices(["work"]))
    >>> settings.data, notes
    ('aucs', ("The link asks for data = 'kinshp', which is not here: aucs is shown instead.",))
    """
    data, notes = query.get("data", default), []
    if data not in datasets:
        notes.append(
            f"The link asks for an uploaded file that is not here: it was removed, or stays with the visitor who "
            f"uploaded it. {default} is shown instead; upload the file here to see it."
            if data.startswith(OWN)
            else _refused("data", data, default, "is not here")
        )
        # What belongs to the other data set would only be refused again.
        rest = {name: text for name, text in query.items() if name in PARSERS and name not in OF_ITS_DATA}
        if gone := [name for name in query if name not in rest and name != "data"]:
            notes.append(f"What the link says of that data set is left out: {', '.join(gone)}.")
        query, data = rest, default
    within, settings = choices(data), Settings(data)
    for name, text in query.items():
        try:
            settings = settings.change(**_parse(name, text, within, settings))
        except ValueError as reason:
            notes.append(_refused(name, text, _usual(name, within), str(reason)))
    return settings, tuple(notes)


def _parse(name: str, text: str, within: Choices, settings: Settings) -> dict[str, Any]:
    """The change that one parameter asks for; nothing where it is none of ours, a ValueError where it is not valid."""
    head, _, rest = name.partition(".")
    if head in ("loss", "weight") and rest:
        if rest not in within.relations:
            raise ValueError("names a relation that is not here")
        kinds = dict(zip(within.relations, within.kinds, strict=False))
        if head == "weight":
            if kinds.get(rest, "binary") != "binary":
                raise ValueError(f"is for binary relations, and {rest} holds {kinds[rest]} values")
            return {"weight": {**settings.weight, rest: _number(text, WEIGHTS)}}
        if kinds.get(rest, "binary") not in LOSSES[_one_of(text, LOSSES)].kinds:
            raise ValueError(f"is not for {kinds[rest]} relations")
        return {"loss": {**settings.loss, rest: text}}
    if rest:
        return {name: text} if head in _page_prefixes(site_folder()) else {}
    if name not in PARSERS:
        return {}
    return {name: PARSERS[name](text, within)}


@cache
def _page_prefixes(site: Path) -> frozenset[str]:
    """What the names of the choices of pages begin with: those of every page that there is."""
    return frozenset(page.prefix for page in pages(site))


def _one_of(text: str, options: Sequence[str] | Mapping[str, Any]) -> str:
    if text not in options:
        raise ValueError("is not here")
    return text


def _number(text: str, span: tuple[float, float]) -> float:
    try:
        number = float(text)
    except ValueError:
        raise ValueError("is not a number") from None
    if not (math.isfinite(number) and span[0] <= number <= span[1]):
        raise ValueError(f"is not between {span[0]:g} and {span[1]:g}")
    return number


def _whole(text: str, span: tuple[int, int]) -> int:
    number = _number(text, span)
    if number != int(number):
        raise ValueError("is not a whole number")
    return int(number)


def _methods(text: str) -> tuple[str, ...]:
    # Where an address was typed, a plus stands for a space.
    typed = [name.replace(" ", "+") for name in text.split(",")]
    names = [plus if plus in METHODS else plus.replace("+", " ").strip() for plus in typed]
    if missing := [name for name in names if name not in METHODS]:
        raise ValueError(f"names {missing[0]!r}, which is none of the methods")
    return tuple(dict.fromkeys(names))


PARSERS: dict[str, Callable[[str, Choices], Any]] = {
    "relation": lambda text, within: _one_of(text, ["", *within.relations]),
    "order": lambda text, within: _one_of(text, [*ORDERS, *within.attributes]),
    "train": lambda text, within: _number(text, SHARES),  # noqa: ARG005
    "seed": lambda text, within: _whole(text, SEEDS),  # noqa: ARG005
    "by": lambda text, within: _one_of(text, WAYS),  # noqa: ARG005
    "rank": lambda text, within: _whole(text, RANKS),  # noqa: ARG005
    "lam": lambda text, within: AUTO if text == AUTO else _number(text, LAMS),  # noqa: ARG005
    "start": lambda text, within: _one_of(text, STARTS),  # noqa: ARG005
    "ensemble": lambda text, within: _whole(text, ENSEMBLES),  # noqa: ARG005
    "methods": lambda text, within: _methods(text),  # noqa: ARG005
    "run": lambda text, within: text,  # noqa: ARG005
    "method": lambda text, within: _one_of(text, ["", *METHODS]),  # noqa: ARG005
}
"""How each parameter of an address is read; runs are looked up by the pages that show them."""

OF_ITS_DATA = ("relation", "order", "run")
"""Parameters that mean nothing with another data set."""


def _usual(name: str, within: Choices) -> str:
    head, _, relation = name.partition(".")
    if relation and relation not in within.relations:
        return ""
    if head == "relation":
        return within.relations[within.begin]
    if head == "method":
        return "the first method"
    return {"loss": "the usual loss", "weight": "1"}.get(head) or _text(getattr(Settings(), name))


def _refused(name: str, text: str, instead: str, why: str) -> str:
    shown = text if len(text) <= 60 else text[:59] + "…"
    return f"The link asks for {name} = {shown!r}, which {why}{f': {instead} is shown instead' if instead else ''}."


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
