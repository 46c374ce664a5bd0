"""The workspaces of all users: what they store, their last visits, and the deletion of those that nobody uses."""

import logging
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ..data.relational import RelationalData
from ..errors import DataError, Problem, raise_problems
from ..runs.drafts import remove, remove_abandoned_below
from ..runs.file_checks import file_state, is_id
from ..runs.quota import MB, Quota, Usage, names_in, usage
from .config import Uploads, Workspaces
from .publications import Publications

log = logging.getLogger(__name__)

VISIT = ".visit"
"""The file in a workspace whose time is that of the last visit."""

VISIT_SECONDS = 3600.0
"""A visit is written at most once in this many seconds."""

DAY = 86_400.0


@dataclass(frozen=True)
class StoredWorkspace:
    """The workspace of a user.

    Attributes:
        id: the name of its folder, from which the user cannot be inferred.
        usage: what it stores.
        idle_days: days since the last visit.
    """

    id: str
    usage: Usage
    idle_days: float


def quota(limits: Workspaces) -> Quota:
    """The quota of each workspace; 0 in the configuration means no limit.

    >>> quota(Workspaces(max_runs=20, max_mb=0))
    Quota(max_runs=20, max_bytes=inf, max_users=1000)
    """
    none = Quota()
    return Quota(
        limits.max_runs or none.max_runs, limits.max_mb * MB or none.max_bytes, limits.max_users or none.max_users
    )


def check_size(data: RelationalData, limits: Uploads) -> None:
    """Raise `DataError` if a data set is larger than allowed; 0 in the configuration means no limit.

    >>> import mrwtd
    >>> check_size(mrwtd.load_dataset("florentine"), Uploads(max_objects=10))
    Traceback (most recent call last):
    mrwtd.errors.DataError: found 15 objects; expected at most 10, the limit of this server (uploads.max_objects): ...
    """
    sizes = {
        "objects": (data.n_objects, limits.max_objects),
        "relations": (data.n_relations, limits.max_relations),
        "entries": (len(data), limits.max_entries),
    }
    fix = "use a part of the data, or ask the administrator to raise it"
    problems = [
        Problem(f"{number:,} {name}", f"at most {limit:,}, the limit of this server (uploads.max_{name}): {fix}")
        for name, (number, limit) in sizes.items()
        if number > limit > 0
    ]
    raise_problems(problems)


def list_workspaces(folder: Path) -> list[StoredWorkspace]:
    """All workspaces in a folder, the last visited first.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "5e88").mkdir()
    >>> [(workspace.id, workspace.usage.runs, round(workspace.idle_days)) for workspace in list_workspaces(folder)]
    [('5e88', 0, 0)]
    """
    now = time.time()
    stored = [
        StoredWorkspace(name, usage(folder / name), max(now - _last_visit(folder / name), 0.0) / DAY)
        for name in names_in(folder)
        if is_id(name) and (folder / name).is_dir()
    ]
    return sorted(stored, key=lambda workspace: workspace.idle_days)


def record_visit(workspace: Path) -> None:
    """Write the time of a visit to a workspace, if there is one and the time that is written is old."""
    state = file_state(f"{workspace}/{VISIT}")
    if (state and time.time() - state[0] / 1e9 < VISIT_SECONDS) or not workspace.is_dir():
        return
    with suppress(OSError):  # reported by `Home.problem`
        (workspace / VISIT).touch()


def _last_visit(workspace: Path) -> float:
    """The time of the last visit, or of the last change if no visit was written."""
    marker = file_state(f"{workspace}/{VISIT}")
    states = [marker] if marker else [file_state(f"{workspace}/{part}") for part in ("", *names_in(workspace))]
    return max((state[0] / 1e9 for state in states if state), default=time.time())


def delete_workspace(folder: Path, id: str) -> None:
    """Delete a workspace. It disappears in one step."""
    if not is_id(id) or not (folder / id).is_dir():
        raise DataError(Problem(f"no workspace {id!r}", "an id from `mrwtd workspaces list`"))
    remove(folder / id)


def delete_idle(folder: Path, days: float) -> list[str]:
    """Delete the workspaces that nobody has visited for more than this many days, and return their ids.

    >>> import os, tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name, age in (("5e88", 3), ("7d70", 40)):
    ...     (folder / name).mkdir()
    ...     os.utime(folder / name, (time.time() - age * DAY,) * 2)
    >>> delete_idle(folder, days=30)
    ['7d70']
    """
    idle = [workspace.id for workspace in list_workspaces(folder) if workspace.idle_days > days]
    for id in idle:
        remove(folder / id)
    return idle


def clean(folder: Path, limits: Workspaces) -> list[str]:
    """Delete idle workspaces, links to deleted runs, and what killed processes have left; return the workspaces' ids.

    >>> import tempfile
    >>> clean(Path(tempfile.mkdtemp()), Workspaces())
    []
    """
    n_drafts = remove_abandoned_below([folder])
    if n_drafts:
        log.info("Deleted %d unfinished writes of processes that were killed", n_drafts)
    idle = delete_idle(folder, limits.idle_days) if limits.idle_days else []
    if idle:
        log.info("Deleted %d workspaces without a visit for %d days", len(idle), limits.idle_days)
    if n_links := Publications(folder).remove_stale():
        log.info("Deleted %d links to runs that were deleted", n_links)
    return idle


def start_cleaning(folder: Path, limits: Workspaces) -> threading.Thread:
    """Clean the workspaces now and once a day, in a background thread."""

    def work() -> None:
        while True:
            try:
                clean(folder, limits)
            except Exception:
                log.exception("The workspaces could not be cleaned")
            time.sleep(DAY)

    thread = threading.Thread(target=work, name="mrwtd-cleaning", daemon=True)
    thread.start()
    return thread
