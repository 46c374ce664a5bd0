"""Excel workbooks: the cells of their sheets, as text.

The rows are parsed by openpyxl, but collected here: openpyxl fills gaps, so that a workbook of 1,400 bytes can have
billions of cells.
"""

import csv
import io
import warnings
from typing import Any

from ....errors import DataError, Problem
from ...limits import ENTRIES
from ..source import Source, too_large
from .delimited import Record, cached
from .headers import is_header

MAX_ROWS = 1_048_576
"""The number of rows of a sheet in Excel."""


GENERIC_TITLES = ("sheet", "edges", "links", "ties")
"""Names of sheets that say nothing on the relation, without their number."""

_NODEXL = {"Edges": ("Vertex 1", "Vertex 2"), "Vertices": ("Vertex",)}
"""The sheets of NodeXL with data, and the names of their first columns."""


def is_workbook(source: Source) -> bool:
    """Whether a zip is an Excel workbook."""
    return "xl/workbook.xml" in source.member_names


def sheets(source: Source) -> dict[str, list[Record]]:
    """The rows of each sheet as text, with their numbers, without empty rows and columns."""
    return cached(source, _sheets)


def _sheets(source: Source) -> dict[str, list[Record]]:
    _ = source.members  # raises an error if the workbook is larger than the limit, before it is parsed
    try:
        from openpyxl import load_workbook

        with warnings.catch_warnings(action="ignore"):
            book = load_workbook(io.BytesIO(source.data), read_only=True, data_only=True)
            collector = _Collector(source)
            sheets = {sheet.title: collector.rows(book, sheet) for sheet in book.worksheets}
            book.close()
    except DataError as error:
        raise error.in_file(source.name) from None
    except MemoryError:
        raise
    except Exception as error:  # damaged XML inside the workbook raises many kinds of errors
        actual = f"a damaged workbook ({type(error).__name__})"
        raise DataError(Problem(actual, "an Excel workbook (.xlsx); save it again"), file=source.name) from None
    filled = {name: rows for name, rows in sheets.items() if rows}
    if not filled:
        raise DataError(Problem("a workbook with empty sheets only", "one sheet per relation"), file=source.name)
    return _of_nodexl(filled)


def _of_nodexl(sheets: dict[str, list[Record]]) -> dict[str, list[Record]]:
    """The sheets of a workbook of NodeXL that are data, without the row of headings above the names of the columns.

    >>> edges = [(1, ["", "", "Labels"]), (2, ["Vertex 1", "Vertex 2", "Label"]), (3, ["ann", "bob", "likes"])]
    >>> _of_nodexl({"Edges": edges, "Overall Metrics": [(1, ["Graph Type", "Directed"])]})["Edges"][0]
    (2, ['Vertex 1', 'Vertex 2', 'Label'])
    """
    parts = {}
    for name, start in _NODEXL.items():
        rows = sheets.get(name, [])
        place = next((place for place, (_, cells) in enumerate(rows[:2]) if tuple(cells[: len(start)]) == start), None)
        if place is not None:
            parts[name] = rows[place:]
    return parts if "Edges" in parts else sheets


def as_list(source: Source) -> Source | None:
    """A single sheet as CSV if it is a list with column names, otherwise None; lines do not change."""
    rows = next(iter(sheets(source).values()))
    if len(sheets(source)) > 1 or not is_header(rows[0][1], [cells for _, cells in rows[1:100]]):
        return None
    return as_csv(source)


def as_csv(source: Source, sheet: str | None = None) -> Source:
    """A sheet of a workbook as CSV, or the only one. Raises an error if there are several sheets and none is named."""
    if sheet is None and len(sheets(source)) != 1:
        raise DataError(Problem("a workbook with several sheets", "a workbook with one sheet"))
    name = sheet or next(iter(sheets(source)))
    if name not in sheets(source):
        raise DataError(Problem(f"no sheet {name!r}", f"one of {', '.join(map(repr, sheets(source)))}"))
    rows = sheets(source)[name]
    text = io.StringIO()
    writer = csv.writer(text)
    written = 0
    for line, cells in rows:
        text.write("\n" * (line - written - 1))
        writer.writerow([" ".join(cell.split()) for cell in cells])
        written = line
    title = "" if name.lower().rstrip("0123456789 ") in GENERIC_TITLES else name
    return Source(source.name, text.getvalue().encode(), source.limit, source.size, title=title, notes=source.notes)


class _Collector:
    """Collects rows of a workbook, up to limits on their cells and texts, which cells can share."""

    def __init__(self, source: Source):
        self._source, self._n_cells, self._n_characters = source, 0, 0
        self._paths: set[str] = set()

    def rows(self, book: Any, sheet: Any) -> list[Record]:
        """The rows of a sheet that have content, each with its number, without empty columns on the right."""
        from openpyxl.worksheet._reader import WorkSheetParser

        if sheet._worksheet_path in self._paths:
            raise DataError(Problem("two sheets with the same content", "an Excel workbook (.xlsx)"))
        self._paths.add(sheet._worksheet_path)
        formats = {"date_formats": book._date_formats, "timedelta_formats": book._timedelta_formats}
        rows: dict[int, list[str]] = {}
        with book._archive.open(sheet._worksheet_path) as stream:
            parser = WorkSheetParser(stream, sheet._shared_strings, data_only=True, epoch=book.epoch, **formats)
            for number, cells in parser.parse():
                if number > MAX_ROWS:
                    raise DataError(Problem(f"the row {number:,}", f"at most {MAX_ROWS:,} rows, as in Excel"))
                texts = {cell["column"]: _text(cell["value"]) for cell in cells if cell["value"] not in (None, "")}
                width = max((column for column, text in texts.items() if text), default=0)
                self._count(width, texts)
                if width:
                    rows[number] = [texts.get(column, "") for column in range(1, width + 1)]
        width = max(map(len, rows.values()), default=0)
        ENTRIES.check(width * len(rows), self._source.size)
        return [(number, row + [""] * (width - len(row))) for number, row in sorted(rows.items())]

    def _count(self, n_cells: int, texts: dict[int, str]) -> None:
        self._n_cells += n_cells
        self._n_characters += sum(map(len, texts.values()))
        ENTRIES.check(self._n_cells, self._source.size)
        if self._n_characters > self._source.limit:
            raise DataError(too_large(self._source.limit))


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell).strip()
