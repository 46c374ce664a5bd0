"""A sidecar with what is known of the objects themselves: a table with the object first, then a column an attribute.

It is a CSV or the like, or the only sheet of an Excel workbook.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import IO, Any

import numpy as np
import pandas as pd

from ....errors import MAX_PROBLEMS, DataError, Problem
from ...factorized import Factorized
from ..source import Source
from . import workbook
from .columns import Columns, load
from .delimited import sniff
from .headers import roles

MOST_NAMED = 5
"""So many objects that are left out are named."""


@dataclass(frozen=True)
class Attributes:
    """What a file says of objects.

    Attributes:
        frame: a row an object, a column an attribute.
        notes: sentences on which objects were left out, and what the attributes are.
    """

    frame: pd.DataFrame
    notes: tuple[str, ...]


def read_attributes(file: str | PathLike[str] | IO[Any], objects: Sequence[str]) -> Attributes:
    r"""The attributes of some of the objects; columns of numbers become numbers, and other objects are left out.

    >>> import io
    >>> found = read_attributes(io.StringIO("name,group,age\nann,red,20\ndan,red,30\n"), ["ann", "bob"])
    >>> found.frame
         group  age
    ann    red   20
    >>> found.notes[1]
    '1 object of data has no entry and is left out: dan'
    """
    source = _opened(file)
    sheet = sniff(source)
    (line, header), rest = sheet.records[0], sheet.records[1:]
    expected = "a first row with names of columns: the object, then its attributes"
    if header[0] in objects or not rest:
        raise DataError(Problem(f"the first row {', '.join(map(repr, header[:5]))}", expected, line), file=source.name)
    if len(set(header)) < len(header) or "" in header[1:]:
        found = f"the columns {', '.join(map(repr, header[:20]))}"
        raise DataError(Problem(found, "a name for each column, each once", line), file=source.name)
    columns = load(sheet, rest[0][0], len(header), range(len(header)))
    named = columns.names(0, "object")
    known = set(objects)
    kept = np.array([name in known for name in named.names], dtype=bool)[named.codes]
    if not kept.any():
        _refuse_all(columns, named, objects)
    order = np.argsort(named.codes, kind="stable")
    for at in np.flatnonzero(np.diff(named.codes[order]) == 0)[:MAX_PROBLEMS]:
        one, two = columns.lines[order[at]], columns.lines[order[at + 1]]
        name = named.names[named.codes[order[at]]]
        columns.problems.add(f"the object {name!r} twice (lines {one} and {two})", "a row an object", two)
    columns.problems.check()
    index = pd.Index([named.names[code] for code in named.codes], dtype="str")
    frame = pd.DataFrame({header[c]: _column(columns.cells[c]) for c in range(1, len(header))}, index=index)
    return Attributes(frame[kept], tuple(_notes(source.name, header[1:], [str(name) for name in index[~kept]])))


def _opened(file: str | PathLike[str] | IO[Any]) -> Source:
    source = Source.open(file)
    if not workbook.is_workbook(source):
        return source
    sheet = workbook.as_csv(source)
    if sheet is None:
        raise DataError(Problem("a workbook of several sheets", "one sheet"), file=source.name)
    return sheet


def _refuse_all(columns: Columns, named: Factorized, objects: Sequence[str]) -> None:
    """A problem for each row of a file that has no object of the data: it is another file's."""
    few = ", ".join(map(repr, objects[:5])) + (", …" if len(objects) > 5 else "")
    for row, code in enumerate(named.codes[:MAX_PROBLEMS]):
        if name := named.names[code]:
            columns.problems.add(f"the object {name!r}", f"objects of the data: {few}", columns.lines[row])
    columns.problems.extend((), max(named.codes.size - MAX_PROBLEMS, 0))


def _notes(file: str, names: Sequence[str], left_out: Sequence[str]) -> list[str]:
    notes = [f"{file} is read as attributes of the objects: {', '.join(names)}."]
    if left_out:
        few = ", ".join(left_out[:MOST_NAMED]) + ", …" * (len(left_out) > MOST_NAMED)
        says = "objects of {} have no entry and are" if len(left_out) > 1 else "object of {} has no entry and is"
        notes.append(f"{len(left_out):,} {says.format(file)} left out: {few}")
    return notes


def is_attribute_table(source: Source) -> bool:
    r"""Whether a text says something of objects, a row each, rather than of pairs of them.

    >>> is_attribute_table(Source("people.csv", b"name,group\nann,red\nbob,red\n"))
    True
    >>> is_attribute_table(Source("ties.csv", b"source,target\nann,bob\nbob,cat\n"))
    False
    """
    if not source.is_text:
        return False
    try:
        records = [cells for _, cells in sniff(source).records if cells]
    except DataError:
        return False
    header, *rest = records
    first, others = [row[0] for row in rest], {cell for row in rest for cell in row[1:]}
    return (
        len(header) > 1
        and roles(header) is None
        and len(set(first)) == len(first) > 1
        and others.isdisjoint(first)
        and not set(header[1:]) & set(first)
    )


def _column(column: Any) -> Any:
    """Numbers where all cells are numbers or empty, else text; an empty cell is missing either way."""
    assert isinstance(column, Factorized)
    texts = pd.Series([name or None for name in column.names], dtype="str")
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.isna().equals(texts.isna()) and not texts.isna().all():
        return numbers.to_numpy()[column.codes]
    return texts.array[column.codes]
