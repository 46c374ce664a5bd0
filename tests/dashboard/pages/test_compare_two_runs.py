"""Compare two runs on the Compare page, without a browser."""

from dataclasses import replace

import pandas as pd
import pytest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.pages.compare import compare_texts
from mrwtd.dashboard.state import current_run, current_user, keys
from mrwtd.dashboard.state.settings import Settings
from mrwtd.dashboard.widgets.formatting import escape_markdown
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.compare_page import PAGE, add_run, chart_count, oldest_run, texts, user_with_runs
from tests.dashboard.pages.open_pages import QUICK, open_page


def test_a_single_run_offers_another_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_run, "example", lambda: None)
    app = open_page(PAGE, user_with_runs(2), data="florentine", **{"compare.section": "runs"})
    assert not app.exception
    assert compare_texts.ONE_RUN in texts(app)
    next(button for button in app.button if button.label == "Train another").click().run()
    assert [title.value for title in app.title] == ["Train"]


def test_two_runs_differ_in_settings_and_in_scores() -> None:
    app = open_page(PAGE, user_with_runs(2, 4), data="florentine", **{"compare.section": "runs"})
    assert not app.exception
    assert not app.error
    assert app.table[0].value.loc["rank"].tolist() == ["2", "4"]
    assert "of 2 relations" in texts(app)
    assert chart_count(app) == 1


def test_runs_with_the_same_name_have_different_labels() -> None:
    user = user_with_runs(2, 2)
    newest, older, *_ = [run.id for run in current_user.workspace_of(user).runs()]
    app = open_page(PAGE, user, data="florentine", **{"compare.section": "runs"})
    menus = [box for box in app.selectbox if box.key in (keys.PICK + "compare.a", keys.PICK + "compare.b")]
    assert all(len({*menu.options}) == len(menu.options) for menu in menus)
    assert {menu.value for menu in menus} == {newest, older}


def test_two_runs_can_be_downloaded_with_their_names(files: dict[str, pd.DataFrame]) -> None:
    open_page(PAGE, user_with_runs(2, 4), data="florentine", **{"compare.section": "runs"})
    settings = files["run-a-and-b-settings"].set_index("setting")
    assert settings.loc["rank"].tolist() == ["2", "4"]
    assert ["rank 2" in settings.loc["run", "A"], "rank 4" in settings.loc["run", "B"]] == [True, True]
    scores = files["run-a-and-b-auprc"]
    assert scores["relation"].tolist() == ["business", "marriage"]
    assert set(scores["run_a"]) == {settings.loc["run", "A"]}
    assert set(scores["method_b"]) == {"MrWTD"}


def test_two_runs_are_compared_by_a_method_of_both() -> None:
    user = user_with_runs(2, methods=("Degree", "RESCAL", "MrWTD"))
    add_run(user, methods=("CP", "RESCAL"))
    app = open_page(PAGE, user, data="florentine", **{"compare.section": "runs"})
    assert [menu.value for menu in app.selectbox if menu.label.startswith("Method of")] == ["RESCAL", "RESCAL"]
    add_run(user, methods=("RESCAL", "MrWTD"))
    app = open_page(PAGE, user, data="florentine", **{"compare.section": "runs", "compare.a": oldest_run(user)})
    assert [menu.value for menu in app.selectbox if menu.label.startswith("Method of")] == ["MrWTD", "MrWTD"]


def test_menus_of_runs_mark_stopped_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    real = current_run.history
    monkeypatch.setattr(current_run, "history", lambda: [replace(run, state="stopped") for run in real()])
    app = open_page(PAGE, user_with_runs(2, 4), data="florentine", **{"compare.section": "runs"})
    menu = next(menu for menu in app.selectbox if menu.label == "Run A")
    assert all("(stopped)" in option for option in menu.options)


def test_runs_of_two_data_sets_are_labelled_by_title() -> None:
    user = user_with_runs(2)
    data = mrwtd.load_dataset("bankwiring")
    work = train(Settings("bankwiring", **QUICK), data, "Your file: wires.csv", current_user.workspace_of(user))
    other = work(Job("training", "train", user, work))
    assert other is not None
    app = open_page(PAGE, user, data="bankwiring", **{"compare.section": "runs"})
    assert app.info[0].value == compare_texts.ONE_RUN
    app = open_page(PAGE, user, data="florentine", **{"compare.section": "runs", "compare.a": other.id})
    assert not app.exception
    assert app.table[0].value.loc["data set"].tolist() == [escape_markdown("Your file: wires.csv"), "Florentine"]


def test_default_losses_and_weights_are_shown_as_values() -> None:
    user = user_with_runs(2)
    add_run(user, rank=2, loss={"marriage": "quadratic"}, weight={"business": 3.0})
    app = open_page(PAGE, user, data="florentine", **{"compare.section": "runs"})
    rows = {tuple(row) for table in app.table for row in table.value.reset_index().astype(str).to_numpy().tolist()}
    assert ("loss of marriage", "logistic", "quadratic") in rows
    assert ("positive weight of business", "1", "3") in rows
