import numpy as np
import pandas as pd
import pytest

from mrwtd.analysis.loss_comparison import binary_losses
from mrwtd.evaluation.curves import Confusion
from mrwtd.plots.calibration import (
    MAX_POINTS,
    calibration,
    confusion_table,
    predicted_vs_true,
    score_distributions,
    shared_range,
)


@pytest.mark.parametrize("dark", [False, True])
def test_all_four_outcomes_are_shown(dark):
    figure = confusion_table(Confusion(hits=30, false_alarms=1_234, misses=70, rejections=8_766), dark=dark)
    words = " ".join(annotation.text for annotation in figure.layout.annotations)
    for text in ("30", "1,234", "70", "8,766", "hits", "missed", "false alarms", "30.0% of the row"):
        assert text in words


def test_calibration_of_several_methods():
    curve = pd.DataFrame(
        {"low": [0.0, 0.5], "high": [0.5, 1.0], "predicted": [0.1, 0.9], "observed": [0.2, 0.7], "entries": [90, 10]}
    )
    figure = calibration(pd.concat([curve.assign(method="MrWTD"), curve.assign(method="<i>")]))
    lines = [trace for trace in figure.data if trace.type == "scatter" and trace.customdata is not None]
    assert [trace.name for trace in lines] == ["MrWTD", "&lt;i&gt;"]
    assert list(lines[0].y) == [0.2, 0.7]
    assert [trace.name for trace in figure.data if trace.type == "bar"] == ["MrWTD"]
    other = calibration(pd.concat([curve.assign(method="MrWTD"), curve.assign(method="CP")]), "CP")
    assert [trace.name for trace in other.data if trace.type == "bar"] == ["CP"]


def test_levels_are_a_table_and_numbers_are_points():
    levels = predicted_vs_true(np.array([1.0, 1.0, 3.0]), np.array([1.0, 3.0, 3.0]), "esteem", levels=True).data[0]
    assert levels.customdata.tolist() == [[1, 1], [0, 1]]
    assert levels.texttemplate == "%{text}"
    assert np.array(levels.text).tolist() == [["1", "1"], ["0", "1"]]
    values = np.arange(10.0 * MAX_POINTS)
    points = predicted_vs_true(values, values, "km").data[1]
    assert len(points.x) == MAX_POINTS
    assert np.array_equal(points.x, points.y)
    assert len(predicted_vs_true(np.zeros(0), np.zeros(0), "km").data) == 2


@pytest.fixture
def scores():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(300) < 0.1, 1.0, -1.0)
    return y + rng.normal(size=300), y


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("loss", [None, *binary_losses()])
def test_each_class_sums_to_one_and_the_margin_is_drawn(scores, loss, dark):
    x, y = scores
    figure = score_distributions(x, y, loss, shared_range([x]), dark=dark)
    assert [float(np.sum(trace.y)) for trace in figure.data[:2]] == pytest.approx([1.0, 1.0])
    places = {shape.x0 for shape in figure.layout.shapes if shape.type == "line"}
    assert places == {-1.0, 0.0, 1.0}
    assert len(figure.data) == (2 if loss is None else 4)


def test_the_loss_of_a_tie_falls_with_x_below_the_margin(scores):
    for loss in binary_losses():
        ties = next(trace for trace in score_distributions(*scores, loss, (-3, 3)).data if trace.name == "loss of ties")
        below = np.asarray(ties.x) < 0.9
        assert (np.diff(np.asarray(ties.y)[below]) < 0).all()


def test_scores_out_of_range_count_at_its_ends():
    figure = score_distributions(np.array([-50.0, 50.0]), np.array([-1.0, 1.0]), None, (-2, 2))
    assert [int(np.argmax(trace.y)) for trace in figure.data] == [0, len(figure.data[0].y) - 1]


def test_the_range_includes_the_margin_and_excludes_outliers():
    low, high = shared_range([np.append(np.linspace(-3, 0, 1_000), 1e6)])
    assert low == pytest.approx(-3, abs=0.1)
    assert high < 10
    assert shared_range([]) == shared_range([np.array([np.nan])])
    assert shared_range([])[0] <= -1 < 1 <= shared_range([])[1]


def test_a_class_without_entries_leaves_an_empty_picture():
    figure = score_distributions(np.array([1.0]), np.array([1.0]), "logistic", (-2, 2))
    assert float(np.sum(figure.data[0].y)) == 0
