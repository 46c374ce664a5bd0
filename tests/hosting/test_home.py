"""The folder of the workspaces when it cannot be written: reported once, and what is there can still be read."""

import logging
from pathlib import Path

import pytest

from mrwtd.hosting import home
from mrwtd.hosting.home import Home


@pytest.fixture
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A configured folder below a plain file: not even root can write there."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("MRWTD_HOME", str(tmp_path / "file" / "home"))
    monkeypatch.setattr(home.tempfile, "tempdir", str(tmp_path))
    return tmp_path / "file" / "home"


def test_a_folder_that_cannot_be_made_is_replaced_by_a_temporary_one(
    configured: Path, caplog: pytest.LogCaptureFixture
) -> None:
    opened = home.writable_home()
    assert home.writable_home() is opened
    assert home.write_problem(opened.folder) == ""
    (record,) = caplog.records
    assert str(configured) in record.getMessage()
    assert "Administrator" in opened.problem()
    assert str(configured) not in opened.problem()


def test_without_any_writable_folder_nothing_is_raised(configured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home.tempfile, "tempdir", "/proc/none")
    opened = home.writable_home()
    assert opened.folder == configured
    assert "Administrator" in opened.problem()


def test_a_full_folder_with_workspaces_is_still_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "workspaces" / "5e88").mkdir(parents=True)
    monkeypatch.setenv("MRWTD_HOME", str(tmp_path))
    monkeypatch.setattr(home, "write_problem", lambda _: "No space left on device")
    opened = home.writable_home()
    assert opened.folder == tmp_path
    assert "No space left on device" in opened.problem()


def test_the_log_has_one_line_when_a_folder_fails_and_one_when_it_works_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    monkeypatch.setattr(home, "PROBE_SECONDS", 0.0)
    folder = Home(tmp_path)
    assert folder.problem() == ""
    with monkeypatch.context() as full:
        full.setattr(home, "write_problem", lambda _: "No space left on device")
        assert all("No space left" in folder.problem() for _ in range(3))
    assert folder.problem() == folder.problem() == ""
    assert [str(tmp_path) in record.getMessage() for record in caplog.records] == [True, True]
