"""Temporary folders of sessions, for servers that store nothing: they are deleted with the session or the server."""

import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path

from .shutdown import at_shutdown

PREFIX = "mrwtd-sessions-"


class SessionFolders:
    """The folders of the sessions, by the id of the user.

    >>> folders = SessionFolders()
    >>> folder = folders.open("ann")
    >>> folder.is_dir(), folder == folders.open("ann"), folder == folders.open("bob")
    (True, True, False)
    """

    def __init__(self) -> None:
        self._folders: dict[str, Path] = {}
        self._closing: dict[str, threading.Timer] = {}
        self._lock = threading.Lock()

    def open(self, user: str) -> Path:
        """The folder of a session, which only this user of the computer can read. A planned end is cancelled."""
        with self._lock:
            if timer := self._closing.pop(user, None):
                timer.cancel()
            if user not in self._folders or not self._folders[user].is_dir():
                _server_folder().mkdir(mode=0o700, exist_ok=True)  # it is deleted when the server stops
                self._folders[user] = Path(tempfile.mkdtemp(dir=_server_folder()))
            return self._folders[user]

    def close(self, user: str, seconds: float, delete: Callable[[], None]) -> None:
        """Delete a folder after some seconds, unless it is opened again: a connection may be lost for a moment."""

        def end() -> None:
            with self._lock:
                if self._closing.get(user) is not timer:
                    return
                del self._closing[user], self._folders[user]
            delete()

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        with self._lock:
            self._closing[user] = timer
        timer.start()


@cache
def session_folders() -> SessionFolders:
    """The folders of the sessions of this server."""
    return SessionFolders()


@cache
def _server_folder() -> Path:
    """The folder of all sessions of this server. Those of servers that were killed are deleted."""
    for left in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        process = left.name.removeprefix(PREFIX).partition("-")[0]
        if process.isdecimal() and not _is_running(int(process)):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-"))
    at_shutdown(lambda: shutil.rmtree(folder, ignore_errors=True))
    return folder


def _is_running(process: int) -> bool:
    if os.name != "posix":
        return True  # where a signal of 0 would end it
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass  # it runs for somebody else
    return True
