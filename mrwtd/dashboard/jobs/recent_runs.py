"""Runs that were trained on this server, so that an equal request need not be computed again."""

import threading
from collections import OrderedDict
from collections.abc import Hashable

from ...errors import DataError
from ...runs import Run, new_id
from ...runs.run import now
from .training import Recipient

MAX_RUNS = 500
"""The number of runs that are remembered. They are only names of folders."""

_runs: OrderedDict[Hashable, Run] = OrderedDict()
_lock = threading.Lock()


def add(key: Hashable, run: Run) -> None:
    """Remember a finished run by what it was made of: data, split and methods."""
    with _lock:
        _runs[key] = run
        while len(_runs) > MAX_RUNS:
            _runs.popitem(last=False)


def copy(key: Hashable, recipient: Recipient) -> Run | None:
    """A run for a user that is a copy of an equal one, or the user's own; None if there is none."""
    run = _runs.get(key)
    if run is None or run.folder is None or not (run.folder / "run.json").is_file():
        return None  # never trained, or deleted by its user since
    if run.folder.is_relative_to(recipient.space.folder):
        return run
    try:
        return recipient.space.adopt(run, id=new_id(), name=recipient.name, spec=recipient.spec, created=now())
    except DataError:  # it is being deleted, or cannot be stored: a training reports what is wrong
        return None
