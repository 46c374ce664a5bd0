"""Parquet: a long or wide list. Files written by `mrwtd.write` are read back exactly."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ....errors import DataError, Problem, Problems
from ....typing import Array
from ...factorized import Factorized
from ...limits import ENTRIES
from ...table import Table, column_names, column_numbers
from ..parsing.headers import Roles, relation_columns, role, roles
from ..source import Source, register_format
from .long import column_notes
from .wide import stack_relations

BYTES_PER_ROW = 32
"""A row of this many bytes counts as a row only: files of `mrwtd.write` have less, and shrink to any size."""


def matches(source: Source) -> bool:
    """Whether the file starts with the mark of Parquet."""
    return source.start[:4] == b"PAR1"


@register_format("parquet", "a long or wide list in a Parquet file", ("parquet", "pq"), matches, order=10)
def read(source: Source) -> Table:
    """The rows of a Parquet file."""
    frame = _frame(source)
    try:
        return _table(frame, source)
    except (DataError, MemoryError):
        raise
    except Exception as error:  # cells can contain lists, records and other objects without order or hash
        actual = f"cells that are neither names nor numbers ({type(error).__name__})"
        raise DataError(Problem(actual, "columns of names and numbers")) from None


def _frame(source: Source) -> pd.DataFrame:
    try:
        table = _read(source)
        frame: pd.DataFrame = table.to_pandas()
        frame.attrs = json.loads((table.schema.metadata or {}).get(b"PANDAS_ATTRS", b"{}"))
    except (DataError, MemoryError):
        raise
    except Exception as error:  # Arrow raises many kinds of errors for damaged files
        actual = f"a damaged Parquet file ({type(error).__name__})"
        raise DataError(Problem(actual, "a complete Parquet file; write or download it again")) from None
    return frame if frame.index.names == [None] else frame.reset_index()


def _read(source: Source) -> Any:
    """An Arrow table of the columns of names and numbers.

    Texts stay in dictionaries, because a dictionary of one long text can have millions of rows.
    """
    import pyarrow as pa
    from pyarrow import parquet

    file = parquet.ParquetFile(pa.BufferReader(source.data))
    metadata, types = file.metadata, file.schema_arrow
    rows, columns = metadata.num_rows, metadata.num_columns
    ENTRIES.check(rows, source.size, noun="rows", advice="use a part of the data")
    groups = [metadata.row_group(group) for group in range(metadata.num_row_groups)]
    expanded = max(4 * rows * columns, sum(group.total_byte_size for group in groups))
    limit = max(source.limit, BYTES_PER_ROW * ENTRIES.of(source.size))
    if expanded > limit:
        expected = f"at most {limit:,} bytes of data; use a part of the data"
        raise DataError(Problem(f"{rows:,} rows of {columns} columns, {expanded:,} bytes", expected))
    plain = [field.name for field in types if _is_plain(field.type)]
    for field in types:
        if not _is_plain(field.type) and role(field.name) is not None:
            raise DataError(Problem(f"cells of type {field.type}", "names or numbers", where=f"column {field.name!r}"))
    texts = [field.name for field in types if _is_text(field.type)]
    file = parquet.ParquetFile(pa.BufferReader(source.data), metadata=metadata, read_dictionary=texts)
    return file.read(columns=plain)


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    views = types.is_string_view(kind) or types.is_binary_view(kind)
    large = types.is_large_string(kind) or types.is_large_binary(kind)
    return bool(types.is_string(kind) or types.is_binary(kind) or large or views)


def _is_plain(kind: Any) -> bool:
    from pyarrow import types

    if types.is_dictionary(kind):
        return _is_plain(kind.value_type)
    return _is_text(kind) or bool(types.is_primitive(kind) or types.is_decimal(kind) or types.is_null(kind))


def _table(frame: pd.DataFrame, source: Source) -> Table:
    if "mrwtd" in frame.attrs or {"source", "relation", "target"} <= set(frame.columns):
        return Table.from_frame(frame)
    header = [str(name) for name in frame.columns]
    columns = roles(header)
    if columns is None:
        actual = f"the columns {', '.join(map(repr, header[:10]))}"
        raise DataError(Problem(actual, "columns called source and target (or subject, object; from, to; …)"))
    if not len(frame):
        raise DataError(Problem("no rows", "at least one row"))
    return _by_roles(frame, header, columns, source)


def _by_roles(frame: pd.DataFrame, header: Sequence[str], columns: Roles, source: Source) -> Table:
    problems = Problems()

    def names(c: int) -> Factorized:
        return column_names(frame.iloc[:, c], header[c], problems)

    def numbers(c: int | None) -> Array | None:
        return None if c is None else column_numbers(frame.iloc[:, c], header[c], problems)

    sources, targets = names(columns.source), names(columns.target)
    relations = relation_columns(header, columns)
    if relations:
        values = [column_numbers(frame.iloc[:, c], header[c], problems) for c in relations]
        problems.check()
        return stack_relations(sources, targets, [header[c] for c in relations], values)
    value, weight = map(numbers, columns.value_and_weight)
    relation = Factorized(np.zeros(len(frame), dtype=np.int32), [source.stem])
    if columns.relations:
        relation = names(columns.relations[0])
    problems.check()
    return Table.from_factorized(sources, relation, targets, value, weight, notes=tuple(column_notes(header, columns)))
