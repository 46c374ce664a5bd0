"""Who the user is, in the sidebar: what is stored, forgetting everything, and servers that store nothing."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import spec_of
from mrwtd.dashboard.state import current_user, experiment_records, keys, recognition
from mrwtd.dashboard.state.experiment_records import ExperimentRecord
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from mrwtd.hosting.config import VARIABLE, config
from mrwtd.hosting.identity import identities
from mrwtd.runs import execute
from tests.dashboard.pages.open_pages import open_page

TRAIN = "pages/2_Train.py"


@pytest.fixture
def configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[str], None]]:
    """Sets the configuration of the server to a text in TOML."""

    def configure(text: str) -> None:
        (tmp_path / "server.toml").write_text(text)
        monkeypatch.setenv(VARIABLE, str(tmp_path / "server.toml"))
        config.cache_clear()

    yield configure
    config.cache_clear()


def user_with_everything() -> tuple[str, str]:
    """The id of a user with a run, an upload and an experiment, and the name of the upload."""
    user, data = identities().issue(), mrwtd.load_dataset("florentine")
    space = current_user.workspace_of(user)
    space.save_run(execute(spec_of(Settings("florentine", rank=2, methods=("Degree",)), data, "Florence"), data))
    digest = space.save_dataset(data, {"file": "ties.csv", "how": {}})
    experiment_records.save(space.folder / "experiments" / "asked", ExperimentRecord("rank", "quick", {}, total=8))
    return user, UPLOAD_PREFIX + digest


def press(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label == label).click().run()


def wait_for_deletion() -> None:
    """Wait until the workspaces of forgotten users are deleted, which is after their jobs."""
    for thread in threading.enumerate():
        if thread.name == "mrwtd-erase":
            thread.join(60)


def captions(app: AppTest) -> str:
    return " ".join(caption.value for caption in app.sidebar.caption)


def test_forgetting_deletes_everything_of_the_user_and_nothing_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    (user, upload), (other, _) = user_with_everything(), user_with_everything()
    monkeypatch.setattr(recognition, "cookie", lambda: user)
    app = open_page(TRAIN, data=upload)
    assert app.session_state[keys.USER] == user
    app = press(app, "Forget me on this computer")
    text = " ".join(part.value for part in app.markdown)
    assert all(part in text for part in ("1 run", "1 upload", "1 experiment"))
    assert current_user.workspace_of(user).folder.exists()
    app = press(app, "Delete everything")
    assert not app.exception
    assert not current_user.workspace_of(user).folder.exists()
    assert not identities().is_valid(user)
    assert keys.SETTINGS not in app.session_state
    assert upload not in str(app.query_params)
    assert not [button for button in app.sidebar.button if button.label == "Forget me on this computer"]
    assert len(current_user.workspace_of(other).runs()) == 1
    assert len(current_user.workspace_of(other).datasets()) == 1


def test_a_tab_whose_user_was_forgotten_in_another_one_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    user, upload = user_with_everything()
    monkeypatch.setattr(recognition, "cookie", lambda: user)
    app = open_page(TRAIN, data=upload)
    current_user.workspace_of(user).delete_all()
    identities().forget(user)
    app.run()
    assert not app.exception
    assert not app.title
    assert not current_user.workspace_of(user).folder.exists()


def test_what_a_cancelled_job_saves_at_its_end_is_deleted_too() -> None:
    user, _ = user_with_everything()
    space, begun, ended = current_user.workspace_of(user), threading.Event(), threading.Event()

    def work(job: Job) -> None:
        begun.set()
        while not job.cancelled:
            ended.wait(0.01)
        ended.wait(60)
        space.save_dataset(mrwtd.load_dataset("bankwiring"), {"file": "late.csv", "how": {}})

    job = current_user.queue().submit(user, "A job", work)
    assert begun.wait(60)
    app = press(press(open_page(TRAIN, user), "Forget me on this computer"), "Delete everything")
    assert not app.exception
    assert job.stopping
    assert not space.runs()
    assert not space.datasets()
    assert not (space.folder / "experiments").exists()
    ended.set()
    wait_for_deletion()
    assert job.done
    assert not space.folder.exists()
    assert current_user.queue().jobs_of(user) == []


def test_others_who_wait_for_the_same_training_get_it() -> None:
    (user, _), (other, _) = user_with_everything(), user_with_everything()
    queue, begun, end = current_user.queue(), threading.Event(), threading.Event()

    def work(job: Job) -> list[str]:
        with current_user.workspace_of(user).draft() as draft:
            (draft / "scores.csv").write_text("scores")
            begun.set()
            end.wait(60)
            return [file.name for file in draft.iterdir()]

    job = queue.submit(user, "A job", work, key="shared")
    assert queue.submit(other, "A job", work, key="shared") is job
    assert begun.wait(60)
    press(press(open_page(TRAIN, user), "Forget me on this computer"), "Delete everything")
    end.set()
    queue.wait(job)
    assert (job.state, job.result) == ("finished", ["scores.csv"])
    wait_for_deletion()
    assert not current_user.workspace_of(user).folder.exists()
    queue.remove(job, other)


@pytest.mark.parametrize("cookie", ["", "attacker-chosen-id-000"])
def test_an_id_that_is_not_valid_is_replaced(monkeypatch: pytest.MonkeyPatch, cookie: str) -> None:
    monkeypatch.setattr(recognition, "cookie", lambda: cookie)
    app = open_page(TRAIN)
    assert app.session_state[keys.USER] != cookie
    assert identities().is_valid(app.session_state[keys.USER])
    assert "cookies" in captions(app)


def test_a_server_that_stores_nothing(monkeypatch: pytest.MonkeyPatch, configured: Callable[[str], None]) -> None:
    user, _ = user_with_everything()
    monkeypatch.setattr(recognition, "cookie", lambda: user)
    configured("[workspaces]\nsession_only = true\n")
    spaces = []
    workspace = current_user.workspace
    monkeypatch.setattr(current_user, "workspace", lambda: spaces.append(workspace()) or spaces[-1])
    app = open_page(TRAIN)
    assert app.session_state[keys.USER] != user
    (folder,) = {space.folder for space in spaces}
    assert folder.exists()
    assert not folder.is_relative_to(current_user.home())
    assert "stores nothing" in captions(app)
    app.session_state[keys.EXPANDERS] = {"history": True}
    assert "after your last visit" not in captions(app.run())
    app = press(press(app, "Delete all of my data"), "Delete everything")
    assert not app.exception
    assert not folder.exists()
    assert spaces[-1].folder != folder
    assert app.title
