"""Limits of what a workspace stores, and how much of them is used."""

import math
import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..errors import Problem
from .file_checks import file_state, is_id
from .storage_error import StorageError

MB = 1_000_000

HIGH_USE = 0.8
"""The fraction of a limit from which pages show how much is used."""

RUNS, DATA_SETS, EXPERIMENTS = "runs", "data", "experiments"
"""The folders of a workspace."""


@dataclass(frozen=True)
class Usage:
    """What a workspace stores.

    Attributes:
        runs, uploads: their numbers.
        bytes: the size of all files.
    """

    runs: int = 0
    uploads: int = 0
    bytes: int = 0


@dataclass(frozen=True)
class Quota:
    """Limits of a workspace. The default has none.

    >>> Quota(max_runs=2).check(Usage(runs=1))
    >>> Quota(max_runs=2).check(Usage(runs=2), new_run=True)
    Traceback (most recent call last):
    mrwtd.runs.storage_error.StorageError: found 2 stored runs; expected fewer than 2, the limit of this server: ...

    Attributes:
        max_runs: the number of runs.
        max_bytes: the size of all files.
        max_users: the number of workspaces in the same folder.
    """

    max_runs: float = math.inf
    max_bytes: float = math.inf
    max_users: float = math.inf

    def check(self, usage: Usage, *, new_run: bool = False) -> None:
        """Raise `StorageError` if a workspace is larger than allowed, or has no place for a new run."""
        if new_run and usage.runs >= self.max_runs:
            limit = f"fewer than {self.max_runs:,.0f}, the limit of this server"
            fix = "delete runs in History, or ask the administrator to raise workspaces.max_runs"
            raise StorageError(Problem(f"{usage.runs:,} stored runs", f"{limit}: {fix}"))
        if usage.bytes > self.max_bytes:
            limit = f"at most {self.max_bytes / MB:,.0f} MB, the limit of this server"
            fix = "delete runs or data sets of yours, or ask the administrator to raise workspaces.max_mb"
            raise StorageError(Problem(f"{usage.bytes / MB:,.1f} MB of runs and data sets", f"{limit}: {fix}"))

    def check_users(self, folder: Path) -> None:
        """Raise `StorageError` if a workspace stores nothing yet, and there are as many others as allowed.

        >>> import tempfile
        >>> home = Path(tempfile.mkdtemp())
        >>> (home / "first" / "runs").mkdir(parents=True)
        >>> Quota(max_users=1).check_users(home / "first")
        >>> Quota(max_users=1).check_users(home / "second")
        Traceback (most recent call last):
        mrwtd.runs.storage_error.StorageError: found 1 workspace on this server; expected fewer than 1, the limit ...
        """
        if any((folder / part).is_dir() for part in (RUNS, DATA_SETS, EXPERIMENTS)) or math.isinf(self.max_users):
            return
        number = len({*names_in(folder.parent)} - {folder.name})
        if number >= self.max_users:
            found = f"{number:,} workspace{'s' * (number != 1)} on this server"
            fix = (
                "the limit of this server: ask the administrator to delete old ones (mrwtd workspaces clean) or to "
                "raise workspaces.max_users"
            )
            raise StorageError(Problem(found, f"fewer than {self.max_users:,.0f}, {fix}"))

    def warnings(self, usage: Usage) -> list[str]:
        """What is used of each limit that is nearly reached.

        >>> Quota(max_runs=10, max_bytes=5 * MB).warnings(Usage(runs=9, bytes=MB))
        ['9 of 10 runs']
        """
        parts = [(usage.runs, self.max_runs, f"{usage.runs:,} of {self.max_runs:,.0f} runs")]
        size = f"{usage.bytes / MB:,.0f} of {self.max_bytes / MB:,.0f} MB"
        parts.append((usage.bytes, self.max_bytes, size))
        return [text for used, limit, text in parts if used > HIGH_USE * limit]


def usage(folder: Path) -> Usage:
    """What is stored in the folder of a workspace. It is measured again whenever something was added or deleted.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> usage(folder / "none")
    Usage(runs=0, uploads=0, bytes=0)
    """
    experiments = folder / EXPERIMENTS
    parts = [RUNS, DATA_SETS, *(f"{EXPERIMENTS}/{name}/finished" for name in names_in(experiments))]
    return _usage_once(folder, tuple(file_state(f"{folder}/{part}") for part in parts))


@lru_cache(maxsize=1_000)
def _usage_once(folder: Path, state: tuple[object, ...]) -> Usage:  # noqa: ARG001 - part of the cache key
    runs, uploads = (sum(map(is_id, names_in(folder / part))) for part in (RUNS, DATA_SETS))
    return Usage(runs, uploads, size_of(folder))


def size_of(folder: Path) -> int:
    """The size of all files in a folder, in bytes. Files that disappear meanwhile are left out; links count once."""
    files = (f"{parent}/{name}" for parent, _, names in os.walk(folder) for name in names)
    return sum({inode: size for _, inode, size in filter(None, map(file_state, files))}.values())


def names_in(folder: Path) -> list[str]:
    """The names in a folder that are not hidden; none if there is no folder that can be read."""
    try:
        return [name for name in os.listdir(folder) if not name.startswith(".")]  # noqa: PTH208 - pages list often
    except OSError:
        return []
