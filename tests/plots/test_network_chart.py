import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

from mrwtd.analysis.edges import OUTCOMES
from mrwtd.plots.network_chart import MAX_LABELS, STROKES, NetworkChart, network, outcome_layers, relation_layers
from mrwtd.plots.network_series import ICONS, Panel

PLACES = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
NAMES = ["ann", "bob", "cat", "<b>dan</b>"]
EDGES = pd.DataFrame(
    {"i": [0, 1, 2, 3], "j": [1, 2, 3, 0], "score": 1.0, "outcome": ["hit", "missed", "hit", "unchecked"]}
)


def picture(panels: int = 1, **options: object) -> NetworkChart:
    layers = outcome_layers(EDGES, [f"edge {index}" for index in range(4)])
    return network(
        [Panel(f"method {index}", layers) for index in range(panels)], PLACES, np.arange(4), NAMES, **options
    )


def series(drawn: NetworkChart, kind: str) -> list[dict[str, object]]:
    return [item for item in drawn.option["baseOption"]["series"] if item["type"] == kind]


def test_every_outcome_has_its_own_style() -> None:
    assert set(STROKES) == set(OUTCOMES)
    looks = {(stroke.light, stroke.dash) for stroke in STROKES.values()}
    assert len(looks) == len(OUTCOMES)
    assert {stroke.dash for stroke in STROKES.values()} <= set(ICONS)


def test_edges_are_in_the_layer_of_their_outcome() -> None:
    lines = {layer["name"]: layer["data"] for layer in series(picture(), "lines")}
    assert [edge["name"] for edge in lines["hit"]] == ["edge 0", "edge 2"]
    assert lines["missed"][0]["coords"] == [[1.0, 0.0], [1.0, 1.0]]
    assert lines["false alarm"] == []


def test_items_map_to_pairs_and_objects() -> None:
    drawn = picture(panels=2)
    for number in range(2):
        for level, layer in enumerate(outcome_layers(EDGES, [""] * 4)):
            for index, ends in enumerate(zip(layer.i, layer.j, strict=True)):
                assert drawn.item(f"edges-{number}-{level}", index) == tuple(ends)
        assert drawn.item(f"nodes-{number}", 2) == (2,)
    assert drawn.item("nodes-0", 99) == drawn.item("elsewhere", 0) == ()


def test_clickable_series_have_items() -> None:
    drawn = picture(panels=2, chosen=(0, 2))
    clickable = {item["id"] for item in drawn.option["baseOption"]["series"] if item.get("selectedMode")}
    assert clickable == set(drawn.items)


def test_panels_share_positions_zoom_and_legend() -> None:
    base = picture(panels=2).option["baseOption"]
    first, second = series(picture(panels=2), "scatter")
    assert first["data"] == second["data"]
    assert all(sorted(zoom.get("xAxisIndex", zoom.get("yAxisIndex"))) == [0, 1] for zoom in base["dataZoom"])
    for axes in ("xAxis", "yAxis"):
        assert {(axis["min"], axis["max"]) for axis in base[axes]} == {(base[axes][0]["min"], base[axes][0]["max"])}
    assert [entry["name"] for entry in base["legend"]["data"]] == ["hit", "false alarm", "unchecked", "missed", "known"]
    assert [title["text"] for title in base["title"]] == ["method 0", "method 1"]


def test_panels_are_stacked_on_narrow_screens() -> None:
    (narrow,) = picture(panels=2).option["media"]
    tops = [float(grid["top"].rstrip("%")) for grid in narrow["option"]["grid"]]
    heights = [float(grid["height"].rstrip("%")) for grid in narrow["option"]["grid"]]
    assert all(below >= top + height for (top, below), height in zip(pairwise(tops), heights, strict=False))
    assert tops[-1] + heights[-1] <= 100


def test_only_the_given_nodes_are_drawn_and_fill_the_frame() -> None:
    layers = outcome_layers(EDGES.iloc[:1], [""])
    drawn = network([Panel("m", layers)], PLACES, np.array([0, 1]), NAMES)
    (nodes,) = series(drawn, "scatter")
    assert [node["name"] for node in nodes["data"]] == ["ann", "bob"]
    base = drawn.option["baseOption"]
    assert base["yAxis"][0]["max"] < 0.5


def test_arrows_stop_before_their_node() -> None:
    layers = outcome_layers(EDGES, [""] * 4)
    directed = network([Panel("m", layers, directed=True)], PLACES, np.arange(4), NAMES)
    hit = next(layer for layer in series(directed, "lines") if layer["name"] == "hit")
    begin, end = hit["data"][0]["coords"]
    assert begin == [0.0, 0.0]
    assert 0.9 < end[0] < 1.0
    assert "arrow" in hit["symbol"]
    assert hit["lineStyle"]["curveness"] > 0  # otherwise the reverse edge would cover it


@pytest.mark.parametrize("dark", [False, True])
def test_options_are_json(dark: bool) -> None:
    drawn = picture(panels=2, dark=dark, marked=[1], chosen=(0, 1))
    assert json.loads(json.dumps(drawn.option)) == drawn.option


def test_names_are_written_if_few_or_if_requested() -> None:
    def written(n: int, labels: bool | None) -> bool:
        (nodes,) = series(
            network([Panel("m", [])], np.zeros((n, 2)), np.arange(n), ["x"] * n, labels=labels), "scatter"
        )
        return bool(nodes["label"]["show"])

    assert [written(5, None), written(MAX_LABELS + 1, None)] == [True, False]
    assert [written(5, False), written(MAX_LABELS + 1, True)] == [False, True]


def test_a_marked_node_is_always_named() -> None:
    (nodes,) = series(picture(marked=[2], labels=False), "scatter")
    assert [node.get("label", {}).get("show", False) for node in nodes["data"]] == [False, False, True, False]


def test_relations_have_colours_and_outcomes_dashes() -> None:
    first, second = (relation_layers(f"r{index}", index, EDGES, [""] * 4) for index in range(2))
    assert {layer.name for layer in first} == {"r0"}
    assert len({layer.stroke.light for layer in first}) == 1
    assert first[0].stroke.light != second[0].stroke.light
    counts = {layer.stroke.dash: len(layer.i) for layer in first}
    assert counts == {"solid": 0, "dotted": 1, "dashed": 3}


def test_an_empty_network_can_be_drawn() -> None:
    drawn = network([Panel("m", outcome_layers(EDGES.iloc[:0], []))], PLACES, np.zeros(0, dtype=int), NAMES)
    assert json.dumps(drawn.option)
