"""Bars as HTML and as SVG."""

import re
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

import mrwtd
from mrwtd.plots.bars import Bar, Bars, bars_svg, contributions, score_bars, sum_bars


def spans(text: str) -> list[tuple[float, float]]:
    """Start and length of each bar, in percent."""
    return [(float(a), float(b)) for a, b in re.findall(r"margin-left: ([\d.]+)%; width: ([\d.]+)%", text)]


def test_each_term_starts_where_the_previous_one_ends() -> None:
    # From 0 to 2, back to 1.5, back to -0.5: the total width is 2.5, and 0 is at a fifth of it.
    extents = spans(sum_bars([("a", 2.0), ("b", -0.5), ("c", -2.0)], "x").html())
    assert extents == [pytest.approx(pair) for pair in [(20, 80), (80, 20), (0, 80), (0, 20)]]


def test_tiny_terms_are_drawn() -> None:
    extents = spans(sum_bars([("a", -0.001)], "x").html())
    assert len(extents) == 2
    assert all(0 <= start <= 100 and 0 < length <= 100 for start, length in extents)
    assert "−0.00" not in sum_bars([("a", -0.001)], "x").html()


KINDS = {"auprc": "binary", "mae": "ordinal", "nmse": "real"}


def scores(*rows: tuple[str, str, str, float]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["method", "relation", "metric", "value"])
    return frame.assign(kind=frame["metric"].map(KINDS).mask(frame["relation"] == "calls", "count"))


def test_missing_scores_are_left_out() -> None:
    nan = float("nan")
    table = scores(("MrWTD", "likes", "auprc", nan), ("MrWTD", "calls", "nmse", 0.5), ("Degree", "calls", "nmse", nan))
    (bars,) = score_bars(table)
    assert "0.500" in bars.html()
    assert "Degree" not in bars.html()
    assert "nan" not in bars.html()
    assert score_bars(table[table["value"].isna()]) == ()


def test_the_smallest_error_is_on_top_and_names_are_escaped() -> None:
    (bars,) = score_bars(scores(("MrWTD", "likes", "mae", 0.5), ("<b>", "likes", "mae", 0.25)))
    text = bars.html()
    assert "<b>" not in text
    assert text.index("&lt;b&gt;") < text.index("MrWTD")
    assert [length for _, length in spans(text)] == [50, 100]


def test_each_kind_of_relation_has_a_group_of_bars_with_a_caption() -> None:
    table = scores(
        ("A", "far", "nmse", 0.2), ("A", "near", "auprc", 0.5), ("A", "wide", "nmse", 9.0), ("B", "near", "auprc", 0.6),
        ("A", "calls", "nmse", 0.7),
    )  # fmt: skip
    numbers, ties, counts = score_bars(table)
    assert counts.caption.startswith("MSE ÷ variance (lower is better) of calls,")
    assert ties.caption.startswith("AUPRC (higher is better) of near,")
    assert numbers.caption.startswith("Mean MSE ÷ variance (lower is better) of the 2 real relations,")
    assert [bar.name for bar in ties.rows] == ["B", "A"]
    assert [(bar.end, bar.value) for bar in numbers.rows] == [(2.0, "4.600")]
    assert numbers.rows[0].colour == ties.rows[1].colour
    caption = score_bars(table[table["relation"] == "near"])[0].caption
    assert caption.startswith("AUPRC (higher is better) on")
    top = ET.fromstring(bars_svg([ties, numbers]))
    tops = [float(group.get("transform").split()[1].rstrip(")")) for group in top.findall("{*}g")]
    assert 0 == tops[0] < tops[1] < float(str(top.get("height")))


def count_scores(nmse: float, explained: float) -> pd.DataFrame:
    rows = [("A", "calls", "nmse", nmse), ("A", "calls", "deviance_explained", explained), ("B", "calls", "nmse", 0.5)]
    return scores(*rows).assign(kind="count")


def test_counts_have_bars_for_both_metrics_with_their_direction() -> None:
    squares, deviance = score_bars(count_scores(0.4, 0.3))
    assert [bar.name for bar in squares.rows] == ["A", "B"]
    assert ("lower" in squares.caption, "higher" in deviance.caption) == (True, True)
    assert [(bar.start, bar.end, bar.value) for bar in deviance.rows] == [(0.0, 0.3, "0.300")]


def test_the_caption_says_when_a_score_is_worse_than_the_mean() -> None:
    good, bad = score_bars(count_scores(0.99, 0.01)), score_bars(count_scores(1.01, -0.01))
    assert not any("worse than predicting the mean" in bars.caption for bars in good)
    assert "above 1 is worse" in bad[0].caption
    assert "below 0 is worse" in bad[1].caption


@pytest.mark.parametrize(("nmse", "explained"), [(90_261_385_262.172, -3e8), (2.01, -1.01)])
def test_a_truncated_bar_has_slits_in_html_and_svg(nmse: float, explained: float) -> None:
    groups = score_bars(count_scores(nmse, explained))
    for bars in groups:
        assert bars.html().count("linear-gradient(to") == 1
        assert "262.172" not in bars.html()
    assert [bar.cut for bars in groups for bar in bars.rows] == [False, True, True]
    full = score_bars(count_scores(2.0, -1.0))
    assert not any(bar.cut for bars in full for bar in bars.rows)
    cut, plain = (
        len(list(ET.fromstring(bars_svg(bars)).iter("{http://www.w3.org/2000/svg}rect"))) for bars in (groups, full)
    )
    assert cut == plain + 4  # two bars in three parts each
    positions = [
        float(str(rect.get("x")))
        for rect in ET.fromstring(bars_svg(groups[1:])).iter("{http://www.w3.org/2000/svg}rect")
        if rect.get("x")
    ]
    assert positions[0] == max(positions), "the slits of a bar to the left are at its left end"


@pytest.mark.parametrize("dark", [False, True])
def test_svg_and_html_show_the_same_bars(dark: bool) -> None:
    bars = sum_bars([("a & b", 2.0), ("b", -0.5), ("c", -2.0)], "x", dark=dark)
    top = ET.fromstring(bars_svg([bars], dark))
    background, *drawn = top.iter("{http://www.w3.org/2000/svg}rect")
    widths = [float(str(rect.get("width"))) for rect in drawn]
    assert [width / widths[0] for width in widths] == pytest.approx([1, 0.25, 1, 0.25], abs=0.01)
    assert [rect.get("fill") for rect in drawn] == [bar.colour for bar in bars.rows]
    assert {"a & b", "+2.00", "−0.50", "x"} <= {text.text for text in top.iter("{http://www.w3.org/2000/svg}text")}
    assert (background.get("fill") == "#FFFFFF") != dark


def test_long_names_are_truncated_in_the_svg() -> None:
    top = ET.fromstring(bars_svg([sum_bars([("a" * 90, 1.0)], "x")]))
    assert all(float(str(rect.get("width"))) > 0 for rect in list(top.iter("{http://www.w3.org/2000/svg}rect"))[1:])


def test_a_long_caption_is_wrapped_in_the_svg() -> None:
    bars = Bars((Bar("MrWTD", 0.0, 0.5, "#000000", "0.500"),), "Fast. " * 40)
    top = ET.fromstring(bars_svg([bars]))
    lowest = max(float(str(text.get("y"))) for text in top.iter("{http://www.w3.org/2000/svg}text"))
    assert 100 < lowest < float(str(top.get("height")))


def test_bars_add_up_to_the_score() -> None:
    data = mrwtd.load_dataset("florentine")
    why = mrwtd.MrWTD(rank=4, lam=1.0).fit(data).explain("Medici", "Ridolfi", "marriage")
    for top in (1, 5, 100):
        values = re.findall(r">([+−]\d+\.\d\d)<", contributions(why, top).html())
        *terms, total = (float(value.replace("−", "-")) for value in values)
        assert len(terms) == 1 + min(top, 16) + (top < 16)
        assert sum(terms) == pytest.approx(total, abs=0.005 * (len(terms) + 1))
        assert total == pytest.approx(why.x, abs=0.005)


def test_means_over_splits_have_an_interval() -> None:
    columns = ["method", "run", "relation", "value"]
    rows = [("CP", run, name, value) for run, value in enumerate((0.4, 0.5, 0.6)) for name in ("likes", "knows")]
    scores = pd.DataFrame(rows, columns=columns).assign(kind="binary", metric="auprc")
    (bars,) = score_bars(scores)
    (bar,) = bars.rows
    assert bar.end == pytest.approx(0.5)
    assert bar.interval == pytest.approx((0.5 - 0.2484, 0.5 + 0.2484), abs=1e-4)  # 4.303 × 0.1 / √3
    assert "±" in bar.value
    assert "3 random splits" in bars.caption
    assert bars.html().count("border-width") == 1
    assert bars_svg([bars]).count("stroke-width") == 1
    (single,) = score_bars(scores[scores["run"] == 0])
    assert single.rows[0].interval is None
