import numpy as np
import pandas as pd
import pytest

from mrwtd.plots.score_bars import dumbbells, score_bands


@pytest.mark.parametrize("dark", [False, True])
def test_a_band_is_one_deviation_on_both_sides(dark):
    rows = pd.DataFrame(
        {
            "relation": ["a", "b"] * 2, "metric": "auprc", "method": ["MrWTD", "MrWTD", "CP", "CP"],
            "value": [0.2, 0.8, 0.1, 0.9], "spread": [0.05, 0.1, 0.02, np.nan], "n": 5,
            "best": [True, False, False, True],
        }
    )  # fmt: skip
    figure = score_bands(rows, "auprc", dark=dark)
    band, line = figure.data[0], figure.data[1]
    assert list(line.x) == ["b", "a"]
    assert list(line.y) == [0.8, 0.2]
    assert list(band.y) == pytest.approx([0.9, 0.25, 0.15, 0.7])
    assert list(figure.data[2].y)[:1] == [0.9]  # one split only: no band


def test_two_scores_of_a_relation_are_joined():
    rows = pd.DataFrame({"relation": ["<b>", "x" * 80], "metric": "auprc", "A": [0.1, 0.2], "B": [0.4, np.nan]})
    figure = dumbbells(rows, "auprc", "A", "B")
    line, first, second = figure.data
    assert list(line.x[:2]) == [0.1, 0.4]
    assert np.isnan(line.x[2])
    assert (list(first.x), second.x[0]) == ([0.1, 0.2], 0.4)
    assert first.text[0] == "&lt;b&gt;"
    assert len(figure.layout.yaxis.ticktext[1]) < 30
    assert first.text[1] == rows["relation"][1]  # whole under the pointer
    assert first.cliponaxis is second.cliponaxis is False  # a score of 0 is a whole circle


def test_many_relations_give_a_higher_figure():
    def rows(n: int) -> pd.DataFrame:
        return pd.DataFrame({"relation": [f"r{index}" for index in range(n)], "metric": "auprc", "A": 0.1, "B": 0.2})

    assert dumbbells(rows(50), "auprc").layout.height > dumbbells(rows(20), "auprc").layout.height


def test_methods_of_one_relation_are_side_by_side_with_error_bars():
    rows = pd.DataFrame(
        {"relation": "a", "metric": "auprc", "method": ["MrWTD", "CP"], "value": [0.2, 0.1], "spread": [0.05, 0.02],
         "n": 5, "best": [True, False]}
    )  # fmt: skip
    points = [trace for trace in score_bands(rows, "auprc").data if trace.mode == "lines+markers"]
    assert [(*point.x, *point.error_y.array) for point in points] == [("MrWTD", 0.05), ("CP", 0.02)]
    assert all(point.error_y.visible for point in points)


def test_bands_stay_within_bounds_and_many_names_are_hidden():
    rows = pd.DataFrame(
        {"relation": [f"r{n}" for n in range(40)], "metric": "auprc", "method": "CP", "value": 0.5, "spread": 0.7,
         "n": 5, "best": True}
    )  # fmt: skip
    figure = score_bands(rows, "auprc")
    assert set(figure.data[0].y) == {0.0, 1.0}
    assert figure.layout.xaxis.showticklabels is False
