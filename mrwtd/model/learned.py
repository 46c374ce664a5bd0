"""Rules for the learned attributes of a method: the type, the shape and the range of each.

A stored method can come from anywhere, and pages rely on its attributes. Each class of method annotates its learned
attributes with their rules, as `A_: Annotated[Array, numbers("n", "r")]`, and `check` refuses values that no fit gives.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, get_type_hints

import numpy as np
import pandas as pd

from ..data.arguments import is_number
from ..data.relational import RelationalData
from ..data.relations import Relation
from .layout import Factors
from .losses import LOSSES, Loss
from .snapshots import Snapshot

if TYPE_CHECKING:
    from .method import Method

Rule = Callable[[Any, "Method"], bool]
"""Whether a value can be the result of a fit; the attributes that a rule reads have been checked before."""

Length = str | int | Callable[["Method"], int]
"""The length of an array in one direction."""

Column = Callable[[pd.Series], bool]
"""Whether the values of a column can be the result of a fit."""


def check(method: Method) -> None:
    """Refuse a method with a learned attribute that is missing or that no fit gives.

    >>> import mrwtd
    >>> model = mrwtd.MrWTD(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
    >>> check(model)
    >>> model.A_[0] = np.nan
    >>> check(model)
    Traceback (most recent call last):
    ValueError: values of A_ that no fit gives
    """
    rules = rules_of(type(method))
    for name, rule in rules.items():
        if not (hasattr(method, name) and rule(getattr(method, name), method)):
            raise ValueError(f"values of {name} that no fit gives")
    # A method of another package may have no rules, but pages rely on the names that they know.
    extra = [name for name in vars(method) if name.endswith("_") and name not in rules]
    known = [rules_of(kind) for kind in type(method).kinds.values()] if extra else []
    for name in extra:
        others = [rules[name] for rules in known if name in rules]
        if others and not any(rule(getattr(method, name), method) for rule in others):
            raise ValueError(f"values of {name} that no fit gives")


_RULES: dict[type, dict[str, Rule]] = {}


def rules_of(kind: type[Method]) -> dict[str, Rule]:
    """The rule for each learned attribute of a class, with its bases."""
    if kind not in _RULES:  # reading annotations takes as long as reading a small model
        hints = get_type_hints(kind, include_extras=True)
        rules = {name: hint.__metadata__[0] for name, hint in hints.items() if hasattr(hint, "__metadata__")}
        _RULES[kind] = rules
    return _RULES[kind]


def numbers(*shape: Length, positive: bool = False) -> Rule:
    """An array of finite numbers. In its shape, "n" is the number of objects, "m" of relations, and "r" of factors.

    A length can also be a function of the method.
    """

    def fits(value: Any, method: Method) -> bool:
        sizes = {"n": len(method.objects_), "m": len(method.relations_), "r": method.columns}
        return (
            isinstance(value, np.ndarray)
            and value.dtype == np.float64
            and value.shape == tuple(_length(size, sizes, method) for size in shape)
            and bool(np.isfinite(value).all())
            and not (positive and (value <= 0).any())
        )

    return fits


def one_number(low: float = -np.inf, *, whole: bool = False) -> Rule:
    """One finite number from `low` up."""
    return lambda value, _: (
        is_number(value) and bool(np.isfinite(value)) and value >= low and (isinstance(value, int) or not whole)
    )


def optional(rule: Rule) -> Rule:
    """A value that fits the rule, or None."""
    return lambda value, method: value is None or rule(value, method)


def is_flag(value: Any, _: Method) -> bool:
    """True or False."""
    return isinstance(value, bool)


def is_none(value: Any, _: Method) -> bool:
    """None."""
    return value is None


def tuple_of(kind: type) -> Rule:
    """A tuple of values of one type."""
    return lambda value, _: isinstance(value, tuple) and all(isinstance(item, kind) for item in value)


def are_types(value: Any, method: Method) -> bool:
    """The type of each object; or None."""
    return value is None or (tuple_of(str)(value, method) and len(value) == len(method.objects_))


def _length(size: Length, sizes: Mapping[str, int], method: Method) -> int:
    if isinstance(size, str):
        return sizes[size]
    return size if isinstance(size, int) else size(method)


def states(*shapes: tuple[Length, ...]) -> Rule:
    """The states of a sampler: at least one, each with an array of each shape."""
    rules = [numbers(*shape) for shape in shapes]

    def fits(value: Any, method: Method) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) > 0
            and all(isinstance(state, tuple) and len(state) == len(rules) for state in value)
            and all(rule(part, method) for state in value for rule, part in zip(rules, state, strict=True))
        )

    return fits


def are_losses(value: Any, method: Method) -> bool:
    """A loss for each relation, in their order, which takes its kind."""
    return (
        isinstance(value, dict)
        and list(value) == [relation.name for relation in method.relations_]
        and all(isinstance(name, str) and name in LOSSES for name in value.values())
        and all(relation.kind in loss.kinds for relation, loss in _losses(method))
    )


def are_scales(value: Any, method: Method) -> bool:
    """A centre, and a scale above 0, for each relation."""
    return numbers("m", 2)(value, method) and bool((value[:, 1] > 0).all())


def are_largest(value: Any, method: Method) -> bool:
    """A number for each relation, from 0 up for those of counts; or None."""
    counts = [relation.kind == "count" for relation in method.relations_]
    return value is None or (
        isinstance(value, np.ndarray)
        and value.dtype == np.float64
        and value.shape == (len(counts),)
        and bool((value[counts] >= 0).all())
    )


def are_rates(value: Any, method: Method) -> bool:
    """A rate above 0 up to 1 for each relation, or None."""
    return value is None or (numbers("m", positive=True)(value, method) and bool((value <= 1).all()))


def cuts(*, of_all: bool) -> Rule:
    """Cut points of relations whose loss learns them; a relation without entries may have none, unless `of_all`."""

    def fits(value: Any, method: Method) -> bool:
        sizes = {r.name: loss.extras(r) for r, loss in _losses(method) if loss.has_cuts}
        return (
            isinstance(value, dict)
            and value.keys() <= sizes.keys()
            and (not of_all or len(value) == len(sizes))
            and all(numbers(size)(value[name], method) for name, size in sizes.items() if name in value)
        )

    return fits


def are_members(value: Any, method: Method) -> bool:
    """Factors of the sizes of the method, at least one of them."""
    return isinstance(value, tuple) and len(value) > 0 and all(_are_factors(member, method) for member in value)


def are_snapshots(value: Any, method: Method) -> bool:
    """Factors at iterations in ascending order, from the start on none after the end of the trace."""
    return (
        tuple_of(Snapshot)(value, method)
        and all(one_number(0, whole=True)(snapshot.iteration, method) for snapshot in value)
        and all(previous.iteration < snapshot.iteration for previous, snapshot in pairwise(value))
        and all(snapshot.iteration <= method.trace_["iteration"].max() for snapshot in value[1:])
        and all(_are_factors(snapshot.factors, method) for snapshot in value)
    )


def is_training(value: Any, method: Method) -> bool:
    """Entries of the same objects and relations; or None."""
    return value is None or (
        isinstance(value, RelationalData)
        and (value.objects, value.relations) == (method.objects_, method.relations_)
        and value.object_types == method.object_types_
    )


def table(required: Mapping[str, Column], optional: Mapping[str, Column]) -> Rule:
    """A frame with these columns; any others are numbers."""
    columns = {**required, **optional}

    def fits(value: Any, _: Method) -> bool:
        return (
            isinstance(value, pd.DataFrame)
            and required.keys() <= set(value)
            and (value.empty or all(columns.get(str(name), _are_numbers)(column) for name, column in value.items()))
        )

    return fits


def _are_numbers(column: pd.Series) -> bool:
    return column.dtype.kind in "if"


def _are_finite(column: pd.Series) -> bool:
    return _are_numbers(column) and bool(np.isfinite(column).all())


def _are_ascending(column: pd.Series) -> bool:
    return column.dtype.kind == "i" and bool((np.diff(column, prepend=-1) > 0).all())


def _are_lambdas(column: pd.Series) -> bool:
    return _are_finite(column) and bool((column > 0).all()) and bool(column.is_unique)


def _are_flags(column: pd.Series) -> bool:
    return column.dtype == bool


is_trace = table({"iteration": _are_ascending, "objective": _are_finite}, {"seconds": _are_finite})
"""One row per iteration. The norm of a gradient and a score are NaN if there are none."""

is_path = table({"lam": _are_lambdas, "score": _are_numbers, "collapsed": _are_flags}, {"finished": _are_flags})
"""One row per λ of a search; none if λ was given. The score is NaN if nothing can be scored."""

is_rank_path = table({"rank": _are_ascending, "score": _are_numbers, "lam": _are_numbers}, {})
"""One row per rank of a search."""


def _losses(method: Method) -> list[tuple[Relation, Loss]]:
    return [(relation, LOSSES[method.losses_[relation.name]]) for relation in method.relations_]


def _are_factors(value: Any, method: Method) -> bool:
    extras = [loss.extras(relation) for relation, loss in _losses(method)]
    return (
        isinstance(value, Factors)
        and numbers("n", "r")(value.A, method)
        and numbers("m", "r", "r")(value.R, method)
        and len(value.extras) == len(extras)
        and all(numbers(size)(extra, method) for size, extra in zip(extras, value.extras, strict=True))
    )
