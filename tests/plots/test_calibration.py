import numpy as np
import pandas as pd
import pytest

from mrwtd.evaluation.thresholds import Confusion
from mrwtd.plots.calibration import MAX_POINTS, calibration, confusion_table, predicted_vs_true


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
