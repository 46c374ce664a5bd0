"""Uploaded files, parsed in a separate process.

A page reads uploaded files with an `UploadReader`. Their bytes go to a worker process, which parses them and keeps the
rows; the server gets a preview, the inferred schema and, at last, the data.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ..data.readers.first_rows import FirstRows
from ..data.readers.source import ARCHIVE
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..runs import Run
from ..runs.store import unpack_run
from ..runs.uploaded_files import UploadedFile
from . import upload_worker
from .config import Uploads, config
from .isolated import Process, ProcessDiedError, TimeLimitError
from .slots import Slot, slots
from .upload_worker import Built, Detected, Preview
from .workspaces import check_size

T = TypeVar("T")

KEPT: dict[Callable[..., Any] | None, int] = {upload_worker.build_data: 1, None: 10}
"""Results that are kept of each function, as a page asks for the same ones again; data takes the most memory."""


class UploadReader:
    r"""Some uploaded files, which a worker process parses within the limits for their size.

    >>> reader = UploadReader([UploadedFile("ties.csv", b"source,target\nann,bob\n")], Uploads())
    >>> reader.detected.format, reader.preview().n_objects, len(reader.build().data)
    ('long', 2, 1)

    Args:
        files: files with relations, and perhaps one with attributes.
        limits: the limits of the worker process.
        attributes: a file with attributes, if the user named one.
        check: called often while the process works, with 0, and while other files are read first, with their number.
            It may raise an exception, which ends the process or the wait.
        user: whose files they are. Users take turns; see `Slots`.
    """

    def __init__(
        self,
        files: Sequence[UploadedFile],
        limits: Uploads,
        attributes: UploadedFile | None = None,
        check: Callable[[int], None] = lambda _: None,
        user: str = "",
    ):
        self._files, self._attributes, self._limits, self.check = tuple(files), attributes, limits, check
        size = sum(len(file.content) for file in [*files, *([attributes] if attributes else [])])
        self._seconds, self._memory = limits.time_limit(size), limits.memory_limit(size)
        self._slot = Slot(user, size)
        self._results: dict[Any, Any] = {}

    @property
    def detected(self) -> Detected:
        """The format of the files."""
        return self._call(upload_worker.detect)

    def first_rows(self, separator: str | None = None, sheet: str | None = None) -> FirstRows:
        """The first rows of the only file as they are, if it is a list."""
        return self._call(upload_worker.first_rows, separator, sheet)

    def preview(
        self, format: str | None = None, periods: int | None = None, columns: Mapping[str, Any] | None = None,
        pairs: Mapping[str, Any] | None = None,
    ) -> Preview:  # fmt: skip
        """The first rows and the schema, in a given format, with given columns, or as detected.

        `pairs` has the options `self_pairs` and `two_mode` of `mrwtd.read`.
        """
        return self._call(upload_worker.preview, format, {"periods": periods, "columns": columns} | dict(pairs or {}))

    def contradictions(self, format: str | None, options: Mapping[str, Any]) -> int:
        """The number of rows that list a pair again with another value, with options of `mrwtd.read`."""
        return self._call(upload_worker.contradictions, format, dict(options))

    def build(self, format: str | None = None, options: Mapping[str, Any] | None = None) -> Built:
        """The data, with options of `mrwtd.read`."""
        return self._call(upload_worker.build_data, format, dict(options or {}), self._limits)

    def load(self, name: str) -> RelationalData:
        """A data set of the paper from its files; see `mrwtd.load_dataset`."""
        return self._call(upload_worker.load, name, self._limits)

    def _call(self, function: Callable[..., T], *arguments: Any) -> T:
        """The result of a function in the process, which is started again if it has ended meanwhile."""
        key = (function, repr(arguments))
        if key not in self._results:
            earlier = [other for other in self._results if other[0] == function]
            for other in earlier[: max(len(earlier) + 1 - KEPT.get(function, KEPT[None]), 0)]:
                del self._results[other]
            try:
                self._results[key] = self._guarded(function, *arguments)
            except DataError as error:
                self._results[key] = error
        result: T | DataError = self._results[key]
        if isinstance(result, DataError):
            raise result
        return result

    def _guarded(self, function: Callable[..., T], *arguments: Any) -> T:
        for _ in range(2):
            try:
                return self._call_once(function, *arguments)
            except ProcessDiedError:  # by itself, after it had nothing to do, or because of the file
                continue
        found = "a file that crashes its reader"
        raise self._error(found, "a complete file; save it again, or use another format") from None

    def _call_once(self, function: Callable[..., T], *arguments: Any) -> T:
        check, slot = partial(_no_reason, self.check), self._slot
        with slots().use(slot, self.check):
            try:
                if slot.process is None:
                    process = Process(memory=self._memory)
                    files = self._files, self._attributes
                    process.call(upload_worker.receive, *files, seconds=self._seconds, check=check)
                    slot.process = process
                return slot.process.call(function, *arguments, seconds=self._seconds, check=check)
            except DataError:
                raise
            except BaseException as error:
                self.close()
                if not isinstance(error, TimeLimitError | MemoryError):
                    raise
                problem = _describe(error, self._seconds, self._memory)
        raise self._error(problem, "a smaller file, or the same data in another format")

    def _error(self, found: str, expected: str) -> DataError:
        name = self._files[0].name if len(self._files) == 1 else ARCHIVE
        return DataError(Problem(found, expected), file=name)

    def close(self) -> None:
        """End the process."""
        self._slot.close()


def unpack_in_process(
    source: bytes | Path, folder: Path, check: Callable[[int], None] = lambda _: None, user: str = ""
) -> Run:
    """`runs.store.unpack_run` in a worker process, within the limits for the size of a file or a folder.

    `check` and `user` are as those of `UploadReader`.
    """
    size, limits = _size(source), config().uploads
    seconds, memory = limits.time_limit(size), limits.memory_limit(size)
    arguments = source, folder, partial(check_size, limits=limits)
    try:
        with slots().use(Slot(user, size), check), Process(memory=memory) as process:
            return process.call(unpack_run, *arguments, seconds=seconds, check=partial(_no_reason, check))
    except (TimeLimitError, MemoryError, ProcessDiedError) as error:
        raise DataError(Problem(_describe(error, seconds, memory), "a run exported by mrwtd")) from None


def _size(source: bytes | Path) -> int:
    if isinstance(source, bytes):
        return len(source)
    return sum(file.stat().st_size for file in (source.rglob("*") if source.is_dir() else [source]) if file.is_file())


def _no_reason(check: Callable[[int], None]) -> str:
    """Call a check that ends a process by an exception, and never by a reason to stop."""
    check(0)
    return ""


def _describe(error: Exception, seconds: float, memory: int) -> str:
    """What is wrong with a file that its process could not read."""
    if isinstance(error, TimeLimitError):
        return f"a file that takes longer than {seconds:.0f} s to read"
    if isinstance(error, MemoryError):
        return f"a file that takes more than {memory / 1e9:.1f} GB of memory to read"
    return "a file that crashes its reader"
