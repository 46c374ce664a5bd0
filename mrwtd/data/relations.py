"""A relation: its name, the kind of its values, whether it is directed, and which objects it connects."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..errors import DataError, Problem
from .arguments import check_bool, short_repr

KINDS = ("binary", "ordinal", "count", "real")
"""The kinds of relation. Binary entries are −1 or +1, ordinal ones a level 0…L−1, counts 0, 1, 2, …"""


@dataclass(frozen=True, repr=False)
class Relation:
    """One kind of relationship among the objects.

    `levels` are the original values of the levels 0…L−1 of an ordinal relation, in ascending order.

    >>> Relation("friendship", "binary", directed=False)
    Relation(name='friendship', kind='binary', directed=False, levels=())
    >>> Relation("liking", "ordinal", directed=True, levels=(1, 2, 3)).levels
    (1.0, 2.0, 3.0)

    `types` are the types of source and target of a relation that connects only these, as in two-mode data. A relation
    between two different types is directed, from the first to the second: the reverse of a pair does not exist.

    >>> Relation("attends", "binary", directed=True, types=("woman", "event"))
    Relation(name='attends', kind='binary', directed=True, levels=(), types=('woman', 'event'))
    """

    name: str
    kind: str
    directed: bool
    levels: tuple[float, ...] = ()
    types: tuple[str, str] | None = None

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
        object.__setattr__(self, "types", _check_types(self.types, where))
        if self.is_two_mode and not self.directed:
            raise DataError(Problem("an undirected relation between two types", "directed=True", where=where))

    @property
    def is_two_mode(self) -> bool:
        """Whether it connects objects of two different types."""
        return self.types is not None and self.types[0] != self.types[1]

    def __repr__(self) -> str:
        # Without types as before there were any: digests of data contain this text.
        fields = ("name", "kind", "directed", "levels", *(() if self.types is None else ("types",)))
        return f"Relation({', '.join(f'{name}={getattr(self, name)!r}' for name in fields)})"

    def to_json(self) -> dict[str, Any]:
        """The fields, in the types of JSON; `Relation(**fields)` is the same relation.

        >>> Relation("friendship", "binary", directed=False).to_json()
        {'name': 'friendship', 'kind': 'binary', 'directed': False, 'levels': []}
        """
        fields = {"name": self.name, "kind": self.kind, "directed": self.directed, "levels": list(self.levels)}
        return fields | ({} if self.types is None else {"types": list(self.types)})


def _check_types(types: Any, where: str) -> tuple[str, str] | None:
    if types is None:
        return None
    if not isinstance(types, tuple | list) or len(types) != 2 or not all(isinstance(name, str) for name in types):
        expected = "the types of source and target, such as ('woman', 'event')"
        raise DataError(Problem(f"types {short_repr(types)}", expected, where=where))
    return types[0], types[1]
