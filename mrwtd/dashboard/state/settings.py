"""The settings of a user and their form in the URL. No Streamlit here, so that they can be tested alone.

One object holds everything: what a run depends on, what is shown, and the settings of each page. A name with a dot
belongs to one relation (`loss.advice`, `weight.advice`) or to one page (`network.threshold`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from ...baselines import METHODS, make_method
from ...data.published import PUBLISHED
from ...data.relational import RelationalData
from ...data.splitting import HOLD_OUTS, SPLIT_BY, TRAINING_FRACTION
from ...model import MrWTD
from ...model.cost import Size
from ...model.parameters import AUTO, LOSS, POSITIVE_WEIGHT, Number, default_rank
from ..navigation import pages
from ..widgets.formatting import shorten

QUICK, THOROUGH = ("MrWTD", "RESCAL", "Degree"), "MrWTD-B"
FEW_SECONDS = 5.0
"""The default comparison: the quick methods, and the thorough one if it is estimated to take at most a few seconds."""

ORDERS = ("alike", "listed")
"""Orders of the objects that every data set has. The attributes of the objects are further orders."""

TRAIN = Number("train", low=0.01, high=1.0)
"""The training fraction. With 1, nothing is held out."""

PARAMETERS = {
    parameter.key: parameter for parameter in MrWTD.all_parameters().values() if parameter.offered and parameter.short
}
"""Method parameters with a single value. The seed is also that of the split."""

PER_RELATION = {parameter.key: parameter for parameter in (LOSS, POSITIVE_WEIGHT)}
"""Method parameters with one value per relation."""

UPLOAD_PREFIX = "own-"
"""Prefix of the name of an uploaded data set, followed by its digest."""


@dataclass(frozen=True, init=False)
class Settings:
    """Everything that determines what is trained and what the pages show.

    >>> Settings("monastery", relation="esteem", rank=5).to_query()
    {'data': 'monastery', 'relation': 'esteem', 'rank': '5'}

    Method parameters are attributes too: `settings.rank`, `settings.lam`, and `settings.loss` by relation. A rank of
    None depends on the size of the data.

    Attributes:
        data: the name of a sample or of an uploaded data set.
        relation: the relation that is shown; empty for the default of the data set.
        order: the order of the objects in figures: one of `ORDERS`, or an attribute.
        train: the training fraction.
        by: how directed relations are split: "auto", "entry" or "pair"; or "published" for the published split.
        methods: the methods to train; empty for the default comparison of the data (`default_methods`).
        parameters: method parameters that differ from the defaults, by their names in URLs.
        run: the id of the run that is shown; empty for the newest of the data set.
        shared: the token of the link if the run is one that another user shares.
        method: the method that is shown; empty for the first of the run.
        views: the settings of pages, by "page.setting".
    """

    data: str = "aucs"
    relation: str = ""
    order: str = ORDERS[0]
    train: float = TRAINING_FRACTION
    by: str = AUTO
    methods: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    run: str = ""
    shared: str = ""
    method: str = ""
    views: Mapping[str, str] = field(default_factory=dict)

    def __init__(self, data: str = "aucs", **chosen: Any):
        parameters = {**chosen.pop("parameters", {})}
        parameters |= {name: chosen.pop(name) for name in [*chosen] if name in DEFAULTS}
        changed = {name: value for name, value in parameters.items() if value != DEFAULTS[name]}
        values = {"data": data, "views": {}, **chosen, "parameters": changed}
        for item in fields(self):
            object.__setattr__(self, item.name, values.pop(item.name, item.default))
        if values:
            raise TypeError(f"unknown settings: {', '.join(values)}")

    def __getattr__(self, name: str) -> Any:
        if name not in DEFAULTS:
            raise AttributeError(f"settings have no {name!r}")
        return self.parameters.get(name, DEFAULTS[name])

    def change(self, **changes: Any) -> Settings:
        """The settings with some changes. Settings that are specific to a data set are dropped with it.

        A shared run is left when another run or data set is selected.

        >>> Settings("monastery", relation="esteem").change(data="aucs").relation
        ''
        >>> Settings().change(**{"network.threshold": "0.5"}).views
        {'network.threshold': '0.5'}
        """
        if changes.get("data", self.data) != self.data:
            random = {"by": AUTO} if self.by == PUBLISHED else {}  # the other data may have no published split
            changes = {**DATASET_SPECIFIC, **random, **changes}
        elif changes.get("run", self.run) != self.run:
            changes = {"shared": "", **changes}
        views = {**changes.pop("views", self.views), **{name: changes.pop(name) for name in [*changes] if "." in name}}
        values = {item.name: getattr(self, item.name) for item in fields(self)} | changes
        return Settings(**values | {"views": {name: value for name, value in views.items() if value != ""}})

    def with_rank(self, n_objects: int) -> Settings:
        """The settings with a rank. The default depends on the number of objects.

        >>> Settings().with_rank(15).rank
        3
        """
        return self if self.rank is not None else self.change(rank=default_rank(n_objects))

    def resolved(self, data: RelationalData) -> Settings:
        """The settings with a rank and methods. The defaults depend on the data.

        >>> import mrwtd
        >>> Settings("florentine").resolved(mrwtd.load_dataset("florentine")).methods
        ('MrWTD', 'MrWTD-B', 'RESCAL', 'Degree')
        """
        settings = self.with_rank(data.n_objects)
        return settings if settings.methods else settings.change(methods=self.default_methods(data))

    def default_methods(self, data: RelationalData) -> tuple[str, ...]:
        """The default comparison: a few quick methods, and MrWTD-B if that takes a few seconds.

        >>> import mrwtd
        >>> Settings("kinship").default_methods(mrwtd.load_dataset("kinship"))
        ('MrWTD', 'RESCAL', 'Degree')
        """
        rank = None if self.rank == AUTO else self.rank
        seconds = make_method(THOROUGH, rank=rank).cost(Size.of(data, self.train)).seconds
        return tuple(name for name in METHODS if name in QUICK or (name == THOROUGH and seconds <= FEW_SECONDS))

    def with_default_methods(self, data: RelationalData) -> Settings:
        """The settings, whose methods are those of the default comparison also in future if they are now.

        >>> import mrwtd
        >>> data = mrwtd.load_dataset("florentine")
        >>> Settings("florentine").resolved(data).with_default_methods(data).methods
        ()
        """
        return self.change(methods=()) if self.methods == self.default_methods(data) else self

    def get(self, name: str) -> Any:
        """A setting by its name in the URL. None for a page setting that has not been chosen.

        >>> Settings().get("lam"), Settings().get("network.threshold")
        ('auto', None)
        """
        return self.views.get(name) if "." in name else getattr(self, name)

    def to_query(self) -> dict[str, str]:
        """URL parameters that restore these settings: the data set, and everything that is not the default."""
        default = Settings(self.data)
        names = [item.name for item in fields(self) if item.name not in ("data", "parameters", "views")]
        chosen = {"data": self.data} | {name: self.get(name) for name in names if self.get(name) != default.get(name)}
        chosen |= {name: value for name, value in self.parameters.items() if name in PARAMETERS}
        return {name: _text(value) for name, value in chosen.items()} | self._per_relation() | {**self.views}

    def request(self) -> dict[str, str]:
        """The settings that a run depends on, including defaults. They are stored with the run.

        >>> Settings("florentine", rank=3).request()["rank"]
        '3'
        """
        values = {name: getattr(self, name) for name in ("data", "train", "by", "methods", *PARAMETERS)}
        return {name: _text(value) for name, value in values.items() if value is not None} | self._per_relation()

    def _per_relation(self) -> dict[str, str]:
        return {
            f"{key}.{relation}": _text(value) for key in PER_RELATION for relation, value in getattr(self, key).items()
        }


DEFAULTS: dict[str, Any] = {key: MrWTD.default(parameter.name) for key, parameter in PARAMETERS.items()}
DEFAULTS |= {key: {} for key in PER_RELATION}
"""Default values of the method parameters, by their names in URLs."""

DATASET_SPECIFIC: dict[str, Any] = {
    "relation": "", "order": ORDERS[0], "run": "", "shared": "", "views": {}, **{key: {} for key in PER_RELATION},
}  # fmt: skip
"""Settings that have no meaning for another data set, with their defaults."""


@dataclass(frozen=True)
class Choices:
    """The choices within a data set.

    Attributes:
        relations: the names of its relations.
        attributes: the attributes by which its objects can be ordered.
        default_relation: the index of the relation that is shown first.
        kinds: the kind of each relation.
        published: whether a split was published with it.
    """

    relations: Sequence[str]
    attributes: Sequence[str] = ()
    default_relation: int = 0
    kinds: Sequence[str] = ()
    published: bool = False


def from_query(
    query: Mapping[str, str], datasets: Sequence[str], choices: Callable[[str], Choices], source: str = "The link"
) -> tuple[Settings, tuple[str, ...]]:
    """Settings from URL parameters, and a message for each parameter that is not valid.

    Unknown parameters are ignored, as trackers add their own to links. Messages start with `source`.

    >>> settings, messages = from_query({"data": "kinshp"}, ["aucs"], lambda name: Choices(["work"]))
    >>> settings.data, messages
    ('aucs', ("The link asks for data = 'kinshp', which is not here: aucs is shown instead.",))
    """
    default = Settings.data
    data, messages = query.get("data", default), []
    if data not in datasets:
        messages.append(
            f"{source} asks for an uploaded file that is not here: it was deleted, or another user has uploaded it. "
            f"{default} is shown instead. Upload the file to see it."
            if data.startswith(UPLOAD_PREFIX)
            else _rejection(source, "data", data, default, "is not here")
        )
        # The settings of the other data set would be rejected one by one.
        known = {*PARSERS, *PARAMETERS} - {*DATASET_SPECIFIC}
        if dropped := [name for name in query if name not in known and name != "data"]:
            messages.append(f"Settings of that data set are left out: {', '.join(dropped)}.")
        query, data = {name: text for name, text in query.items() if name in known}, default
    within, settings = choices(data), Settings(data)
    for name, text in query.items():
        try:
            settings = settings.change(**_parse(name, text, within, settings))
        except ValueError as reason:
            messages.append(_rejection(source, name, text, _default_text(name, within), str(reason)))
    return settings, tuple(messages)


def _parse(name: str, text: str, within: Choices, settings: Settings) -> dict[str, Any]:
    """The change that a URL parameter makes. Empty if it is unknown, a ValueError if it is not valid."""
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
    # In a URL that was typed by hand, a plus means a space.
    typed = [name.replace(" ", "+") for name in text.split(",")]
    names = [plus if plus in METHODS else plus.replace("+", " ").strip() for plus in typed]
    if missing := [name for name in names if name not in METHODS]:
        raise ValueError(f"names {missing[0]!r}, which is not a method")
    return tuple(dict.fromkeys(names))


PARSERS: dict[str, Callable[[str, Choices], Any]] = {
    "relation": lambda text, within: _one_of(text, ["", *within.relations]),
    "order": lambda text, within: _one_of(text, [*ORDERS, *within.attributes]),
    "train": lambda text, _: TRAIN.parse(text),
    "by": lambda text, within: _one_of(text, HOLD_OUTS if within.published else SPLIT_BY),
    "methods": lambda text, _: _methods(text),
    "run": lambda text, _: text,
    "shared": lambda text, _: text,
    "method": lambda text, _: _one_of(text, ["", *METHODS]),
}
"""Parsers of the other URL parameters. The id of a run and the token of a link are checked by the pages."""


def _default_text(name: str, within: Choices) -> str:
    """The value that replaces one that is not valid."""
    head, _, relation = name.partition(".")
    if relation and relation not in within.relations:
        return ""
    if head == "relation":
        return within.relations[within.default_relation]
    if head == "method":
        return "the first method"
    if head in PER_RELATION:
        return _text(MrWTD.default(PER_RELATION[head].name))
    default = Settings().get(name)
    return "the default" if default is None else _text(default)


def _rejection(source: str, name: str, text: str, instead: str, why: str) -> str:
    shown = f": {instead} is shown instead" if instead else ""
    return f"{source} asks for {name} = {shorten(text)!r}, which {why}{shown}."


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(value)
    return f"{value:.6g}" if isinstance(value, float) else str(value)
