"""Bars as HTML and as pictures."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pandas as pd
import pytest

from mrwtd.plots.bars import score_bars, sum_bars


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


def test_scores_that_could_not_be_had_are_left_out() -> None:
    rows = [("MrWTD", "auprc", float("nan")), ("MrWTD", "r2", 0.5), ("Degree", "r2", float("nan"))]
    scores = pd.DataFrame(rows, columns=["method", "metric", "value"])
    text = score_bars(scores).html()
    assert "0.500" in text
    assert "Degree" not in text
    assert "nan" not in text
    assert score_bars(scores[scores["value"].isna()]).rows == ()


def test_the_smallest_error_is_on_top_and_names_are_only_names() -> None:
    rows = [("MrWTD", "mae", 0.5), ("<b>", "mae", 0.25)]
    text = score_bars(pd.DataFrame(rows, columns=["method", "metric", "value"])).html()
    assert "<b>" not in text
    assert text.index("&lt;b&gt;") < text.index("MrWTD")
    assert [long for _, long in spans(text)] == [50, 100]


@pytest.mark.parametrize("dark", [False, True])
def test_the_picture_shows_what_the_page_shows(dark: bool) -> None:
    bars = sum_bars([("a & b", 2.0), ("b", -0.5), ("c", -2.0)], "x", dark=dark)
    top = ET.fromstring(bars.picture(dark))
    ground, *drawn = top.iter("{http://www.w3.org/2000/svg}rect")
    wide = [float(str(one.get("width"))) for one in drawn]
    assert [one / wide[0] for one in wide] == pytest.approx([1, 0.25, 1, 0.25], abs=0.01)
    assert [one.get("fill") for one in drawn] == [bar.colour for bar in bars.rows]
    assert {"a & b", "+2.00", "-0.50", "x"} <= {one.text for one in top.iter("{http://www.w3.org/2000/svg}text")}
    assert (ground.get("fill") == "#FFFFFF") != dark


def test_names_that_would_leave_no_room_for_bars_are_cut_in_the_picture() -> None:
    top = ET.fromstring(sum_bars([("a" * 90, 1.0)], "x").picture())
    assert all(float(str(one.get("width"))) > 0 for one in list(top.iter("{http://www.w3.org/2000/svg}rect"))[1:])


def test_a_long_note_goes_on_in_further_lines_of_the_picture() -> None:
    bars = score_bars(pd.DataFrame([("MrWTD", "auprc", 0.5)], columns=["method", "metric", "value"]), "Fast. " * 40)
    top = ET.fromstring(bars.picture())
    lowest = max(float(str(one.get("y"))) for one in top.iter("{http://www.w3.org/2000/svg}text"))
    assert 100 < lowest < float(str(top.get("height")))
