"""What pages say of their numbers: hints, axes, and that a fit has come to nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.pages import compare
from mrwtd.dashboard.pages.learn import LESSONS
from mrwtd.dashboard.state import current_run, current_user
from mrwtd.model.diagnostics import Diagnostic
from tests.dashboard.pages.compare_page import user_with_runs
from tests.dashboard.pages.opening import open_page, open_trained

FIRST = "the first object"
SAMPLES = {"florentine": "marriage", "airports": "distance (km)", "synth-kinds": "ordinal 1"}
"""Data sets, and a relation of each to look at."""

PLACES = [
    ("app.py", {}),
    ("pages/1_Data.py", {}),
    ("pages/2_Train.py", {}),
    *[("pages/3_Compare.py", {"compare.section": section}) for section in compare.SECTIONS],
    ("pages/4_Embedding.py", {"embedding.object": FIRST}),
    ("pages/5_Network.py", {}),
    *[("pages/6_Predict.py", {"predict.view": view}) for view in ("Two objects", "Best unknown pairs", "A new object")],
    *[("pages/8_Learn.py", {"learn.lesson": lesson}) for lesson in LESSONS],
]

NAMES = {"relation", "known relationship", "object", "option", "with", "direction", "source", "target", "from", "to"}
NAMES |= {"one", "other", "setting"}
"""Columns that hold no numbers, and are called what they are."""


def opened(page: str, address: dict[str, str], data: str) -> AppTest:
    first = mrwtd.load_dataset(data).objects[0]
    asked = {name: first if value == FIRST else value for name, value in address.items()}
    at = open_trained(page, data, **({"relation": SAMPLES[data]} | asked))
    assert not at.exception
    assert not at.warning
    return at


@pytest.mark.parametrize("data", SAMPLES)
@pytest.mark.parametrize(("page", "address"), PLACES)
def test_numbers_have_hints(page: str, address: dict[str, str], data: str) -> None:
    at = opened(page, address, data)
    for table in at.dataframe:
        told = {name: config.get("help") for name, config in json.loads(table.proto.columns or "{}").items() if config}
        assert [name for name in table.value.columns if name not in NAMES and not told.get(name)] == []
    for one in (*at.metric, *at.slider, *at.number_input, *at.select_slider):
        assert one.help, one.label


@pytest.mark.parametrize("data", SAMPLES)
@pytest.mark.parametrize(("page", "address"), PLACES)
def test_axes_with_numbers_say_what_they_are(page: str, address: dict[str, str], data: str) -> None:
    for chart in opened(page, address, data).get("plotly_chart"):
        spec = json.loads(chart.proto.spec)
        sides = {name: axis for name, axis in spec["layout"].items() if name[1:].startswith("axis")}
        panels = [one for one in spec["layout"].get("annotations", []) if one.get("xref") == one.get("yref") == "paper"]
        for name, axis in sides.items():
            if not axis.get("title", {}).get("text") and _numbered(spec, name, axis):
                # Of several panels, each has its title above it.
                assert len(panels) >= sum(side.startswith("y") for side in sides), (name, chart.proto.id)


def _numbered(spec: dict[str, Any], name: str, axis: dict[str, Any]) -> bool:
    """Whether numbers stand along an axis."""
    if (
        axis.get("type") == "category"
        or "tickvals" in axis
        or not (axis.get("showticklabels", True) and axis.get("visible", True))
    ):
        return False
    letter, place = name[0], name[0] + name.removeprefix(f"{name[0]}axis")
    along = [one.get(letter) for one in spec["data"] if one.get(f"{letter}axis", letter) == place]
    return not all(isinstance(values, list) and values and isinstance(values[0], str) for values in along)


@pytest.mark.parametrize("page", ["3_Compare", "4_Embedding", "5_Network", "6_Predict"])
def test_every_page_of_results_says_that_a_fit_has_collapsed(page: str) -> None:
    own = user_with_runs(2, lam=1000.0, methods=("MrWTD", "Degree"))
    at = open_page(f"pages/{page}.py", own, data="florentine")
    assert not at.exception
    assert at.warning[0].value.startswith("**MrWTD** collapsed to zero")


def test_of_a_method_that_has_collapsed_in_some_relations_they_are_named() -> None:
    own = user_with_runs(2)
    (run,) = current_user.workspace_of(own).runs()
    result = current_run.open_run(run)
    model = result.models["RESCAL"]
    fact = Diagnostic("collapsed", "marriage", {"lam": 1.0, "cause": "lambda"})
    before, model.diagnostics_ = model.diagnostics_, (fact,)
    try:
        at = open_page("pages/3_Compare.py", own, data="florentine")
    finally:
        model.diagnostics_ = before
    assert at.warning[0].value.startswith("**RESCAL \\(marriage\\)** collapsed to zero")
