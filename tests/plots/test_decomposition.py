"""The picture of the decomposition."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest

from mrwtd.plots.decomposition import GROUPS, UNKNOWN, decomposition_picture, planted


@pytest.mark.parametrize("dark", [False, True])
def test_the_svg_has_a_text_alternative(dark: bool) -> None:
    top = ET.fromstring(decomposition_picture(dark))
    assert top.tag.endswith("svg")
    assert top.get("role") == "img"
    assert "R_k" in str(top.get("aria-label"))
    assert len(list(top.iter("{http://www.w3.org/2000/svg}text"))) > 10


def test_the_svg_is_wide_and_differs_by_background() -> None:
    _, _, width, height = map(float, str(ET.fromstring(decomposition_picture()).get("viewBox")).split())
    assert height < 230
    assert width > 2 * height
    assert decomposition_picture(dark=True) != decomposition_picture(dark=False)


def test_the_cells_follow_the_groups() -> None:
    A, _, X = planted()
    within = GROUPS[:, None] == GROUPS[None, :]
    known = ~np.isnan(X[0])
    assert (X[0][known & within] == 1).all()
    assert (X[0][known & ~within] == -1).all()
    assert A.sum() == len(GROUPS)
    assert 0.5 * UNKNOWN < np.isnan(X).mean() < 3 * UNKNOWN
    np.testing.assert_array_equal(X, X.transpose(0, 2, 1))
