"""The Experiments page without a browser."""

from __future__ import annotations

import pytest

from mrwtd.dashboard.pages.experiments import experiment_panel
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
        assert "Nothing is finished yet" in at.info[0].value


def test_it_runs_shows_the_paper_beside_and_repeats_nothing(small: None) -> None:
    own = "a-visitor-who-runs-an-experiment"
    at = open_page(PAGE, own, **{"experiments.which": "rank"})
    job = job_of(own, at, "Run")
    assert job.state == "finished", job.problem
    at.run()
    assert not at.exception
    assert len(at.get("plotly_chart")) >= 1
    table = next(text.value for text in at.markdown if text.value.startswith("|"))
    assert "Degree" in table
    assert next(button for button in at.button if button.label == "All fits are done").disabled


def test_a_cancelled_one_goes_on_where_it_was(small: None) -> None:
    own = "a-visitor-who-cancels-an-experiment"
    at = open_page(PAGE, own, **{"experiments.which": "rank"})
    from mrwtd.dashboard.jobs import Job

    original = Job.cancelled
    Job.cancelled = property(lambda job: job.progress > 0)  # once the first fit is done
    try:
        job_of(own, at, "Run")
    finally:
        Job.cancelled = original
    at.run()
    label = next(button.label for button in at.button if button.label.startswith("Go on"))
    assert "fits left" in label


def test_fits_of_another_version_are_told_and_run_again_by_restart(small: None, monkeypatch) -> None:
    own = "a-visitor-who-comes-back-after-an-update"
    rank, place = EXPERIMENTS["rank"], current_user.workspace_of(own).folder / "experiments" / "rank"
    with monkeypatch.context() as before:
        before.setattr("mrwtd.comparison.result_cache.results_version", lambda: "0.0.9+0123456789")
        rank.run(rank.presets["quick"].change(methods=("Degree",)), place)
    at = open_page(PAGE, own, **{"experiments.which": "rank"})
    assert not at.exception
    assert not at.error
    (warning,) = [text.value for text in at.warning]
    assert "0.0.9+0123456789" in warning
    assert results_version() in warning
    assert not at.get("plotly_chart")
    assert len(list((place / "finished").iterdir())) == 4, "a look deletes nothing"
    (restart,) = [button.label for button in at.button if button.label.startswith("Restart")]
    job = job_of(own, at, restart)
    assert job.state == "finished", job.problem
    at.run()
    assert not at.warning
    assert at.get("plotly_chart")
    assert next(button for button in at.button if button.label == "All fits are done").disabled


def ticked(at, name: str = "real") -> list[str]:
    own = f"{keys.PICK}experiments.{name}-quick-methods-"
    return [box.label for box in at.checkbox if box.key.startswith(own) and box.value]


def test_it_stands_in_the_history_and_is_opened_and_deleted_there(small: None) -> None:
    own = "a-visitor-who-comes-back-to-an-experiment"
    at = open_page(PAGE, own, **{"experiments.which": "rank", "experiments.rank-quick-methods": "Degree"})
    job_of(own, at, "Run")
    at = open_page("pages/2_Train.py", own, **{"experiments.rank-quick-methods": "CP"})
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
    at = open_page(PAGE, own, **{"experiments.which": "rank", "experiments.rank-quick-methods": "Degree"})
    assert not [button for button in at.button if button.key and button.key.startswith("study-")]
    assert "Nothing is finished yet" in at.info[0].value


def test_methods_are_chosen_by_tick_boxes_of_which_one_stays() -> None:
    at = open_page(PAGE, **{"experiments.real-quick-methods": "CP|Degree"})
    assert ticked(at) == ["CP", "Degree"]
    name = keys.PICK + "experiments.real-quick-methods-"
    at.checkbox(key=name + "BPTF").check().run()
    assert ticked(at) == ["BPTF", "CP", "Degree"]
    for method in ("BPTF", "CP", "Degree"):
        at.checkbox(key=name + method).uncheck().run()
    assert ticked(at) == ["Degree"]
    assert not at.exception


def test_the_presets_methods_are_those_of_the_command_line_in_its_order() -> None:
    at = open_page(PAGE, **{"experiments.real-quick-methods": "CP|BPTF|RESCAL|MrWTD-L|MrWTD-Q"})
    at.checkbox(key=keys.PICK + "experiments.real-quick-methods-CP").uncheck().run()
    assert "experiments.real-quick-methods" not in at.session_state[keys.SETTINGS].views


def test_what_is_finished_is_drawn_while_the_rest_is_under_way(small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    own = "a-visitor-who-watches-an-experiment"
    rank = EXPERIMENTS["rank"]
    monkeypatch.setattr(
        experiment_panel.job_status,
        "busy",
        lambda kind="train", subject=None: None if subject or kind == "train" else object(),
    )
    at = open_page(PAGE, own, **{"experiments.which": "rank"})
    assert "under way" in at.info[0].value
    rank.run(rank.presets["quick"].change(runs=1), current_user.workspace_of(own).folder / "experiments" / "rank")
    at.run()
    assert not at.exception
    assert not at.info
    assert at.get("plotly_chart")
