"""Excel workbooks: the cells of their sheets, as text."""

import csv
import io
import warnings
from collections.abc import Sequence
from typing import Any

from ....errors import DataError, Problem
from ..source import Source
from .delimited import Record
from .headers import is_header


def is_workbook(source: Source) -> bool:
    """Whether a zip is an Excel workbook."""
    return "xl/workbook.xml" in source.member_names


def sheets(source: Source) -> dict[str, list[Record]]:
    """The rows of each sheet as text, with their numbers, without empty rows and columns."""
    if "sheets" not in source.cache:
        source.cache["sheets"] = _sheets(source)
    rows_by_sheet: dict[str, list[Record]] = source.cache["sheets"]
    return rows_by_sheet


def _sheets(source: Source) -> dict[str, list[Record]]:
    _ = source.members  # raises an error if the workbook is larger than the limit, before it is parsed
    try:
        from openpyxl import load_workbook

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = load_workbook(io.BytesIO(source.data), read_only=True, data_only=True)
            sheets = {
                sheet.title: _trim([[_text(cell) for cell in row] for row in sheet.iter_rows(values_only=True)])
                for sheet in book.worksheets
            }
            book.close()
    except Exception as error:  # damaged XML inside the workbook raises many kinds of errors
        actual = f"a damaged workbook ({type(error).__name__})"
        raise DataError(Problem(actual, "an Excel workbook (.xlsx); save it again"), file=source.name) from None
    filled = {name: rows for name, rows in sheets.items() if rows}
    if not filled:
        raise DataError(Problem("a workbook with empty sheets only", "one sheet per relation"), file=source.name)
    return filled


def as_list(source: Source) -> Source | None:
    """A single sheet as CSV if it is a list with column names, otherwise None; lines do not change."""
    rows = next(iter(sheets(source).values()))
    if len(sheets(source)) > 1 or not is_header(rows[0][1], [cells for _, cells in rows[1:100]]):
        return None
    return as_csv(source)


def as_csv(source: Source) -> Source:
    """The only sheet of a workbook as CSV. Raises an error if there are several sheets."""
    if len(sheets(source)) != 1:
        raise DataError(Problem("a workbook with several sheets", "a workbook with one sheet"))
    name, rows = next(iter(sheets(source).items()))
    text = io.StringIO()
    writer = csv.writer(text)
    written = 0
    for line, cells in rows:
        text.write("\n" * (line - written - 1))
        writer.writerow([" ".join(cell.split()) for cell in cells])
        written = line
    title = "" if name.lower().startswith("sheet") else name
    return Source(source.name, text.getvalue().encode(), source.limit, title=title)


def _trim(rows: Sequence[Sequence[str]]) -> list[Record]:
    """The rows with content, each with its number, without empty columns on the right."""
    filled = [(line, row) for line, row in enumerate(rows, start=1) if any(row)]
    width = max((position + 1 for _, row in filled for position, cell in enumerate(row) if cell), default=0)
    return [(line, [*row, *[""] * width][:width]) for line, row in filled]


def _text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    return str(cell).strip()
