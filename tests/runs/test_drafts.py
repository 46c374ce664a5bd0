"""Drafts of killed processes are removed at once, and those of live processes are left alone."""

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mrwtd.runs import drafts
from mrwtd.runs.storage_error import StorageError, write_error

WRITER = """
import sys
from pathlib import Path
from mrwtd.runs.drafts import draft
make = Path.touch if sys.argv[2] == "file" else Path.mkdir
with draft(Path(sys.argv[1]), make) as path:
    print(path, flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_draft_is_abandoned_when_its_process_is_killed(tmp_path: Path, kind: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path / "runs"), kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    path = Path(process.stdout.readline().decode().strip())
    assert drafts.remove_abandoned_below([tmp_path]) == 0
    assert path.exists()
    process.kill()
    process.communicate()
    assert path.exists()
    assert drafts.remove_abandoned_below([tmp_path]) == 1
    assert not path.exists()


def test_without_locks_the_age_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drafts, "fcntl", None)
    for name, age in ((".draft-old", 2 * drafts.ABANDONED), (".draft-new", 60)):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    assert drafts.remove_abandoned(tmp_path) == 1
    with drafts.draft(tmp_path) as folder:
        assert folder.is_dir()
    assert [file.name for file in tmp_path.iterdir()] == [".draft-new"]


def test_a_draft_that_is_removed_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flock, turns = drafts.fcntl.flock, iter([True])

    def remove_first(descriptor: int, operation: int) -> None:
        if next(turns, False):
            next(tmp_path.glob(".draft-*")).rmdir()
        flock(descriptor, operation)

    monkeypatch.setattr(drafts.fcntl, "flock", remove_first)
    with drafts.draft(tmp_path) as folder:
        assert folder.is_dir()


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    drafts.write_text(tmp_path / "a.json", "first")
    drafts.write_text(tmp_path / "a.json", "second")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("a.json", "second")]
    with pytest.raises(StorageError):
        drafts.write_text(tmp_path / "a.json" / "below-a-file", "third")


def test_a_storage_error_survives_pickling() -> None:
    error = pickle.loads(pickle.dumps(write_error(OSError(28, "No space left on device"))))
    assert isinstance(error, StorageError)
    assert "no space left" in str(error)
