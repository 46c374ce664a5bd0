"""The Experiments page without a browser."""

import re

import pytest

from mrwtd.dashboard.jobs import estimates, job_status
from mrwtd.dashboard.pages.experiments import experiment_panel, experiments_texts
from mrwtd.dashboard.state import current_user, experiment_records, keys
from mrwtd.experiments.experiment import EXPERIMENTS, Options
from mrwtd.experiments.on_data.data_experiment import DATA_EXPERIMENTS
from mrwtd.hosting.config import Config, Jobs
from mrwtd.version import results_version
from tests.dashboard.pages.open_pages import blocked_queue, job_of, open_page

PAGE = "pages/7_Experiments.py"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick preset that takes a second."""
    real = EXPERIMENTS["rank"]
    tiny = Options(("Degree", "Common neighbours"), (0.25,), (5,), runs=2, n_jobs=1)
    monkeypatch.setitem(real.presets, "quick", tiny)


def test_every_experiment_of_the_registry_can_be_chosen() -> None:
    app = open_page(PAGE)
    assert not app.exception
    assert not app.error
    assert [title.value for title in app.title] == ["Experiments"]
    for name in EXPERIMENTS:
        app = open_page(PAGE, **{"experiments.which": name})
        assert not app.exception
        assert not app.error
        assert app.info[0].value == experiments_texts.NOTHING_YET


def test_an_experiment_runs_shows_a_table_and_repeats_nothing(small: None) -> None:
    user = "a-user-who-runs-an-experiment"
    app = open_page(PAGE, user, **{"experiments.which": "rank"})
    job = job_of(user, app, "Run")
    assert job.state == "finished", job.problem
    app.run()
    assert not app.exception
    assert len(app.get("plotly_chart")) >= 1
    table = next(text.value for text in app.markdown if text.value.startswith("|"))
    assert "Degree" in table
    assert next(button for button in app.button if button.label == "All fits are done").disabled


def test_a_cancelled_experiment_continues_where_it_stopped(small: None) -> None:
    user = "a-user-who-cancels-an-experiment"
    app = open_page(PAGE, user, **{"experiments.which": "rank"})
    from mrwtd.dashboard.jobs import Job

    original = Job.cancelled
    Job.cancelled = property(lambda job: job.progress > 0)  # once the first fit is done
    try:
        job_of(user, app, "Run")
    finally:
        Job.cancelled = original
    app.run()
    label = next(button.label for button in app.button if button.label.startswith("Continue"))
    assert "fits left" in label


def test_fits_of_another_version_are_reported_and_run_again_by_restart(small: None, monkeypatch) -> None:
    user = "a-user-who-comes-back-after-an-update"
    rank, folder = EXPERIMENTS["rank"], current_user.workspace_of(user).folder / "experiments" / "rank"
    with monkeypatch.context() as before:
        before.setattr("mrwtd.comparison.result_cache.results_version", lambda: "0.0.9+0123456789")
        rank.run(rank.presets["quick"].change(methods=("Degree",)), folder)
    app = open_page(PAGE, user, **{"experiments.which": "rank"})
    assert not app.exception
    assert not app.error
    (warning,) = [text.value for text in app.warning]
    assert "0.0.9+0123456789" in warning
    assert results_version() in warning
    assert not app.get("plotly_chart")
    assert len(list((folder / "finished").iterdir())) == 4, "opening the page deletes nothing"
    (restart,) = [button.label for button in app.button if button.label.startswith("Restart")]
    job = job_of(user, app, restart)
    assert job.state == "finished", job.problem
    app.run()
    assert not app.warning
    assert app.get("plotly_chart")
    assert next(button for button in app.button if button.label == "All fits are done").disabled


def test_an_interrupted_experiment_is_listed_and_can_be_restarted(small: None) -> None:
    user = "a-user-whose-server-was-killed-in-an-experiment"
    chosen = {"experiments.which": "rank", "experiments.rank-quick-methods": "Degree"}
    app = open_page(PAGE, user, **chosen)
    folder = current_user.workspace_of(user).folder / "experiments" / "asked"
    with blocked_queue():
        next(button for button in app.button if button.label == "Run").click().run()
        (job,) = current_user.queue().jobs_of(user)
        (record,) = experiment_records.load_all(folder)
        assert experiment_records.interrupted(folder) == []
    current_user.queue().wait(job)
    assert not [*folder.glob("*.running")]
    for file in (folder.parent / "rank" / "finished").iterdir():
        file.unlink()
    experiment_records.pending(folder, record).release()  # what a killed server leaves
    app = open_page("pages/3_Compare.py", user)
    assert any("Interrupted" in caption.value and "Degree" in caption.value for caption in app.sidebar.caption)
    with blocked_queue():
        app.button(key=f"continue-{record.id}").click().run()
        again = next(other for other in current_user.queue().jobs_of(user) if not other.done)
        assert not any("Interrupted" in caption.value for caption in app.sidebar.caption)
    current_user.queue().wait(again)
    assert (again.state, again.problem) == ("finished", "")
    assert ticked(app, "rank") == ["Degree"]
    assert experiment_records.interrupted(folder) == []


@pytest.mark.parametrize("state", ["interrupted", "stopped"])
def test_an_experiment_that_ends_with_its_server_counts_as_interrupted(small: None, state: str) -> None:
    user = f"a-user-whose-experiment-was-{state}"
    app = open_page(PAGE, user, **{"experiments.which": "rank"})
    with blocked_queue():
        next(button for button in app.button if button.label == "Run").click().run()
        (job,) = current_user.queue().jobs_of(user)
        job.abandon() if state == "interrupted" else job.cancel()
    current_user.queue().wait(job)
    assert job.state == state
    listed = experiment_records.interrupted(current_user.workspace_of(user).folder / "experiments" / "asked")
    assert len(listed) == (state == "interrupted")


def test_an_experiment_beyond_the_limits_is_refused_with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {"experiments.source": "data", "experiments.kind": "ranks", "experiments.ranks-quick-methods": "MrWTD"}
    app = open_page(PAGE, "a-user-who-wants-much", data="florentine", **chosen)
    run = next(button for button in app.button if button.label == "Run")
    monkeypatch.setattr(estimates, "available", lambda: 1e3)
    assert re.search(r"needs about .* of memory; expected at most .* rank", run.click().run().error[0].value)
    monkeypatch.undo()
    monkeypatch.setattr(experiment_panel, "config", lambda: Config(jobs=Jobs(max_experiment_minutes=0.01)))
    app = open_page(PAGE, "a-user-who-wants-much", data="florentine", **chosen)
    run = next(button for button in app.button if button.label == "Run")
    assert re.search(r"an experiment of about .*; expected at most 1 s", run.click().run().error[0].value)
    assert current_user.queue().jobs_of("a-user-who-wants-much") == []


def ticked(app, name: str = "real") -> list[str]:
    prefix = f"{keys.PICK}experiments.{name}-quick-methods-"
    return [box.label for box in app.checkbox if box.key.startswith(prefix) and box.value]


def test_an_experiment_in_the_history_can_be_opened_and_deleted(small: None) -> None:
    user = "a-user-who-comes-back-to-an-experiment"
    app = open_page(PAGE, user, **{"experiments.which": "rank", "experiments.rank-quick-methods": "Degree"})
    job_of(user, app, "Run")
    app = open_page("pages/2_Train.py", user, **{"experiments.rank-quick-methods": "CP"})
    app.session_state[keys.EXPANDERS] = {"history": True}
    app.run()
    entry = next(button for button in app.button if (button.key or "").startswith("study-"))
    assert EXPERIMENTS["rank"].title in entry.label.replace("\\", "")
    assert "fits" not in entry.label  # all are done
    entry.click().run()
    assert [title.value for title in app.title] == ["Experiments"]
    assert ticked(app, "rank") == ["Degree"]
    assert next(button for button in app.button if button.label == "All fits are done").disabled
    app.button(key=entry.key.replace("study-", "delete-")).click().run()
    app = open_page(PAGE, user, **{"experiments.which": "rank", "experiments.rank-quick-methods": "Degree"})
    assert not [button for button in app.button if button.key and button.key.startswith("study-")]
    assert app.info[0].value == experiments_texts.NOTHING_YET


def test_at_least_one_method_stays_ticked() -> None:
    app = open_page(PAGE, **{"experiments.real-quick-methods": "CP|Degree"})
    assert ticked(app) == ["CP", "Degree"]
    name = keys.PICK + "experiments.real-quick-methods-"
    app.checkbox(key=name + "BPTF").check().run()
    assert ticked(app) == ["BPTF", "CP", "Degree"]
    for method in ("BPTF", "CP", "Degree"):
        app.checkbox(key=name + method).uncheck().run()
    assert ticked(app) == ["Degree"]
    assert not app.exception


def test_the_methods_of_the_preset_are_not_in_the_url() -> None:
    app = open_page(PAGE, **{"experiments.real-quick-methods": "CP|BPTF|RESCAL-signs|MrWTD-L|MrWTD-Q"})
    app.checkbox(key=keys.PICK + "experiments.real-quick-methods-CP").uncheck().run()
    assert "experiments.real-quick-methods" not in app.session_state[keys.SETTINGS].views


def test_finished_fits_are_drawn_while_others_run(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    user = "a-user-who-watches-an-experiment"
    rank = EXPERIMENTS["rank"]
    monkeypatch.setattr(
        job_status,
        "active_job",
        lambda kind="train", subject=None: object() if kind != "train" and subject in (None, "rank") else None,
    )
    other = open_page(PAGE, user, **{"experiments.which": "synth"})
    assert other.info[0].value == experiments_texts.NOTHING_YET
    assert experiments_texts.OTHER_RUNNING in [caption.value for caption in other.caption]
    app = open_page(PAGE, user, **{"experiments.which": "rank"})
    assert app.info[0].value == experiments_texts.FIRST_FITS
    rank.run(rank.presets["quick"].change(runs=1), current_user.workspace_of(user).folder / "experiments" / "rank")
    app.run()
    assert not app.exception
    assert not app.info
    assert app.get("plotly_chart")


@pytest.mark.parametrize("name", list(DATA_EXPERIMENTS))
def test_every_experiment_on_data_can_be_chosen(name: str) -> None:
    app = open_page(PAGE, data="florentine", **{"experiments.source": "data", "experiments.kind": name})
    assert not app.exception
    assert not app.error
    assert app.info[0].value == experiments_texts.NOTHING_YET


def test_an_experiment_on_data_is_recorded_with_its_data() -> None:
    user = "a-user-with-an-experiment-on-data"
    chosen = {"experiments.source": "data", "experiments.kind": "ranks", "experiments.ranks-quick-methods": "Degree",
              "experiments.ranks-quick-rank": "2", "experiments.ranks-quick-runs": "1"}  # fmt: skip
    app = open_page(PAGE, user, data="florentine", **chosen)
    job = job_of(user, app, "Run")
    assert job.state == "finished", job.problem
    app.run()
    assert not app.exception
    table = next(text.value for text in app.markdown if text.value.startswith("|"))
    assert "Degree" in table
    (record,) = experiment_records.load_all(current_user.workspace_of(user).folder / "experiments" / "asked")
    assert (record.experiment, record.data, record.done) == ("ranks", "florentine", record.total)
    assert "Ranks" in record.title
    elsewhere = open_page(PAGE, user, data="monastery", **chosen)
    assert elsewhere.info[0].value == experiments_texts.NOTHING_YET, "fits belong to their data"
    elsewhere.session_state[keys.EXPANDERS] = {"history": True}
    elsewhere.run()
    entry = next(button for button in elsewhere.button if button.key == f"study-{record.id}")
    entry.click().run()
    assert elsewhere.session_state[keys.SETTINGS].data == "florentine"
    assert elsewhere.session_state[keys.SETTINGS].get("experiments.kind") == "ranks"
