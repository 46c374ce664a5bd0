"""`Ties`: collects ties one at a time, directed or undirected, and makes a `Table` of them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ....errors import DataError, Problem
from ...table import Table


class Tie(NamedTuple):
    """One tie; line 0 means that it has no line."""

    source: str
    relation: str
    target: str
    value: float = 1.0
    weight: float = 1.0
    line: int = 0
    undirected: bool = False


class Ties(list[Tie]):
    """A list of ties.

    A relation with undirected ties only is undirected, one with directed ties only is directed. In a relation with
    both, an undirected tie becomes one tie in each direction.

    >>> ties = Ties()
    >>> ties.append(Tie("ann", "likes", "bob"))
    >>> ties.append(Tie("bob", "meets", "cat", 2.0, undirected=True))
    >>> table = ties.table()
    >>> table.relations, table.values, table.declared["meets"]
    (('likes', 'meets'), array([1., 2.]), {'directed': False})
    """

    def table(self, *, relations: Sequence[str] = (), notes: Sequence[str] = (), **rest: Any) -> Table:
        """All ties as a table; the rest are arguments of `Table.from_names`."""
        if not self and not relations:
            raise DataError(Problem("no ties", "at least one tie"))
        types: dict[str, set[bool]] = {}
        for tie in self:
            types.setdefault(tie.relation, set()).add(tie.undirected)
        mixed = {name for name, undirected in types.items() if len(undirected) > 1}
        reverses = [
            tie._replace(source=tie.target, target=tie.source)
            for tie in self
            if mixed and tie.undirected and tie.relation in mixed and tie.source != tie.target
        ]
        columns = list(zip(*self, *reverses, strict=True)) or [()] * 6
        weights = np.array(columns[4], dtype=np.float64)
        return Table.from_names(
            columns[0],
            columns[1],
            columns[2],
            columns[3],
            None if (weights == 1).all() else weights,
            relations=relations,
            lines=np.array(columns[5], dtype=np.int64) if any(columns[5]) else None,
            declared={name: {"directed": undirected != {True}} for name, undirected in types.items()},
            notes=(*notes, *(f"{name}: each undirected tie becomes one tie in each direction" for name in mixed)),
            **rest,
        )
