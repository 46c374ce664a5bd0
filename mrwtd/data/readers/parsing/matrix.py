"""One matrix of a text or a sheet: which of its cells are labels, whether it is square, and its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ....errors import MAX_PROBLEMS, Problems
from ....typing import Array, Int64Array
from ...table import parse_numbers
from .delimited import Record
from .grids import refuse_many
from .headers import roles
from .lines import quote


@dataclass(frozen=True)
class Matrix:
    """A square matrix of numbers, NaN where a cell is empty.

    Attributes:
        name: that of its file or sheet.
        labels: names of rows and columns alike, or None where it has none.
        values: n × n.
        lines: where each row stands.
    """

    name: str
    labels: tuple[str, ...] | None
    values: Array
    lines: Int64Array


def looks_like_matrix(rows: Sequence[Sequence[str]], n_rows: Callable[[], int]) -> bool:
    """Whether the first rows of a text are those of a matrix rather than a list; `n_rows` counts all.

    >>> looks_like_matrix([["", "ann", "bob"], ["ann", "0", "1"], ["bob", "1", "0"]], lambda: 3)
    True
    >>> looks_like_matrix([["ann", "likes", "bob"], ["bob", "likes", "ann"]], lambda: 2)
    False
    """
    if roles(rows[0]) is not None:
        return False
    width = max(map(len, rows))
    if width <= 3 and len(rows) > width + 1:
        return False  # the usual list, without a closer look
    top, side = _labelled(rows, width)
    n = width - side
    cells = [cell for row in rows[top:] for cell in row[side:]]
    if n < 2 or not cells or parse_numbers(cells)[1].mean() > 0.5:
        return False
    if top and side:
        at_the_side = [row[0] for row in rows[top:] if row]
        return sum(name in set(rows[0]) for name in at_the_side) * 2 >= len(at_the_side)
    if top or side:
        return n_rows() - top == n
    # Two or three columns of numbers may as well be a list of pairs or triples.
    return n > 3


def parse_matrix(name: str, rows: Sequence[Record], problems: Problems, where: str = "") -> Matrix | None:
    """The matrix in rows of text, or None where something is wrong with it; what, is added to the problems."""
    width = max(len(cells) for _, cells in rows)
    refuse_many(width * len(rows), problems.file or name)
    top, side = _labelled([cells for _, cells in rows], width)
    body, n = rows[top:], width - side
    place = f"{where}, " if where else ""
    found_before = problems.total
    for line, cells in body:
        if len(cells) != width:
            problems.add(f"{len(cells) - side} cells", f"{n}, as many as the matrix has columns", line, where)
    if len(body) != n:
        expected = "a square matrix, with a row and a column for each object"
        if not (top or side):
            expected += "; or a first row that names the columns of a list"
        problems.add(f"{len(body)} row{'s' * (len(body) != 1)} and {n} columns", expected, where=where)
    columns = rows[0][1][-n:] if top else None
    if columns is not None and len(columns) != n:
        problems.add(f"{len(columns)} labels", f"{n}, as many as the matrix has columns", rows[0][0], where)
    names = [cells[0] if cells else "" for _, cells in body] if side else None
    for what, labels in (("column", columns), ("row", names)):
        twice = sorted(label for label, times in Counter(labels or ()).items() if times > 1)
        for label in twice[:MAX_PROBLEMS]:
            problems.add(f"the {what} {label!r} twice", f"each {what} once", where=where)
    if problems.total > found_before:
        return None
    values, wrong = parse_numbers(np.array([cell for _, cells in body for cell in cells[side:]], dtype=object))
    for at in np.flatnonzero(wrong)[: 10 * MAX_PROBLEMS]:
        line, cells = body[at // n]
        column = f"{place}column {columns[at % n]!r}" if columns else f"{place}column {at % n + side + 1}"
        problems.add(quote(cells[side + at % n]), "a finite number, or nothing", line, column)
    problems.extend((), max(int(wrong.sum()) - 10 * MAX_PROBLEMS, 0))
    if columns and names and set(columns) != set(names):
        only = "; ".join(
            f"{', '.join(map(repr, sorted(some)[:5]))} only among the {what}"
            for what, some in (("rows", set(names) - set(columns)), ("columns", set(columns) - set(names)))
            if some
        )
        problems.add(only, "the same labels for rows and columns", where=where)
    if problems.total > found_before:
        return None
    matrix = values.reshape(n, n)
    lines = np.array([line for line, _ in body], dtype=np.int64)
    if columns and names and columns != names:
        order = [names.index(label) for label in columns]
        matrix, lines = matrix[order], lines[order]
    labels = columns or names
    return Matrix(name, tuple(labels) if labels else None, matrix, lines)


def _labelled(rows: Sequence[Sequence[str]], width: int) -> tuple[int, int]:
    """Whether there is a row of labels at the top, and a column of labels at the side, as 0 or 1."""
    first, below = rows[0], rows[1:]
    side_cells = [row[0] for row in below if row]
    if not below or not first:
        return 0, 0
    if len(first) == width - 1 and all(len(row) == width for row in below):
        return 1, 1  # a row of labels without a corner, as R writes it
    # Labels may be numbers: then they are the same above and at the side, with no number in the corner.
    corner = not any(character.isdigit() for character in first[0])
    if corner and len(set(side_cells)) == len(side_cells) == len(first) - 1 and set(first[1:]) == set(side_cells):
        return 1, 1
    top = bool(parse_numbers(list(first[1:]))[1].any()) if len(first) > 1 else False
    side = bool(parse_numbers(side_cells)[1].any())
    return int(top), int(side)
