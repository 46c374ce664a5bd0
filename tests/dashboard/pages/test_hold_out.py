"""Hold-outs of directed relations: chosen on the Train page, and shown with all scores."""

import json
from functools import cache

import pandas as pd
import pytest

import mrwtd
from mrwtd.dashboard.jobs import Job, on_demand
from mrwtd.dashboard.state import current_run, current_user, keys
from mrwtd.dashboard.state.settings import Settings
from mrwtd.data.description import COLUMNS
from mrwtd.data.splitting import describe_split
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.open_pages import QUICK, job_of, open_page

TRAIN, COMPARE = "pages/2_Train.py", "pages/3_Compare.py"


@cache
def with_flights(by: str) -> str:
    """The id of a user who has a run of the airports."""
    user = f"a-user-with-flights-by-{by}"
    space = current_user.workspace_of(user)
    work = train(Settings("airports", **QUICK, by=by), mrwtd.load_dataset("airports"), "Airports", space)
    assert work(Job("training", "train", user, work)) is not None
    return user


def captions(app) -> str:
    return " ".join(text.value for text in app.caption)


def test_the_hold_out_is_chosen_on_the_train_page_and_survives_a_reload() -> None:
    app = open_page(TRAIN, data="airports")
    app.session_state[keys.EXPANDERS] = {"more": True}
    app.run()
    menu = app.selectbox(key=keys.PICK + "by")
    assert (menu.label, menu.value) == ("Hold out", "auto")
    menu.set_value("pair").run()
    assert app.query_params["by"] in ("pair", ["pair"])
    again = open_page(TRAIN, data="airports", by="pair")
    assert again.session_state[keys.SETTINGS].by == "pair"


def test_training_uses_the_chosen_hold_out() -> None:
    user = "a-user-who-holds-out-entries"
    app = open_page(TRAIN, user, data="airports", by="entry", rank="2", lam="1", train="0.5", methods="Degree")
    run = job_of(user, app, "Train").result
    assert run.spec.split.by == "entry"
    assert set(run.scores["held_out"]) == {"entry"}


@pytest.mark.parametrize("page", [TRAIN, COMPARE, "pages/5_Network.py", "app.py"])
@pytest.mark.parametrize("by", ["auto", "entry"])
def test_pages_with_scores_say_what_was_held_out(page: str, by: str) -> None:
    app = open_page(page, with_flights(by), data="airports", relation="flights")
    assert not app.exception
    assert not app.error
    sentences = {way: describe_split(mrwtd.load_dataset("airports"), way) for way in ("auto", "entry")}
    text = captions(app).replace("\\", "")
    assert [way for way, sentence in sentences.items() if sentence in text] == [by]


def test_a_run_is_opened_with_its_own_test_entries() -> None:
    (run,) = current_user.workspace_of(with_flights("entry")).runs()
    current_run.check(run)
    opened = current_run.open_run(run)
    assert opened.test == opened.data.split(train=0.5, seed=0, by="entry")[1]
    scores = mrwtd.evaluate(opened.models["Degree"], opened.test)
    stored = opened.scores[opened.scores["method"] == "Degree"]
    assert scores["value"].tolist() == pytest.approx(pd.to_numeric(stored["value"]).tolist(), nan_ok=True)


def test_a_restored_run_brings_back_its_hold_out() -> None:
    user = with_flights("entry")
    app = open_page(TRAIN, user, data="airports")
    app.session_state[keys.EXPANDERS] = {"history": True}
    app.run()
    next(button for button in app.sidebar.button if str(button.key).startswith("restore-")).click().run()
    assert app.session_state[keys.SETTINGS].by == "entry"


def test_the_stored_example_opens() -> None:
    app = open_page(COMPARE, data="aucs")
    assert not app.exception
    assert describe_split(mrwtd.load_dataset("aucs"), "entry") in captions(app)


@pytest.mark.parametrize("by", ["auto", "entry"])
def test_further_splits_hold_out_the_same(by: str, files: dict[str, pd.DataFrame], monkeypatch) -> None:
    monkeypatch.setattr(on_demand, "AT_ONCE", 600.0)
    query = {"compare.section": "table", "compare.splits": "5"}
    assert not open_page(COMPARE, with_flights(by), data="airports", **query).exception
    scores = files["scores-over-splits"]
    assert set(scores["by"]) == {by}
    assert set(scores.loc[scores["relation"] == "flights", "held_out"]) == {"pair" if by == "auto" else "entry"}


def test_the_comparison_of_two_runs_shows_their_hold_outs() -> None:
    user = with_flights("entry")
    space = current_user.workspace_of(user)
    (old,) = (run.id for run in space.runs())
    work = train(Settings("airports", **QUICK), mrwtd.load_dataset("airports"), "Airports", space)
    new = work(Job("another", "train", user, work)).id
    query = {"compare.section": "runs", "compare.a": old, "compare.b": new}
    app = open_page(COMPARE, user, data="airports", run=new, **query)
    assert app.table[0].value.loc["hold out"].tolist() == ["entry", "auto"]
    space.delete(new)


def test_the_table_of_relations_shows_the_reciprocity() -> None:
    app = open_page("pages/1_Data.py", data="airports")
    table = app.dataframe[0]
    data = mrwtd.load_dataset("airports")
    shown = pd.to_numeric(table.value["reciprocity"].str.replace("−", "-"))
    assert shown.tolist() == pytest.approx(data.describe()["reciprocity"].tolist(), abs=0.005, nan_ok=True)
    assert COLUMNS["reciprocity"] in json.loads(table.proto.columns)["reciprocity"]["help"]
