"""The Network page without a browser."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mrwtd.dashboard.pages.network import picture as network_picture
from mrwtd.dashboard.state import keys
from mrwtd.dashboard.widgets import pickers
from mrwtd.plots.network_chart import NetworkChart
from tests.dashboard.pages.opening import open_page, open_trained

PAGE = "pages/5_Network.py"


def views(at) -> dict[str, str]:
    return dict(at.session_state[keys.SETTINGS].views)


def option(at) -> dict:
    (chart,) = at.get("echarts_chart")
    return json.loads(chart.proto.spec)["baseOption"]


def edges(at) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in option(at)["series"]:
        if one["id"].startswith("edges"):
            found[one["name"]] = found.get(one["name"], 0) + len(one["data"])
    return found


def words(at) -> str:
    return " ".join(element.value for element in (*at.markdown, *at.caption))


def test_without_a_run_there_is_a_sentence_and_a_button() -> None:
    at = open_page(PAGE, "a-visitor-without-a-run-1", data="florentine")
    assert not at.exception
    assert [title.value for title in at.title] == ["Network"]
    assert len(at.info) == 1
    assert "Train" in " ".join(button.label for button in at.button)


def test_with_a_run_it_draws_every_outcome_and_tells_how_many() -> None:
    at = open_trained(PAGE)
    assert not at.exception
    assert not at.error
    found = edges(at)
    assert list(found) == ["known", "missed", "unchecked", "false alarm", "hit"]
    said = words(at).replace("hits", "hit").replace("alarms", "alarm")
    assert f"{found['hit']} hit, {found['false alarm']} false alarm, {found['missed']} missed" in said
    assert found["unchecked"] == 0  # this data set answers every pair
    assert "AUPRC, the area under the curve. Guessing: the share of ties." in words(at)
    assert {"Data (CSV)", "CSV", "GraphML", "GEXF"} <= {button.label for button in at.get("download_button")}


def test_the_threshold_moves_edges_and_counts() -> None:
    at = open_trained(PAGE)
    slider = at.slider(key=keys.PICK + "network.threshold")
    before = edges(at)
    slider.set_value(slider.max).run()
    after = edges(at)
    assert after["hit"] == after["false alarm"] == 0
    assert after["missed"] == before["missed"] + before["hit"]
    assert after["known"] == before["known"]
    assert "0 hits, 0 false alarms" in words(at)
    assert views(at)["network.threshold"] == str(slider.max)


def test_two_methods_stand_side_by_side_on_one_layout() -> None:
    at = open_trained(PAGE, **{"network.second": "RESCAL"})
    assert not at.exception
    nodes = [one["data"] for one in option(at)["series"] if one["type"] == "scatter"]
    assert len(nodes) == 2
    assert nodes[0] == nodes[1]
    assert [title["text"] for title in option(at)["title"]] == ["MrWTD", "RESCAL"]
    assert "**RESCAL**" in words(at)


def test_around_an_object_and_back() -> None:
    at = open_trained(PAGE, **{"network.object": "Medici"})
    nodes = {node["name"] for one in option(at)["series"] if one["type"] == "scatter" for node in one["data"]}
    assert "Medici" in nodes
    assert len(nodes) < 15
    next(button for button in at.button if button.label == "Whole network").click().run()
    assert "network.object" not in views(at)
    (all_nodes,) = (one["data"] for one in option(at)["series"] if one["type"] == "scatter")
    assert len(all_nodes) == 15


def test_many_objects_are_searched_by_typing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pickers, "MOST_LISTED", 3)
    at = open_trained(PAGE)
    box = at.text_input(key=keys.PICK + "network.object")
    box.set_value("medi").run()
    assert "**Medici** and what is" in words(at)
    box.set_value("al").run()
    assert "More than one name" in words(at)
    box.set_value("Borgia").run()
    assert "No object has such a name" in words(at)
    assert not at.exception


def test_a_group_takes_the_place_of_the_object_before_and_yields_to_the_next() -> None:
    at = open_trained(PAGE, **{"network.group": "Medici|Pazzi", "network.object": "Peruzzi"})
    assert "A group of 2" in words(at)
    at.selectbox(key=keys.PICK + "network.object").set_value("Albizzi").run()
    assert "**Albizzi** and what is" in words(at)
    next(button for button in at.button if button.label == "The group").click().run()
    assert "A group of 2" in words(at)


def test_a_group_from_another_page_is_shown_and_cleared() -> None:
    at = open_trained(PAGE, **{"network.group": "Medici|Pazzi|Nobody"})
    assert "A group of 2" in words(at)
    marked = [
        node["name"]
        for one in option(at)["series"]
        if one["type"] == "scatter"
        for node in one["data"]
        if "itemStyle" in node
    ]
    assert sorted(marked) == ["Medici", "Pazzi"]
    next(button for button in at.button if button.label == "Clear the group").click().run()
    assert "network.group" not in views(at)


def test_an_edge_is_explained() -> None:
    at = open_trained(PAGE, **{"network.edge": "0,8"})
    assert not at.exception
    assert [own.value for own in at.subheader] == ["Why Acciaiuoli – Medici?"]
    assert "**Score" in words(at)
    (known,) = (table.value for table in at.dataframe if "weighs" in table.value.columns)
    assert set(known["of"]) == {"Acciaiuoli", "Medici"}
    next(button for button in at.button if button.label == "Close").click().run()
    assert not at.subheader


def test_methods_without_factors_say_that_they_give_no_reasons() -> None:
    at = open_trained(PAGE, method="Degree", **{"network.edge": "0,8"})
    assert not at.exception
    assert "MrWTD" in at.info[0].value


def test_relations_are_overlaid_in_colours() -> None:
    at = open_trained(PAGE, relation="marriage", **{"network.overlay": "business"})
    assert not at.exception
    assert set(edges(at)) == {"marriage", "business"}
    assert all(count > 0 for count in edges(at).values())


@pytest.mark.parametrize("edge", ["", "x", "1", "1,99", "-1,2", "1,2,3"])
def test_spoiled_addresses_are_no_edge(edge: str) -> None:
    at = open_trained(PAGE, **{"network.edge": edge, "network.object": "nobody", "network.threshold": "much"})
    assert not at.exception
    assert not at.subheader
    assert len(at.get("echarts_chart")) == 1


def test_values_are_ties_from_where_the_visitor_says() -> None:
    few = open_trained(PAGE, "monastery", relation="esteem", **{"network.tie": "3 or more"})
    all_ = open_trained(PAGE, "monastery", relation="esteem")
    assert not few.exception
    assert 0 < edges(few)["known"] < edges(all_)["known"]


class Selected:
    """What Streamlit tells of a chart: all that is selected."""

    def __init__(self, **items: list[int]):
        groups = [{"series_id": name.replace("_", "-"), "data_indices": own} for name, own in items.items()]
        self.selection = type("Selection", (), {"selected": groups})


def test_of_all_that_is_selected_the_new_one_was_clicked(monkeypatch: pytest.MonkeyPatch) -> None:
    clicks = network_picture.Clicks("chart", "edges")
    state: dict[str, object] = {keys.CLICKED: clicks}
    changes: list[dict[str, str]] = []
    monkeypatch.setattr(network_picture.st, "session_state", state)
    monkeypatch.setattr(network_picture.session, "change", lambda **change: changes.append(change))
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
        network_picture._clicked(drawn, ("a", "b", "c", "d"))
    assert changes == [
        {"network.edge": "1,2"},
        {"network.edge": "2,3"},
        {"network.edge": "0,1"},
        {"network.object": "d", "network.edge": ""},
    ]


def test_a_chart_with_a_selection_is_replaced_when_its_edges_change() -> None:
    at = open_trained(PAGE)
    slider = at.slider(key=keys.PICK + "network.threshold")
    first = at.session_state[keys.CLICKED]
    slider.set_value(slider.max).run()
    assert at.session_state[keys.CLICKED].key == first.key  # nothing was selected: the zoom may stay
    at.session_state[keys.CLICKED] = replace(at.session_state[keys.CLICKED], selected=frozenset({("edges-0-0", 0)}))
    slider.set_value(slider.min).run()
    assert at.session_state[keys.CLICKED].key != first.key
    assert not at.session_state[keys.CLICKED].selected


def test_the_curve_has_its_data_and_the_legend_its_words(files: dict[str, pd.DataFrame]) -> None:
    at = open_trained(PAGE, **{"network.second": "RESCAL"})
    assert not at.exception
    curve = files["network-curve"]
    assert list(curve["method"].unique()) == ["MrWTD", "RESCAL"]
    assert curve["precision"].between(0, 1).all()
    assert curve["recall"].between(0, 1).all()
