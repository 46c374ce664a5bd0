"""Pages with two-mode data: only pairs that can exist are shown, offered and predicted."""

import json
from functools import cache

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from mrwtd import Relation, RelationalData
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.open_pages import QUICK, open_page

WOMEN = tuple(f"woman {letter}" for letter in "abcdefgh")
EVENTS = tuple(f"event {number}" for number in range(1, 6))
NETWORK, PREDICT = "pages/5_Network.py", "pages/6_Predict.py"


@cache
def with_two_mode_run() -> tuple[str, str]:
    """The id of a user with a run on women, the events that they attend and their friends, and the name of the data."""
    rng = np.random.default_rng(0)
    attends = [(i, len(WOMEN) + j, 0) for i in range(len(WOMEN)) for j in range(len(EVENTS))]
    friends = [(i, j, 1) for i in range(len(WOMEN)) for j in range(i)]
    known = np.array([*attends, *friends])[rng.random(len(attends) + len(friends)) < 0.9]
    data = RelationalData(
        WOMEN + EVENTS,
        [
            Relation("attends", "binary", True, types=("woman", "event")),
            Relation("friends", "binary", False, types=("woman", "woman")),
        ],
        *known.T,
        rng.choice([-1, 1], len(known)),
        object_types=["woman"] * len(WOMEN) + ["event"] * len(EVENTS),
    )
    user = "a-user-with-two-mode-data"
    space = current_user.workspace_of(user)
    info = {"file": "visits.csv", "how": {}, "notes": [], "called": "visits.csv"}
    name = UPLOAD_PREFIX + space.save_dataset(data, info)
    work = train(Settings(name, **QUICK), data, "Visits", space)
    assert work(Job("training", "train", user, work)) is not None
    return user, name


def open_two_mode(page: str, relation: str = "attends", **query: str) -> AppTest:
    user, name = with_two_mode_run()
    app = open_page(page, user, data=name, relation=relation, **query)
    assert not app.exception
    assert not app.error
    return app


def texts(app: AppTest) -> str:
    return " ".join(element.value for element in (*app.markdown, *app.caption, *app.info))


def table(app: AppTest, column: str):
    (frame,) = (table.value for table in app.dataframe if column in table.value.columns)
    return frame


def menu(app: AppTest, setting: str):
    return app.selectbox(key=keys.PICK + setting)


def drawn(app: AppTest, key: str) -> list:
    """The edges or the nodes in the picture of the network."""
    (chart,) = app.get("echarts_chart")
    option = json.loads(chart.proto.spec)["baseOption"]
    return [item for series in option["series"] if series["id"].startswith(key) for item in series["data"]]


def test_the_data_page_states_types_and_draws_the_block() -> None:
    app = open_two_mode("pages/1_Data.py")
    assert table(app, "connects")["connects"].tolist() == ["woman → event", "woman – woman"]
    assert "woman (8) and event (5)" in texts(app)
    (figure,) = (json.loads(chart.proto.spec) for chart in app.get("plotly_chart"))
    heatmap = next(trace for trace in figure["data"] if trace["type"] == "heatmap")
    assert sorted(heatmap["y"]) == sorted(WOMEN)
    assert sorted(heatmap["x"]) == sorted(EVENTS)


def test_the_train_page_does_not_mention_reverse_pairs() -> None:
    app = open_two_mode("pages/2_Train.py")
    assert "held out as a whole" in texts(app)
    assert "reverse" not in texts(app)


@pytest.mark.parametrize("method", ["MrWTD", "Degree"])
def test_the_network_has_possible_edges_only(method: str) -> None:
    app = open_two_mode(NETWORK, method=method, **{"network.threshold": "-1000"})
    assert 0 < len(drawn(app, "edges")) <= len(WOMEN) * len(EVENTS)
    assert {node["symbol"] for node in drawn(app, "nodes") if node["name"] in EVENTS} == {"rect"}
    assert {node["symbol"] for node in drawn(app, "nodes") if node["name"] in WOMEN} == {"circle"}
    assert "Circles: woman. Squares: event." in texts(app)


@pytest.mark.parametrize(("edge", "title"), [("0,8", "a → event 1"), ("8,0", "a → event 1"), ("0,1", ""), ("3,3", "")])
def test_edges_in_links_are_explained_if_they_are_possible(edge: str, title: str) -> None:
    app = open_two_mode(NETWORK, **{"network.edge": edge})
    assert [title in subheader.value for subheader in app.subheader] == ([True] if title else [])


def test_menus_have_the_objects_that_the_relation_connects() -> None:
    app = open_two_mode(PREDICT)
    assert tuple(menu(app, "predict.source").options) == WOMEN
    assert tuple(menu(app, "predict.target").options) == EVENTS
    assert menu(app, "predict.target").label == "To (event)"
    assert table(app, "known")["relation"].tolist() == ["attends"]
    assert "Swap" not in [button.label for button in app.button]
    menu(app, "relation").select("friends").run()
    assert tuple(menu(app, "predict.target").options) == WOMEN
    assert menu(app, "predict.source").value != menu(app, "predict.target").value
    assert table(app, "known")["relation"].tolist() == ["friends"]


def test_an_impossible_pair_in_a_link_is_replaced() -> None:
    app = open_two_mode(PREDICT, **{"predict.source": EVENTS[0], "predict.target": EVENTS[1]})
    assert menu(app, "predict.source").value in WOMEN
    assert menu(app, "predict.target").value == EVENTS[1]


def test_best_unknown_pairs_are_possible() -> None:
    rows = table(open_two_mode(PREDICT, **{"predict.view": "Best unknown pairs"}), "score")
    assert set(rows["from"]) <= set(WOMEN)
    assert set(rows["to"]) <= set(EVENTS)


def test_a_new_object_has_the_chosen_type() -> None:
    app = open_two_mode(PREDICT, **{"predict.view": "A new object"})
    assert menu(app, "predict.type").value == "woman"
    assert set(table(app, "trust")["with"]) == set(EVENTS)
    menu(app, "predict.type").select("event").run()
    assert not app.exception
    assert set(table(app, "trust")["with"]) == set(WOMEN)
    assert "predicted for" in texts(app)
    menu(app, "relation").select("friends").run()
    assert "connects woman to woman" in texts(app)


def test_rows_of_a_new_object_determine_its_type_and_must_be_possible() -> None:
    rows = json.dumps([["attends", WOMEN[0], 1.0, 1], ["friends", WOMEN[1], 1.0, 1]])
    app = open_two_mode(PREDICT, **{"predict.view": "A new object", "predict.new": rows})
    assert menu(app, "predict.type").value == "event"
    assert f"ignored: friends, {WOMEN[1]}" in texts(app)
    assert set(table(app, "trust")["with"]) == set(WOMEN)
    assert app.session_state[keys.NEW_ENTRIES].kind == "event"
