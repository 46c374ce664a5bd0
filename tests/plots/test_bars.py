"""Bars as HTML and as pictures."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from mrwtd.plots.bars import Bar, Bars, bars_svg, score_bars, sum_bars


def spans(text: str) -> list[tuple[float, float]]:
    """Where each bar begins and how long it is, in percent."""
    return [(float(a), float(b)) for a, b in re.findall(r"margin-left: ([\d.]+)%; width: ([\d.]+)%", text)]


def test_each_term_begins_where_the_last_one_ended() -> None:
    # From 0 to 2, back to 1.5, back to -0.5: the whole is 2.5 wide, and 0 lies at a fifth of it.
    found = spans(sum_bars([("a", 2.0), ("b", -0.5), ("c", -2.0)], "x").html())
    wanted = [(20, 80), (80, 20), (0, 80), (0, 20)]
    assert [pytest.approx(one) for one in wanted] == found


def test_terms_that_are_all_nothing_are_drawn() -> None:
    found = spans(sum_bars([("a", -0.001)], "x").html())
    assert len(found) == 2
    assert all(0 <= begin <= 100 and 0 < long <= 100 for begin, long in found)
    assert "-0.00" not in sum_bars([("a", -0.001)], "x").html()


KINDS = {"auprc": "binary", "mae": "ordinal", "nmse": "real"}


def scores(*rows: tuple[str, str, str, float]) -> pd.DataFrame:
    found = pd.DataFrame(rows, columns=["method", "relation", "metric", "value"])
    return found.assign(kind=found["metric"].map(KINDS).mask(found["relation"] == "calls", "count"))


def test_scores_that_could_not_be_had_are_left_out() -> None:
    nan = float("nan")
    found = scores(("MrWTD", "likes", "auprc", nan), ("MrWTD", "calls", "nmse", 0.5), ("Degree", "calls", "nmse", nan))
    (bars,) = score_bars(found)
    assert "0.500" in bars.html()
    assert "Degree" not in bars.html()
    assert "nan" not in bars.html()
    assert score_bars(found[found["value"].isna()]) == ()


def test_the_smallest_error_is_on_top_and_names_are_only_names() -> None:
    (bars,) = score_bars(scores(("MrWTD", "likes", "mae", 0.5), ("<b>", "likes", "mae", 0.25)))
    text = bars.html()
    assert "<b>" not in text
    assert text.index("&lt;b&gt;") < text.index("MrWTD")
    assert [long for _, long in spans(text)] == [50, 100]


def test_relations_of_several_kinds_have_a_group_of_bars_each_which_says_of_what_it_is() -> None:
    found = scores(
        ("A", "far", "nmse", 0.2), ("A", "near", "auprc", 0.5), ("A", "wide", "nmse", 9.0), ("B", "near", "auprc", 0.6),
        ("A", "calls", "nmse", 0.7),
    )  # fmt: skip
    numbers, ties, counts = score_bars(found)
    assert counts.caption == "MSE ÷ variance (lower is better) of calls, on the held-out entries."
    assert ties.caption == "AUPRC (higher is better) of near, on the held-out entries."
    assert numbers.caption.startswith("Mean MSE ÷ variance (lower is better) of the 2 real relations, on the held-out")
    assert [bar.name for bar in ties.rows] == ["B", "A"]
    assert [(bar.end, bar.value) for bar in numbers.rows] == [(2.0, "4.600")]
    assert numbers.rows[0].colour == ties.rows[1].colour
    alone = score_bars(found[found["relation"] == "near"])[0].caption
    assert alone == "AUPRC (higher is better) on the held-out entries."
    top = ET.fromstring(bars_svg([ties, numbers]))
    tall = [float(group.get("transform").split()[1].rstrip(")")) for group in top.findall("{*}g")]
    assert 0 == tall[0] < tall[1] < float(str(top.get("height")))


def count_scores(nmse: float, explained: float) -> pd.DataFrame:
    rows = [("A", "calls", "nmse", nmse), ("A", "calls", "deviance_explained", explained), ("B", "calls", "nmse", 0.5)]
    return scores(*rows).assign(kind="count")


def test_counts_have_bars_of_both_of_their_scores_and_say_which_way_is_better() -> None:
    squares, deviance = score_bars(count_scores(0.4, 0.3))
    assert [bar.name for bar in squares.rows] == ["A", "B"]
    assert ("lower" in squares.caption, "higher" in deviance.caption) == (True, True)
    assert [(bar.begin, bar.end, bar.value) for bar in deviance.rows] == [(0.0, 0.3, "0.300")]


def test_what_is_worse_than_the_mean_is_said_where_it_is_so() -> None:
    good, bad = score_bars(count_scores(0.99, 0.01)), score_bars(count_scores(1.01, -0.01))
    assert not any("worse than predicting the mean" in bars.caption for bars in good)
    assert "above 1 is worse than predicting the mean" in bad[0].caption
    assert "below 0 is worse than predicting the mean" in bad[1].caption


@pytest.mark.parametrize(("nmse", "explained"), [(90_261_385_262.172, -3e8), (2.01, -1.01)])
def test_a_bar_that_is_cut_looks_cut_on_the_page_and_in_the_picture(nmse: float, explained: float) -> None:
    groups = score_bars(count_scores(nmse, explained))
    for bars in groups:
        assert bars.html().count("linear-gradient(to") == 1
        assert "262.172" not in bars.html()
    assert [bar.cut for bars in groups for bar in bars.rows] == [False, True, True]
    whole = score_bars(count_scores(2.0, -1.0))
    assert not any(bar.cut for bars in whole for bar in bars.rows)
    cut, plain = (
        len(list(ET.fromstring(bars_svg(one)).iter("{http://www.w3.org/2000/svg}rect"))) for one in (groups, whole)
    )
    assert cut == plain + 4  # two bars in three parts each
    places = [
        float(str(one.get("x")))
        for one in ET.fromstring(bars_svg(groups[1:])).iter("{http://www.w3.org/2000/svg}rect")
        if one.get("x")
    ]
    assert places[0] == max(places), "the slits of a bar to the left are at its left end"


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_shows_what_the_page_shows(dark: bool) -> None:
    bars = sum_bars([("a & b", 2.0), ("b", -0.5), ("c", -2.0)], "x", dark=dark)
    top = ET.fromstring(bars_svg([bars], dark))
    ground, *drawn = top.iter("{http://www.w3.org/2000/svg}rect")
    wide = [float(str(one.get("width"))) for one in drawn]
    assert [one / wide[0] for one in wide] == pytest.approx([1, 0.25, 1, 0.25], abs=0.01)
    assert [one.get("fill") for one in drawn] == [bar.colour for bar in bars.rows]
    assert {"a & b", "+2.00", "-0.50", "x"} <= {one.text for one in top.iter("{http://www.w3.org/2000/svg}text")}
    assert (ground.get("fill") == "#FFFFFF") != dark


def test_names_that_would_leave_no_room_for_bars_are_cut_in_the_picture() -> None:
    top = ET.fromstring(bars_svg([sum_bars([("a" * 90, 1.0)], "x")]))
    assert all(float(str(one.get("width"))) > 0 for one in list(top.iter("{http://www.w3.org/2000/svg}rect"))[1:])


def test_a_long_note_goes_on_in_further_lines_of_the_picture() -> None:
    bars = Bars((Bar("MrWTD", 0.0, 0.5, "#000000", "0.500"),), "Fast. " * 40)
    top = ET.fromstring(bars_svg([bars]))
    lowest = max(float(str(one.get("y"))) for one in top.iter("{http://www.w3.org/2000/svg}text"))
    assert 100 < lowest < float(str(top.get("height")))
