"""`Method`: the base class of every model and every baseline.

`__init__` only stores parameters, `fit` learns, and a fitted method predicts any entries of the same objects. A
subclass implements `_fit` and `_reconstruct`. Parameters, checks and messages are here, predictions in `predictor`,
saving and loading in `storage`. `METHODS` has every method by name, with its variants.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from os import PathLike
from typing import IO, Annotated, Any, ClassVar, Self

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from ..data.arguments import check_callable
from ..data.negatives import sampled_pairs
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..registry import Registry
from ..typing import Array
from .cost import Cost, Size
from .diagnostics import Diagnostic, messages, warn
from .learned import is_flag, is_trace, one_number, tuple_of
from .parameters import COMMON, Parameter, default_rank
from .predictor import Predictor
from .progress import Callback
from .scaling import largest_counts, no_scales, represented_negatives, sampling_rates


@dataclass(frozen=True)
class Style:
    """The colour, the dash and the marker of a method in every figure."""

    colour: str
    dash: str = "solid"
    symbol: str = "circle"


class Method(Predictor):
    """The base class of every method.

    Facts about a method are attributes of its class:
        name: in `mrwtd.METHODS`, tables and files.
        family: "factorization", "Bayesian", "ensemble" or "heuristic".
        order: its place in lists.
        style: its look in figures.
        per_relation: whether each relation is fitted separately.
        parameters: the declarations of the parameters that the class adds to those of its bases.

    Learned attributes of every method, each with the rule that checks stored values:
        objects_, relations_, object_types_: those of the training data.
        rank_: the rank of the fit.
        losses_: the loss of each relation, by name.
        scales_: centre and scale of each relation's values during the fit, (m, 2).
        largest_: the largest training value of each count relation, an upper limit of predictions; NaN for others.
        sampling_rates_: the rate at which negatives of each relation were sampled; None if none is sampled.
        trace_: a frame with one row per iteration.
        watched_: the seconds spent on scoring held-out entries, which are not part of the time of the fit.
        converged_: whether the fit ended by itself.
        diagnostics_: what the user should know, as data; `messages_` has it as text.
    """

    parameters: ClassVar[Mapping[str, Parameter]] = COMMON
    name: ClassVar[str] = ""
    family: ClassVar[str] = "factorization"
    order: ClassVar[int] = 100
    style: ClassVar[Style | None] = None
    per_relation: ClassVar[bool] = False

    _held_out: RelationalData | None = None
    """During a fit: the entries that are scored at each iteration."""

    _constant: bool = False
    """During a fit: whether every relation has only one value."""

    kinds: ClassVar[Mapping[str, type[Method]]] = {}
    """Every class of method by name; saved models find theirs here."""

    rank: int | str | None = None
    trace_: Annotated[pd.DataFrame, is_trace]
    watched_: Annotated[float, one_number(0)] = 0.0
    converged_: Annotated[bool, is_flag]
    diagnostics_: Annotated[tuple[Diagnostic, ...], tuple_of(Diagnostic)]

    def __init__(self, rank: int | str | None = None, lam: float | str = "auto", seed: int = 0):
        self.rank = rank
        self.lam = lam
        self.seed = seed

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        Method.kinds = {**Method.kinds, cls.__name__: cls}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name, as scikit-learn's `clone` and searches expect them."""
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
        return [name for name in _argument_names(cls.__init__) if name != "self"]

    @classmethod
    def all_parameters(cls) -> dict[str, Parameter]:
        """The declaration of each parameter of `__init__`, by name.

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

    @classmethod
    def can_search(cls, name: str) -> bool:
        """Whether a parameter may be "auto", for a search.

        >>> import mrwtd
        >>> mrwtd.MrWTD.can_search("rank"), mrwtd.METHODS["BPTF"].can_search("rank")
        (True, False)
        """
        return bool(getattr(cls.all_parameters()[name], "automatic", False))

    def __repr__(self) -> str:
        params = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({params})"

    def rank_for(self, n_objects: int) -> int:
        """The rank of a fit to this many objects."""
        return default_rank(n_objects) if self.rank is None else int(self.rank)

    @property
    def columns(self) -> int:
        """The number of factors of an object in the fitted model."""
        return self.rank_

    def cost(self, size: Size) -> Cost:
        """The time and memory of a fit to data of this size."""
        return Cost(0.02 + 100e-9 * size.entries, 0.0)

    def fit(
        self, train: RelationalData, callback: Callback | None = None, held_out: RelationalData | None = None
    ) -> Self:
        """Learn from the training entries. The callback gets one `Iteration` per step; returning True stops.

        With `held_out` entries, the trace has their score at each iteration; nothing is learned from them. Entries of
        weight 0 are unobserved.
        """
        check_callable("callback", callback)
        train = self._checked(train)
        if held_out is not None:
            _check_held_out(held_out, train)
        self.begin(train)
        self._held_out = None if held_out is None else held_out.observed()
        self._constant = all(np.ptp(train.y[train.slice(k)]) == 0 for k in np.unique(train.k))
        try:
            with threadpool_limits(1, "blas"):  # faster on small matrices, and our own threads need the cores
                self._fit(train, callback)
        finally:
            del self._held_out, self._constant
        warn(self.diagnostics_)
        return self

    def begin(self, train: RelationalData) -> None:
        """Set the learned attributes that the training entries alone determine.

        >>> import mrwtd
        >>> model = mrwtd.MrWTD(rank=2)
        >>> model.begin(mrwtd.load_dataset("florentine"))
        >>> model.losses_
        {'business': 'quadratic', 'marriage': 'quadratic'}
        """
        self.objects_, self.relations_, self.object_types_ = train.objects, train.relations, train.object_types
        vars(self).pop("rank_", None)  # that of an earlier search
        self.rank_ = self.rank_for(train.n_objects)
        self.diagnostics_, self.converged_, self.watched_ = (), False, 0.0
        self.losses_ = {relation.name: "quadratic" for relation in train.relations}
        self.scales_, self.largest_ = no_scales(train.n_relations), largest_counts(train)
        self.sampling_rates_ = sampling_rates(represented_negatives(train)) if sampled_pairs(train) else None

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        raise NotImplementedError

    def _scaled(self, data: RelationalData) -> Array:
        """The values as they enter the fit."""
        if (self.scales_ == [0.0, 1.0]).all():
            return data.y
        return np.asarray((data.y - self.scales_[data.k, 0]) / self.scales_[data.k, 1])

    @property
    def messages_(self) -> tuple[str, ...]:
        """What the user should know about the fit, as text.

        >>> import mrwtd
        >>> mrwtd.MrWTD(rank=16, lam=1.0).fit(mrwtd.load_dataset("florentine")).messages_
        ('The rank 16 is larger than the number of objects, 15: the extra factors have no meaning.',)
        """
        return messages(self.diagnostics_)

    def check(self, train: RelationalData) -> None:
        """Raise `DataError` if `fit` would refuse the parameters or the data, without fitting.

        >>> import mrwtd
        >>> mrwtd.make_method("BPTF", rank=0).check(mrwtd.load_dataset("florentine"))
        Traceback (most recent call last):
        mrwtd.errors.DataError: found rank = 0; expected a whole number from 1 to 10000
        """
        self._checked(train)

    def _checked(self, train: RelationalData) -> RelationalData:
        """The observed training entries; a `DataError` if the method cannot be fitted to them."""
        if not isinstance(train, RelationalData):
            raise DataError(Problem(f"{type(train).__name__} as training data", "RelationalData (see mrwtd.read)"))
        entries = train.observed()
        if not len(entries):
            problem = f"{len(train):,} training entries, all of weight 0" if len(train) else "no training entry"
            raise DataError(Problem(problem, "at least one known entry"))
        self._check(entries)
        return entries

    def _check(self, train: RelationalData) -> None:
        """Refuse parameters outside their range, and relations of kinds that the method cannot fit.

        A model from a file is checked with one entry of each relation.
        """
        for name, parameter in self.all_parameters().items():
            parameter.check(getattr(self, name), train.relations)

    def save(self, file: str | PathLike[str] | IO[bytes]) -> None:
        """Write the fitted method to an npz file of arrays and JSON; `mrwtd.load_model` reads it."""
        from .storage import save

        self._check_fitted()
        save(self, file)

    def _watch(self, score: Callable[..., float]) -> Callable[..., float]:
        """The function `score`, whose time is added to `watched_`."""

        def timed_score(*state: Any) -> float:
            start = time.perf_counter()
            value = score(*state)
            self.watched_ += time.perf_counter() - start
            return value

        return timed_score


@cache  # pages open many models, and a signature takes a tenth of the time of that
def _argument_names(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def _check_held_out(held_out: RelationalData, train: RelationalData) -> None:
    if not isinstance(held_out, RelationalData):
        raise DataError(Problem(f"{type(held_out).__name__} as held-out entries", "RelationalData (see mrwtd.read)"))
    for noun in ("objects", "relations"):
        expected, actual = getattr(train, noun), getattr(held_out, noun)
        if actual != expected:
            problem = f"held-out entries of {len(actual)} {noun} that differ from those of the training entries"
            raise DataError(Problem(problem, f"the same {len(expected)} {noun}, in the same order"))


@dataclass(frozen=True)
class Variant:
    """A method with some parameters preset. Everything else is as in its class.

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
        """An unfitted method with these parameters and the preset ones."""
        return self.base(**{**self.preset, **params})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.base, name)


METHODS = Registry[Any]("method", "mrwtd.baselines", "mrwtd.bayesian", "mrwtd.stacking")
"""Every method by name: a class, or a `Variant` of one."""
