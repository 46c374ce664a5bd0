"""The folder of all workspaces, and whether it can be written: at the start, and while the server runs."""

import logging
import os
import tempfile
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ..runs.quota import names_in
from .config import config

log = logging.getLogger(__name__)

WORKSPACES = "workspaces"
"""The folder in the home folder with one folder per user."""

PROBE_BYTES, PROBE_SECONDS = 1_000_000, 30.0
"""The size of the file that is written as a test, and the seconds between two tests."""

REPAIR = (
    "Administrator: free disk space, or let workspaces.folder or MRWTD_HOME name a folder that the server's user can "
    "write."
)
DETAILS = "The log has the details."


@dataclass
class Home:
    """The folder of the workspaces of all users.

    >>> home = Home(Path(tempfile.mkdtemp()))
    >>> home.problem(), home.workspaces.name
    ('', 'workspaces')

    Attributes:
        folder: the folder.
        temporary: why another folder than the configured one is used, which is lost when the server ends; or empty.
    """

    folder: Path
    temporary: str = ""
    _problem: str = ""
    _probed: float = -PROBE_SECONDS
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def workspaces(self) -> Path:
        """The folder with one folder per user."""
        return self.folder / WORKSPACES

    def problem(self) -> str:
        """What cannot be stored, why, and what an administrator can do; empty if all is well.

        The folder is tested now and then. The log has one line when it becomes unwritable, and one when it is writable
        again.
        """
        with self._lock:
            if time.monotonic() - self._probed >= PROBE_SECONDS:
                problem = write_problem(self.folder)
                if problem and not self._problem:
                    log.error("Nothing can be stored in %s: %s. %s", self.folder, problem, REPAIR)
                elif self._problem and not problem:
                    log.warning("%s can be written again", self.folder)
                self._problem, self._probed = problem, time.monotonic()
        if self._problem:
            loss = "Results of new trainings are lost when you leave: download what you need."
            return f"The server cannot store runs and uploads ({self._problem}). {loss} {REPAIR} {DETAILS}"
        if self.temporary:
            loss = "Runs and uploads are lost when the server restarts: export what you need."
            return f"The server cannot write its folder of workspaces ({self.temporary}). {loss} {REPAIR} {DETAILS}"
        return ""


def write_problem(folder: Path) -> str:
    """Why a folder cannot be written, in the words of the system; empty if it can. It is created if necessary.

    >>> write_problem(Path(tempfile.mkdtemp()) / "new")
    ''
    >>> write_problem(Path("/proc/none"))
    'No such file or directory'
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        (folder / WORKSPACES).mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(PROBE_BYTES))
    except OSError as error:
        return error.strerror or type(error).__name__
    return ""


def writable_home() -> Home:
    """The configured folder if it can be written or has workspaces that can be read, or else a temporary folder.

    >>> writable_home().folder == config().home
    True
    """
    return _open(config().home)


@cache
def _open(folder: Path) -> Home:
    problem = write_problem(folder)
    if not problem or names_in(folder / WORKSPACES):
        return Home(folder)
    try:
        temporary = Path(tempfile.mkdtemp(prefix="mrwtd-"))
    except OSError:
        return Home(folder)
    log.error(
        "%s cannot be written: %s (user id %s). %s Until the restart after that, %s is used.",
        folder,
        problem,
        os.getuid() if hasattr(os, "getuid") else "unknown",
        REPAIR,
        temporary,
    )
    return Home(temporary, problem)
