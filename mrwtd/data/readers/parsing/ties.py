"""Ties gathered one at a time, some directed and some not, and the `Table` that they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....errors import DataError, Problem
from ...table import Table


class Ties:
    """Rows of source, relation, target, value and weight.

    A relation of undirected ties alone is undirected, one of directed ties alone is directed. In a relation that holds
    both, an undirected tie stands for one in each direction.

    >>> ties = Ties()
    >>> ties.add("ann", "likes", "bob")
    >>> ties.add("bob", "meets", "cat", 2.0, undirected=True)
    >>> table = ties.table()
    >>> table.relations, table.values, table.declared["meets"]
    (('likes', 'meets'), array([1., 2.]), {'directed': False})
    """

    def __init__(self) -> None:
        self._rows: list[tuple[str, str, str, float, float, int]] = []
        self._undirected: list[bool] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(
        self,
        source: str,
        relation: str,
        target: str,
        value: float = 1.0,
        weight: float = 1.0,
        *,
        line: int = 0,
        undirected: bool = False,
    ) -> None:
        """One more tie."""
        self._rows.append((source, relation, target, value, weight, line))
        self._undirected.append(undirected)

    def table(
        self, *, relations: Sequence[str] = (), notes: Sequence[str] = (), file: str | None = None, **rest: Any
    ) -> Table:
        """All ties as a table; the rest are arguments of `Table.from_names`."""
        if not self._rows and not relations:
            raise DataError(Problem("no ties", "at least one"), file=file)
        ways: dict[str, set[bool]] = {}
        for row, undirected in zip(self._rows, self._undirected, strict=True):
            ways.setdefault(row[1], set()).add(undirected)
        mixed = {name for name, found in ways.items() if len(found) > 1}
        rows = self._rows
        if mixed:
            rows = rows + [
                (target, relation, source, value, weight, line)
                for (source, relation, target, value, weight, line), undirected in zip(
                    rows, self._undirected, strict=True
                )
                if undirected and relation in mixed and source != target
            ]
            notes = (*notes, *(f"{name}: its undirected ties stand for one in each direction" for name in mixed))
        columns = list(zip(*rows, strict=True)) if rows else [()] * 6
        weights = np.array(columns[4], dtype=np.float64)
        return Table.from_names(
            columns[0],
            columns[1],
            columns[2],
            columns[3],
            None if (weights == 1).all() else weights,
            relations=relations,
            lines=np.array(columns[5], dtype=np.int64) if any(columns[5]) else None,
            declared={name: {"directed": found != {True}} for name, found in ways.items()},
            notes=tuple(notes),
            file=file,
            **rest,
        )
