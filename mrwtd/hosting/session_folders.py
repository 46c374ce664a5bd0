"""Temporary folders of sessions, for servers that store nothing: they are deleted with the session or the server."""

import os
import shutil
import tempfile
from functools import cache
from pathlib import Path

from .shutdown import at_shutdown

PREFIX = "mrwtd-sessions-"


def new_session_folder() -> Path:
    """A new folder that only this user of the computer can read.

    >>> folder = new_session_folder()
    >>> folder.is_dir(), folder == new_session_folder()
    (True, False)
    """
    return Path(tempfile.mkdtemp(dir=_server_folder()))


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
