"""Parquet: a long or wide list. Files written by `mrwtd.write` are read back exactly."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ....errors import MAX_PROBLEMS, DataError, Problem, Problems
from ....typing import Array
from ...factorized import Factorized
from ...table import NUMBER, Table, parse_numbers
from ..format import register_format
from ..parsing.headers import Roles, relation_columns, roles
from ..parsing.lines import quote
from ..source import Source
from .long import column_notes
from .wide import stack_relations


def matches(source: Source) -> bool:
    """Whether the file starts with the mark of Parquet."""
    return source.start[:4] == b"PAR1"


@register_format("parquet", "a long or wide list in a Parquet file", ("parquet", "pq"), matches, order=10)
def read(source: Source) -> Table:
    """The rows of a Parquet file."""
    frame = _frame(source)
    try:
        return _table(frame, source)
    except DataError:
        raise
    except Exception as error:  # cells can contain lists, records and other objects without order or hash
        found = f"cells that are neither names nor numbers ({type(error).__name__})"
        raise DataError(Problem(found, "columns of names and numbers")) from None


def _frame(source: Source) -> pd.DataFrame:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        metadata = parquet.ParquetFile(pa.BufferReader(source.data)).metadata
        rows, columns = metadata.num_rows, metadata.num_columns
        too_large = 4 * rows * columns > source.limit
        frame = pd.DataFrame() if too_large else pd.read_parquet(io.BytesIO(source.data))
    except Exception as error:  # Arrow raises many kinds of errors for damaged files
        found = f"a damaged Parquet file ({type(error).__name__})"
        raise DataError(Problem(found, "a complete Parquet file; write or download it again")) from None
    if too_large:
        found = f"{rows:,} rows of {columns} columns"
        raise DataError(Problem(found, f"at most {source.limit:,} bytes of data"))
    return frame if frame.index.names == [None] else frame.reset_index()


def _table(frame: pd.DataFrame, source: Source) -> Table:
    if "mrwtd" in frame.attrs or {"source", "relation", "target"} <= set(frame.columns):
        return Table.from_frame(frame)
    header = [str(name) for name in frame.columns]
    columns = roles(header)
    if columns is None:
        found = f"the columns {', '.join(map(repr, header[:10]))}"
        raise DataError(Problem(found, "columns called source and target (or subject, object; from, to; …)"))
    if not len(frame):
        raise DataError(Problem("no rows", "at least one row"))
    return _by_roles(frame, header, columns, source)


def _by_roles(frame: pd.DataFrame, header: Sequence[str], columns: Roles, source: Source) -> Table:
    problems = Problems()
    ends = _names(frame, header, columns.source, problems), _names(frame, header, columns.target, problems)
    relations = relation_columns(header, columns)
    if relations:
        values = [_numbers(frame, header, c, problems) for c in relations]
        problems.check()
        return stack_relations(*ends, [header[c] for c in relations], values)
    value, weight = columns.value_and_weight
    numbers = [None if c is None else _numbers(frame, header, c, problems) for c in (value, weight)]
    relation = Factorized(np.zeros(len(frame), dtype=np.int32), [source.stem])
    if columns.relations:
        relation = _names(frame, header, columns.relations[0], problems)
    problems.check()
    return Table.from_factorized(ends[0], relation, ends[1], *numbers, notes=tuple(column_notes(header, columns)))


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
        problems.add(quote(str(column.iloc[row])), NUMBER, where=where)
    return values
