"""Matrix Market, `.mtx`: one sparse or dense matrix, as published by SuiteSparse and Network Repository."""

import io
import re
from codecs import BOM_UTF8
from typing import Any

import numpy as np

from ....errors import DataError, Problem, Problems
from ....typing import Array
from ...limits import ENTRIES, UNLABELLED
from ...table import Lines, Table
from ...two_mode import with_columns
from ..parsing.columns import Selection, load_plain
from ..parsing.lines import checked_floats, numbered, quote, whole_number
from ..parsing.matrix import default_names
from ..source import Source, register_format

_START = re.compile(
    rb"(?:\xef\xbb\xbf)?%%MatrixMarket\s++matrix\s++(coordinate|array)\s++(real|integer|pattern|double|complex)\s++([\w-]++)",
    re.IGNORECASE,
)


def matches(source: Source) -> bool:
    """Whether the file has the extension, or starts as all Matrix Market files do."""
    return source.extension == "mtx" or source.start.removeprefix(BOM_UTF8).startswith(b"%%MatrixMarket")


@register_format("matrix market", "a matrix in Matrix Market form (.mtx)", ("mtx",), matches, order=20)
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
    sparse, symmetric = start[1].lower() == b"coordinate", start[3].lower() == b"symmetric"
    line, header = _sizes(source)
    if len(header) != 2 + sparse or None in header:
        raise DataError(Problem("no size of the matrix", "the numbers of rows and columns", line))
    n, m = header[0] or 0, header[1] or 0
    if n != m and symmetric:
        raise DataError(Problem(f"{n} rows and {m} columns", "as many columns as rows in a symmetric matrix", line))
    UNLABELLED.check(n + m * (n != m), source.size)
    n_cells = header[2] if sparse else (n * (n + 1) // 2 if symmetric else n * m)
    ENTRIES.check(n_cells or 0, source.size)
    width = 1 if not sparse else 2 if start[2].lower() == b"pattern" else 3
    lines, columns = _numbers(source, line, width)
    if columns[0].size != n_cells:
        raise DataError(Problem(f"{columns[0].size:,} cells", f"{n_cells:,}, as announced", line))
    if sparse:
        i, j, values = columns[0] - 1, columns[1] - 1, columns[2] if width == 3 else None
        if not (_are_positions(i, n) and _are_positions(j, m)):
            wrong = np.flatnonzero(~((i >= 0) & (i < n) & (j >= 0) & (j < m) & (i % 1 == 0) & (j % 1 == 0)))
            cell = f"row {i[wrong[0]] + 1:g} and column {j[wrong[0]] + 1:g}"
            raise DataError(Problem(cell, f"a row from 1 to {n} and a column from 1 to {m}", lines[wrong[0]]))
    else:  # column by column; of a symmetric matrix, the lower half
        cells = np.triu_indices(n) if symmetric else np.divmod(np.arange(n * m), max(n, 1))
        j, i = (positions.astype(np.float64) for positions in cells)
        values = columns[0]
    declared = {source.stem: {"directed": False}} if symmetric else {}
    ends, k = (i.astype(np.int32), j.astype(np.int32)), np.zeros(i.size, dtype=np.int32)
    rest: dict[str, Any] = {"declared": declared, "notes": ("Objects are numbered from 1.",), "named": False}
    table = Table(tuple(default_names(n)), (source.stem,), *ends, k, values, lines=lines, **rest)
    return with_columns(table, None if n == m else default_names(m))


def _are_positions(numbers: Array, n: int) -> bool:
    """Whether all are whole numbers from 0 to n - 1."""
    within = not numbers.size or bool(numbers.min() >= 0 and numbers.max() < n)
    return within and bool((numbers.astype(np.int32) == numbers).all())


def _sizes(source: Source) -> tuple[int, list[int | None]]:
    """The line and the numbers of the first line that is not a comment."""
    for part in ("head", "text"):  # most files need only their head
        for number, line in enumerate(io.StringIO(getattr(source, part), newline=None), start=1):
            if line.strip() and not line.startswith("%"):
                return number, [whole_number(word) for word in line.split()]
    return 1, []


def _numbers(source: Source, header_line: int, width: int) -> tuple[Lines, list[Array]]:
    """The line of each cell, and the columns of numbers below the sizes."""
    plain = load_plain(source, Selection(header_line + 1, width, (), range(width)))
    if plain is not None:
        return plain.lines, [plain.numbers(position, "") for position in range(width)]
    problems = Problems()
    rows = [
        (number, line)
        for number, line in numbered(source.text)
        if number > header_line and line.strip() and not line.startswith("%")
    ]
    ENTRIES.check(len(rows), source.size)
    parsed = []
    for number, text in rows:
        words = text.split()
        if len(words) != width:
            problems.add(quote(text.strip()), f"{width} number{'s' * (width > 1)}", number)
        else:
            parsed.append(checked_floats(words, number, problems))
    problems.check()
    columns = np.array(parsed, dtype=np.float64).reshape(-1, width).T
    return np.array([number for number, _ in rows], dtype=np.int64), list(columns)
