"""Drafts: files and folders are written under another name and then moved, so they are complete or do not exist.

The process that writes a draft holds a lock on it. The system releases the lock when the process ends, however it ends.
So drafts of killed processes can be removed at once, and those of a second server with the same folder are left alone,
also if it runs in another container, where process ids mean nothing.
"""

import os
import secrets
import shutil
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .storage_error import as_storage_error

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

DRAFT, GONE = ".draft-", ".gone-"
"""Start of the names of drafts, and of folders that are being deleted."""

ABANDONED = 3600.0
"""Seconds after which a draft counts as abandoned where the file system has no locks."""


@contextmanager
def draft(parent: Path, make: Callable[[Path], None] = Path.mkdir) -> Iterator[Path]:
    """A folder to write in, or a file with `Path.touch`. It is deleted at the end unless it was moved.

    >>> import tempfile
    >>> parent = Path(tempfile.mkdtemp())
    >>> with draft(parent) as folder:
    ...     remove_abandoned(parent), folder.is_dir()
    (0, True)
    >>> list(parent.iterdir())
    []
    """
    with as_storage_error():
        parent.mkdir(parents=True, exist_ok=True)
        path, held = _make_locked(parent, make)
    try:
        yield path
    finally:
        _remove(path)
        if held is not None:
            release(held)


def write_text(file: Path, text: str) -> None:
    """Write a file that is complete or does not exist, also if two processes write it at the same time."""
    with as_storage_error(), draft(file.parent, Path.touch) as path:
        path.write_text(text, encoding="utf-8")
        path.replace(file)


def link(source: Path, target: Path) -> None:
    """A second name of a file, which is never changed; or a copy, on another disk."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def remove(path: Path) -> None:
    """Remove a folder in one step, so that nobody sees a part of it; nothing happens if there is none."""
    gone = path.with_name(f"{GONE}{secrets.token_hex(8)}")
    with as_storage_error():
        try:
            path.rename(gone)
        except (FileNotFoundError, NotADirectoryError):  # perhaps removed by another process
            return
    _remove(gone)


def remove_abandoned(parent: Path) -> int:
    """Remove what killed processes have left in a folder; return the number of drafts removed.

    >>> import tempfile
    >>> parent = Path(tempfile.mkdtemp())
    >>> (parent / ".gone-12").mkdir()
    >>> remove_abandoned(parent)
    1
    """
    try:
        names = [name for name in os.listdir(parent) if name.startswith((DRAFT, GONE))]  # noqa: PTH208 - on each page
    except OSError:
        return 0
    return sum(_remove_if_abandoned(parent / name) for name in names)


def remove_abandoned_below(folders: Iterable[Path]) -> int:
    """Remove what killed processes have left anywhere below some folders; return the number of drafts removed."""
    parents = (Path(parent) for folder in folders for parent, _, _ in os.walk(folder))
    return sum(map(remove_abandoned, parents))


def _make_locked(parent: Path, make: Callable[[Path], None]) -> tuple[Path, int | None]:
    while True:
        path = parent / f"{DRAFT}{secrets.token_hex(8)}"
        make(path)
        try:
            held = lock(path)
        except FileNotFoundError:  # removed by another process before it was locked
            continue
        if held is None or path.exists():
            return path, held
        release(held)


def lock(path: Path, *, wait: bool = True) -> int | None:
    """Lock a file or folder until `release`, or until this process ends; None where the file system has no locks.

    Raises `BlockingIOError` if another process holds the lock and `wait` is False.
    """
    if fcntl is None:
        return None
    handle = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if isinstance(error, BlockingIOError):
            raise
        return None  # a file system without locks
    return handle


def release(handle: int) -> None:
    """Release a lock."""
    fcntl.flock(handle, fcntl.LOCK_UN)  # a process that was forked meanwhile has a copy of the descriptor
    os.close(handle)


def _remove_if_abandoned(path: Path) -> bool:
    if path.name.startswith(GONE):  # any process may finish a deletion
        return _remove(path)
    try:
        held = lock(path, wait=False)
    except OSError:  # its process is alive, or it is gone
        return False
    if held is None:
        return _is_old(path) and _remove(path)
    removed = _remove(path)
    release(held)
    return removed


def _is_old(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > ABANDONED
    except OSError:
        return False


def _remove(path: Path) -> bool:
    try:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    except OSError:  # as in a folder that cannot be written
        return False
    return not path.exists()
