"""What a link asks for in vain, where the choice is a page's own: it is named, and forgotten."""

from __future__ import annotations

import pytest

from tests.dashboard.pages.opening import open_trained

ASKED = {
    "a switch": ("pages/4_Embedding.py", "embedding.sized", "maybe"),
    "tick boxes": ("pages/7_Experiments.py", "experiments.real-quick-methods", "RESCAL|nobody"),
    "a menu": ("pages/3_Compare.py", "compare.section", "nothing"),
    "a slider": ("pages/3_Compare.py", "compare.threshold", "much"),
}


@pytest.mark.parametrize("what", ASKED)
def test_what_cannot_be_is_named_and_forgotten(what: str) -> None:
    page, name, value = ASKED[what]
    at = open_trained(page, **{name: value})
    assert not at.exception
    assert any(f"{name} = {value} is not possible here" in one.value.replace("\\", "") for one in at.warning)
    assert name not in at.query_params
