"""Excel workbooks: the cells of their sheets, as text."""

from __future__ import annotations

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
    """The rows of every sheet as text, each with its number, without those and the columns that are empty."""
    if "sheets" not in source.known:
        source.known["sheets"] = _sheets(source)
    found: dict[str, list[Record]] = source.known["sheets"]
    return found


def _sheets(source: Source) -> dict[str, list[Record]]:
    source.members()  # a workbook that expands beyond the limit is refused before it is parsed
    try:
        from openpyxl import load_workbook

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = load_workbook(io.BytesIO(source.data), read_only=True, data_only=True)
            found = {
                sheet.title: [[_text(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
                for sheet in book.worksheets
            }
            book.close()
    except Exception as error:  # whatever damage does to the XML inside
        found_text = f"a damaged workbook ({type(error).__name__})"
        raise DataError(Problem(found_text, "an Excel workbook (.xlsx)"), file=source.name) from None
    trimmed = {name: _trimmed(rows) for name, rows in found.items()}
    whole = {name: rows for name, rows in trimmed.items() if rows}
    if not whole:
        raise DataError(Problem("a workbook without a filled sheet", "a sheet a relation"), file=source.name)
    return whole


def as_list(source: Source) -> Source | None:
    """A lone sheet as CSV, if it is a list with names of columns and no matrix; the lines stay as they are."""
    rows = next(iter(sheets(source).values()))
    if not is_header(rows[0][1], [cells for _, cells in rows[1:100]]):
        return None
    return as_csv(source)


def as_csv(source: Source) -> Source | None:
    """The only sheet of a workbook as CSV, or None where there are several."""
    if len(sheets(source)) != 1:
        return None
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


def _trimmed(rows: Sequence[Sequence[str]]) -> list[Record]:
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
