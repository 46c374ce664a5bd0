"""Links with invalid values of a page's own choices: the value is reported and dropped."""

import pytest

from tests.dashboard.pages.open_pages import open_trained

INVALID = {
    "a switch": ("pages/4_Embedding.py", "embedding.sized", "maybe"),
    "tick boxes": ("pages/7_Experiments.py", "experiments.real-quick-methods", "RESCAL|nobody"),
    "a menu": ("pages/3_Compare.py", "compare.section", "nothing"),
    "a slider": ("pages/3_Compare.py", "compare.threshold", "much"),
}


@pytest.mark.parametrize("widget", INVALID)
def test_an_invalid_value_is_reported_and_dropped(widget: str) -> None:
    page, name, value = INVALID[widget]
    app = open_trained(page, **{name: value})
    assert not app.exception
    assert any(f"{name} = {value} is not possible here" in text.value.replace("\\", "") for text in app.warning)
    assert name not in app.query_params
