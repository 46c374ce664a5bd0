"""Trainings that were cut off, and runs that could not be saved, on the pages."""

import pytest

import mrwtd
from mrwtd.dashboard.jobs import training
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import Settings
from mrwtd.errors import Problem
from mrwtd.runs import Workspace
from mrwtd.runs.pending import PendingRun, interrupted_runs
from mrwtd.runs.storage_error import StorageError
from tests.dashboard.pages.open_pages import blocked_queue, job_of, open_page

SETTINGS = Settings("florentine", rank=2, lam=1.0, methods=("Degree",))


def interrupt(user: str) -> None:
    """Leave what a server leaves that is killed in a training of this user."""
    spec = training.spec_of(SETTINGS, mrwtd.load_dataset("florentine"), "Florence")
    PendingRun(current_user.workspace_of(user).folder, "18f-2a", spec, "the lost one").release()


def test_an_interrupted_training_can_be_restarted_from_any_page() -> None:
    user = "a-user-whose-server-was-killed"
    interrupt(user)
    app = open_page("pages/3_Compare.py", user)
    assert any("the lost one" in caption.value for caption in app.sidebar.caption)
    with blocked_queue():
        app.button(key="restart-18f-2a").click().run()
        (job,) = current_user.queue().jobs_of(user)
    current_user.queue().wait(job)
    assert (job.result.name, job.result.spec.methods[0].method) == ("the lost one", "Degree")
    app.run()
    assert not app.exception
    assert not any("the lost one" in caption.value for caption in app.sidebar.caption)
    assert interrupted_runs(current_user.workspace_of(user).folder) == []


def test_an_interrupted_training_can_be_deleted() -> None:
    user = "a-user-who-does-not-want-it-back"
    interrupt(user)
    open_page("app.py", user).button(key="interrupted-18f-2a").click().run()
    assert interrupted_runs(current_user.workspace_of(user).folder) == []


def test_a_training_that_runs_is_not_interrupted() -> None:
    user = "a-user-who-waits-for-a-training"
    with blocked_queue():
        app = open_page("pages/2_Train.py", user, data="florentine", methods="Degree")
        next(button for button in app.button if button.label == "Train").click().run()
        assert interrupted_runs(current_user.workspace_of(user).folder) == []
        assert [*(current_user.workspace_of(user).folder / "pending").glob("*.json")]
        (job,) = current_user.queue().jobs_of(user)
    current_user.queue().wait(job)
    assert not [*(current_user.workspace_of(user).folder / "pending").iterdir()]


def test_a_run_that_cannot_be_saved_is_shown_and_can_be_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **changes: object) -> None:
        raise StorageError(Problem("no space left on the server", "free space"))

    user = "a-user-of-a-full-server"
    app = open_page("pages/2_Train.py", user, data="florentine", rank="2", lam="1", methods="MrWTD")
    with monkeypatch.context() as patch:
        patch.setattr(Workspace, "adopt", refuse)
        job = job_of(user, app, "Train")
    app.run()
    assert not app.exception
    assert app.session_state[keys.SETTINGS].run == job.id
    assert any("not saved" in warning.value for warning in app.warning)
    assert current_user.workspace_of(user).runs() == []
    app.switch_page("pages/3_Compare.py").run()
    assert not app.exception
    assert not app.error
