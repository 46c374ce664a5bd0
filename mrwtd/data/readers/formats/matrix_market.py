"""Matrix Market, `.mtx`: one sparse or dense square matrix, as published by the SuiteSparse and Network Repository."""

import re

import numpy as np

from ....errors import DataError, Problem, Problems
from ....typing import Array
from ...limits import ENTRIES, UNLABELLED
from ...table import Table
from ..parsing.lines import checked_floats, numbered, quote, whole_number
from ..source import Source, register_format

_START = re.compile(
    rb"%%MatrixMarket\s++matrix\s++(coordinate|array)\s++(real|integer|pattern|double|complex)\s++([\w-]++)",
    re.IGNORECASE,
)


def matches(source: Source) -> bool:
    """Whether the file has the extension, or starts as all Matrix Market files do."""
    return source.extension == "mtx" or source.start.startswith(b"%%MatrixMarket")


@register_format("matrix market", "a square matrix in Matrix Market form (.mtx)", ("mtx",), matches, order=20)
def read(source: Source) -> Table:
    r"""The cells of the matrix; of a sparse one, the stored cells.

    >>> text = b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n"
    >>> read(Source("club.mtx", text)).declared
    {'club': {'directed': False}}
    """
    start = _START.match(source.start)
    if start is None or start[2].lower() == b"complex" or start[3].lower() not in (b"general", b"symmetric"):
        expected = "%%MatrixMarket matrix, coordinate or array, real, integer or pattern, general or symmetric"
        raise DataError(Problem(quote(source.text[:60].partition("\n")[0]), expected, 1))
    rows = [(number, line) for number, line in numbered(source.text) if line.strip() and not line.startswith("%")]
    sparse, symmetric = start[1].lower() == b"coordinate", start[3].lower() == b"symmetric"
    line, header = (rows[0][0], [whole_number(word) for word in rows[0][1].split()]) if rows else (1, [])
    if len(header) != 2 + sparse or None in header:
        raise DataError(Problem("no size of the matrix", "the numbers of rows and columns", line))
    n = header[0] or 0
    if n != header[1]:
        actual = f"{n} rows and {header[1]} columns"
        raise DataError(Problem(actual, "a square matrix, with a row and a column for each object", line))
    UNLABELLED.check(n, source.size)
    ENTRIES.check(len(rows), source.size)
    n_cells = header[2] if sparse else (n * (n + 1) // 2 if symmetric else n * n)
    if len(rows) - 1 != n_cells:
        raise DataError(Problem(f"{len(rows) - 1:,} cells", f"{n_cells:,}, as announced", line))
    width = 1 if not sparse else 2 if start[2].lower() == b"pattern" else 3
    cells = _numbers(rows[1:], width)
    if sparse:
        i, j, values = cells[:, 0], cells[:, 1], cells[:, 2] if width == 3 else None
        wrong = np.flatnonzero(~((i >= 1) & (i <= n) & (j >= 1) & (j <= n) & (i % 1 == 0) & (j % 1 == 0)))
        if wrong.size:
            number, text = rows[1 + wrong[0]]
            raise DataError(Problem(quote(text.strip()), f"a row and a column from 1 to {n}", number))
        i, j = i - 1, j - 1
    else:  # column by column; of a symmetric matrix, the lower half
        columns, positions = np.triu_indices(n) if symmetric else np.divmod(np.arange(n * n), max(n, 1))
        i, j, values = positions.astype(np.float64), columns.astype(np.float64), cells[:, 0]
    lines = np.array([number for number, _ in rows[1:]], dtype=np.int64)
    objects = tuple(str(position) for position in range(1, n + 1))
    declared = {source.stem: {"directed": False}} if symmetric else {}
    k = np.zeros(lines.size, dtype=np.int32)
    ends = i.astype(np.int32), j.astype(np.int32)
    notes = ("Objects are numbered from 1.",)
    return Table(objects, (source.stem,), *ends, k, values, lines=lines, declared=declared, notes=notes, named=False)


def _numbers(rows: list[tuple[int, str]], width: int) -> Array:
    """The numbers of all lines, each with as many."""
    problems = Problems()
    parsed = []
    for number, text in rows:
        words = text.split()
        if len(words) != width:
            problems.add(quote(text.strip()), f"{width} number{'s' * (width > 1)}", number)
        else:
            parsed.append(checked_floats(words, number, problems))
    problems.check()
    return np.array(parsed, dtype=np.float64).reshape(-1, width)
