"""What a user has chosen, and how it is written in the URL: no Streamlit, so that it can be tested alone.

One object holds all of it: what a run depends on, what is looked at, and the choices of each page. A name with a dot
belongs to one relation (`loss.advice`, `weight.advice`) or to one page (`network.threshold`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ...baselines import METHODS
from ...data.reciprocity import SPLIT_BY
from ...data.splitting import TRAINING_FRACTION
from ...model import MrWTD
from ...model.parameters import AUTO, LOSS, POSITIVE_WEIGHT, Number, default_rank
from ..navigation import pages

ORDERS = ("alike", "listed")
"""How objects can be ordered whatever the data; its attributes are further ways."""

TRAIN = Number("train", low=0.01, high=0.99)
"""The training fraction."""

PARAMETERS = {
    parameter.key: parameter for parameter in MrWTD.all_parameters().values() if parameter.offered and parameter.short
}
"""Parameters of methods that have one value; the seed is also that of the split."""

PER_RELATION = {parameter.key: parameter for parameter in (LOSS, POSITIVE_WEIGHT)}
"""Parameters that have one value per relation."""

UPLOAD_PREFIX = "own-"
"""Begins the name of a data set that the visitor has uploaded; its digest follows."""


@dataclass(frozen=True, init=False)
class Settings:
    """Everything that decides what is trained and what the pages show.

    >>> Settings("monastery", relation="esteem", rank=5).to_query()
    {'data': 'monastery', 'relation': 'esteem', 'rank': '5'}

    The parameters of methods are attributes too: `settings.rank`, `settings.lam`, and `settings.loss` by relation. A
    rank that was not chosen is None: it goes by the size of the data.

    Attributes:
        data: the name of a sample, or of an uploaded data set, which says how its absent rows were read.
        relation: the relation that is looked at; empty is the one that the data set begins with.
        order: how the objects are ordered in pictures: one of `ORDERS`, or an attribute.
        train: the training fraction.
        by: what is held out of directed relations: "auto", "entry" or "pair".
        methods: what is trained, ours first.
        parameters: those of the methods that are not the defaults, by their names in URLs.
        run: the run that is looked at; empty is the newest of the data set.
        method: the method that is looked at; empty is the first of the run.
        views: what was chosen on the pages, by "page.what".
    """

    data: str = "aucs"
    relation: str = ""
    order: str = ORDERS[0]
    train: float = TRAINING_FRACTION
    by: str = AUTO
    methods: tuple[str, ...] = ("MrWTD", "RESCAL", "Degree")
    parameters: Mapping[str, Any] = field(default_factory=dict)
    run: str = ""
    method: str = ""
    views: Mapping[str, str] = field(default_factory=dict)

    def __init__(self, data: str = "aucs", **chosen: Any):
        parameters = {**chosen.pop("parameters", {})}
        parameters |= {name: chosen.pop(name) for name in [*chosen] if name in DEFAULTS}
        kept = {name: value for name, value in parameters.items() if value != DEFAULTS[name]}
        values = {"data": data, "views": {}, **chosen, "parameters": kept}
        for one in fields(self):
            object.__setattr__(self, one.name, values.pop(one.name, one.default))
        if values:
            raise TypeError(f"unknown settings: {', '.join(values)}")

    def __getattr__(self, name: str) -> Any:
        if name not in DEFAULTS:
            raise AttributeError(f"settings have no {name!r}")
        return self.parameters.get(name, DEFAULTS[name])

    def change(self, **changes: Any) -> Settings:
        """The settings with some of them changed; what belongs to one data set does not go over to another.

        >>> Settings("monastery", relation="esteem").change(data="aucs").relation
        ''
        >>> Settings().change(**{"network.threshold": "0.5"}).views
        {'network.threshold': '0.5'}
        """
        if changes.get("data", self.data) != self.data:
            changes = {**DATASET_SPECIFIC, **changes}
        views = {
            **changes.pop("views", self.views),
            **{name: changes.pop(name) for name in list(changes) if "." in name},
        }
        parameters = {**self.parameters, **{name: changes.pop(name) for name in [*changes] if name in DEFAULTS}}
        kept = {one.name: getattr(self, one.name) for one in fields(self)} | changes
        kept |= {"views": {name: value for name, value in views.items() if value != ""}, "parameters": parameters}
        return Settings(**kept)

    def resolved(self, n_objects: int) -> Settings:
        """The settings with the rank that a data set of this size gets where none was chosen.

        >>> Settings().resolved(15).rank
        3
        """
        return self if self.rank is not None else self.change(rank=default_rank(n_objects))

    def get(self, name: str) -> Any:
        """A setting by its name in the address: None where a page's own choice was not made.

        >>> Settings().get("lam"), Settings().get("network.threshold")
        ('auto', None)
        """
        return self.views.get(name) if "." in name else getattr(self, name)

    def to_query(self) -> dict[str, str]:
        """The parameters of an address that brings these settings back: the data set, and what is not the default."""
        return dict(self._query())

    def request(self) -> dict[str, str]:
        """The part that a run depends on, in full: what is kept with the run.

        >>> Settings("florentine", rank=3).request()["rank"]
        '3'
        """
        plain = {name: getattr(self, name) for name in ("data", "train", "by", "methods", *PARAMETERS)}
        per_relation = dict(self._per_relation())
        return {name: _text(value) for name, value in plain.items() if value is not None} | per_relation

    def _query(self) -> Iterator[tuple[str, str]]:
        usual = Settings(self.data)
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name == "parameters":
                yield from ((name, _text(chosen)) for name, chosen in value.items() if name in PARAMETERS)
                yield from self._per_relation()
            elif one.name == "views":
                yield from ((name, _text(chosen)) for name, chosen in value.items())
            elif one.name == "data" or value != getattr(usual, one.name):
                yield one.name, _text(value)

    def _per_relation(self) -> Iterator[tuple[str, str]]:
        for key in PER_RELATION:
            yield from ((f"{key}.{relation}", _text(value)) for relation, value in getattr(self, key).items())


DEFAULTS: dict[str, Any] = {key: MrWTD.default(parameter.name) for key, parameter in PARAMETERS.items()}
DEFAULTS |= {key: {} for key in PER_RELATION}
"""The parameters of methods by their names in URLs, as they are until something else is chosen."""

DATASET_SPECIFIC: dict[str, Any] = {
    "relation": "", "order": ORDERS[0], "run": "", "views": {}, **{key: {} for key in PER_RELATION},
}  # fmt: skip
"""What means nothing with another data set."""


@dataclass(frozen=True)
class Choices:
    """What may be chosen within a data set.

    Attributes:
        relations: the names of its relations.
        attributes: the attributes that its objects can be ordered by.
        default_relation: which relation is shown until another is chosen.
        kinds: the kind of each relation.
    """

    relations: Sequence[str]
    attributes: Sequence[str] = ()
    default_relation: int = 0
    kinds: Sequence[str] = ()


def from_query(
    query: Mapping[str, str],
    datasets: Sequence[str],
    choices: Callable[[str], Choices],
    default: str = Settings.data,
    source: str = "The link",
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
            f"{source} asks for an uploaded file that is not here: it was removed, or stays with the user who "
            f"uploaded it. {default} is shown instead; upload the file here to see it."
            if data.startswith(UPLOAD_PREFIX)
            else _refused(source, "data", data, default, "is not here")
        )
        # What belongs to the other data set would only be refused again.
        rest = {
            name: text
            for name, text in query.items()
            if name in {*PARSERS, *PARAMETERS} and name not in DATASET_SPECIFIC
        }
        if gone := [name for name in query if name not in rest and name != "data"]:
            notes.append(f"What {source[0].lower()}{source[1:]} says of that data set is left out: {', '.join(gone)}.")
        query, data = rest, default
    within, settings = choices(data), Settings(data)
    for name, text in query.items():
        try:
            settings = settings.change(**_parse(name, text, within, settings))
        except ValueError as reason:
            notes.append(_refused(source, name, text, _usual(name, within), str(reason)))
    return settings, tuple(notes)


def _parse(name: str, text: str, within: Choices, settings: Settings) -> dict[str, Any]:
    """The change that one parameter asks for; nothing where it is none of ours, a ValueError where it is not valid."""
    head, _, rest = name.partition(".")
    if head in PER_RELATION and rest:
        if rest not in within.relations:
            raise ValueError("names a relation that is not here")
        kind = dict(zip(within.relations, within.kinds, strict=False)).get(rest, "binary")
        return {head: {**getattr(settings, head), rest: PER_RELATION[head].parse_for(text, kind, rest)}}
    if rest:
        return {name: text} if head in pages() else {}
    if name in PARAMETERS:
        return {name: PARAMETERS[name].parse(text)}
    return {name: PARSERS[name](text, within)} if name in PARSERS else {}


def _one_of(text: str, options: Sequence[str] | Mapping[str, Any]) -> str:
    if text not in options:
        raise ValueError("is not here")
    return text


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
    "train": lambda text, within: TRAIN.parse(text),  # noqa: ARG005
    "by": lambda text, within: _one_of(text, SPLIT_BY),  # noqa: ARG005
    "methods": lambda text, within: _methods(text),  # noqa: ARG005
    "run": lambda text, within: text,  # noqa: ARG005
    "method": lambda text, within: _one_of(text, ["", *METHODS]),  # noqa: ARG005
}
"""How every other parameter of a URL is read; runs are looked up by the pages that show them."""


def _usual(name: str, within: Choices) -> str:
    head, _, relation = name.partition(".")
    if relation and relation not in within.relations:
        return ""
    if head == "relation":
        return within.relations[within.default_relation]
    if head == "method":
        return "the first method"
    if head in PER_RELATION:
        return _text(MrWTD.default(PER_RELATION[head].name))
    usual = Settings().get(name)
    return "the default" if usual is None else _text(usual)


def _refused(source: str, name: str, text: str, instead: str, why: str) -> str:
    shown = text if len(text) <= 60 else text[:59] + "…"
    return f"{source} asks for {name} = {shown!r}, which {why}{f': {instead} is shown instead' if instead else ''}."


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
