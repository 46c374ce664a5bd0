"""Run A against run B on the Compare page, without a browser."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import train
from mrwtd.dashboard.state import current_run, current_user, keys
from mrwtd.dashboard.state.settings import Settings
from mrwtd.dashboard.widgets.formatting import plain
from tests.dashboard.pages.compare_page import PAGE, charts, oldest, said, somebody, train_as
from tests.dashboard.pages.opening import QUICK, open_page


def test_one_run_alone_asks_for_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(current_run, "example", lambda: None)
    at = open_page(PAGE, somebody(2), data="florentine", **{"compare.section": "runs"})
    assert not at.exception
    assert "train another one" in said(at)
    next(button for button in at.button if button.label == "Train another").click().run()
    assert [title.value for title in at.title] == ["Train"]


def test_two_runs_differ_in_settings_and_in_scores() -> None:
    at = open_page(PAGE, somebody(2, 4), data="florentine", **{"compare.section": "runs"})
    assert not at.exception
    assert not at.error
    assert at.table[0].value.loc["rank"].tolist() == ["2", "4"]
    assert "of 2 relations" in said(at)
    assert charts(at) == 1


def test_runs_of_one_name_are_told_apart() -> None:
    own = somebody(2, 2)
    newest, older, *_ = [run.id for run in current_user.workspace_of(own).runs()]
    at = open_page(PAGE, own, data="florentine", **{"compare.section": "runs"})
    menus = [box for box in at.selectbox if box.key in (keys.PICK + "compare.a", keys.PICK + "compare.b")]
    assert all(len({*menu.options}) == len(menu.options) for menu in menus)
    assert {menu.value for menu in menus} == {newest, older}


def test_two_runs_can_be_downloaded_with_their_names(files: dict[str, pd.DataFrame]) -> None:
    open_page(PAGE, somebody(2, 4), data="florentine", **{"compare.section": "runs"})
    settings = files["run-a-and-b-settings"].set_index("setting")
    assert settings.loc["rank"].tolist() == ["2", "4"]
    assert ["rank 2" in settings.loc["run", "A"], "rank 4" in settings.loc["run", "B"]] == [True, True]
    scores = files["run-a-and-b-auprc"]
    assert scores["relation"].tolist() == ["business", "marriage"]
    assert set(scores["run_a"]) == {settings.loc["run", "A"]}
    assert set(scores["method_b"]) == {"MrWTD"}


def test_two_runs_are_compared_by_a_method_that_both_have() -> None:
    own = somebody(2, methods=("Degree", "RESCAL", "MrWTD"))
    train_as(own, methods=("CP", "RESCAL"))
    at = open_page(PAGE, own, data="florentine", **{"compare.section": "runs"})
    assert [menu.value for menu in at.selectbox if menu.label.startswith("Method of")] == ["RESCAL", "RESCAL"]
    train_as(own, methods=("RESCAL", "MrWTD"))
    at = open_page(PAGE, own, data="florentine", **{"compare.section": "runs", "compare.a": oldest(own)})
    assert [menu.value for menu in at.selectbox if menu.label.startswith("Method of")] == ["MrWTD", "MrWTD"]


def test_menus_of_runs_say_that_one_was_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    real = current_run.history
    monkeypatch.setattr(current_run, "history", lambda: [replace(run, state="stopped") for run in real()])
    at = open_page(PAGE, somebody(2, 4), data="florentine", **{"compare.section": "runs"})
    menu = next(menu for menu in at.selectbox if menu.label == "Run A")
    assert all("(stopped)" in option for option in menu.options)


def test_runs_of_two_data_sets_are_called_by_their_titles() -> None:
    own = somebody(2)
    data = mrwtd.load_dataset("bankwiring")
    work = train(Settings("bankwiring", **QUICK), data, "Your file: wires.csv", current_user.workspace_of(own))
    other = work(Job("training", "train", own, work))
    assert other is not None
    at = open_page(PAGE, own, data="bankwiring", **{"compare.section": "runs"})
    assert "one run of this data set so far" in at.info[0].value
    at = open_page(PAGE, own, data="florentine", **{"compare.section": "runs", "compare.a": other.id})
    assert not at.exception
    assert at.table[0].value.loc["data set"].tolist() == [plain("Your file: wires.csv"), "Florentine"]


def test_a_loss_and_a_weight_that_were_not_chosen_are_called_what_they_are() -> None:
    own = somebody(2)
    train_as(own, rank=2, loss={"marriage": "quadratic"}, weight={"business": 3.0})
    at = open_page(PAGE, own, data="florentine", **{"compare.section": "runs"})
    rows = {tuple(row) for table in at.table for row in table.value.reset_index().astype(str).to_numpy().tolist()}
    assert ("loss of marriage", "logistic", "quadratic") in rows
    assert ("positive weight of business", "1", "3") in rows
