"""The columns of a text: names counted, numbers parsed.

There are two ways to the same columns. The fast one leaves all to Arrow, and knows of no lines. Where it meets
anything out of the ordinary it gives up, and the careful one goes through the text record by record, keeping account
of lines, of comments between records, and of what is wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from ....errors import MAX_PROBLEMS, Problems
from ....typing import Array, BoolArray, Int32Array, Int64Array
from ...factorized import Factorized
from ...table import MISSING_WORDS, Lines, parse_numbers
from .delimited import Delimited
from .factorize import factorize
from .lines import quote

PIECE = 1 << 18
"""How many bytes are searched at a time."""

BLOCK = 1 << 22
"""How many bytes Arrow parses at a time, in a thread each."""

_QUOTE = ord('"')
_MISSING = sorted({form for word in MISSING_WORDS for form in (word, word.upper(), word.capitalize(), "NaN", "None")})


@dataclass(frozen=True)
class Columns:
    """Columns of a text: `Factorized` names, or numbers where they were asked for and all cells are plain ones."""

    cells: dict[int, Factorized | Array]
    lines: Lines
    rows: int
    problems: Problems

    def names(self, position: int, what: str) -> Factorized:
        """A column of names; a row without one is a problem."""
        column = self.cells[position]
        assert isinstance(column, Factorized)
        if "" in column.names:
            empty = np.flatnonzero(column.codes == list(column.names).index(""))
            for row in empty[:MAX_PROBLEMS]:
                self.problems.add("no name", f"a name for the {what}", self.lines[row])
            self.problems.extend((), max(empty.size - MAX_PROBLEMS, 0))
        return column

    def numbers(self, position: int, name: str, decimal_comma: bool = False) -> Array:
        """A column of numbers, NaN where a cell is empty; a cell that is no number is a problem."""
        values, wrong = self._parsed(position, decimal_comma)
        self._refuse(position, name, wrong, "a finite number, or true or false")
        return values

    def weights(self, position: int, name: str, decimal_comma: bool = False) -> Array:
        """A column of weights; a cell that is no number from 0 to 1 is a problem."""
        values, wrong = self._parsed(position, decimal_comma)
        self._refuse(position, name, wrong | ~((values >= 0) & (values <= 1)), "a weight from 0 to 1")
        return values

    def _parsed(self, position: int, decimal_comma: bool) -> tuple[Array, BoolArray]:
        column = self.cells[position]
        if not isinstance(column, Factorized):
            return column, np.isinf(column)
        own, wrong = parse_numbers(np.asarray(column.names, dtype=object))
        # A comma is a decimal point where none of the numbers has a point.
        if decimal_comma and wrong.any() and not any("." in name for name in column.names):
            own, wrong = parse_numbers(np.array([name.replace(",", ".") for name in column.names], dtype=object))
        return own[column.codes], wrong[column.codes]

    def _refuse(self, position: int, name: str, wrong: BoolArray, expected: str) -> None:
        column = self.cells[position]
        rows = np.flatnonzero(wrong)
        listed = rows[:MAX_PROBLEMS].tolist()
        texts = self.lines.texts(listed, position) if listed and isinstance(self.lines, FoundLines) else {}
        for row in listed:
            text = (
                column.names[column.codes[row]]
                if isinstance(column, Factorized)
                else texts.get(row, f"{column[row]:g}")
            )
            found = quote(text) if text not in ("", "nan") else "nothing"
            point = ", with a decimal point" if "," in text else ""
            self.problems.add(found, expected + point, self.lines[row], f"column {name!r}")
        self.problems.extend((), max(rows.size - MAX_PROBLEMS, 0))


def load(
    sheet: Delimited,
    from_line: int,
    width: int,
    names: Sequence[int],
    numbers: Sequence[int] = (),
    ends: tuple[int, int] | None = None,
) -> Columns:
    """Some columns of a text from a line on, all records of one width; a record of another is a problem.

    `ends` are two columns of names that share one list of them, as source and target do.
    """
    cells = _fast(sheet, from_line, width, names, numbers, ends)
    if cells is None:
        return _careful(sheet, from_line, width, [*names, *numbers])
    rows = len(next(column.codes if isinstance(column, Factorized) else column for column in cells.values()))
    return Columns(cells, FoundLines(sheet, from_line, rows), rows, Problems(sheet.source.name))


@dataclass(frozen=True)
class FoundLines:
    """The lines of rows that were read without keeping account of them, found when one is asked for."""

    sheet: Delimited
    from_line: int
    rows: int

    @cached_property
    def _numbers(self) -> Int64Array | None:
        found = np.fromiter((line for line, _ in self.sheet.all_records(self.from_line)), dtype=np.int64)
        return found if found.size == self.rows else None

    def __getitem__(self, row: Any) -> int | None:
        return None if self._numbers is None else int(self._numbers[row])

    def texts(self, rows: Sequence[int], position: int) -> dict[int, str]:
        """What a column says in some of the rows: of numbers, only their values were kept."""
        wanted = set(rows)
        records = islice(enumerate(self.sheet.all_records(self.from_line)), max(rows) + 1)
        return {row: cells[position] for row, (_, cells) in records if row in wanted and position < len(cells)}


def _fast(
    sheet: Delimited,
    from_line: int,
    width: int,
    names: Sequence[int],
    numbers: Sequence[int],
    ends: tuple[int, int] | None,
) -> dict[int, Factorized | Array] | None:
    """The columns by Arrow, or None where something about the text wants a closer look."""
    literal, text = sheet.schema is not None, sheet.source.utf8
    data, quotes = np.frombuffer(text, dtype=np.uint8), 0
    if text.find(b'"') >= 0:  # most texts have none, which is found out sooner than how many there are
        # In pieces that stay in the cache.
        quotes = sum(int(np.count_nonzero(data[at : at + PIECE] == _QUOTE)) for at in range(0, data.size, PIECE))
    if quotes % 2:
        return None  # a quote that is never closed, or an inch
    found = _parsed_by_arrow(sheet, data, from_line, width, names, numbers, quotes > 0)
    if found is None or not found.num_rows:
        return None
    texts = [c for c in dict.fromkeys([*names, *numbers]) if str(found[str(c)].type) == "string"]
    groups = [*([ends] if ends else []), *((c,) for c in texts if c not in (ends or ()))]
    counted = factorize([[found[str(c)] for c in group] for group in groups])
    cells: dict[int, Factorized | Array] = {}
    for group, (codes, own) in zip(groups, counted, strict=True):
        listed = "\n".join(own)
        # Quotes among letters are what Arrow does not undo, as after a space; with a line's end, one is not closed.
        if '"' in listed or listed.count("\n") >= len(own):
            return None
        cells.update(zip(group, _coded(codes, own, listed, literal), strict=True))
    return cells | {c: found[str(c)].to_numpy() for c in numbers if c not in cells}


def _parsed_by_arrow(
    sheet: Delimited,
    data: npt.NDArray[np.uint8],
    from_line: int,
    width: int,
    names: Sequence[int],
    numbers: Sequence[int],
    quoted: bool,
) -> Any:
    """A table of Arrow with the columns asked for, named by their positions; None where it fails.

    All lines have as many cells as the first record, so that none of them is a comment, however it begins.
    """
    import pyarrow as pa
    from pyarrow import csv

    reading = csv.ReadOptions(
        column_names=[str(position) for position in range(width)], skip_rows=from_line - 1, block_size=BLOCK
    )
    parsing = csv.ParseOptions(delimiter=sheet.separator, newlines_in_values=quoted)
    # Cells that are no plain numbers, such as yes and no, make Arrow fail: then all are read as text.
    for kind in (pa.float64(), pa.string()) if numbers else (pa.string(),):
        types = dict.fromkeys(names, pa.string()) | dict.fromkeys(numbers, kind)
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


def _coded(codes: Sequence[Int32Array], names: list[str], listed: str, literal: bool) -> list[Factorized]:
    """Columns that share one list of names, without the spaces around them; `listed` has all names, a line each."""
    stripped = names
    # Most names are without a space, and need no closer look.
    if not literal and not (listed.isascii() and " " not in listed and listed.replace("\n", "").isprintable()):
        stripped = [name.strip() for name in names]
    return [Factorized(column, stripped, distinct=stripped == names) for column in codes]


def _careful(sheet: Delimited, from_line: int, width: int, wanted: Sequence[int]) -> Columns:
    """The columns record by record; those of another width are problems, and are left out."""
    problems = Problems(sheet.source.name)
    lines = array("q")
    codes: dict[int, array[int]] = {c: array("i") for c in wanted}
    index: dict[int, dict[str, int]] = {c: {} for c in wanted}
    for line, cells in sheet.all_records(from_line):
        if len(cells) != width:
            problems.add(_ragged(cells), f"{width} columns, as in the first row", line)
            continue
        lines.append(line)
        for c in wanted:
            known = index[c]
            codes[c].append(known.setdefault(cells[c], len(known)))
    columns: dict[int, Factorized | Array] = {
        c: Factorized(np.array(codes[c], dtype=np.int32), list(index[c])) for c in wanted
    }
    return Columns(columns, np.array(lines, dtype=np.int64), len(lines), problems)


def _ragged(cells: list[str]) -> str:
    if not cells:
        return "a quote that is never closed"
    over = next((cell for cell in cells if "\n" in cell), None)
    quoted = f", one of them a quoted text over {over.count(chr(10)) + 1} lines" if over else ""
    return f"{len(cells)} column{'s' * (len(cells) != 1)} ({quote(' | '.join(cells))}{quoted})"
