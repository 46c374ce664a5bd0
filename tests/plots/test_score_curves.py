import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.plots.colours import DARK, LIGHT
from mrwtd.plots.score_curves import dumbbells, lam_paths, score_bands, score_curves, style_of


def frame(methods=("MrWTD-L", "RESCAL"), data=("Kinship",), axis="train", places=(0.25, 0.05), metric="auprc"):
    rows = [
        {
            "data": row,
            "kind": "binary",
            "metric": metric,
            "method": method,
            axis: place,
            "mean": 0.5 + place / 10,
            "sd": 0.1,
        }
        for row in data
        for method in methods
        for place in places
    ]
    return pd.DataFrame(rows).assign(paper_mean=np.nan, paper_sd=np.nan)


def lines(figure):
    return [trace for trace in figure.data if trace.mode == "lines+markers"]


def test_every_method_has_its_own_style():
    looks = {name: style_of(name) for name in mrwtd.METHODS}
    assert len(set(looks.values())) == len(looks)
    papers = [style_of(name).colour for name in ("RESCAL", "MMMF", "MMMF+", "BPTF", "MrWTD-Q", "MrWTD-H", "MrWTD-L")]
    assert len(set(papers)) == 7
    assert style_of("a method of your brightness")


def luminance(colour: str) -> float:
    """Relative luminance as defined by WCAG."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("method", mrwtd.METHODS)
def test_every_method_is_visible_on_both_backgrounds(method: str):
    brightness = luminance(style_of(method).colour)
    assert (brightness + 0.05) / (luminance("#12171D") + 0.05) > 3
    assert 1.05 / (brightness + 0.05) > 2.2


def test_curves_are_sorted_and_have_bands():
    figure = score_curves(frame(methods=("MrWTD-L",)))
    (line,) = lines(figure)
    assert line.x.tolist() == [5, 25], "in percent"
    (band,) = [trace for trace in figure.data if trace.fill == "toself"]
    assert min(band.y) == pytest.approx(line.y[0] - 0.1)
    assert max(band.y) == pytest.approx(line.y[1] + 0.1)
    assert list(figure.layout.xaxis.ticktext) == ["5", "25"]


def test_one_run_has_no_band():
    figure = score_curves(frame().assign(sd=np.nan))
    assert len(figure.data) == len(lines(figure)) == 2


def test_the_papers_points_are_drawn_if_known_and_requested():
    known = frame()
    known.loc[(known["method"] == "RESCAL") & (known["train"] == 0.05), ["paper_mean", "paper_sd"]] = 0.08, 0.01
    points = [trace for trace in score_curves(known).data if trace.name == "RESCAL, paper"]
    assert [(trace.x.tolist(), trace.y.tolist()) for trace in points] == [([5], [0.08])]
    assert points[0].marker.color == style_of("RESCAL").colour
    assert not [trace for trace in score_curves(known, paper=False).data if "paper" in trace.name]
    assert not [trace for trace in score_curves(frame()).data if "paper" in trace.name]


def test_one_legend_entry_hides_all_points_of_the_paper():
    figure = score_curves(frame().assign(paper_mean=0.5, paper_sd=0.1))
    papers = {trace.name: trace.legendgroup for trace in figure.data if "paper" in trace.name}
    assert len(papers) == 3
    assert len(set(papers.values())) == 1
    assert not {trace.legendgroup for trace in lines(figure)} & set(papers.values())


def test_panels_share_one_legend():
    figure = score_curves(frame(data=("A", "B", "C", "D")))
    assert [note.text for note in figure.layout.annotations] == [f"{name}<br>AUPRC" for name in "ABCD"]
    assert [trace.name for trace in lines(figure) if trace.showlegend] == ["MrWTD-L", "RESCAL"]
    assert len({trace.xaxis for trace in lines(figure)}) == 4


def test_kinds_and_metrics_of_a_data_set_have_their_own_panels():
    kinds = pd.concat([frame(), frame(metric="mse").assign(kind="real")])
    titles = [note.text for note in score_curves(kinds).layout.annotations]
    assert titles == ["Kinship<br>binary: AUPRC", "Kinship<br>real: MSE"]
    measures = pd.concat([frame(metric="seconds"), frame(metric="peak_gb")])
    assert [note.text for note in score_curves(measures).layout.annotations] == [
        "Kinship<br>seconds",
        "Kinship<br>peak memory, GB",
    ]


def test_ranks_and_sizes_have_logarithmic_axes_with_their_values_as_ticks():
    rank = score_curves(frame(axis="rank", places=(5, 10, 40)), "rank")
    assert (rank.layout.xaxis.type, rank.layout.yaxis.type) == ("log", "linear")
    assert list(rank.layout.xaxis.ticktext) == ["5", "10", "40"]
    size = score_curves(frame(axis="n_objects", places=(500, 8000), metric="seconds"), "n_objects", log=True)
    assert (size.layout.xaxis.type, size.layout.yaxis.type) == ("log", "log")
    assert list(size.layout.xaxis.ticktext) == ["500", "8,000"]


def test_names_of_data_sets_are_escaped_and_truncated():
    name = "<a href='http://evil.invalid'>x</a>" + 90 * "a"
    scores = pd.DataFrame({"data": name, "kind": "binary", "metric": "auprc", "method": "MrWTD-L", "train": [0.05, 0.1],
                           "mean": [0.4, 0.5], "sd": 0.1})  # fmt: skip
    paths = pd.DataFrame({"data": name, "train": 0.1, "rank": 2, "method": "MrWTD-L", "run": 0, "lam": [10.0, 1.0],
                          "score": [0.5, 0.4]})  # fmt: skip
    for figure in (score_curves(scores), lam_paths(paths)):
        [title] = [annotation.text for annotation in figure.layout.annotations]
        assert title.startswith("&lt;a href")
        assert "<a" not in title
        assert len(title) < 100


def test_a_band_on_a_logarithmic_axis_stays_above_zero():
    wide = frame(axis="n_objects", places=(500,), metric="seconds").assign(sd=100.0)
    bands = [trace for trace in score_curves(wide, "n_objects", log=True).data if trace.fill == "toself"]
    assert all(min(trace.y) > 0 for trace in bands)


def test_grid_lines_match_the_background():
    assert score_curves(frame()).layout.xaxis.gridcolor == LIGHT.line
    assert score_curves(frame(), dark=True).layout.xaxis.gridcolor == DARK.line


def test_empty_tables_give_empty_figures():
    assert len(score_curves(frame().iloc[:0]).data) == 0
    assert len(lam_paths(pd.DataFrame(columns=["data", "train", "rank", "method", "run", "lam", "score"])).data) == 0


def test_lambda_paths_are_means_over_runs():
    paths = pd.DataFrame(
        {
            "data": "Kinship",
            "train": 0.1,
            "rank": 20,
            "method": "MrWTD-L",
            "run": [0, 1, 0],
            "lam": [10.0, 10.0, 1.0],
            "score": [0.2, 0.4, 0.1],
        }
    )
    figure = lam_paths(paths)
    (line,) = lines(figure)
    assert line.x.tolist() == [1, 10]
    assert line.y.tolist() == pytest.approx([0.1, 0.3])
    assert figure.layout.xaxis.type == "log"
    ranks = lam_paths(pd.concat([paths, paths.assign(rank=40)]))
    assert [note.text for note in ranks.layout.annotations] == ["Kinship<br>rank 20", "Kinship<br>rank 40"]


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
    assert first.text[1] == rows["relation"][1]  # complete on hover
    assert first.cliponaxis is second.cliponaxis is False  # a score of 0 is a complete circle


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
