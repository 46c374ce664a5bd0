"""Runs and other jobs that were started and have not ended yet, one file each.

The process of a job holds a lock on its file. The system releases the lock when the process ends, however it ends, so
a file without a lock belongs to a job that was interrupted.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from .drafts import lock, release, write_text
from .file_checks import is_id, read_json
from .quota import names_in
from .spec import RunSpec
from .storage_error import as_storage_error

FOLDER = "pending"
"""The folder in a workspace."""


class Pending:
    """A job that has started. Call `end` when it has ended and its result is stored.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "a job"
    >>> pending = Pending(file)
    >>> is_interrupted(file)  # it is locked
    False
    >>> pending.release()  # as when the process is killed
    >>> is_interrupted(file)
    True
    """

    def __init__(self, file: Path, content: str = ""):
        self._file = file
        write_text(file, content)
        self._lock = lock(file)

    def release(self) -> None:
        """Release the lock: from now on the job counts as interrupted."""
        if self._lock is not None:
            release(self._lock)
            self._lock = None

    def end(self) -> None:
        """Remove the file: the job has ended."""
        with suppress(OSError):
            self._file.unlink(missing_ok=True)
        self.release()


class PendingRun(Pending):
    """A run that has started.

    >>> import tempfile
    >>> from mrwtd.runs import DataRef, MethodSpec, SplitSpec
    >>> folder = Path(tempfile.mkdtemp())
    >>> spec = RunSpec(DataRef("aucs", sample=True), SplitSpec(0.8), (MethodSpec("CP", "CP", {"rank": 2}),))
    >>> pending = PendingRun(folder, "18f-2a", spec, "my run")
    >>> interrupted_runs(folder)  # it is locked
    []
    >>> pending.release()  # as when the process is killed
    >>> [(run.id, run.name) for run in interrupted_runs(folder)]
    [('18f-2a', 'my run')]
    """

    def __init__(self, workspace: Path, id: str, spec: RunSpec, name: str):
        content = json.dumps({"spec": spec.to_json(), "name": name})
        super().__init__(workspace / FOLDER / f"{id}.json", content)


class InterruptedRun:
    """A run whose process ended before the run did.

    Attributes:
        id: the id of the run.
        spec: its specification.
        name: the name for users.
    """

    def __init__(self, file: Path, content: Mapping[str, Any]):
        self.id, self._file = file.stem, file
        self.spec, self.name = RunSpec.from_json(content["spec"]), str(content["name"])

    def delete(self) -> None:
        """Remove it from the list."""
        with as_storage_error():
            self._file.unlink(missing_ok=True)


def interrupted_runs(workspace: Path) -> list[InterruptedRun]:
    """The interrupted runs of a workspace, oldest first. Files that cannot be read are removed."""
    runs = []
    for name in sorted(names_in(workspace / FOLDER)):
        file = workspace / FOLDER / name
        if file.suffix != ".json" or not is_id(file.stem) or not is_interrupted(file):
            continue
        try:
            runs.append(InterruptedRun(file, read_json(file)))
        except (ValueError, KeyError, TypeError):
            with suppress(OSError):
                file.unlink(missing_ok=True)
    return runs


def is_interrupted(file: Path) -> bool:
    """Whether a job has left its file, and its process has ended."""
    try:
        held = lock(file, wait=False)
    except (BlockingIOError, FileNotFoundError):
        return False
    if held is not None:
        release(held)
    return True
