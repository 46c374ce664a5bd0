"""`Method`: what every model and every baseline shares.

A method is set up by `__init__` (which only stores), learns in `fit`, and then answers for any entries of the same
objects. A subclass writes `_fit` and `_reconstruct`; parameters, alignment of names, messages, saving and loading are
here.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from os import PathLike
from typing import IO, Any, ClassVar, Self

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ..data.arguments import check_callable, short_repr
from ..data.observed import observed
from ..data.relational import RelationalData
from ..data.relations import Relation
from ..errors import DataError, Problem
from ..metrics import relation_scores, selection_score
from ..registry import Registry
from ..typing import Array, Int32Array
from .cost import Cost, Size
from .diagnostics import Diagnostic, messages, warn
from .learned import OF_ALL, Rule
from .losses import LOSSES, Loss
from .parameters import COMMON, Parameter, default_rank
from .solver import Callback, Iteration


@dataclass(frozen=True)
class Style:
    """The colour, the dash and the mark of a method in every figure."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"


class NotFittedError(ValueError, AttributeError):
    """A method was asked before `fit`: the same bases as scikit-learn's error of that name."""


class Method:
    """The common part of every method.

    What others need to know about a method is an attribute of its class:
        name: in `mrwtd.METHODS`, tables and files.
        family: "factorization", "Bayesian" or "heuristic".
        order: its place in lists.
        style: its look in figures.
        per_relation: whether each relation is fitted on its own.
        parameters: what its parameters may be.

    Learned attributes, besides each method's own:
        objects_, relations_: what it was fitted to.
        rank_: the rank of the fit.
        losses_: the loss of each relation, by name.
        scales_: centre and scale of each relation's values during the fit, (m, 2).
        largest_: the largest training value of each count relation, above which none is predicted; NaN of others.
        trace_: a frame with a row an iteration.
        watched_: seconds that went into the score of held-out entries; a fit without them takes so much less.
        converged_: whether the fit ended by itself.
        diagnostics_: what the user should know, as facts; `messages_` has them in words.
    """

    parameters: ClassVar[Mapping[str, Parameter]] = COMMON
    """The parameters that the class adds to those of its bases."""

    name: ClassVar[str] = ""
    family: ClassVar[str] = "factorization"
    order: ClassVar[int] = 100
    style: ClassVar[Style | None] = None
    per_relation: ClassVar[bool] = False

    _held_out: RelationalData | None = None
    """During a fit: the entries that are watched."""

    _constant: bool = False
    """During a fit: whether every relation has one value only."""

    kinds: ClassVar[Mapping[str, type[Method]]] = {}
    """Every class of method by name; saved models find theirs here."""

    learned: ClassVar[Mapping[str, Rule]] = OF_ALL
    """What a class learns besides what its bases do: the rule that values from a file are checked by, by name."""

    rank: int | None = None
    rank_: int
    objects_: tuple[str, ...]
    relations_: tuple[Relation, ...]
    losses_: dict[str, str]
    scales_: Array
    largest_: Array | None = None
    trace_: pd.DataFrame
    watched_: float = 0.0
    converged_: bool
    diagnostics_: tuple[Diagnostic, ...]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        Method.kinds = {**Method.kinds, cls.__name__: cls}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as scikit-learn's `clone` and searches expect them."""
        del deep
        return {name: getattr(self, name) for name in self.parameter_names()}

    def set_params(self, **params: Any) -> Self:
        """Change parameters by name."""
        for name, value in params.items():
            if name not in self.parameter_names():
                raise DataError(Problem(f"the parameter {name!r}", f"one of {', '.join(self.parameter_names())}"))
            setattr(self, name, value)
        return self

    @classmethod
    def parameter_names(cls) -> list[str]:
        """The names of the parameters, as `__init__` lists them."""
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def __repr__(self) -> str:
        short_repr = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({short_repr})"

    def fit(
        self, train: RelationalData, callback: Callback | None = None, held_out: RelationalData | None = None
    ) -> Self:
        """Learn from the training entries. The callback gets an `Iteration` a step; returning True stops.

        With `held_out` entries, the trace has their score at each iteration; they are watched, never learned from.
        Entries of weight 0 are unobserved.
        """
        check_callable("callback", callback)
        train = self._checked(train)
        if held_out is not None:
            _check_held_out(held_out, train)
        self.objects_, self.relations_ = train.objects, train.relations
        self.rank_ = self.rank_for(train.n_objects)
        self.diagnostics_, self.converged_, self.watched_ = (), False, 0.0
        self.losses_ = {relation.name: "quadratic" for relation in train.relations}
        self.scales_, self.largest_ = np.tile([0.0, 1.0], (train.n_relations, 1)), largest_counts(train)
        self._held_out = None if held_out is None else observed(held_out)
        self._constant = all(np.ptp(train.y[train.slice(k)]) == 0 for k in np.unique(train.k))
        try:
            with threadpool_limits(1, "blas"):  # faster on small matrices, and our own threads need the cores
                self._fit(train, callback)
        finally:
            del self._held_out, self._constant
        warn(self.diagnostics_)
        return self

    @property
    def messages_(self) -> tuple[str, ...]:
        """What the user should know about the fit, in words.

        >>> import mrwtd
        >>> mrwtd.MrWTD(rank=16, lam=1.0).fit(mrwtd.load_dataset("florentine")).messages_
        ('The rank 16 is above the number of objects, 15: the extra factors have no meaning.',)
        """
        return messages(self.diagnostics_)

    def check(self, train: RelationalData) -> None:
        """Raise `DataError` where `fit` would refuse parameters or data, without fitting.

        >>> import mrwtd
        >>> mrwtd.make_method("BPTF", rank=0).check(mrwtd.load_dataset("florentine"))
        Traceback (most recent call last):
        mrwtd.errors.DataError: found rank = 0; expected a whole number from 1 to 10000
        """
        self._checked(train)

    def _checked(self, train: RelationalData) -> RelationalData:
        """The observed training entries, where parameters and data are such that the method can be fitted."""
        if not isinstance(train, RelationalData):
            raise DataError(Problem(f"{type(train).__name__} as training data", "RelationalData (see mrwtd.read)"))
        entries = observed(train)
        if not len(entries):
            problem = f"{len(train):,} training entries, all of weight 0" if len(train) else "no training entry"
            raise DataError(Problem(problem, "at least one known entry"))
        self._check(entries)
        return entries

    def cost(self, size: Size) -> Cost:
        """What a fit to data of that size takes."""
        return Cost(0.02 + 100e-9 * size.entries, 0.0)

    @classmethod
    def all_parameters(cls) -> dict[str, Parameter]:
        """The declaration of each parameter that `__init__` takes, by name.

        >>> import mrwtd
        >>> list(mrwtd.METHODS["Degree"].all_parameters())
        ['rank', 'lam', 'seed']
        """
        declared = {
            name: parameter
            for base in reversed(cls.__mro__)
            for name, parameter in vars(base).get("parameters", {}).items()
        }
        return {name: parameter for name, parameter in declared.items() if name in cls.parameter_names()}

    @classmethod
    def default(cls, name: str) -> Any:
        """The default of a parameter.

        >>> import mrwtd
        >>> mrwtd.MrWTD.default("lam")
        'auto'
        """
        return inspect.signature(cls.__init__).parameters[name].default

    def rank_for(self, n_objects: int) -> int:
        """The rank of a fit to this many objects."""
        return default_rank(n_objects) if self.rank is None else int(self.rank)

    def _check(self, train: RelationalData) -> None:
        """Refuse parameters outside their range, and relations that the method cannot take.

        A model from a file is checked with one entry of each relation.
        """
        for name, parameter in self.all_parameters().items():
            parameter.check(getattr(self, name), train)

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        raise NotImplementedError

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        """x at the entries, where relation k of the entries is relation `relations[k]` of the fit."""
        raise NotImplementedError

    def decision_function(self, entries: RelationalData) -> Array:
        """x at each entry: higher is likelier, or larger. Real relations: in standard deviations from the mean."""
        entries, relations = self._align(entries)
        return self._reconstruct(entries, relations)

    def predict(self, entries: RelationalData) -> Array:
        """φ(x) at each entry, in the unit of the data: ±1, a level, a rate or a real number."""
        entries, relations = self._align(entries)
        return self._map(self._reconstruct(entries, relations), entries, relations)

    def predict_proba(self, entries: RelationalData) -> Array:
        """P(y = +1) at each entry, where the loss gives one; NaN elsewhere."""
        entries, relations = self._align(entries)
        return self._probability(self._reconstruct(entries, relations), entries, relations)

    def predict_all(self, entries: RelationalData) -> tuple[Array, Array, Array]:
        """What `decision_function`, `predict` and `predict_proba` say, for the price of one of them."""
        entries, relations = self._align(entries)
        x = self._reconstruct(entries, relations)
        return x, self._map(x, entries, relations), self._probability(x, entries, relations)

    def predict_std(self, entries: RelationalData) -> Array:
        """The standard deviation of each prediction over an ensemble or posterior; NaN where there is neither."""
        return np.full(len(entries), np.nan)

    def save(self, file: str | PathLike[str] | IO[bytes]) -> None:
        """Write the fitted method to an npz file of arrays and JSON; `mrwtd.load_model` reads it."""
        from .storage import save

        self._fitted()
        save(self, file)

    def _map(
        self,
        x: Array,
        entries: RelationalData,
        relations: Int32Array,
        extras: Sequence[Array] | None = None,
    ) -> Array:
        """φ(x), with given biases or cut points of each relation in place of the learned ones."""
        predicted = np.empty_like(x)
        for position, k in enumerate(relations):
            part = entries.slice(position)
            predicted[part] = self._value(x[part], int(k), self._extras(int(k)) if extras is None else extras[k])
            if self.relations_[k].kind == "count" and self.largest_ is not None:
                # A log link turns a moderate extrapolation of x into a factor: nothing beyond what was seen.
                predicted[part] = np.clip(predicted[part], 0.0, self.largest_[k])
        return predicted

    def _value(self, x: Array, k: int, extras: Array) -> Array:
        """φ(x) of entries of relation k."""
        centre, scale = self.scales_[k]
        return LOSSES[self.losses_[self.relations_[k].name]].predict(centre + scale * x, self.relations_[k], extras)

    def _probability(self, x: Array, entries: RelationalData, relations: Int32Array) -> Array:
        probability = np.empty_like(x)
        for own, k in enumerate(relations):
            at = entries.slice(own)
            probability[at] = LOSSES[self.losses_[self.relations_[k].name]].probability(x[at])
        return probability

    def _watch(self, score: Callable[..., float]) -> Callable[..., float]:
        """The same function, whose time is kept apart from that of the fit."""

        def watched(*state: Any) -> float:
            began = time.perf_counter()
            value = score(*state)
            self.watched_ += time.perf_counter() - began
            return value

        return watched

    def _scored_values(
        self, entries: RelationalData, x: Array | None = None, extras: Sequence[Array] | None = None
    ) -> Array:
        """What entries of all relations are scored by: x of binary relations, φ(x) of others."""
        relations = np.arange(entries.n_relations, dtype=np.int32)
        x = self._reconstruct(entries, relations) if x is None else x
        binary = np.array([relation.kind == "binary" for relation in entries.relations])
        return x if binary.all() else np.where(binary[entries.k], x, self._map(x, entries, relations, extras))

    def _score(self, entries: RelationalData, x: Array | None = None, extras: Sequence[Array] | None = None) -> float:
        """The score of entries of all relations, where they have x: see `metrics.selection_score`."""
        kinds, values = [relation.kind for relation in entries.relations], self._scored_values(entries, x, extras)
        return selection_score(zip(kinds, relation_scores(kinds, entries.y, values, entries.bounds), strict=True))

    def _alone(self, k: int) -> Self:
        """A copy that knows no relation but k."""
        alone = copy(self)
        alone.relations_, alone.scales_ = self.relations_[k : k + 1], self.scales_[k : k + 1]
        alone.largest_ = None if self.largest_ is None else self.largest_[k : k + 1]
        return alone

    def _extras(self, k: int) -> Array:
        """The bias or cut points of relation k."""
        return np.zeros(1)

    def _fitted(self) -> None:
        if not hasattr(self, "trace_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit(train) first")

    def _align(self, entries: RelationalData) -> tuple[RelationalData, Int32Array]:
        """The entries with the objects in the order of the fit, and the fit's position of each of their relations."""
        self._fitted()
        if not isinstance(entries, RelationalData):
            raise DataError(
                Problem(f"{short_repr(entries)} as entries", "RelationalData, such as a part of data.split")
            )
        known = {relation.name: k for k, relation in enumerate(self.relations_)}
        for relation in entries.relations:
            if relation.name not in known:
                raise DataError(Problem(f"the relation {relation.name!r}", f"one of {', '.join(map(repr, known))}"))
        relations = np.array([known[relation.name] for relation in entries.relations], dtype=np.int32)
        if entries.objects == self.objects_:
            return entries, relations
        return self._renumber(entries), relations

    def _renumber(self, entries: RelationalData) -> RelationalData:
        at = {name: position for position, name in enumerate(self.objects_)}
        used = np.unique(np.concatenate([entries.i, entries.j]))
        strangers = [entries.objects[position] for position in used if entries.objects[position] not in at]
        if strangers:
            raise DataError(
                Problem(f"the object {strangers[0]!r}", "objects that were there in fit; see fold_in for new ones")
            )
        # Undirected pairs may swap i and j here and entries change their order, so scores would go astray: refuse.
        position = np.array([at.get(name, -1) for name in entries.objects])
        if (np.diff(position[used]) < 0).any():
            raise DataError(Problem("objects in another order than in fit", "the same order of objects"))
        i, j = position[entries.i], position[entries.j]
        return RelationalData(self.objects_, entries.relations, i, j, entries.k, entries.y, entries.w)


@dataclass(frozen=True)
class Variant:
    """A method with some parameters set beforehand: all else is as of its class.

    >>> import mrwtd
    >>> mrwtd.METHODS["MrWTD-H"](rank=3).loss
    {'binary': 'smooth-hinge'}
    """

    name: str
    base: type[Method]
    preset: Mapping[str, Any] = field(hash=False)
    order: int
    style: Style

    def __call__(self, **params: Any) -> Method:
        """An unfitted method with these parameters besides."""
        return self.base(**{**self.preset, **params})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)


METHODS = Registry[Any]("method", "mrwtd.baselines", "mrwtd.bayesian")
"""Every method by name: a class, or a `Variant` of one."""


def _check_held_out(held_out: RelationalData, train: RelationalData) -> None:
    if not isinstance(held_out, RelationalData):
        raise DataError(Problem(f"{type(held_out).__name__} as held-out entries", "RelationalData (see mrwtd.read)"))
    for what in ("objects", "relations"):
        own, other = getattr(train, what), getattr(held_out, what)
        if own != other:
            found = f"held-out entries of {len(other)} {what} that are not those of training"
            raise DataError(Problem(found, f"the same {len(own)}, in the same order"))


def trace_frame(trace: tuple[Iteration, ...] | list[Iteration]) -> pd.DataFrame:
    """A frame with a row an iteration.

    >>> trace_frame([Iteration(1, 10.0, 0.5, 0.01)])[["iteration", "objective"]]
       iteration  objective
    0          1       10.0
    """
    return pd.DataFrame(
        {
            "iteration": [seen.number for seen in trace],
            "objective": [seen.objective for seen in trace],
            "gradient_norm": [seen.gradient_norm for seen in trace],
            "seconds": [seen.seconds for seen in trace],
            "score": [np.nan if seen.score is None else seen.score for seen in trace],
        }
    )


def standard_scales(train: RelationalData, losses: Sequence[Loss]) -> Array:
    """Mean and deviation of each relation whose loss wants standardised values, and 0 and 1 for the others.

    >>> import mrwtd
    >>> standard_scales(mrwtd.load_dataset("florentine"), [LOSSES["quadratic"]] * 2)  # binary: as they are
    array([[0., 1.],
           [0., 1.]])
    """
    scales = np.tile([0.0, 1.0], (train.n_relations, 1))
    for k, (loss, relation) in enumerate(zip(losses, train.relations, strict=True)):
        y = train.y[train.slice(k)]
        if loss.standardizes and relation.kind != "binary" and y.size:
            scales[k] = y.mean(), y.std() or 1.0
    return scales


def largest_counts(train: RelationalData) -> Array:
    """The largest value of each count relation; NaN of other kinds, and infinity where nothing is known.

    >>> import mrwtd
    >>> largest_counts(mrwtd.load_dataset("airports"))
    array([13788.,    nan,    nan])
    """
    counts = [relation.kind == "count" for relation in train.relations]
    values = [train.y[train.slice(k)] for k in range(train.n_relations)]
    largest = [y.max() if y.size else np.inf for y in values]
    return np.where(counts, largest, np.nan)
