"""A sidecar with what is known of the objects themselves: a CSV with the object first, then a column an attribute."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import IO, Any

import numpy as np
import pandas as pd

from ..errors import MOST_PROBLEMS, DataError, Problem
from ..names import Coded
from .columns import load
from .delimited import sniff
from .headers import roles
from .source import Source


def read_attributes(file: str | PathLike[str] | IO[Any], objects: Sequence[str]) -> pd.DataFrame:
    r"""The attributes of some of the objects, as a frame by object; columns of numbers become numbers.

    >>> import io
    >>> read_attributes(io.StringIO("name,group,age\nann,red,20\n"), ["ann", "bob"])
         group  age
    ann    red   20
    """
    source = Source.open(file)
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
    unknown = [name not in known for name in named.names]
    few = ", ".join(map(repr, objects[:5])) + (", …" if len(objects) > 5 else "")
    for row in np.flatnonzero(np.array(unknown, dtype=bool)[named.codes])[:MOST_PROBLEMS]:
        name = named.names[named.codes[row]]
        if name:
            columns.problems.add(f"the object {name!r}", f"objects of the data: {few}", columns.lines[row])
    order = np.argsort(named.codes, kind="stable")
    for at in np.flatnonzero(np.diff(named.codes[order]) == 0)[:MOST_PROBLEMS]:
        one, two = columns.lines[order[at]], columns.lines[order[at + 1]]
        name = named.names[named.codes[order[at]]]
        columns.problems.add(f"the object {name!r} twice (lines {one} and {two})", "a row an object", two)
    columns.problems.check()
    index = pd.Index([named.names[code] for code in named.codes], dtype="str")
    return pd.DataFrame({header[c]: _column(columns.cells[c]) for c in range(1, len(header))}, index=index)


def describes_objects(source: Source) -> bool:
    r"""Whether a text says something of objects, a row each, rather than of pairs of them.

    >>> describes_objects(Source("people.csv", b"name,group\nann,red\nbob,red\n"))
    True
    >>> describes_objects(Source("ties.csv", b"source,target\nann,bob\nbob,cat\n"))
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
    assert isinstance(column, Coded)
    texts = pd.Series([name or None for name in column.names], dtype="str")
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.isna().equals(texts.isna()) and not texts.isna().all():
        return numbers.to_numpy()[column.codes]
    return texts.array[column.codes]
