"""Runs that were trained on this server, so that an equal request need not be computed again."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from pathlib import Path

from ...errors import DataError
from ...runs import Run, new_id
from ...runs.run import now
from ...runs.store import read_run
from .training import Recipient

MAX_RUNS = 500
"""The number of runs that are remembered. They are only names of folders."""

_folders: OrderedDict[Hashable, list[Path]] = OrderedDict()
_lock = threading.Lock()


def add(key: Hashable, run: Run) -> None:
    """Remember a finished run by what it was made of: data, split and methods."""
    if run.folder is None:
        return
    with _lock:
        _folders.setdefault(key, []).append(run.folder)
        while len(_folders) > MAX_RUNS:
            _folders.popitem(last=False)


def copy(key: Hashable, recipient: Recipient) -> Run | None:
    """The user's own run of a key, or a copy of that of another user; None if there is none."""
    with _lock:
        folders = _folders.get(key, [])
        stored = [run for folder in folders if isinstance(run := read_run(folder), Run)]
        folders[:] = [run.folder for run in stored if run.folder is not None]
        if not stored:  # never trained, or deleted since
            _folders.pop(key, None)
            return None
    for run in stored:
        if run.folder is not None and run.folder.is_relative_to(recipient.space.folder):
            return run
    try:
        run = recipient.space.adopt(stored[0], id=new_id(), name=recipient.name, spec=recipient.spec, created=now())
    except DataError:  # it is being deleted, or cannot be stored: a training reports what is wrong
        return None
    add(key, run)
    return run
