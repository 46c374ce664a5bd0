"""Storage that fails or is nearly full: every page opens, and the user learns what to do, once."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.state import current_user, session, storage
from mrwtd.hosting import home, workspaces
from mrwtd.runs import Workspace, drafts
from mrwtd.runs.quota import Quota
from tests.dashboard.pages.open_pages import open_page
from tests.stored_runs import save

PAGES = [page.path for page in pages().values()]


def failures(at: AppTest) -> list[str]:
    return [*(str(error.value) for error in at.exception), *(str(error.value) for error in at.error)]


def reports(at: AppTest) -> int:
    return sum("Administrator" in str(warning.value) for warning in at.warning)


@pytest.fixture
def unwritable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A server that can write nowhere: below a plain file, not even root can."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("MRWTD_HOME", str(tmp_path / "file" / "home"))
    monkeypatch.setattr(home.tempfile, "tempdir", str(tmp_path / "file"))
    current_user.home.clear()
    yield tmp_path
    current_user.home.clear()


def test_every_page_opens_if_nothing_can_be_written_and_the_report_comes_once(
    unwritable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = open_page("app.py", data="aucs")
    assert failures(at) == []
    assert reports(at) == 1
    assert str(unwritable) not in str([warning.value for warning in at.warning])
    monkeypatch.setattr(session, "MESSAGE_SECONDS", 0.0)
    for page in PAGES[1:]:
        at.switch_page(page).run()
        assert failures(at) == []
        assert reports(at) == 0
        assert not any("Nothing has been trained" in str(info.value) for info in at.info)  # the example is shown


def test_an_experiment_that_cannot_be_saved_is_refused_with_the_reason(unwritable: Path) -> None:
    at = open_page(next(page for page in PAGES if page.endswith("Experiments.py")))
    next(button for button in at.button if button.label == "Run").click().run()
    (error,) = failures(at)
    assert "cannot write" in error
    assert current_user.queue().jobs_of(str(at.session_state["user"])) == []


def test_a_run_that_cannot_be_deleted_or_renamed_stays_with_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    user = "a-user-of-a-read-only-disk"
    run = save(current_user.workspace_of(user), mrwtd.load_dataset("florentine"))

    def fail(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system", str(run.folder))

    at = open_page("app.py", user, data="florentine")
    at.session_state["expanders"] = {"history": True}
    at.run()
    monkeypatch.setattr(Path, "rename", fail)
    monkeypatch.setattr(drafts, "_make_locked", fail)
    at.button(key=f"delete-{run.id}").click().run()
    assert failures(at) == []
    assert any("file system" in str(warning.value) for warning in at.warning)
    at.text_input(key=f"rename-{run.id}").input("another name").run()
    assert failures(at) == []
    assert [item.name for item in current_user.workspace_of(user).runs()] == ["first"]


def test_high_use_is_shown_and_the_time_of_deletion_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    user = "a-user-with-many-runs"
    space, data = current_user.workspace_of(user), mrwtd.load_dataset("florentine")
    save(space, data)
    at = open_page("app.py", user)
    assert not any("Storage in use" in str(caption.value) for caption in at.sidebar.caption)
    monkeypatch.setattr(current_user, "workspace", lambda: Workspace(space.folder, Quota(max_runs=1)))
    at.session_state["expanders"] = {"history": True}
    at.run()
    assert any("max_runs" in str(warning.value).replace("\\", "") for warning in at.warning)
    captions = [str(caption.value) for caption in at.sidebar.caption]
    assert any("1 of 1 runs" in caption for caption in captions)
    assert any("180 days after your last visit" in caption for caption in captions)


def test_a_page_records_the_visit_of_a_user_who_has_a_workspace() -> None:
    user = "a-user-who-comes-back"
    space = current_user.workspace_of(user)
    open_page("app.py", user)
    assert not space.folder.exists()
    space.save_dataset(mrwtd.load_dataset("florentine"), {"file": "ties.csv"})
    os.utime(space.folder, (time.time() - 100 * workspaces.DAY,) * 2)
    open_page("app.py", user)
    (stored,) = [item for item in workspaces.list_workspaces(space.folder.parent) if item.id == space.folder.name]
    assert stored.idle_days < 1


def test_without_a_time_of_deletion_none_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = workspaces.Workspaces(idle_days=0)
    monkeypatch.setattr(storage, "config", lambda: type("Config", (), {"workspaces": limits}))
    assert storage.retention_note() == ""
