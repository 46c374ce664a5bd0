"""Uploaded files, parsed in a separate process.

A page reads uploaded files with an `UploadReader`. Their bytes go to a worker process, which parses them and keeps the
rows; the server gets a preview, the inferred schema and, at last, the data.
"""

import io
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from ..data.build import build, count_contradictions, prepare
from ..data.datasets.samples import load_dataset
from ..data.readers import add_attributes, detect_format, read_first_rows, read_table
from ..data.readers.first_rows import FirstRows
from ..data.readers.parsing.attributes import is_attribute_table
from ..data.readers.source import ARCHIVE, Source
from ..data.relational import RelationalData
from ..data.schema import InferredRelation, infer_schema
from ..data.table import Table
from ..data.two_mode import has_two_modes
from ..errors import DataError, Problem
from ..runs import Run
from ..runs.store import unpack_run
from ..runs.uploaded_files import UploadedFile
from .config import Uploads, config
from .isolated import Process, ProcessDiedError, TimeLimitError
from .workspaces import check_size

T = TypeVar("T")

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


class UploadReader:
    r"""Some uploaded files, which a worker process parses within the limits for their size.

    >>> reader = UploadReader([UploadedFile("ties.csv", b"source,target\nann,bob\n")], Uploads())
    >>> reader.detected.format, reader.preview().n_objects, len(reader.build().data)
    ('long', 2, 1)

    Args:
        files: files with relations, and perhaps one with attributes.
        limits: the limits of the worker process.
        attributes: a file with attributes, if the user named one.
        check: called often while the process works. It may raise an exception, which ends the process.
    """

    def __init__(
        self,
        files: Sequence[UploadedFile],
        limits: Uploads,
        attributes: UploadedFile | None = None,
        check: Callable[[], None] = lambda: None,
    ):
        self._files, self._attributes, self._limits, self.check = tuple(files), attributes, limits, check
        size = sum(len(file.content) for file in [*files, *([attributes] if attributes else [])])
        self._seconds, self._memory = limits.time_limit(size), limits.memory_limit(size)
        self._process: Process | None = None
        self._results: dict[Any, Any] = {}

    @property
    def detected(self) -> Detected:
        """The format of the files."""
        return self._call(_detect)

    def first_rows(self, separator: str | None = None, sheet: str | None = None) -> FirstRows:
        """The first rows of the only file as they are, if it is a list."""
        return self._call(_first_rows, separator, sheet)

    def preview(
        self, format: str | None = None, periods: int | None = None, columns: Mapping[str, Any] | None = None,
        pairs: Mapping[str, Any] | None = None,
    ) -> Preview:  # fmt: skip
        """The first rows and the schema, in a given format, with given columns, or as detected.

        `pairs` has the options `self_pairs` and `two_mode` of `mrwtd.read`.
        """
        return self._call(_preview, format, {"periods": periods, "columns": columns} | dict(pairs or {}))

    def contradictions(self, format: str | None, options: Mapping[str, Any]) -> int:
        """The number of rows that list a pair again with another value, with options of `mrwtd.read`."""
        return self._call(_contradictions, format, dict(options))

    def build(self, format: str | None = None, options: Mapping[str, Any] | None = None) -> Built:
        """The data, with options of `mrwtd.read`."""
        return self._call(_build, format, dict(options or {}), self._limits)

    def load(self, name: str) -> RelationalData:
        """A data set of the paper from its files; see `mrwtd.load_dataset`."""
        return self._call(_load, name)

    def _call(self, function: Callable[..., T], *arguments: Any) -> T:
        """The result of a function in the process, which is started again if it has ended meanwhile."""
        key = (function, repr(arguments))
        if key not in self._results:
            try:
                self._results[key] = self._guarded(function, *arguments)
            except DataError as error:
                self._results[key] = error
        result = self._results[key]
        if isinstance(result, DataError):
            raise result
        answer: T = result
        return answer

    def _guarded(self, function: Callable[..., T], *arguments: Any) -> T:
        for _ in range(2):
            try:
                return self._call_once(function, *arguments)
            except ProcessDiedError:  # by itself, after it had nothing to do, or because of the file
                self._process = None
        found = "a file that crashes its reader"
        raise self._error(found, "a complete file; save it again, or use another format") from None

    def _call_once(self, function: Callable[..., T], *arguments: Any) -> T:
        try:
            if self._process is None:
                process = Process(memory=self._memory)
                process.call(_receive, self._files, self._attributes, seconds=self._seconds, check=self._check)
                self._process = process
            return self._process.call(function, *arguments, seconds=self._seconds, check=self._check)
        except (TimeLimitError, MemoryError) as error:
            self._process = None
            problem = _describe(error, self._seconds, self._memory)
            raise self._error(problem, "a smaller file, or the same data in another format") from None

    def _check(self) -> str:
        self.check()
        return ""

    def _error(self, found: str, expected: str) -> DataError:
        name = self._files[0].name if len(self._files) == 1 else ARCHIVE
        return DataError(Problem(found, expected), file=name)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process = None


def unpack_in_process(source: bytes | Path, folder: Path) -> Run:
    """`runs.store.unpack_run` in a worker process, within the limits for the size of a file."""
    size, limits = len(source) if isinstance(source, bytes) else 0, config().uploads
    seconds, memory = limits.time_limit(size), limits.memory_limit(size)
    try:
        with Process(memory=memory) as process:
            return process.call(unpack_run, source, folder, seconds=seconds)
    except (TimeLimitError, MemoryError, ProcessDiedError) as error:
        raise DataError(Problem(_describe(error, seconds, memory), "a run exported by mrwtd")) from None


def _describe(error: Exception, seconds: float, memory: int) -> str:
    """What is wrong with a file that its process could not read."""
    if isinstance(error, TimeLimitError):
        return f"a file that takes longer than {seconds:.0f} s to read"
    if isinstance(error, MemoryError):
        return f"a file that takes more than {memory / 1e9:.1f} GB of memory to read"
    return "a file that crashes its reader"


# The functions below run in the worker process, which serves one reader.

_files: list[UploadedFile] = []
_attributes: list[UploadedFile] = []
_tables: dict[tuple[str | None, int | None, str], Table] = {}


def _receive(files: Sequence[UploadedFile], attributes: UploadedFile | None) -> None:
    _files[:], _attributes[:] = files, [attributes] if attributes else []
    _tables.clear()


def _has_attributes(file: UploadedFile) -> bool:
    return is_attribute_table(Source(file.name, file.content))


def _detect() -> Detected:
    only_attributes = not _attributes and len(_files) == 1 and _has_attributes(_files[0])
    return Detected(detect_format(_streams()), only_attributes)


def _first_rows(separator: str | None, sheet: str | None) -> FirstRows:
    return read_first_rows(_streams(), separator, sheet)


def _table(format: str | None, periods: int | None, columns: Mapping[str, Any] | None) -> Table:
    key = format, periods, repr(columns)
    if key not in _tables:
        _tables.clear()
        table = read_table(_streams(), format, columns, periods=periods)
        _tables[key] = add_attributes(table, _stream(_attributes[0])) if _attributes else table
    return _tables[key]


def _listed(format: str | None, options: Mapping[str, Any]) -> Table:
    return _table(format, options.get("periods"), options.get("columns"))


def _prepared(format: str | None, options: Mapping[str, Any]) -> Table:
    """The table with the types of its objects and without self-pairs that are no entries."""
    return prepare(_listed(format, options), options.get("self_pairs", "auto"), options.get("two_mode"))


def _preview(format: str | None, options: Mapping[str, Any]) -> Preview:
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


def _contradictions(format: str | None, options: Mapping[str, Any]) -> int:
    return count_contradictions(_prepared(format, options), options.get("directed"), options.get("rename"))


def _build(format: str | None, options: Mapping[str, Any], limits: Uploads) -> Built:
    table = _listed(format, options)
    chosen = {name: value for name, value in options.items() if name not in ("periods", "columns")}
    data = build(table, **({"self_pairs": "auto"} | chosen))
    check_size(data, limits)
    if not len(data):
        raise DataError(Problem("no known value", "at least one pair with a known value"), file=table.file)
    return Built(data, ties_only(data.describe()))


def _load(name: str) -> RelationalData:
    if len(_files) == 1:
        return load_dataset(name, folder=_stream(_files[0]))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in _files:
            archive.writestr(file.name, file.content)
    return load_dataset(name, folder=_stream(UploadedFile(ARCHIVE, buffer.getvalue())))


def _streams() -> list[io.BytesIO]:
    return [_stream(file) for file in _files]


def _stream(file: UploadedFile) -> io.BytesIO:
    stream = io.BytesIO(file.content)
    stream.name = file.name
    return stream


def ties_only(facts: pd.DataFrame) -> tuple[str, ...]:
    """The relations that list nothing but ties, from the table of `RelationalData.describe`.

    >>> facts = {"kind": ["binary", "count", "real"], "balance": [1.0, 1.0, 1.0], "missing": [0.5, 0.0, 0.5]}
    >>> ties_only(pd.DataFrame(facts, index=["likes", "calls", "distance"]))
    ('likes',)
    """
    only_ties = facts["kind"].isin(["binary", "count"]) & (facts["balance"] == 1) & (facts["missing"] > 0)
    return tuple(str(name) for name in facts.index[only_ties])
