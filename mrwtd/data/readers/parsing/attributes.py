"""Attributes of objects from a second file: one row per object, with the object first, and one column per attribute.

The file is a CSV file or similar, or an Excel workbook with one sheet.
"""

from collections.abc import Sequence
from os import PathLike
from typing import IO, Any

import numpy as np
import pandas as pd

from ....errors import DataError, Problem
from ...factorized import Factorized
from ...limits import ATTRIBUTES
from ..source import Source
from . import workbook
from .columns import Columns, Selection, load
from .delimited import sniff, try_sniff
from .headers import roles

MAX_NAMED = 5
"""Maximum number of objects that a note or message names."""


def read_attributes(file: str | PathLike[str] | IO[Any], objects: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    r"""The attributes of objects, and notes. Columns of numbers become numbers; rows of other objects are left out.

    >>> import io
    >>> frame, notes = read_attributes(io.StringIO("name,group,age\nann,red,20\ndan,red,30\n"), ["ann", "bob"])
    >>> frame
         group  age
    ann    red   20
    >>> notes[1]
    '1 object of data has no entry and is left out: dan'
    """
    source = Source.open(file)
    try:
        if workbook.is_workbook(source):
            source = workbook.as_csv(source)
        return _parse(source, objects)
    except DataError as error:
        raise error.in_file(source.name) from None


def _parse(source: Source, objects: Sequence[str]) -> tuple[pd.DataFrame, list[str]]:
    sheet = sniff(source)
    (line, header), rest = sheet.records[0], sheet.records[1:]
    if header[0] in objects or not rest:
        expected = "a first row with column names: the object, then its attributes"
        raise DataError(Problem(f"the first row {', '.join(map(repr, header[:5]))}", expected, line))
    if len(set(header)) < len(header) or "" in header[1:]:
        actual = f"the columns {', '.join(map(repr, header[:20]))}"
        raise DataError(Problem(actual, "a different name for each column", line))
    ATTRIBUTES.check(len(header) - 1, None)
    columns = load(sheet, Selection(rest[0][0], len(header), range(len(header))))
    names = columns.names(0, "object")
    known = set(objects)
    is_known = np.array([name in known for name in names.names], dtype=bool)[names.codes]
    if not is_known.any():
        _report_unknown_objects(columns, names, objects)
    order = np.argsort(names.codes, kind="stable")
    for position in columns.problems.first(np.flatnonzero(np.diff(names.codes[order]) == 0)):
        first, second = columns.lines[order[position]], columns.lines[order[position + 1]]
        actual = f"the object {names.names[names.codes[order[position]]]!r} twice (lines {first} and {second})"
        columns.problems.add(actual, "one row per object", second)
    columns.problems.check()
    index = pd.Index([names.names[code] for code in names.codes], dtype="str")
    frame = pd.DataFrame({header[c]: typed_column(columns.factorized(c)) for c in range(1, len(header))}, index=index)
    left_out = [str(name) for name in index[~is_known]]
    return frame[is_known], _notes(source.name, header[1:], left_out)


def _report_unknown_objects(columns: Columns, names: Factorized, objects: Sequence[str]) -> None:
    """Add a problem for each row of a file that has no object of the data: it belongs to other data."""
    examples = ", ".join(map(repr, objects[:MAX_NAMED])) + ", …" * (len(objects) > MAX_NAMED)
    for row in columns.problems.first(range(names.codes.size)):
        if name := names.names[names.codes[row]]:
            expected = f"one of the objects of the data: {examples}"
            columns.problems.add(f"the object {name!r}", expected, columns.lines[row])


def _notes(file: str, names: Sequence[str], left_out: Sequence[str]) -> list[str]:
    notes = [f"{file} is read as attributes of the objects: {', '.join(names[:20])}{', …' * (len(names) > 20)}."]
    if left_out:
        examples = ", ".join(left_out[:MAX_NAMED]) + ", …" * (len(left_out) > MAX_NAMED)
        have, are = ("objects of {} have", "are") if len(left_out) > 1 else ("object of {} has", "is")
        notes.append(f"{len(left_out):,} {have.format(file)} no entry and {are} left out: {examples}")
    return notes


def is_attribute_table(source: Source) -> bool:
    r"""Whether a text has one row per object rather than one row per pair.

    >>> is_attribute_table(Source("people.csv", b"name,group\nann,red\nbob,red\n"))
    True
    >>> is_attribute_table(Source("ties.csv", b"source,target\nann,bob\nbob,cat\n"))
    False
    """
    sheet = try_sniff(source)
    if sheet is None:
        return False
    header, *rest = [cells for _, cells in sheet.records if cells] or [[]]
    first, others = [row[0] for row in rest], {cell for row in rest for cell in row[1:]}
    return (
        len(header) > 1
        and roles(header) is None
        and len(set(first)) == len(first) > 1
        and others.isdisjoint(first)
        and not set(header[1:]) & set(first)
        # The name of a column does not occur below it. In a list without column names, the first relation does.
        and all(header[c] not in {row[c] for row in rest if len(row) > c} for c in range(1, len(header)))
    )


def typed_column(column: Factorized) -> Any:
    """Numbers if all cells are numbers or empty, otherwise text; empty cells are missing values.

    >>> typed_column(Factorized(np.array([1, 0, 2]), ["30", "20", ""]))
    array([20., 30., nan])
    """
    texts = pd.Series([name or None for name in column.names], dtype="str")
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.isna().equals(texts.isna()) and not texts.isna().all():
        return numbers.to_numpy()[column.codes]
    return texts.array[column.codes]
