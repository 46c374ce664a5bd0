"""Equal requests after the end of a training: the run is copied, not computed again."""

import mrwtd
from mrwtd.dashboard.jobs import Job, recent_runs
from mrwtd.dashboard.jobs.training import recipient
from mrwtd.dashboard.state import current_user
from mrwtd.dashboard.state.settings import Settings
from mrwtd.runs import Workspace
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.open_pages import job_of, open_page

SETTINGS = Settings("florentine", rank=2, methods=("Degree",))
QUERY = {"data": "florentine", "rank": "2", "methods": "Degree"}


def trained(folder) -> tuple[mrwtd.runs.Run, mrwtd.RelationalData]:
    data = mrwtd.load_dataset("florentine")
    return Job("t", "train", "ann", train(SETTINGS, data, "title of ann", Workspace(folder / "ann"))).execute(), data


def test_another_user_gets_a_copy_under_their_own_names(tmp_path) -> None:
    run, data = trained(tmp_path)
    recent_runs.add("key", run)
    bob = Workspace(tmp_path / "bob")
    copied = recent_runs.copy("key", recipient(SETTINGS, data, "title of bob", bob, "my run"))
    assert (copied.title, copied.name) == ("title of bob", "my run")
    assert copied.id != run.id
    Workspace(tmp_path / "ann").delete(run.id)
    assert bob.run(copied.id).scores.equals(copied.scores)


def test_the_same_user_gets_the_same_run(tmp_path) -> None:
    run, data = trained(tmp_path)
    recent_runs.add("key", run)
    assert recent_runs.copy("key", recipient(SETTINGS, data, "title of ann", Workspace(tmp_path / "ann"))) == run


def test_a_user_gets_one_copy_only(tmp_path) -> None:
    run, data = trained(tmp_path)
    recent_runs.add("key", run)
    bob = recipient(SETTINGS, data, "title of bob", Workspace(tmp_path / "bob"))
    assert recent_runs.copy("key", bob) == recent_runs.copy("key", bob)
    assert len(Workspace(tmp_path / "bob").runs()) == 1


def test_a_deleted_run_is_trained_again(tmp_path) -> None:
    run, data = trained(tmp_path)
    recent_runs.add("key", run)
    Workspace(tmp_path / "ann").delete(run.id)
    assert recent_runs.copy("key", recipient(SETTINGS, data, "title of bob", Workspace(tmp_path / "bob"))) is None


def test_on_the_page_the_second_user_waits_for_nothing() -> None:
    first, second = "a-user-who-trains-first", "a-user-who-trains-the-same"
    job = job_of(first, open_page("pages/2_Train.py", first, **QUERY), "Train")
    app = open_page("pages/2_Train.py", second, **QUERY)
    next(button for button in app.button if button.label == "Train").click().run()
    assert not app.exception
    assert current_user.queue().jobs_of(second) == []
    (run,) = current_user.workspace_of(second).runs()
    assert run.scores.equals(job.result.scores)
    assert any("before" in message.value for message in app.success)
