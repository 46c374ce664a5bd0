"""Parquet: a list, long or wide, in columns of names and numbers. What mrwtd wrote comes back the same."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ....errors import MAX_PROBLEMS, DataError, Problem, Problems
from ....typing import Array
from ...factorized import Factorized
from ...table import Table, parse_numbers
from ..format import FORMATS, Reader
from ..parsing.headers import Roles, relation_columns, roles
from ..parsing.lines import quote
from ..source import Source
from .wide import stacked


def matches(source: Source) -> bool:
    """Whether the file begins as Parquet does."""
    return source.start[:4] == b"PAR1"


def read(source: Source) -> Table:
    """The rows of a Parquet file."""
    frame = _frame(source)
    try:
        return _table(frame, source)
    except DataError as error:
        raise DataError(error.problems, file=source.name, total=error.total) from None
    except Exception as error:  # cells can hold lists, records and other things that have no order or hash
        found = f"cells that are neither names nor numbers ({type(error).__name__})"
        raise DataError(Problem(found, "names and numbers"), file=source.name) from None


def _frame(source: Source) -> pd.DataFrame:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        about = parquet.ParquetFile(pa.BufferReader(source.data)).metadata
        rows, columns = about.num_rows, about.num_columns
        frame = pd.DataFrame() if 4 * rows * columns > source.limit else pd.read_parquet(io.BytesIO(source.data))
    except Exception as error:  # whatever damage does to Arrow
        found = f"a damaged Parquet file ({type(error).__name__})"
        raise DataError(Problem(found, "a whole Parquet file"), file=source.name) from None
    if 4 * rows * columns > source.limit:
        found = f"{rows:,} rows of {columns} columns"
        raise DataError(Problem(found, f"at most {source.limit:,} bytes"), file=source.name)
    return frame if frame.index.names == [None] else frame.reset_index()


def _table(frame: pd.DataFrame, source: Source) -> Table:
    if "mrwtd" in frame.attrs or {"source", "relation", "target"} <= set(frame.columns):
        return Table.from_frame(frame)
    header = [str(name) for name in frame.columns]
    part = roles(header)
    if part is None:
        expected = "among them source and target (or subject, object; from, to; …)"
        raise DataError(Problem(f"the columns {', '.join(map(repr, header[:10]))}", expected))
    if not len(frame):
        raise DataError(Problem("no row", "at least one entry"))
    return _by_roles(frame, header, part, source)


def _by_roles(frame: pd.DataFrame, header: Sequence[str], part: Roles, source: Source) -> Table:
    problems = Problems(source.name)
    ends = _names(frame, header, part.source, problems), _names(frame, header, part.target, problems)
    several = relation_columns(header, part)
    if several:
        values = [_numbers(frame, header, c, problems) for c in several]
        problems.check()
        return stacked(*ends, [header[c] for c in several], values)
    value, weight = (part.weight, None) if part.value is None else (part.value, part.weight)
    numbers = [None if c is None else _numbers(frame, header, c, problems) for c in (value, weight)]
    relation = Factorized(np.zeros(len(frame), dtype=np.int32), [source.stem])
    if part.relations:
        relation = _names(frame, header, part.relations[0], problems)
    problems.check()
    notes = [f"The columns {header[part.source]!r} and {header[part.target]!r} are source and target."]
    if value is not None and value == part.weight:
        notes.append(f"The column {header[value]!r} is read as the value: there is no other column of values.")
    return Table.from_factorized(ends[0], relation, ends[1], *numbers, notes=tuple(notes))


def _names(frame: pd.DataFrame, header: Sequence[str], position: int, problems: Problems) -> Factorized:
    column = frame.iloc[:, position]
    for row in np.flatnonzero(column.isna())[:MAX_PROBLEMS]:
        problems.add("no name", "a name in every row", where=f"row {row}, column {header[position]!r}")
    return Factorized.from_column(column)


def _numbers(frame: pd.DataFrame, header: Sequence[str], position: int, problems: Problems) -> Array:
    column = frame.iloc[:, position]
    values, wrong = parse_numbers(column)
    for row in np.flatnonzero(wrong)[:MAX_PROBLEMS]:
        where = f"row {row}, column {header[position]!r}"
        problems.add(quote(str(column.iloc[row])), "a finite number, or true or false", where=where)
    return values


READER = FORMATS.register(
    Reader(
        name="parquet",
        about="a list, long or wide, in a Parquet file",
        extensions=("parquet", "pq"),
        matches=matches,
        read=read,
        order=10,
    )
)
