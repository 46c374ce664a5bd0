"""The ties at the end of a file, read as columns if its lines are alike: line by line takes a hundred times as long."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....typing import Array, Int64Array
from ...factorized import Factorized
from ...table import Table
from ..source import Source
from .columns import Columns, Selection, count_bytes, load_plain
from .lines import whole_number

_TRAILING = 1000
"""The most empty lines at the end of a file."""


@dataclass(frozen=True)
class Tail:
    """The columns from some line to the end of a file, and the line of each row."""

    columns: Columns
    lines: Int64Array

    def numbers(self, position: int) -> Array:
        """A column of numbers, or 1 for each row if there is no such column."""
        if position not in self.columns.cells:
            return np.ones(self.lines.size)
        return self.columns.numbers(position, "").astype(np.float64, copy=False)

    def ends(self, positions: Sequence[int]) -> tuple[Factorized, Factorized]:
        """The columns of names of both ends."""
        source, target = positions
        return self.columns.factorized(source), self.columns.factorized(target)

    def vertices(self, positions: Sequence[int], names: Sequence[str]) -> tuple[Factorized, Factorized] | None:
        """Both ends as the vertices 1, 2, … with these distinct names, or None if a cell is anything else."""
        source, target = self.ends(positions)
        numbers = [whole_number(name) for name in source.names]  # the names of both columns
        if not all(numbers) or max(number or 0 for number in numbers) > len(names):
            return None
        vertices = np.array(numbers, dtype=np.int32) - np.int32(1)
        return Factorized(vertices[source.codes], names, True), Factorized(vertices[target.codes], names, True)


def one_relation(
    ends: tuple[Factorized, Factorized], relation: str, values: Array, lines: Int64Array, undirected: bool
) -> Table:
    """The table of many ties of one relation, as `Ties.table` makes it."""
    k = Factorized(np.zeros(values.size, dtype=np.int32), [relation])
    declared = {relation: {"directed": not undirected}}
    return Table.from_factorized(ends[0], k, ends[1], values, lines=lines, declared=declared)


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
    text = source.utf8
    end = text.find(b"\n", start)
    width = len(text[start : len(text) if end < 0 else end].split())
    if width not in widths or text.find(b"\r") >= 0:
        return None
    numbers = [position for position in range(width) if position not in names]
    columns = load_plain(source, Selection(1, width, names, numbers, tuple(names[-2:]), start))
    if columns is None or columns.rows != _count_lines(text, start):
        return None
    first = text[:start].count(b"\n") + 1
    return Tail(columns, np.arange(first, first + columns.rows))


def load_rewritten(source: Source, start: int, tail: bytes, names: Sequence[int], widths: Sequence[int]) -> Tail | None:
    """`load_tail` with other text from a byte on: the same lines, rewritten as columns separated by single spaces."""
    head = source.utf8[:start]
    if len(head) and not head.endswith(b"\n"):
        return None
    return load_tail(Source(source.name, head + tail), start, names, widths)


def single_spaces(text: bytes) -> bytes:
    r"""The lines of a text without spaces at their ends, and with single spaces between words.

    >>> single_spaces(b"  1  2\n 1 3 \n")
    b'1 2\n1 3\n'
    """
    if text[:1] not in b" \t" and not any(text.find(mark) >= 0 for mark in (b"  ", b"\t", b"\n ", b" \n")):
        return text
    return b"\n".join(map(b" ".join, map(bytes.split, text.split(b"\n"))))


def _count_lines(text: Any, start: int) -> int:
    """The number of lines from a byte on, up to the last one that is not empty."""
    end = text[-_TRAILING:]
    empty = len(end) - len(end.rstrip(b"\n"))
    return count_bytes(memoryview(text)[start:], b"\n") - empty + 1
