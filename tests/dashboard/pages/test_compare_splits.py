"""The Compare page without a browser: several random splits, and folds."""

import re
from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from mrwtd.dashboard.jobs import estimates, on_demand
from mrwtd.dashboard.pages.compare import splits
from mrwtd.dashboard.state import current_user
from mrwtd.hosting.config import Config, Jobs
from mrwtd.runs import new_id
from mrwtd.runs.run import Memory
from tests.dashboard.pages.compare_page import PAGE, chart_count, compare, texts, user_with_runs
from tests.dashboard.pages.open_pages import open_page


def test_several_splits_show_standard_deviations_and_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    app = compare("table", splits="5")
    assert "±" in app.dataframe[0].value.loc["marriage", "MrWTD"]
    assert chart_count(app) == 1
    assert "5 splits" in texts(app)


def test_the_verdicts_agree_with_the_split_and_with_the_table_of_several_splits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    app = compare("table", splits="5")
    top, below = (text.value for text in app.markdown if "has the best" in text.value)
    assert top.startswith("On this split, ")
    assert "mean AUPRC of 2 binary relations" in below
    means = app.dataframe[0].value.loc["Mean AUPRC"]
    (best,) = means.index[means.str.contains("●")]
    assert below.startswith(f"Over these 5 splits, **{best}** ")
    assert f"**{means[best].split()[0]}**" in below


def test_curves_of_several_splits_have_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    app = compare("curves", view="one", splits="5")
    assert not app.exception
    assert not app.error
    assert chart_count(app) == 1
    assert "Mean precision over 5 splits" in texts(app)


def test_cancelled_splits_are_reported_and_can_be_restarted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    user = user_with_runs(2)
    real = splits.repeat_with_curves
    monkeypatch.setattr(
        splits, "repeat_with_curves", lambda data, plan, _, *args, **kwargs: real(data, plan, 2, *args, **kwargs)
    )
    app = open_page(PAGE, user, data="florentine", **{"compare.section": "table", "compare.splits": "5"})
    assert "2 of 5 splits are shown" in texts(app)
    monkeypatch.undo()
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    next(button for button in app.button if button.label == "Restart").click().run()
    assert "of 5 splits are shown" not in texts(app)
    assert "Over these 5 splits" in texts(app)


def test_folds_are_a_choice_beside_splits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    app = compare("table", splits="5-fold")
    assert not app.exception
    assert "Over these 5 folds" in texts(app)
    assert "±" in app.dataframe[0].value.loc["marriage", "MrWTD"]
    assert "corrected" in texts(app)
    curves = compare("curves", view="one", splits="5-fold")
    assert "Mean precision over 5 folds" in texts(curves)


def test_the_stored_example_opens_with_several_splits() -> None:
    app = open_page(PAGE, "a-user-who-compares-in-the-example", data="aucs", **{"compare.section": "table"})
    assert not app.exception
    assert not app.error
    (top,) = (text.value for text in app.markdown if "has the best" in text.value)
    assert top.startswith("Over 10 splits, ")
    assert "±" in app.dataframe[0].value.loc["Mean AUPRC", "MrWTD"]
    assert not [button for button in app.button if button.label.startswith("Fit on")]


@pytest.mark.parametrize("page", ["4_Embedding", "5_Network", "6_Predict", "2_Train"])
def test_other_pages_show_the_models_of_the_first_split_of_the_example(page: str) -> None:
    app = open_page(f"pages/{page}.py", "a-user-who-looks-at-the-example", data="aucs")
    assert not app.exception
    assert any("10 splits" in caption.value and "the first" in caption.value for caption in app.caption)


def splits_of_a_forged_run(user: str) -> AppTest:
    """The page of a run whose scores claim that its fits took no time, at the table of 20 splits."""
    space = current_user.workspace_of(user)
    (run,) = space.runs()
    memory = Memory(run.models(), run.scores.assign(seconds=0.0))
    forged = space.save_run(replace(run, id=new_id(), folder=None, files={}, memory=memory))
    return open_page(
        PAGE, user, data="florentine", run=forged.id, **{"compare.section": "table", "compare.splits": "20"}
    )


def test_the_time_that_a_run_states_does_not_make_the_server_fit_at_once() -> None:
    app = splits_of_a_forged_run(user_with_runs(2))
    assert [button.label for button in app.button if button.label.startswith("Fit on")] == ["Fit on 20 splits"]


def test_splits_beyond_the_limits_of_a_job_are_refused_with_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    user = user_with_runs(2)
    monkeypatch.setattr(on_demand, "config", lambda: Config(jobs=Jobs(max_minutes=0.01)))
    app = splits_of_a_forged_run(user)
    app = next(button for button in app.button if button.label == "Fit on 20 splits").click().run()
    assert re.search(r"20 splits.* of about .*; expected at most 1 s", app.error[0].value)
    assert current_user.queue().jobs_of(user) == []
    monkeypatch.setattr(estimates, "available", lambda: 1e3)
    assert re.search(r"needs about .* of memory; expected at most", app.run().error[0].value)


def test_work_at_once_that_takes_much_longer_than_estimated_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", 1e9)
    monkeypatch.setattr(on_demand, "LIMIT", 0.0)
    app = splits_of_a_forged_run(user_with_runs(2))
    assert not app.exception
    assert "work of more than" in app.error[0].value
