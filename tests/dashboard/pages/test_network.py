"""The Network page without a browser."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mrwtd.dashboard.pages.network import network_texts, picture
from mrwtd.dashboard.state import keys
from mrwtd.dashboard.widgets import pickers
from mrwtd.plots.network_chart import NetworkChart
from tests.dashboard.pages.open_pages import open_page, open_trained, slider_ends

PAGE = "pages/5_Network.py"


def views(app) -> dict[str, str]:
    return dict(app.session_state[keys.SETTINGS].views)


def option(app) -> dict:
    (chart,) = app.get("echarts_chart")
    return json.loads(chart.proto.spec)["baseOption"]


def edge_counts(app) -> dict[str, int]:
    counts: dict[str, int] = {}
    for series in option(app)["series"]:
        if series["id"].startswith("edges"):
            counts[series["name"]] = counts.get(series["name"], 0) + len(series["data"])
    return counts


def texts(app) -> str:
    return " ".join(element.value for element in (*app.markdown, *app.caption))


def test_without_a_run_the_page_offers_training() -> None:
    app = open_page(PAGE, "a-user-without-runs-1", data="florentine")
    assert not app.exception
    assert [title.value for title in app.title] == ["Network"]
    assert len(app.info) == 1
    assert "Train" in " ".join(button.label for button in app.button)


def test_every_outcome_is_drawn_and_counted() -> None:
    app = open_trained(PAGE)
    assert not app.exception
    assert not app.error
    counts = edge_counts(app)
    assert list(counts) == ["known", "missed", "unchecked", "false alarm", "hit"]
    assert f"Hits: {counts['hit']}, false alarms: {counts['false alarm']}, missed: {counts['missed']};" in texts(app)
    assert counts["unchecked"] == 0  # every pair of this data set is known
    assert network_texts.CURVE_CAPTION in texts(app)
    assert {"Data (CSV)", "CSV", "GraphML", "GEXF"} <= {button.label for button in app.get("download_button")}


def test_the_threshold_moves_edges_and_counts() -> None:
    app = open_trained(PAGE)
    slider = app.select_slider(key=keys.PICK + "network.threshold")
    _, high = slider_ends(slider)
    before = edge_counts(app)
    slider.set_value(high).run()
    after = edge_counts(app)
    assert after["hit"] == after["false alarm"] == 0
    assert after["missed"] == before["missed"] + before["hit"]
    assert after["known"] == before["known"]
    assert "Hits: 0, false alarms: 0" in texts(app)
    assert views(app)["network.threshold"] == str(high)


def test_two_methods_share_one_layout() -> None:
    app = open_trained(PAGE, **{"network.second": "RESCAL"})
    assert not app.exception
    nodes = [series["data"] for series in option(app)["series"] if series["type"] == "scatter"]
    assert len(nodes) == 2
    assert nodes[0] == nodes[1]
    assert [title["text"] for title in option(app)["title"]] == ["MrWTD", "RESCAL"]
    assert "**RESCAL.**" in texts(app)


def test_the_neighbourhood_of_an_object_and_back() -> None:
    app = open_trained(PAGE, **{"network.object": "Medici"})
    nodes = {node["name"] for series in option(app)["series"] if series["type"] == "scatter" for node in series["data"]}
    assert "Medici" in nodes
    assert len(nodes) < 15
    next(button for button in app.button if button.label == "Whole network").click().run()
    assert "network.object" not in views(app)
    (all_nodes,) = (series["data"] for series in option(app)["series"] if series["type"] == "scatter")
    assert len(all_nodes) == 15


def test_many_objects_are_searched_by_typing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickers, "MOST_LISTED", 3)
    app = open_trained(PAGE)
    box = app.text_input(key=keys.PICK + "network.object")
    box.set_value("medi").run()
    assert "**Medici** and its neighbours" in texts(app)
    box.set_value("al").run()
    assert "More than one name" in texts(app)
    box.set_value("Borgia").run()
    assert "No object has such a name" in texts(app)
    assert not app.exception


def test_a_group_replaces_the_previous_object_and_is_replaced_by_the_next() -> None:
    app = open_trained(PAGE, **{"network.group": "Medici|Pazzi", "network.object": "Peruzzi"})
    assert "A group of 2" in texts(app)
    app.selectbox(key=keys.PICK + "network.object").set_value("Albizzi").run()
    assert "**Albizzi** and its neighbours" in texts(app)
    next(button for button in app.button if button.label == "The group").click().run()
    assert "A group of 2" in texts(app)


def test_a_group_from_another_page_is_shown_and_cleared() -> None:
    app = open_trained(PAGE, **{"network.group": "Medici|Pazzi|Nobody"})
    assert "A group of 2" in texts(app)
    marked = [
        node["name"]
        for series in option(app)["series"]
        if series["type"] == "scatter"
        for node in series["data"]
        if "itemStyle" in node
    ]
    assert sorted(marked) == ["Medici", "Pazzi"]
    next(button for button in app.button if button.label == "Clear the group").click().run()
    assert "network.group" not in views(app)


def test_an_edge_is_explained() -> None:
    app = open_trained(PAGE, **{"network.edge": "0,8"})
    assert not app.exception
    assert [heading.value for heading in app.subheader] == ["Why Acciaiuoli – Medici?"]
    assert "**Score" in texts(app)
    (known,) = (table.value for table in app.dataframe if "influence" in table.value.columns)
    assert set(known["acts on"]) == {"Acciaiuoli", "Medici"}
    next(button for button in app.button if button.label == "Close").click().run()
    assert not app.subheader


def test_methods_without_factors_have_no_explanation() -> None:
    app = open_trained(PAGE, method="Degree", **{"network.edge": "0,8"})
    assert not app.exception
    assert "MrWTD" in app.info[0].value


def test_relations_are_overlaid_in_colours() -> None:
    app = open_trained(PAGE, relation="marriage", **{"network.overlay": "business"})
    assert not app.exception
    assert set(edge_counts(app)) == {"marriage", "business"}
    assert all(count > 0 for count in edge_counts(app).values())


@pytest.mark.parametrize("edge", ["", "x", "1", "1,99", "-1,2", "1,2,3"])
def test_invalid_urls_select_no_edge(edge: str) -> None:
    app = open_trained(PAGE, **{"network.edge": edge, "network.object": "nobody", "network.threshold": "much"})
    assert not app.exception
    assert not app.subheader
    assert len(app.get("echarts_chart")) == 1


def test_values_are_ties_from_the_chosen_value_on() -> None:
    few = open_trained(PAGE, "monastery", relation="esteem", **{"network.tie": "3 or more"})
    all_ = open_trained(PAGE, "monastery", relation="esteem")
    assert not few.exception
    assert 0 < edge_counts(few)["known"] < edge_counts(all_)["known"]


class Selected:
    """The selection of a chart as Streamlit reports it."""

    def __init__(self, **items: list[int]):
        groups = [{"series_id": name.replace("_", "-"), "data_indices": indices} for name, indices in items.items()]
        self.selection = type("Selection", (), {"selected": groups})


def test_the_newly_selected_item_is_the_clicked_one(monkeypatch: pytest.MonkeyPatch) -> None:
    clicks = picture.Clicks("chart", "edges")
    state: dict[str, object] = {keys.CLICKED: clicks}
    changes: list[dict[str, str]] = []
    monkeypatch.setattr(picture.st, "session_state", state)
    monkeypatch.setattr(picture.session, "change", lambda **change: changes.append(change))
    items = {"edges-0-0": np.array([[0, 1], [1, 2]]), "edges-0-1": np.array([[2, 3]]), "nodes-0": np.array([[0], [3]])}
    drawn = NetworkChart({}, items)
    for selected in (
        Selected(edges_0_0=[1]),
        Selected(edges_0_0=[1], edges_0_1=[0]),
        Selected(edges_0_0=[0], edges_0_1=[0]),
        Selected(edges_0_1=[0]),
        Selected(edges_0_1=[0], nodes_0=[1]),
    ):
        state[clicks.key] = selected
        picture._clicked(drawn, ("a", "b", "c", "d"))
    assert changes == [
        {"network.edge": "1,2"},
        {"network.edge": "2,3"},
        {"network.edge": "0,1"},
        {"network.object": "d", "network.edge": ""},
    ]


def test_a_chart_with_a_selection_is_replaced_when_its_edges_change() -> None:
    app = open_trained(PAGE)
    slider = app.select_slider(key=keys.PICK + "network.threshold")
    low, high = slider_ends(slider)
    first = app.session_state[keys.CLICKED]
    slider.set_value(high).run()
    assert app.session_state[keys.CLICKED].key == first.key  # nothing was selected, so the zoom can stay
    app.session_state[keys.CLICKED] = replace(app.session_state[keys.CLICKED], selected=frozenset({("edges-0-0", 0)}))
    slider.set_value(low).run()
    assert app.session_state[keys.CLICKED].key != first.key
    assert not app.session_state[keys.CLICKED].selected


def test_the_curve_has_its_data(files: dict[str, pd.DataFrame]) -> None:
    app = open_trained(PAGE, **{"network.second": "RESCAL"})
    assert not app.exception
    curve = files["network-curve"]
    assert list(curve["method"].unique()) == ["MrWTD", "RESCAL"]
    assert curve["precision"].between(0, 1).all()
    assert curve["recall"].between(0, 1).all()
