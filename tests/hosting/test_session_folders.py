"""Folders of sessions: deleted after the session, and not when a connection was lost for a moment."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from mrwtd.hosting.session_folders import PREFIX, SessionFolders


def test_a_folder_is_deleted_after_its_session() -> None:
    folders, deleted = SessionFolders(), threading.Event()
    folder = folders.open("ann")
    folders.close("ann", 0.0, deleted.set)
    assert deleted.wait(60)
    assert folders.open("ann") != folder


def test_a_session_that_returns_has_its_folder() -> None:
    folders, deleted = SessionFolders(), threading.Event()
    folder = folders.open("ann")
    folders.close("ann", 3600.0, deleted.set)
    assert folders.open("ann") == folder
    folders.close("ann", 0.0, deleted.set)
    assert deleted.wait(60)


def test_folders_end_with_the_server_and_those_of_killed_servers_with_the_next_one(tmp_path: Path) -> None:
    killed, running = (tmp_path / f"{PREFIX}{process}-a" for process in (2**22 + 1, os.getpid()))
    killed.mkdir()
    running.mkdir()
    code = (
        "from mrwtd.hosting.session_folders import session_folders as f; import os; "
        "assert os.stat(f().open('ann')).st_mode & 0o77 == 0"
    )
    subprocess.run([sys.executable, "-c", code], env=os.environ | {"TMPDIR": str(tmp_path)}, check=True)
    if os.name != "posix":
        pytest.skip("processes of others cannot be looked up")
    assert list(tmp_path.iterdir()) == [running]
