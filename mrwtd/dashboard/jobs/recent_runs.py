"""Runs that were trained on this server, so that an equal request need not be computed again."""

import threading
from collections import OrderedDict
from collections.abc import Hashable

from ...errors import DataError
from ...runs import ABOUT, Run, new_id
from ...runs.run import now
from .training import Recipient

MAX_RUNS = 500
"""The number of runs that are remembered. They are only names of folders."""

_runs: OrderedDict[Hashable, list[Run]] = OrderedDict()
_lock = threading.Lock()


def add(key: Hashable, run: Run) -> None:
    """Remember a finished run by what it was made of: data, split and methods."""
    with _lock:
        _runs.setdefault(key, []).append(run)
        while len(_runs) > MAX_RUNS:
            _runs.popitem(last=False)


def copy(key: Hashable, recipient: Recipient) -> Run | None:
    """The user's own run of a key, or a copy of that of another user; None if there is none."""
    with _lock:
        runs = _runs[key] = [run for run in _runs.get(key, []) if run.folder and (run.folder / ABOUT).is_file()]
        if not runs:  # never trained, or deleted since
            del _runs[key]
            return None
    for run in runs:
        if run.folder is not None and run.folder.is_relative_to(recipient.space.folder):
            return run
    try:
        run = recipient.space.adopt(runs[0], id=new_id(), name=recipient.name, spec=recipient.spec, created=now())
    except DataError:  # it is being deleted, or cannot be stored: a training reports what is wrong
        return None
    add(key, run)
    return run
