"""Matrices: parsing of one in a text or a sheet, with its labels and its shape, and a `Table` of one per relation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....errors import MAX_PROBLEMS, Problems
from ....typing import AnyArray, Array, BoolArray, Int64Array
from ...limits import ENTRIES
from ...table import Table, parse_numbers
from ...two_mode import with_columns
from ..source import Source
from .delimited import Record
from .headers import roles
from .lines import floats, quote, repeated


@dataclass(frozen=True)
class Matrix:
    """A matrix of numbers, NaN for empty cells. It is square, unless rows and columns are different objects.

    Attributes:
        name: the name of its file or sheet.
        labels: the names of both rows and columns, or None if it has none.
        columns: the names of the columns, if these are other objects than the rows; otherwise None.
        values: n × n, or one row per label and one column per name in `columns`.
        lines: the line of each row.
    """

    name: str
    labels: tuple[str, ...] | None
    values: Array
    lines: Int64Array
    columns: tuple[str, ...] | None = None


def looks_like_matrix(rows: Sequence[Sequence[str]], n_rows: Callable[[], int]) -> bool:
    """Whether the first rows of a text are a matrix rather than a list; `n_rows` counts all rows.

    >>> looks_like_matrix([["", "ann", "bob"], ["ann", "0", "1"], ["bob", "1", "0"]], lambda: 3)
    True
    >>> looks_like_matrix([["ann", "likes", "bob"], ["bob", "likes", "ann"]], lambda: 2)
    False
    """
    if roles(rows[0]) is not None:
        return False
    width = max(map(len, rows))
    if width <= 3 and len(rows) > width + 1:
        return False  # the usual list
    top, side = _labelled(rows, width)
    n = width - side
    cells = [cell for row in rows[top:] for cell in row[side:]]
    if n < 2 or not cells or parse_numbers(cells)[1].mean() > 0.5:
        return False
    if top and side:
        row_labels = [row[0] for row in rows[top:] if row]
        column_labels = {*rows[0], *plain_labels(rows[0][-n:])}
        if column_labels.isdisjoint(row_labels):
            # Two types of objects, or attributes: a table of attributes names the column of its objects.
            no_corner = len(rows[0]) == width - 1 or rows[0][0] == ""
            return no_corner and len(row_labels) > 1 and not parse_numbers(cells)[1].any()
        return sum(name in column_labels for name in row_labels) * 2 >= len(row_labels)
    if top or side:
        return n_rows() - top == n
    # Two or three columns of numbers can also be a list of pairs or triples.
    return n > 3


def parse_matrix(
    source: Source, name: str, rows: Sequence[Record], problems: Problems, where: str = ""
) -> Matrix | None:
    """The matrix in rows of text, or None if it has problems, which are added to `problems`."""
    width = max(len(cells) for _, cells in rows)
    ENTRIES.check(width * len(rows), source.size, where=where)
    top, side = _labelled([cells for _, cells in rows], width)
    body, n = rows[top:], width - side
    prefix = f"{where}, " if where else ""
    problems_before = problems.total
    for line, cells in body:
        if len(cells) != width:
            problems.add(f"{len(cells) - side} cells", f"{n}, the number of columns of the matrix", line, where)
    names = [cells[0] if cells else "" for _, cells in body] if side else None
    columns = plain_labels(rows[0][1][-n:]) if top else None
    two_mode = bool(columns and names) and set(columns or ()).isdisjoint(names or ())
    if len(body) != n and not two_mode:
        expected = "a square matrix, with a row and a column for each object"
        if not (top or side):
            expected += "; or, for a list, a first row with column names"
        problems.add(f"{len(body)} row{'s' * (len(body) != 1)} and {n} columns", expected, where=where)
    if columns is not None and len(columns) != n:
        problems.add(f"{len(columns)} labels", f"{n}, the number of columns of the matrix", rows[0][0], where)
    for noun, labels in (("column", columns), ("row", names)):
        for label in problems.first(sorted(repeated(labels or ()))):
            problems.add(f"the {noun} {label!r} twice", f"each {noun} once", where=where)
    if problems.total > problems_before:
        return None
    matrix, wrong = np.empty((len(body), n)), np.empty((len(body), n), dtype=bool)
    for row, (_, cells) in enumerate(body):  # row by row, because texts take much more memory than numbers
        matrix[row], wrong[row] = floats(cells[side:])
    for position in problems.first(np.flatnonzero(wrong), 10 * MAX_PROBLEMS):
        row, c = divmod(position, n)
        line, cells = body[row]
        column = f"{prefix}column {columns[c]!r}" if columns else f"{prefix}column {c + side + 1}"
        problems.add(quote(cells[side + c]), "a finite number, or an empty cell", line, column)
    if columns and names and not two_mode and set(columns) != set(names):
        unmatched = (("rows", set(names) - set(columns)), ("columns", set(columns) - set(names)))
        actual = "; ".join(
            f"{', '.join(map(repr, sorted(labels)[:5]))} only among the {noun}" for noun, labels in unmatched if labels
        )
        expected = "the same labels for rows and columns, or no common label in two-mode data"
        problems.add(actual, expected, where=where)
    if problems.total > problems_before:
        return None
    lines = np.array([line for line, _ in body], dtype=np.int64)
    if two_mode:
        return Matrix(name, tuple(names or ()), matrix, lines, tuple(columns or ()))
    if columns and names and columns != names:
        order = places_of(columns, names)
        matrix, lines = matrix[order], lines[order]
    labels = columns or names
    return Matrix(name, tuple(labels) if labels else None, matrix, lines)


def places_of(labels: Sequence[str], known: Sequence[str]) -> list[int]:
    """The position of each label among the known ones.

    >>> places_of(["cat", "ann"], ["ann", "bob", "cat"])
    [2, 0]
    """
    positions = {label: position for position, label in enumerate(known)}
    return [positions[label] for label in labels]


def default_names(n: int) -> list[str]:
    """The names of n objects without labels.

    >>> default_names(3)
    ['1', '2', '3']
    """
    return [str(number) for number in range(1, n + 1)]


def plain_labels(labels: Sequence[str]) -> list[str]:
    """Labels without the V or X that R puts before the numbers of columns without names.

    >>> plain_labels(["V1", "V2"]), plain_labels(["V1", "W2"])
    (['1', '2'], ['V1', 'W2'])
    """
    for letter in "VX":
        if all(label == f"{letter}{position}" for position, label in enumerate(labels, start=1)):
            return [label[1:] for label in labels]
    return list(labels)


def _labelled(rows: Sequence[Sequence[str]], width: int) -> tuple[int, int]:
    """The number of label rows at the top and of label columns at the side, each 0 or 1."""
    first, below = rows[0], rows[1:]
    side_cells = [row[0] for row in below if row]
    if not below or not first:
        return 0, 0
    if len(first) == width - 1 and all(len(row) == width for row in below):
        return 1, 1  # a row of labels without a corner, as written by R
    if width > 3 and list(first) == default_names(width):
        return 1, 0  # numbers as column names, as written by R without row names
    if first[1:] and plain_labels(first[1:]) == side_cells[: width - 1] != list(first[1:]):
        return 1, 1
    # Labels can be numbers: then they are the same at the top and the side, without a number in the corner.
    corner = not any(character.isdigit() for character in first[0])
    if corner and len(set(side_cells)) == len(side_cells) == len(first) - 1 and set(first[1:]) == set(side_cells):
        return 1, 1
    top = bool(parse_numbers(list(first[1:]))[1].any()) if len(first) > 1 else False
    side = bool(parse_numbers(side_cells)[1].any())
    return int(top), int(side)


def grid_table(
    source: Source,
    matrices: Sequence[Any],
    objects: Sequence[str],
    relations: Sequence[str],
    *,
    weights: Sequence[AnyArray] | None = None,
    listed: BoolArray | None = None,
    columns: Sequence[str] | None = None,
    **rest: Any,
) -> Table:
    """A table of the cells of matrices; of sparse SciPy matrices, only the stored cells.

    `listed` is a mask of the cells of dense matrices that are entries; by default all are. Matrices are square, unless
    `columns` has the names of their columns: these are objects of another type then.

    >>> matrix = np.array([[0, 1], [np.nan, 0]])
    >>> grid_table(Source("a.npy", b""), [matrix], ["a", "b"], ["likes"]).values
    array([ 0.,  1., nan,  0.])
    """
    n, width = len(objects), len(objects if columns is None else columns)
    is_sparse = [hasattr(matrix, "nnz") for matrix in matrices]
    counts = [matrix.nnz if sparse else n * width for matrix, sparse in zip(matrices, is_sparse, strict=True)]
    ENTRIES.check(sum(counts), source.size)
    # Without dense matrices, the number of objects can be large.
    cells = np.arange(0 if all(is_sparse) else n * width) if listed is None else np.flatnonzero(listed)
    row, column = (position.astype(np.int32) for position in np.divmod(cells, max(width, 1)))
    parts = []
    for matrix, sparse in zip(matrices, is_sparse, strict=True):
        if sparse:
            stored = matrix.tocoo()
            stored.sum_duplicates()
            parts.append((stored.row, stored.col, stored.data))
        else:
            parts.append((row, column, _cells(matrix, listed)))
    sizes = [len(values) for *_, values in parts]
    i, j, values = (np.concatenate(numbers) for numbers in zip(*parts, strict=True))
    k = np.repeat(np.arange(len(parts), dtype=np.int32), sizes)
    if weights is not None:
        rest["weights"] = np.concatenate([_cells(w, listed) for w in weights]).astype(np.float64)
    i, j, values = i.astype(np.int32, copy=False), j.astype(np.int32, copy=False), values.astype(np.float64, copy=False)
    return with_columns(Table(tuple(objects), tuple(relations), i, j, k, values, **rest), columns)


def _cells(matrix: AnyArray, listed: BoolArray | None) -> AnyArray:
    return matrix.reshape(-1) if listed is None else matrix[listed]
