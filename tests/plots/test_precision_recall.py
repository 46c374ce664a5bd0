import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from mrwtd.baselines import METHODS
from mrwtd.plots.precision_recall import MAX_POINTS, operating_points, precision_recall, small_multiples


def curve(method: str = "CP", relation: str = "r", points: int = 50) -> pd.DataFrame:
    recall = np.linspace(0, 1, points)
    return pd.DataFrame(
        {"method": method, "relation": relation, "threshold": -recall, "precision": 1 - recall / 2, "recall": recall}
    )


def panels(names: list[str]) -> pd.DataFrame:
    return pd.DataFrame({"relation": names, "base_rate": 0.25, "label": "0.5"})


def named(figure: go.Figure, name: str) -> go.Scatter:
    return next(trace for trace in figure.data if trace.name == name)


def titles(figure: go.Figure) -> tuple[str, ...]:
    return next(trace.text for trace in figure.data if trace.mode == "text")


@pytest.mark.parametrize("dark", [False, True])
def test_every_method_has_a_line_with_its_score_and_guessing_is_the_base_rate(dark):
    both = pd.concat([curve("MrWTD"), curve("RESCAL")])
    figure = precision_recall(both, 0.3, {"MrWTD": 0.8, "RESCAL": 0.7}, {"MrWTD": (0.4, 0.9)}, dark=dark)
    assert [trace.name for trace in figure.data] == [
        "MrWTD  0.800",
        "RESCAL  0.700",
        "guessing  0.300",
        "at the threshold",
    ]
    assert set(figure.data[2].y) == {0.3}
    assert (figure.data[3].x[0], figure.data[3].y[0]) == (0.4, 0.9)
    assert len({(trace.line.color, trace.line.dash) for trace in figure.data[:3]}) == 3


def test_lines_are_steps_whose_area_is_the_score():
    steps = pd.DataFrame({"method": "CP", "relation": "r", "threshold": [9, 0], "precision": [1, 0.2]}).assign(
        recall=[0, 1]
    )
    assert precision_recall(steps, 0.2, {}, {}).data[0].line.shape == "vh"
    assert named(small_multiples(steps, panels(["r"])), "CP").line.shape == "vh"


def test_panels_do_not_touch_each_other():
    names = [f"r{index}" for index in range(23)]
    curves = pd.concat([curve(relation=name) for name in names])
    trace = named(small_multiples(curves, panels(names), columns=6), "CP")
    x, y = np.asarray(trace.x), np.asarray(trace.y)
    ends = np.flatnonzero(np.isnan(x))
    assert ends.size == 23
    boxes = [
        (x[part].min(), x[part].max(), y[part].min(), y[part].max())
        for part in np.split(np.arange(x.size), ends)
        for part in [part[~np.isnan(x[part])]]
        if part.size
    ]
    assert len(boxes) == 23
    for panel, (left, right, low, high) in enumerate(boxes):
        assert right - left == pytest.approx(1, abs=1e-5)
        for other_left, other_right, other_low, other_high in boxes[:panel]:
            assert right < other_left or other_right < left or high < other_low or other_high < low


def test_many_panels_share_one_pair_of_axes_and_few_points():
    names = [f"r{index}" for index in range(40)]
    curves = pd.concat([curve(method, name, 1_000) for method in ("MrWTD", "CP", "BPTF") for name in names])
    figure = small_multiples(curves, panels(names), ("CP", dict.fromkeys(names, (0.5, 0.75))), columns=8)
    assert len(figure.data) == 3 + 2 + 2
    lines = [named(figure, method) for method in ("MrWTD", "CP", "BPTF")]
    assert sum(np.isfinite(trace.x).sum() for trace in lines) <= MAX_POINTS + 3 * 40
    assert len(titles(figure)) == 40
    assert len([name for name in figure.layout.to_plotly_json() if name.startswith("xaxis")]) == 1


def test_hover_shows_recall_and_precision():
    names = [f"r{index}" for index in range(5)]
    figure = small_multiples(pd.concat([curve(relation=name) for name in names]), panels(names), columns=2)
    trace = named(figure, "CP")
    values = np.asarray(trace.customdata)
    values = values[~np.isnan(values[:, 0])]
    assert values.min() == 0
    assert values.max() == 1
    assert values[:, 1] == pytest.approx(1 - values[:, 0] / 2, abs=1e-6)


def test_panels_have_their_point_and_base_rate():
    figure = small_multiples(
        pd.concat([curve(relation="a"), curve(relation="b")]), panels(["a", "b"]), ("CP", {"a": (0.5, 0.6)}), columns=2
    )
    assert (named(figure, "at the threshold").x, named(figure, "at the threshold").y) == ((0.5,), (0.6,))
    assert named(figure, "at the threshold").cliponaxis is False
    line = named(figure, "guessing")
    assert [round(y, 2) for y in line.y if not np.isnan(y)] == [0.25] * 4


def test_a_panel_without_a_curve_is_empty_and_names_are_escaped():
    figure = small_multiples(curve(relation="<b>x"), panels(["<b>x", "none"]))
    texts = titles(figure)
    assert texts[0].startswith("&lt;b&gt;x")
    assert texts[1].startswith("none")


def test_long_names_are_truncated_in_narrow_panels():
    names = [f"a very long name of a relation {index}" for index in range(8)]
    wide, narrow = (small_multiples(curve(relation=names[0]), panels(names), columns=n) for n in (4, 8))
    assert len(titles(narrow)[0]) < len(titles(wide)[0])


def test_names_that_truncate_to_the_same_text_keep_their_ends():
    names = ["conceptual_part_of", "conceptually_related_to", "developmental_form_of", "isa", *"abcd"]
    figure = small_multiples(curve(relation="isa"), panels(names), columns=8)
    shown = [text.split("  <b>")[0] for text in titles(figure)]
    assert len(set(shown)) == 8
    assert shown[0].endswith("of")
    assert shown[1].endswith("to")
    assert shown[2:4] == ["developme…", "isa"]
    assert max(map(len, shown)) <= 10


@pytest.mark.parametrize("dark", [False, True])
def test_lines_of_a_small_panel_are_distinct_and_have_short_dashes(dark):
    figure = small_multiples(pd.concat([curve(method) for method in METHODS]), panels(["r"]), dark=dark)
    lines = [named(figure, name).line for name in (*METHODS, "guessing")]
    assert len({(line.color, line.dash) for line in lines}) == len(lines)
    assert [line.color for line in lines].count(lines[-1].color) == 1
    for line in lines:
        assert line.dash == "solid" or all(int(part.removesuffix("px")) < 10 for part in line.dash.split(","))


def test_a_thinned_curve_falls_as_deep_as_the_full_one():
    # Ten ties: at each recall the precision decreases from its maximum to its minimum in many steps.
    recall = np.repeat(np.arange(1, 11) / 10, 400)
    fall = np.tile(np.linspace(0.9, 0.2, 400), 10)
    steps = pd.DataFrame({"method": "CP", "relation": "r", "threshold": -recall, "precision": fall, "recall": recall})
    names = [f"r{index}" for index in range(20)]
    drawn = named(small_multiples(pd.concat([steps.assign(relation=name) for name in names]), panels(names)), "CP")
    points = np.asarray(drawn.customdata)
    assert len(points) <= MAX_POINTS + 40
    for place in np.unique(recall):
        index = points[np.isclose(points[:, 0], place), 1]
        assert (index.min(), index.max()) == pytest.approx((0.2, 0.9))


def test_each_method_has_its_point() -> None:
    curves = pd.DataFrame({"method": "CP", "threshold": [1.0, 0.0], "precision": [1.0, 0.5], "recall": [0.5, 1.0]})
    both = pd.concat([curves, curves.assign(method="BTF")])
    figure = operating_points(both, 0.5, {"CP": 0.7, "BTF": 0.7}, {"CP": (0.5, 1.0), "BTF": (1.0, 0.5)}, dark=True)
    points = [(trace.x[0], trace.y[0]) for trace in figure.data if trace.mode == "markers"]
    assert points == [(0.5, 1.0), (1.0, 0.5)]
