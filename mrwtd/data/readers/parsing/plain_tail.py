"""The ties at the end of a file in columns, if its lines are alike: line by line they take a hundred times as long."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....typing import Array, Int64Array
from ...factorized import Factorized
from ..source import Source
from .columns import Columns, Selection, load_plain
from .lines import whole_number


@dataclass(frozen=True)
class Tail:
    """The columns from some line to the end of a file, and the line of each row."""

    columns: Columns
    lines: Int64Array

    def numbers(self, position: int) -> Array:
        """A column of numbers, or 1 for each row if there is no such column."""
        if position not in self.columns.cells:
            return np.ones(self.lines.size)
        return self.columns.numbers(position, "").astype(np.float64)

    def ends(self, positions: Sequence[int]) -> tuple[Factorized, Factorized]:
        """The columns of names of both ends."""
        source, target = positions
        return self.columns.factorized(source), self.columns.factorized(target)

    def vertices(self, positions: Sequence[int], n: int, as_text: bool = False) -> tuple[Factorized, Factorized] | None:
        """Both ends as numbers from 1 to n, or None if a cell is anything else."""
        source, target = self.ends(positions)
        numbers = [whole_number(name) for name in source.names]  # the names of both columns
        if not all(number and number <= n for number in numbers):
            return None
        names: Any = [str(number) for number in numbers] if as_text else numbers
        return Factorized(source.codes, names), Factorized(target.codes, names)


def load_tail(source: Source, start: int, names: Sequence[int], widths: Sequence[int]) -> Tail | None:
    r"""The columns from a byte of a file on, which has to start a line; None if a line has anything unusual.

    >>> tail = load_tail(Source("a.net", b"*Arcs\n1 2 5\n2 3 1\n"), 6, names=(0, 1), widths=(2, 3))
    >>> tail.numbers(2), tail.lines
    (array([5., 1.]), array([2, 3]))

    Args:
        source: the file.
        start: the position of the first byte.
        names: positions of columns of names, of which the last two are the ends; all others have numbers.
        widths: the possible numbers of columns.
    """
    head, content = bytes(source.utf8[:start]), bytes(source.utf8[start:])
    width = len(content.partition(b"\n")[0].split())
    if width not in widths or b"\r" in head or b"\r" in content:
        return None
    numbers = [position for position in range(width) if position not in names]
    columns = load_plain(Source(source.name, content), Selection(1, width, names, numbers, ends=tuple(names[-2:])))
    if columns is None or columns.rows != content.rstrip(b"\n").count(b"\n") + 1:
        return None
    first = head.count(b"\n") + 1
    return Tail(columns, np.arange(first, first + columns.rows))
