"""The Experiments page without a browser."""

import pytest

from mrwtd.dashboard.jobs import job_status
from mrwtd.dashboard.pages.experiments import experiments_texts
from mrwtd.dashboard.state import current_user, keys
from mrwtd.experiments import EXPERIMENTS, Options
from mrwtd.version import results_version
from tests.dashboard.pages.opening import job_of, open_page

PAGE = "pages/7_Experiments.py"


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick preset that takes a second."""
    real = EXPERIMENTS["rank"]
    tiny = Options(("Degree", "Common neighbours"), (0.25,), (5,), runs=2, n_jobs=1)
    monkeypatch.setitem(real.presets, "quick", tiny)


def test_every_experiment_of_the_registry_can_be_chosen() -> None:
    at = open_page(PAGE)
    assert not at.exception
    assert not at.error
    assert [title.value for title in at.title] == ["Experiments"]
    for name in EXPERIMENTS:
        at = open_page(PAGE, **{"experiments.which": name})
        assert not at.exception
        assert not at.error
        assert at.info[0].value == experiments_texts.NOTHING_YET


def test_an_experiment_runs_shows_a_table_and_repeats_nothing(small: None) -> None:
    user = "a-user-who-runs-an-experiment"
    at = open_page(PAGE, user, **{"experiments.which": "rank"})
    job = job_of(user, at, "Run")
    assert job.state == "finished", job.problem
    at.run()
    assert not at.exception
    assert len(at.get("plotly_chart")) >= 1
    table = next(text.value for text in at.markdown if text.value.startswith("|"))
    assert "Degree" in table
    assert next(button for button in at.button if button.label == "All fits are done").disabled


def test_a_cancelled_experiment_continues_where_it_stopped(small: None) -> None:
    user = "a-user-who-cancels-an-experiment"
    at = open_page(PAGE, user, **{"experiments.which": "rank"})
    from mrwtd.dashboard.jobs import Job

    original = Job.cancelled
    Job.cancelled = property(lambda job: job.progress > 0)  # once the first fit is done
    try:
        job_of(user, at, "Run")
    finally:
        Job.cancelled = original
    at.run()
    label = next(button.label for button in at.button if button.label.startswith("Continue"))
    assert "fits left" in label


def test_fits_of_another_version_are_reported_and_run_again_by_restart(small: None, monkeypatch) -> None:
    user = "a-user-who-comes-back-after-an-update"
    rank, folder = EXPERIMENTS["rank"], current_user.workspace_of(user).folder / "experiments" / "rank"
    with monkeypatch.context() as before:
        before.setattr("mrwtd.comparison.result_cache.results_version", lambda: "0.0.9+0123456789")
        rank.run(rank.presets["quick"].change(methods=("Degree",)), folder)
    at = open_page(PAGE, user, **{"experiments.which": "rank"})
    assert not at.exception
    assert not at.error
    (warning,) = [text.value for text in at.warning]
    assert "0.0.9+0123456789" in warning
    assert results_version() in warning
    assert not at.get("plotly_chart")
    assert len(list((folder / "finished").iterdir())) == 4, "opening the page deletes nothing"
    (restart,) = [button.label for button in at.button if button.label.startswith("Restart")]
    job = job_of(user, at, restart)
    assert job.state == "finished", job.problem
    at.run()
    assert not at.warning
    assert at.get("plotly_chart")
    assert next(button for button in at.button if button.label == "All fits are done").disabled


def ticked(at, name: str = "real") -> list[str]:
    prefix = f"{keys.PICK}experiments.{name}-quick-methods-"
    return [box.label for box in at.checkbox if box.key.startswith(prefix) and box.value]


def test_an_experiment_in_the_history_can_be_opened_and_deleted(small: None) -> None:
    user = "a-user-who-comes-back-to-an-experiment"
    at = open_page(PAGE, user, **{"experiments.which": "rank", "experiments.rank-quick-methods": "Degree"})
    job_of(user, at, "Run")
    at = open_page("pages/2_Train.py", user, **{"experiments.rank-quick-methods": "CP"})
    at.session_state[keys.EXPANDERS] = {"history": True}
    at.run()
    entry = next(button for button in at.button if (button.key or "").startswith("study-"))
    assert EXPERIMENTS["rank"].title in entry.label.replace("\\", "")
    assert "fits" not in entry.label  # all are done
    entry.click().run()
    assert [title.value for title in at.title] == ["Experiments"]
    assert ticked(at, "rank") == ["Degree"]
    assert next(button for button in at.button if button.label == "All fits are done").disabled
    at.button(key=entry.key.replace("study-", "delete-")).click().run()
    at = open_page(PAGE, user, **{"experiments.which": "rank", "experiments.rank-quick-methods": "Degree"})
    assert not [button for button in at.button if button.key and button.key.startswith("study-")]
    assert at.info[0].value == experiments_texts.NOTHING_YET


def test_at_least_one_method_stays_ticked() -> None:
    at = open_page(PAGE, **{"experiments.real-quick-methods": "CP|Degree"})
    assert ticked(at) == ["CP", "Degree"]
    name = keys.PICK + "experiments.real-quick-methods-"
    at.checkbox(key=name + "BPTF").check().run()
    assert ticked(at) == ["BPTF", "CP", "Degree"]
    for method in ("BPTF", "CP", "Degree"):
        at.checkbox(key=name + method).uncheck().run()
    assert ticked(at) == ["Degree"]
    assert not at.exception


def test_the_methods_of_the_preset_are_not_in_the_url() -> None:
    at = open_page(PAGE, **{"experiments.real-quick-methods": "CP|BPTF|RESCAL|MrWTD-L|MrWTD-Q"})
    at.checkbox(key=keys.PICK + "experiments.real-quick-methods-CP").uncheck().run()
    assert "experiments.real-quick-methods" not in at.session_state[keys.SETTINGS].views


def test_finished_fits_are_drawn_while_others_run(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    user = "a-user-who-watches-an-experiment"
    rank = EXPERIMENTS["rank"]
    monkeypatch.setattr(
        job_status,
        "active_job",
        lambda kind="train", subject=None: None if subject or kind == "train" else object(),
    )
    at = open_page(PAGE, user, **{"experiments.which": "rank"})
    assert at.info[0].value == experiments_texts.FIRST_FITS
    rank.run(rank.presets["quick"].change(runs=1), current_user.workspace_of(user).folder / "experiments" / "rank")
    at.run()
    assert not at.exception
    assert not at.info
    assert at.get("plotly_chart")
