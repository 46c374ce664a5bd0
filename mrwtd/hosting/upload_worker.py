"""Uploaded files in their worker process: the functions that `uploads.UploadReader` calls, and what they return.

A process serves one reader. It receives the files once, and keeps the rows for the next call.
"""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..data.build import build, count_contradictions, prepare
from ..data.datasets.samples import load_dataset
from ..data.learnability import only_ties
from ..data.readers import add_attributes, detect_format, read_first_rows, read_table
from ..data.readers.first_rows import FirstRows
from ..data.readers.parsing.attributes import is_attribute_table
from ..data.readers.source import ARCHIVE, Source
from ..data.relational import RelationalData
from ..data.schema import InferredRelation, infer_schema
from ..data.table import Table
from ..data.two_mode import has_two_modes
from ..errors import DataError, Problem
from ..runs.uploaded_files import UploadedFile, zipped
from .config import Uploads
from .workspaces import check_size

PREVIEWED = 8
"""Rows of a preview."""


@dataclass(frozen=True)
class Detected:
    """What the files are.

    Attributes:
        format: the name of their format; None if it is unknown.
        only_attributes: whether the only file looks like one with attributes.
    """

    format: str | None
    only_attributes: bool = False


@dataclass(frozen=True)
class Preview:
    """The rows of some files, in short.

    Attributes:
        n_objects, n_relations, n_rows: the numbers of objects, relations and rows.
        rows: the first rows.
        notes: how the rows were read.
        schema: the inferred kinds and directions.
        has_times: whether the rows have times, which can be cut into periods.
        doubtful: whether the meaning of the columns is a guess.
        n_ties: the number of pairs with a tie: a known value other than 0, or than −1 in a binary relation.
        has_self_pairs: whether pairs of an object with itself are listed.
        may_be_two_mode: whether sources and targets can be two types of objects.
        has_types: whether the objects have types without a choice of the user.
    """

    n_objects: int
    n_relations: int
    n_rows: int
    rows: pd.DataFrame
    notes: tuple[str, ...]
    schema: tuple[InferredRelation, ...]
    has_times: bool = False
    doubtful: bool = False
    n_ties: int = 0
    has_self_pairs: bool = False
    may_be_two_mode: bool = False
    has_types: bool = False


@dataclass(frozen=True)
class Built:
    """Data from some files.

    Attributes:
        data: the data.
        ties_only: the relations that list nothing but ties.
    """

    data: RelationalData
    ties_only: tuple[str, ...]


_files: list[UploadedFile] = []
_attributes: list[UploadedFile] = []
_tables: dict[tuple[str | None, int | None, str], Table] = {}


def receive(files: Sequence[UploadedFile], attributes: UploadedFile | None) -> None:
    """Keep the files for the next calls."""
    _files[:], _attributes[:] = files, [attributes] if attributes else []
    _tables.clear()


def detect() -> Detected:
    """The format of the files."""
    sources = [Source(file.name, file.content) for file in _files]
    only_attributes = not _attributes and len(sources) == 1 and is_attribute_table(sources[0])
    return Detected(detect_format(_streams()), only_attributes)


def first_rows(separator: str | None, sheet: str | None) -> FirstRows:
    """The first rows of the only file, if it is a list."""
    return read_first_rows(_streams(), separator, sheet)


def _listed(format: str | None, options: Mapping[str, Any]) -> Table:
    periods, columns = options.get("periods"), options.get("columns")
    key = format, periods, repr(columns)
    if key not in _tables:
        _tables.clear()
        table = read_table(_streams(), format, columns, periods=periods)
        _tables[key] = add_attributes(table, _stream(_attributes[0])) if _attributes else table
    return _tables[key]


def _prepared(format: str | None, options: Mapping[str, Any]) -> Table:
    """The table with the types of its objects and without self-pairs that are no entries."""
    return prepare(_listed(format, options), options.get("self_pairs", "auto"), options.get("two_mode"))


def preview(format: str | None, options: Mapping[str, Any]) -> Preview:
    """A preview of the files, with options of `mrwtd.read`."""
    listed, table = _listed(format, options), _prepared(format, options)
    has_self_pairs = bool((listed.i == listed.j).any()) and not listed.is_exact
    two_mode = bool(listed.object_types) or has_two_modes(listed)
    i, j, k = (positions[:PREVIEWED] for positions in (table.i, table.j, table.k))
    names = {"source": (table.objects, i), "relation": (table.relations, k), "target": (table.objects, j)}
    rows = pd.DataFrame({name: [labels[position] for position in part] for name, (labels, part) in names.items()})
    for name, numbers in (("value", table.values), ("weight", table.weights)):
        if numbers is not None:
            rows[name] = np.array(numbers[:PREVIEWED])
    size = len(table.objects), len(table.relations), len(table.i)
    schema = infer_schema(table)
    facts = table.time_span is not None, table.doubtful, _count_ties(table, schema)
    pairs = {"has_self_pairs": has_self_pairs, "may_be_two_mode": two_mode, "has_types": bool(listed.object_types)}
    return Preview(*size, rows, tuple(table.notes), schema, *facts, **pairs)


def _count_ties(table: Table, schema: Sequence[InferredRelation]) -> int:
    rows, key = table.by_key
    if rows is not None and table.values is not None:
        values = table.values[rows]
        is_binary = np.array([relation.kind == "binary" for relation in schema])[table.k[rows]]
        key = key[~np.isnan(values) & (values != 0) & ~(is_binary & (values == -1))]
    return int(np.count_nonzero(np.diff(key, prepend=-1)))


def contradictions(format: str | None, options: Mapping[str, Any]) -> int:
    """The number of rows that contradict another one."""
    return count_contradictions(_prepared(format, options), options.get("directed"), options.get("rename"))


def build_data(format: str | None, options: Mapping[str, Any], limits: Uploads) -> Built:
    """The data, with options of `mrwtd.read`."""
    table = _listed(format, options)
    chosen = {name: value for name, value in options.items() if name not in ("periods", "columns")}
    data = build(table, **({"self_pairs": "auto"} | chosen))
    check_size(data, limits)
    if not len(data):
        raise DataError(Problem("no known value", "at least one pair with a known value"), file=table.file)
    vars(table).pop("by_key", None)  # a fifth of the memory, which the copy that is sent needs
    return Built(data, ties_only(data))


def load(name: str, limits: Uploads) -> RelationalData:
    """A data set of the paper from its files."""
    data = _load(name)
    check_size(data, limits)
    return data


def _load(name: str) -> RelationalData:
    if len(_files) == 1:
        return load_dataset(name, folder=_stream(_files[0]))
    archive = zipped(((file.name, file.content) for file in _files), level=0)
    return load_dataset(name, folder=_stream(UploadedFile(ARCHIVE, archive)))


def _streams() -> list[io.BytesIO]:
    return [_stream(file) for file in _files]


def _stream(file: UploadedFile) -> io.BytesIO:
    stream = io.BytesIO(file.content)
    stream.name = file.name
    return stream


def ties_only(data: RelationalData) -> tuple[str, ...]:
    """The relations that list nothing but ties, and not those of all pairs.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> ties_only(data), ties_only(data.subset(data.y > 0))
    ((), ('business', 'marriage'))
    """
    data = data.observed()
    listed = [(k, relation.name) for k, relation in enumerate(data.relations) if (data.k == k).any()]
    return tuple(name for k, name in listed if only_ties(data, k))
