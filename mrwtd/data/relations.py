"""A relation: its name, the kind of its values, and whether it is directed."""

from dataclasses import dataclass
from itertools import pairwise

from ..errors import DataError, Problem
from .arguments import check_bool, short_repr

KINDS = ("binary", "ordinal", "count", "real")
"""The kinds of relation. Binary entries are −1 or +1, ordinal ones a level 0…L−1, counts 0, 1, 2, …"""


@dataclass(frozen=True)
class Relation:
    """One kind of relationship among the objects.

    `levels` are the original values of the levels 0…L−1 of an ordinal relation, in ascending order.

    >>> Relation("friendship", "binary", directed=False)
    Relation(name='friendship', kind='binary', directed=False, levels=())
    >>> Relation("liking", "ordinal", directed=True, levels=(1, 2, 3)).levels
    (1.0, 2.0, 3.0)
    """

    name: str
    kind: str
    directed: bool
    levels: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise DataError(Problem(f"{short_repr(self.name)} as the name of a relation", "a text"))
        where = f"relation {self.name!r}"
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise DataError(Problem(f"kind {short_repr(self.kind)}", f"one of {', '.join(KINDS)}", where=where))
        try:
            levels = tuple(float(level) for level in self.levels)
        except (TypeError, ValueError, OverflowError):
            expected = "the values of its levels, such as (1, 2, 3)"
            raise DataError(Problem(f"levels {short_repr(self.levels)}", expected, where=where)) from None
        if self.kind != "ordinal" and levels:
            expected = "no levels: only ordinal relations have them"
            raise DataError(Problem(f"levels for a {self.kind} relation", expected, where=where))
        if any(a >= b for a, b in pairwise(levels)):
            raise DataError(Problem(f"levels {levels}", "levels in ascending order", where=where))
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "directed", check_bool(f"directed of {self.name!r}", self.directed))
