"""Malformed files through the path of the Data page, and forged runs through that of an import.

python -m benchmarks.malformed_files [--seed N] [--per-kind N] [--jobs N] [--only TEXT] [--renamed N]
    [--without-large]

Each file goes through `UploadReader` with the default limits: detection, preview and data. It has to end in a
`DataError`, or in the right data. These are complete and finite. Where a change leaves the data as they are, they equal
those of the unchanged file: another encoding, other ends of lines, a byte order mark, compression, or another name,
unless there is a note or the content is valid in the format of that name. A truncated file has no ties that the whole
one does not have, except for those of the line that is cut.

Each run is imported into a workspace that has another one, which must stay as it is. The memory of this process must
stay as it is too, and no worker process may remain.
"""

import atexit
import ctypes
import gc
import io
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import numpy as np

from benchmarks.measure import argument_parser, report
from mrwtd.data.readers import FORMATS
from mrwtd.data.relational import RelationalData
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
    unchanged_files,
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
        detected = reader.detected.format or ""
        columns = file.options.get("columns")
        if columns is not None:
            _ = reader.first_rows(columns.get("separator"), columns.get("sheet"))
        preview = reader.preview(columns=columns)
        data = reader.build(options={"duplicates": "last"} | dict(file.options)).data
    finally:
        reader.close()
    if not (len(data) and data.n_objects > 1 and np.isfinite(data.y).all() and data.i.max() < data.n_objects):
        return "data that are not complete"
    if file.same_as is not None and data != right_reading(*file.same_as):
        if "renamed" not in file.damage:
            return "other data than before"
        is_named = detected in FORMATS and file.name.rpartition(".")[2] in FORMATS[detected].extensions
        return "" if is_named or preview.notes else "other data than under the right name, and no note"
    if file.part_of is not None and (more := invented(data, right_reading(*file.part_of))):
        return f"{more} entries that are not in the whole file"
    is_known = "renamed" not in file.damage or file.name.rpartition(".")[2] in FORMATS[file.format].extensions
    return "" if is_known or preview.notes else "no note on the name"


@cache
def right_reading(name: str, content: bytes) -> RelationalData:
    """The data of an example, which tests of its format compare with the truth."""
    reader = UploadReader([UploadedFile(name, content)], Uploads())
    try:
        return reader.build(options={"duplicates": "last"}).data
    finally:
        reader.close()


def invented(part: RelationalData, whole: RelationalData) -> int:
    """The number of entries of a truncated file that the whole one does not have, beyond those of one line.

    A line that is cut has another name or value, and is a row in a matrix. Without some of its lines, a relation may be
    read as undirected.
    """

    def pairs(data: RelationalData) -> set[tuple[frozenset[str], str]]:
        names, relations = data.objects, [relation.name for relation in data.relations]
        return {(frozenset((names[i], names[j])), relations[k]) for i, j, k in zip(data.i, data.j, data.k, strict=True)}

    more = len(pairs(part) - pairs(whole))
    return more if more > max(1, whole.n_objects) else 0


@cache
def workspace_before() -> Path:
    """A workspace with a run, as it is before an import."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    Workspace(folder).import_run(io.BytesIO(whole_run()), unpack_in_process)
    return folder


def import_run(content: bytes) -> str:
    """Import a run as the dashboard does; returns what is wrong with the result, if anything."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "workspace"
        shutil.copytree(workspace_before(), folder)
        before = contents(folder)
        try:
            run = Workspace(folder).import_run(io.BytesIO(content), unpack_in_process)
            return "" if set(run.models()) == set(run.methods) else "a run without its models"
        finally:
            left = [path.name for path in (folder / "runs").iterdir() if path.name.startswith(".")]
            assert not left, f"left behind: {left}"
            assert before.items() <= contents(folder).items(), "a change of an earlier run"


def contents(folder: Path) -> dict[Path, bytes]:
    """The files of a workspace."""
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def write_all(
    folder: Path, seed: int, per_kind: int, only: str, renamed_step: int, without_large: bool
) -> list[tuple[Malformed, Path]]:
    """Write all files, the runs among them as files of the format "run"."""
    runs = [Malformed("run", damage, "run.zip", make) for damage, make in forged_runs(seed)]
    written = []
    chosen = [*files_with_columns(seed, per_kind), *pasted_tables(seed)]
    renamed = [*renamed_files()][::renamed_step] if renamed_step else []
    # The largest ones first, as the memory for what they return is kept for the next ones.
    damaged = [*damaged_files(seed, per_kind), *unchanged_files()]
    uploads = [*crafted_files(), *runs, *damaged, *chosen, *renamed]
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
    parser.add_argument(
        "--renamed", type=int, default=1, help="use every N-th file whose only damage is its name; 0: none"
    )
    parser.add_argument("--without-large", action="store_true", help="no files that take seconds")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        with ProcessPoolExecutor(1) as other:  # so that the memory of this process is that of a server
            chosen = (arguments.only, arguments.renamed, arguments.without_large)
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
