"""Columns of a text: factorized names and parsed numbers.

There are two implementations. The fast one uses Arrow, and does not know lines. If the text has anything unusual, the
careful one reads it record by record, with lines, comments between records, and problems.
"""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from ....errors import Problems
from ....typing import Array, BoolArray, Int32Array, Int64Array
from ...factorized import Factorized
from ...table import MISSING_WORDS, NUMBER, Lines, parse_numbers
from ..source import Source
from .delimited import COMMENTS, Delimited
from .factorize import factorize
from .lines import quote

PIECE = 1 << 18
"""Number of bytes searched at a time."""

BLOCK = 1 << 22
"""Number of bytes that each thread of Arrow parses at a time."""

_MISSING = sorted({form for word in MISSING_WORDS for form in (word, word.upper(), word.capitalize(), "NaN", "None")})


@dataclass(frozen=True)
class Selection:
    """The columns to load from a text.

    Attributes:
        from_line: the line of the first row.
        width: the number of columns of every record.
        names: positions of columns of names.
        numbers: positions of columns of numbers.
        ends: two columns of names that share one list of names, such as source and target.
        from_byte: where the text starts, of which `from_line` counts the lines.
    """

    from_line: int
    width: int
    names: Sequence[int]
    numbers: Sequence[int] = ()
    ends: tuple[int, ...] = ()
    from_byte: int = 0


@dataclass(frozen=True)
class Columns:
    """Columns of a text by position: factorized names, or an array if all cells of a column are plain numbers."""

    cells: dict[int, Factorized | Array]
    lines: Lines
    rows: int
    problems: Problems
    decimal_comma: bool
    """Whether numbers can have a decimal comma."""

    def factorized(self, position: int) -> Factorized:
        """A column of names, as it is."""
        column = self.cells[position]
        assert isinstance(column, Factorized)
        return column

    def names(self, position: int, noun: str) -> Factorized:
        """A column of names; a row without a name is a problem."""
        column = self.factorized(position)
        if "" in column.names:
            for row in self.problems.first(np.flatnonzero(column.codes == list(column.names).index(""))):
                self.problems.add("no name", f"a name for the {noun}", self.lines[row])
        return column

    def numbers(self, position: int, name: str, *, are_weights: bool = False) -> Array:
        """A column of numbers, NaN for an empty cell. A cell that is no number, or no weight, is a problem."""
        values, wrong = self._parsed(position)
        if are_weights:
            wrong = wrong | ~((values >= 0) & (values <= 1))
        column, expected = self.cells[position], "a weight from 0 to 1" if are_weights else NUMBER
        listed = self.problems.first(np.flatnonzero(wrong)).tolist()
        texts = self.lines.texts(listed, position) if listed and isinstance(self.lines, LazyLines) else {}
        for row in listed:
            if isinstance(column, Factorized):
                text = column.names[column.codes[row]]
            else:
                text = texts.get(row, f"{column[row]:g}")
            actual = quote(text) if text not in ("", "nan") else "an empty cell"
            point = ", with a decimal point" if "," in text else ""
            self.problems.add(actual, expected + point, self.lines[row], f"column {name!r}")
        return values

    def _parsed(self, position: int) -> tuple[Array, BoolArray]:
        column = self.cells[position]
        if not isinstance(column, Factorized):
            return column, np.isinf(column)
        numbers, wrong = parse_numbers(np.asarray(column.names, dtype=object))
        # A comma is a decimal point if none of the numbers has a point.
        if self.decimal_comma and wrong.any() and not any("." in name for name in column.names):
            numbers, wrong = parse_numbers(np.array([name.replace(",", ".") for name in column.names], dtype=object))
        return numbers[column.codes], wrong[column.codes]


def load(sheet: Delimited, selection: Selection) -> Columns:
    """Load some columns of a text. A record of another width is a problem."""
    cells = _load_fast(sheet, selection)
    return _load_carefully(sheet, selection) if cells is None else _numbered_columns(sheet, selection, cells)


def _numbered_columns(sheet: Delimited, selection: Selection, cells: dict[int, Factorized | Array]) -> Columns:
    """The columns with the lines of their rows."""
    rows = len(next(column.codes if isinstance(column, Factorized) else column for column in cells.values()))
    lines = LazyLines(sheet, selection.from_line, rows)
    return Columns(cells, lines, rows, Problems(), sheet.separator == ";")


def load_plain(source: Source, selection: Selection) -> Columns | None:
    r"""Load columns separated by single spaces; None if a line has anything unusual, such as a comment or a quote.

    >>> columns = load_plain(Source("a.ncol", b"ann bob 2\nbob cat 3\n"), Selection(1, 3, (0, 1), (2,)))
    >>> columns.factorized(1).names, columns.numbers(2, "weight")
    (['bob', 'cat'], array([2., 3.]))
    """
    sheet = Delimited(source, " ", selection.width, ())
    cells = None if source.utf8.find(b'"', selection.from_byte) >= 0 else _load_fast(sheet, selection)
    if cells is None:
        return None
    numbers = [cells[position] for position in selection.numbers]
    if any(isinstance(column, Factorized) or not np.isfinite(column).all() for column in numbers):
        return None
    names = {id(column.names): column.names for column in cells.values() if isinstance(column, Factorized)}
    return _numbered_columns(sheet, selection, cells) if all(map(_are_plain, names.values())) else None


def _are_plain(names: Sequence[str]) -> bool:
    """Whether no name is empty, has spaces or starts like a comment."""
    joined = "\n".join(names)
    if any(f"\n{joined}".find(f"\n{mark}") >= 0 for mark in COMMENTS):
        return False
    if joined.isascii() and joined.replace("\n", "x").isprintable():
        return " " not in joined and "\n\n" not in joined and "\n" not in (joined[:1], joined[-1:]) and bool(joined)
    return joined.split() == list(names)


@dataclass(frozen=True)
class LazyLines:
    """The lines of rows that were read without lines; they are computed when one is needed."""

    sheet: Delimited
    from_line: int
    rows: int

    @cached_property
    def _numbers(self) -> Int64Array | None:
        lines = np.fromiter((line for line, _ in self.sheet.all_records(self.from_line)), dtype=np.int64)
        return lines if lines.size == self.rows else None

    def __getitem__(self, row: Any) -> int | None:
        return None if self._numbers is None else int(self._numbers[row])

    def texts(self, rows: Sequence[int], position: int) -> dict[int, str]:
        """The text of a column in some rows, for columns that only have numbers."""
        wanted = set(rows)
        records = islice(enumerate(self.sheet.all_records(self.from_line)), max(rows) + 1)
        return {row: cells[position] for row, (_, cells) in records if row in wanted and position < len(cells)}


def count_bytes(text: Any, byte: bytes) -> int:
    """How often a byte occurs, in a third of the time of `bytes.count`: in pieces that fit the processor cache.

    >>> count_bytes(b"a b c", b" ")
    2
    """
    data, code = np.frombuffer(text, dtype=np.uint8), ord(byte)
    return sum(int(np.count_nonzero(data[start : start + PIECE] == code)) for start in range(0, data.size, PIECE))


def _load_fast(sheet: Delimited, selection: Selection) -> dict[int, Factorized | Array] | None:
    """The columns, parsed by Arrow, or None if the text has anything unusual."""
    literal, text = sheet.schema is not None, sheet.source.utf8
    data, quotes = np.frombuffer(text, dtype=np.uint8)[selection.from_byte :], 0
    if text.find(b'"', selection.from_byte) >= 0:  # most texts have none, and `find` is faster than counting
        quotes = count_bytes(data, b'"')
    if quotes % 2:
        return None  # a quote that is never closed, or an inch sign
    parsed = _parse_with_arrow(sheet, data, selection, quotes > 0)
    if parsed is None or not parsed.num_rows:
        return None
    ends, numbers = selection.ends, selection.numbers
    texts = [c for c in dict.fromkeys([*selection.names, *numbers]) if str(parsed[str(c)].type) == "string"]
    groups = [*([ends] if ends else []), *((c,) for c in texts if c not in ends)]
    factorized = factorize([[parsed[str(c)] for c in group] for group in groups])
    cells: dict[int, Factorized | Array] = {}
    for group, (codes, names) in zip(groups, factorized, strict=True):
        joined = "\n".join(names)
        # Arrow does not remove quotes after a space; a line break in a name is a quote that is never closed.
        if '"' in joined or joined.count("\n") >= len(names):
            return None
        cells.update(zip(group, _strip_names(codes, names, joined, literal), strict=True))
    return cells | {c: parsed[str(c)].to_numpy() for c in numbers if c not in cells}


def _parse_with_arrow(sheet: Delimited, data: npt.NDArray[np.uint8], selection: Selection, quoted: bool) -> Any:
    """An Arrow table of the selected columns, named by position; None if Arrow fails.

    If all lines have as many cells as the first record, none of them is a comment, whatever its first character.
    """
    import pyarrow as pa
    from pyarrow import csv

    names = [str(position) for position in range(selection.width)]
    reading = csv.ReadOptions(column_names=names, skip_rows=selection.from_line - 1, block_size=BLOCK)
    parsing = csv.ParseOptions(delimiter=sheet.separator, newlines_in_values=quoted)
    # Cells that are no plain numbers, such as yes and no, make Arrow fail: then all are read as text.
    for kind in (pa.float64(), pa.string()) if selection.numbers else (pa.string(),):
        types = dict.fromkeys(selection.names, pa.string()) | dict.fromkeys(selection.numbers, kind)
        converting = csv.ConvertOptions(
            column_types={str(position): type_ for position, type_ in types.items()},
            include_columns=[str(position) for position in types],
            null_values=_MISSING,
            strings_can_be_null=False,
            check_utf8=False,
        )
        try:
            return csv.read_csv(pa.BufferReader(data), reading, parsing, converting)
        except pa.ArrowException:
            continue
    return None


def _strip_names(codes: Sequence[Int32Array], names: list[str], joined: str, literal: bool) -> list[Factorized]:
    """Columns that share one list of names, without spaces around names; `joined` has one name per line."""
    stripped = names
    # Most lists of names have no space at all.
    if not literal and not (joined.isascii() and " " not in joined and joined.replace("\n", "").isprintable()):
        stripped = [name.strip() for name in names]
    return [Factorized(column, stripped, distinct=stripped == names) for column in codes]


def _load_carefully(sheet: Delimited, selection: Selection) -> Columns:
    """The columns, record by record. Records of another width are problems and are left out."""
    problems, lines = Problems(), array("q")
    wanted = [*selection.names, *selection.numbers]
    codes: dict[int, array[int]] = {c: array("i") for c in wanted}
    index: dict[int, dict[str, int]] = {c: {} for c in wanted}
    for line, cells in sheet.all_records(selection.from_line):
        if len(cells) != selection.width:
            problems.add(_describe_cells(cells), f"{selection.width} columns, as in the first row", line)
            continue
        lines.append(line)
        for c in wanted:
            known = index[c]
            codes[c].append(known.setdefault(cells[c], len(known)))
    columns: dict[int, Factorized | Array] = {
        c: Factorized(np.array(codes[c], dtype=np.int32), list(index[c])) for c in wanted
    }
    return Columns(columns, np.array(lines, dtype=np.int64), len(lines), problems, sheet.separator == ";")


def _describe_cells(cells: list[str]) -> str:
    if not cells:
        return "a quote that is never closed"
    multiline = next((cell for cell in cells if "\n" in cell), None)
    quoted = f", one of them a quoted text over {multiline.count(chr(10)) + 1} lines" if multiline else ""
    return f"{len(cells)} column{'s' * (len(cells) != 1)} ({quote(' | '.join(cells))}{quoted})"
