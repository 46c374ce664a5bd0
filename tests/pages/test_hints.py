"""What pages say of their numbers: hints, axes, and that a fit has come to nothing."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard import comparison
from tests.pages.compare_page import somebody
from tests.pages.opening import open_page, open_trained

FIRST = "the first object"
PLACES = [
    ("pages/1_Data.py", {}),
    ("pages/2_Train.py", {}),
    *[("pages/3_Compare.py", {"compare.section": section}) for section in comparison.SECTIONS],
    ("pages/4_Embedding.py", {"embedding.object": FIRST}),
    ("pages/5_Network.py", {}),
    *[("pages/6_Predict.py", {"predict.view": view}) for view in ("Best unknown pairs", "A new object", "Two objects")],
    *[("pages/8_Learn.py", {"learn.lesson": lesson}) for lesson in ("decomposition", "losses", "reveal")],
]


def opened(page: str, address: dict[str, str], data: str) -> AppTest:
    first = mrwtd.load_dataset(data).objects[0]
    at = open_trained(page, data, **{name: first if value == FIRST else value for name, value in address.items()})
    assert not at.exception
    assert not at.warning
    return at


@pytest.mark.parametrize("data", ["florentine", "airports", "synth-kinds"])
@pytest.mark.parametrize(("page", "address"), PLACES)
def test_numbers_have_hints(page: str, address: dict[str, str], data: str) -> None:
    at = opened(page, address, data)
    for table in at.dataframe:
        told = {name: config.get("help") for name, config in json.loads(table.proto.columns or "{}").items() if config}
        numeric = [name for name in table.value.columns if pd.api.types.is_numeric_dtype(table.value[name])]
        assert [name for name in numeric if not told.get(name)] == []
    for one in (*at.metric, *at.slider, *at.number_input, *at.select_slider):
        assert one.help, one.label


@pytest.mark.parametrize("data", ["florentine", "airports", "synth-kinds"])
@pytest.mark.parametrize(("page", "address"), PLACES)
def test_axes_with_numbers_say_what_they_are(page: str, address: dict[str, str], data: str) -> None:
    for chart in opened(page, address, data).get("plotly_chart"):
        layout = json.loads(chart.proto.spec)["layout"]
        panels = layout.get("annotations", [])
        for name, axis in layout.items():
            if name[1:].startswith("axis") and axis.get("showticklabels", True) and axis.get("visible", True):
                named = axis.get("type") == "category" or "tickvals" in axis or "categoryarray" in axis
                assert named or axis.get("title", {}).get("text") or panels, name


@pytest.mark.parametrize("page", ["3_Compare", "4_Embedding", "5_Network", "6_Predict"])
def test_every_page_of_results_says_that_a_fit_has_collapsed(page: str) -> None:
    own = somebody(2, lam=1000.0, methods=("MrWTD", "Degree"))
    at = open_page(f"pages/{page}.py", own, data="florentine")
    assert not at.exception
    assert at.warning[0].value.startswith("**MrWTD** collapsed to zero")
