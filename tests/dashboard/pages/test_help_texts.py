"""Help texts and axis titles of the numbers on pages, and the warning about collapsed fits."""

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.pages import compare, predict
from mrwtd.dashboard.pages.learn import LESSONS
from mrwtd.dashboard.state import current_run, current_user
from mrwtd.model.diagnostics import Diagnostic
from tests.dashboard.pages.compare_page import user_with_runs
from tests.dashboard.pages.open_pages import open_page, open_trained

FIRST = "the first object"
SAMPLES = {"florentine": "marriage", "airports": "distance (km)", "synth-kinds": "ordinal 1"}
"""Data sets with one relation of each."""

PLACES = [
    ("app.py", {}),
    ("pages/1_Data.py", {}),
    ("pages/2_Train.py", {}),
    *[("pages/3_Compare.py", {"compare.section": section}) for section in compare.SECTIONS],
    ("pages/4_Embedding.py", {"embedding.object": FIRST}),
    ("pages/5_Network.py", {}),
    *[("pages/6_Predict.py", {"predict.view": view}) for view in predict.VIEWS],
    *[("pages/8_Learn.py", {"learn.lesson": lesson}) for lesson in LESSONS],
]

NAMES = {"relation", "known relationship", "object", "option", "with", "direction", "source", "target", "from", "to"}
NAMES |= {"setting"}
"""Columns without numbers that need no help."""


def opened(page: str, query: dict[str, str], data: str) -> AppTest:
    first = mrwtd.load_dataset(data).objects[0]
    views = {name: first if value == FIRST else value for name, value in query.items()}
    app = open_trained(page, data, **({"relation": SAMPLES[data]} | views))
    assert not app.exception
    assert len(app.warning) == (query.get("compare.section") == "ranking")  # which warns on fully known data
    return app


@pytest.mark.parametrize("data", SAMPLES)
@pytest.mark.parametrize(("page", "query"), PLACES)
def test_numbers_have_help_texts(page: str, query: dict[str, str], data: str) -> None:
    app = opened(page, query, data)
    for table in app.dataframe:
        columns = json.loads(table.proto.columns or "{}")
        helps = {name: config.get("help") for name, config in columns.items() if config}
        assert [name for name in table.value.columns if name not in NAMES and not helps.get(name)] == []
    for widget in (*app.metric, *app.slider, *app.number_input, *app.select_slider):
        assert widget.help, widget.label


@pytest.mark.parametrize("data", SAMPLES)
@pytest.mark.parametrize(("page", "query"), PLACES)
def test_axes_with_numbers_have_titles(page: str, query: dict[str, str], data: str) -> None:
    for chart in opened(page, query, data).get("plotly_chart"):
        spec = json.loads(chart.proto.spec)
        sides = {name: axis for name, axis in spec["layout"].items() if name[1:].startswith("axis")}
        notes = spec["layout"].get("annotations", [])
        panels = [note for note in notes if note.get("xref") == note.get("yref") == "paper"]
        for name, axis in sides.items():
            if not axis.get("title", {}).get("text") and _numbered(spec, name, axis):
                # Several panels have their titles above them.
                assert len(panels) >= sum(side.startswith("y") for side in sides), (name, chart.proto.id)


def _numbered(spec: dict[str, Any], name: str, axis: dict[str, Any]) -> bool:
    """Whether an axis has numbers."""
    if (
        axis.get("type") == "category"
        or "tickvals" in axis
        or not (axis.get("showticklabels", True) and axis.get("visible", True))
    ):
        return False
    letter, axis_id = name[0], name[0] + name.removeprefix(f"{name[0]}axis")
    columns = [trace.get(letter) for trace in spec["data"] if trace.get(f"{letter}axis", letter) == axis_id]
    return not all(isinstance(values, list) and values and isinstance(values[0], str) for values in columns)


@pytest.mark.parametrize("page", ["3_Compare", "4_Embedding", "5_Network", "6_Predict"])
def test_every_page_of_results_warns_of_a_collapsed_fit(page: str) -> None:
    user = user_with_runs(2, lam=1000.0, methods=("MrWTD", "Degree"))
    app = open_page(f"pages/{page}.py", user, data="florentine")
    assert not app.exception
    assert app.warning[0].value.startswith("**MrWTD** collapsed to zero")


def test_the_warning_names_the_collapsed_relations() -> None:
    user = user_with_runs(2)
    (run,) = current_user.workspace_of(user).runs()
    result = current_run.open_run(run)
    model = result.models["RESCAL"]
    diagnostic = Diagnostic("collapsed", "marriage", {"lam": 1.0, "cause": "lambda"})
    before, model.diagnostics_ = model.diagnostics_, (diagnostic,)
    try:
        app = open_page("pages/3_Compare.py", user, data="florentine")
    finally:
        model.diagnostics_ = before
    assert app.warning[0].value.startswith("**RESCAL \\(marriage\\)** collapsed to zero")
