"""Malformed files through the path of the Data page, and forged runs through that of an import.

python -m benchmarks.malformed_files [--seed N] [--per-kind N] [--jobs N] [--only TEXT] [--without-renamed]
    [--without-large]

Each file goes through `UploadReader` with the default limits: detection, preview and data. It has to end in a
`DataError`, or in data that are complete and, if its name is that of another format, have a note. Each run is imported
into a workspace of its own. The memory of this process must stay as it is, and no worker process may remain.
"""

import ctypes
import gc
import io
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.measure import argument_parser, report
from mrwtd.data.readers import FORMATS
from mrwtd.errors import DataError
from mrwtd.hosting import isolated
from mrwtd.hosting.config import Uploads
from mrwtd.hosting.uploads import UploadReader, unpack_in_process
from mrwtd.runs import Workspace
from mrwtd.runs.uploaded_files import UploadedFile
from tests.data.readers.crafted_files import crafted_files
from tests.data.readers.malformed_files import (
    Malformed,
    damaged_files,
    files_with_columns,
    pasted_tables,
    renamed_files,
)
from tests.forged_runs import forged_runs, whole_run

OUTCOMES = ("read", "refused", "over the time", "over the memory", "ended the process", "wrong")

WARM_UP = 300
"""Files after which the memory of this process has to stay as it is: before, modules are loaded and buffers grow."""

MAX_GROWTH = 10
"""The largest growth of this process after that, in MB: noise, but not the content of a file."""


def rss() -> float:
    """The memory of this process, in MB, without what it has freed."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


def workers() -> list[str]:
    """The processes that were forked to read files and are still there."""
    parent = isolated._parent
    if parent._control is None:
        return []
    pid = parent._process.pid
    return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()


def outcome(call: Callable[[], str]) -> tuple[str, str]:
    """What becomes of a file, and the message or the problem."""
    try:
        problem = call()
    except DataError as error:
        text = str(error)
        if "s to read" in text:
            return "over the time", text
        if "GB of memory" in text:
            return "over the memory", text
        return ("ended the process" if "crashes its reader" in text else "refused"), text
    except BaseException as error:
        return "wrong", f"{type(error).__name__}: {error}"
    return ("wrong" if problem else "read"), problem


def read_upload(file: Malformed, content: bytes) -> str:
    """Read a file as the Data page does; returns what is wrong with the result, if anything."""
    reader = UploadReader([UploadedFile(file.name, content)], Uploads())
    try:
        _ = reader.detected
        columns = file.options.get("columns")
        if columns is not None:
            _ = reader.first_rows(columns.get("separator"), columns.get("sheet"))
        preview = reader.preview(columns=columns)
        data = reader.build(options={"duplicates": "last"} | dict(file.options)).data
    finally:
        reader.close()
    if not (len(data) and data.n_objects > 1 and np.isfinite(data.y).all() and data.i.max() < data.n_objects):
        return "data that are not complete"
    if "renamed" not in file.damage or preview.notes:
        return ""
    return "" if file.name.rpartition(".")[2] in FORMATS[file.format].extensions else "no note on the name"


def import_run(content: bytes) -> str:
    """Import a run as the dashboard does; returns what is wrong with the result, if anything."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            run = Workspace(Path(folder)).import_run(io.BytesIO(content), unpack_in_process)
            return "" if set(run.models()) == set(run.methods) else "a run without its models"
        finally:
            left = [path.name for path in (Path(folder) / "runs").iterdir() if path.name.startswith(".")]
            assert not left, f"left behind: {left}"


def write_all(
    folder: Path, seed: int, per_kind: int, only: str, without_renamed: bool, without_large: bool
) -> list[tuple[Malformed, Path]]:
    """Write all files, the runs among them as files of the format "run"."""
    runs = [Malformed("run", damage, "run.zip", make) for damage, make in forged_runs(seed)]
    written = []
    chosen = [*files_with_columns(seed, per_kind), *pasted_tables(seed)]
    renamed = [] if without_renamed else [*renamed_files()]
    # The largest ones first, as the memory for what they return is kept for the next ones.
    uploads = [*crafted_files(), *runs, *damaged_files(seed, per_kind), *chosen, *renamed]
    for number, file in enumerate(uploads):
        if only in f"{file.format} {file.damage} {file.name}" and not (without_large and file.large):
            path = folder / str(number)
            path.write_bytes(file.make())
            written.append((replace(file, make=bytes), path))
    return written


@dataclass(frozen=True)
class Result:
    """What became of a file."""

    file: Malformed
    outcome: str
    text: str
    seconds: float

    def __str__(self) -> str:
        options = f" with {dict(self.file.options)}" if self.file.options else ""
        return f"{self.outcome}: {self.file.format}, {self.file.damage}, {self.file.name}{options}: {self.text}"


def send(item: tuple[Malformed, Path]) -> Result:
    """Send a file through its path."""
    file, path = item
    content, start = path.read_bytes(), time.perf_counter()
    call = partial(import_run, content) if file.format == "run" else partial(read_upload, file, content)
    result, text = outcome(call)
    if file.readable and result != "read":
        result, text = "wrong", f"should be read: {text}"
    return Result(file, result, text[:300], time.perf_counter() - start)


def send_all(files: list[tuple[Malformed, Path]], jobs: int) -> tuple[list[Result], str, bool]:
    """Send all files; returns the results, a sentence on memory and processes, and whether they are as before."""
    read_upload(Malformed("long", "nothing", "ties.csv", bytes), b"a,b\nb,c\n")  # what the first calls import
    import_run(whole_run())
    start, sizes, results = rss(), [], []
    with ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(send, files):
            results.append(result)
            if len(results) == WARM_UP or (len(results) > WARM_UP and len(results) % 20 == 0):
                sizes.append(rss())
            if result.outcome not in ("read", "refused"):
                print(result, flush=True)
    deadline = time.monotonic() + 10
    while workers() and time.monotonic() < deadline:
        time.sleep(0.1)
    left = workers()
    sizes.append(rss())
    memory = f"{start:.0f} MB before, {sizes[0]:.0f} MB after {WARM_UP} files, then at most {max(sizes):.0f} MB"
    text = f"Memory of this process: {memory}, {sizes[-1]:.0f} MB after all. Worker processes left: {len(left)}."
    return results, text, not left and sizes[-1] - sizes[0] < MAX_GROWTH


def main() -> int:
    """Send all files, print a table, and fail if one has a wrong outcome, or memory or processes remain."""
    parser = argument_parser(__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--per-kind", type=int, default=6)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="only files whose format, damage and name contain this")
    parser.add_argument("--without-renamed", action="store_true", help="no files whose only damage is their name")
    parser.add_argument("--without-large", action="store_true", help="no files that take seconds")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with ProcessPoolExecutor(1) as other:  # so that the memory of this process is that of a server
            chosen = (arguments.only, arguments.without_renamed, arguments.without_large)
            options = (arguments.seed, arguments.per_kind, *chosen)
            files = other.submit(write_all, Path(folder), *options).result()
        results, text, as_before = send_all(files, arguments.jobs)
    for result in sorted(results, key=lambda result: -result.seconds)[:10]:
        print(f"{result.seconds:5.1f} s  {result}"[:200])
    rows = []
    for name in [*sorted({result.file.format for result in results}), "all"]:
        counts = Counter(result.outcome for result in results if name in (result.file.format, "all"))
        rows.append({"format": name} | {kind: counts[kind] for kind in OUTCOMES} | {"all": counts.total()})
    if arguments.only:
        print(*rows, text, sep="\n")
    else:
        report("malformed_files", rows, text)
    return int(not as_before or any(result.outcome == "wrong" for result in results))


if __name__ == "__main__":
    sys.exit(main())
