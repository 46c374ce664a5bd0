"""Objects as points."""

import numpy as np
import plotly.graph_objects as go
import pytest

from mrwtd.plots import embedding_map as module
from mrwtd.plots.embedding_map import (
    MAX_CLASSES,
    MAX_SVG,
    UNKNOWN,
    Colouring,
    embedding,
    grouped,
    legend,
    point_table,
)


def draw(n: int, dimensions: int = 2, **options: object) -> go.Figure:
    points = np.random.default_rng(0).normal(size=(n, dimensions))
    colouring = options.pop("colouring", Colouring("team", classes=["x" if index % 2 else "y" for index in range(n)]))
    names = options.pop("objects", [f"o{index}" for index in range(n)])
    return embedding(points, [f"axis {index}" for index in range(dimensions)], names, colouring, **options)


def positions(figure: go.Figure) -> list[int]:
    return sorted(int(data[0]) for trace in figure.data if trace.customdata is not None for data in trace.customdata)


@pytest.mark.parametrize(("n", "kind"), [(50, go.Scatter), (MAX_SVG + 1, go.Scattergl)])
@pytest.mark.parametrize("numbers", [False, True])
def test_every_object_is_drawn_once_with_its_index(n: int, kind: type, numbers: bool) -> None:
    values = np.where(np.arange(n) % 7, np.arange(n), np.nan)
    options = {"colouring": Colouring("age", numbers=values)} if numbers else {}
    figure = draw(n, **options)
    assert all(isinstance(trace, kind) for trace in figure.data)
    assert positions(figure) == list(range(n))


def test_points_have_the_coordinates_of_their_objects() -> None:
    points = np.random.default_rng(0).normal(size=(20, 2))
    for trace in draw(20).data:
        for x, y, data, name in zip(trace.x, trace.y, trace.customdata, trace.text, strict=True):
            assert [x, y] == points[data[0]].tolist()
            assert name == f"o{data[0]}"


def test_three_dimensions_are_a_scene() -> None:
    figure = draw(10, 3, marked=[1], picked=[2])
    assert all(isinstance(trace, go.Scatter3d) for trace in figure.data)
    assert figure.layout.scene.zaxis.title.text == "axis 2"


def test_names_with_tags_are_escaped() -> None:
    colouring = Colouring("<i>", classes=["<u>", "<u>"])
    figure = draw(2, objects=["<b>x", "y"], colouring=colouring, names=True, marked=[0])
    shown = figure.to_json()
    assert "<b>x" not in shown.replace("\\u003c", "<").replace("\\u003e", ">").replace("<b>&lt;b&gt;x", "")
    assert figure.data[0].text[0] == "&lt;b&gt;x"
    assert figure.data[0].name == "&lt;u&gt;"


def test_picked_objects_are_selected_in_every_trace() -> None:
    figure = draw(10, picked=[0, 2, 3])
    chosen = [trace.customdata[place][0] for trace in figure.data for place in trace.selectedpoints]
    assert sorted(chosen) == [0, 2, 3]
    assert all(trace.selectedpoints is None for trace in draw(10).data)


def test_marked_objects_have_a_ring_and_a_name() -> None:
    ring = draw(10, marked=[4]).data[-1]
    assert ring.text == ("<b>o4</b>",)
    assert ring.customdata is None


def test_larger_weights_give_larger_points() -> None:
    figure = draw(4, weights=np.array([0.0, 1.0, np.nan, 9.0]), colouring=Colouring("a", numbers=np.arange(4.0)))
    size = figure.data[0].marker.size
    assert size[0] == size[2] < size[1] < size[3]
    assert (
        len(set(draw(4, weights=np.zeros(4), colouring=Colouring("a", numbers=np.arange(4.0))).data[0].marker.size))
        == 1
    )


def test_small_classes_share_a_colour_and_large_ones_do_not() -> None:
    classes = [f"c{index % 30}" for index in range(300)] + [None]
    text, listed = grouped(classes)
    assert len(listed) == MAX_CLASSES + 1
    assert listed[-2:] == ["other", UNKNOWN]
    assert set(text) == set(listed)
    looks = [
        (colour, symbol) for name, colour, symbol in legend(Colouring("c", classes=classes)) if name in listed[:-2]
    ]
    assert len(set(looks)) == len(looks)


def test_the_shared_legend_matches_the_figure() -> None:
    colouring = Colouring("team", classes=["b", "a", "b", None])
    figure = draw(4, colouring=colouring)
    assert legend(colouring) == [(trace.name, trace.marker.color, trace.marker.symbol) for trace in figure.data]
    assert legend(Colouring("age", numbers=np.zeros(3))) == []


def test_limits_are_fixed_and_dark_figures_differ() -> None:
    figure = draw(5, limits=((-1.0, 1.0), (-2.0, 2.0)))
    assert list(figure.layout.yaxis.range) == [-2.0, 2.0]
    assert draw(5).to_json() != draw(5, dark=True).to_json()


def test_objects_without_values_are_drawn() -> None:
    figure = draw(3, colouring=Colouring("age", numbers=np.full(3, np.nan)))
    assert [trace.name for trace in figure.data] == [UNKNOWN]
    assert positions(figure) == [0, 1, 2]


def test_a_sample_of_many_objects_includes_the_marked_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_DRAWN", 30)
    for options in ({}, {"colouring": Colouring("age", numbers=np.arange(400.0))}):
        shown = positions(draw(400, picked=[3, 399], marked=[7], **options))
        assert 30 <= len(shown) <= 33
        assert {3, 7, 399} <= set(shown)


@pytest.mark.parametrize("title", ["age", "object", "axis 1"])
def test_the_table_has_coordinates_and_colour_of_every_object(title: str) -> None:
    points = np.array([[1.0, 2.0], [3.0, 4.0]])
    table = point_table(
        points, ("axis 1", "axis 2"), ("ann", "bob"), Colouring(title, numbers=np.array([30.0, np.nan]))
    )
    assert table["object"].tolist() == ["ann", "bob"]
    assert np.array_equal(table[["axis 1", "axis 2"]], points)
    assert table.iloc[0, 3] == 30.0
    assert table.columns[3].startswith(title)
