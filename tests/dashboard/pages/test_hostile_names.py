"""Names are escaped in all Markdown and HTML that pages send, tooltips included."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.pages import learn
from mrwtd.dashboard.pages.data import data_texts
from mrwtd.dashboard.state import keys
from mrwtd.experiments.experiment import EXPERIMENTS
from tests.dashboard.pages.data_page import open_data, relations, upload, use
from tests.dashboard.pages.open_pages import job_of, open_page
from tests.dashboard.pages.switches import try_all
from tests.hostile_names import HOST, MARK, RELATIONS, TEXTS, hostile, hostile_columns, hostile_ties, hostile_two_mode
from tests.hostile_urls import parts

NOT_RENDERED = {
    "id", "key", "alt", "aria_label", "placeholder", "default", "value", "set_value", "file_name", "url",
    "query_string", "raw_value", "raw_values", "Selectbox.options", "MultiSelect.options", "Code.code_text",
    "PlotlyChart.spec", "PlotlyChart.config", "EChartsChart.spec", "BidiComponent.json", "BidiComponent.data",
    "css_class", "element_hash",
}  # fmt: skip
"""Fields that browsers show without rendering, or not at all."""

TAGS = (f"<b>{MARK}", f"<a href='http://{HOST}", f"<img src='http://{HOST}")
MARKDOWN = (f"![{MARK}](", f"[{MARK}](", f"**{MARK}**", f":red[{MARK}", f"${MARK}$", f"`{MARK}`", f"http://{HOST}",
            f"www.{HOST}", f"@{HOST}", ":material/skull", ":ghost:")  # fmt: skip
"""Texts that would be rendered as HTML, and those that would be rendered as Markdown."""


def texts(message: Message) -> Iterator[tuple[str, str]]:
    """Every text of a message to the browser, with the name of its field."""
    for field, value in message.ListFields():
        name = f"{message.DESCRIPTOR.name}.{field.name}"
        values: Any = value if field.is_repeated else [value]
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            continue
        for item in values:
            if field.name == "columns" and isinstance(item, str):  # of a table, whose headers are not rendered
                yield from ((f"{name}.help", str(column.get("help", ""))) for column in json.loads(item).values())
            elif isinstance(item, Message):
                yield from texts(item)
            elif isinstance(item, str) and not {field.name, name} & NOT_RENDERED:
                yield name, item


def sent(block: Any) -> Iterator[tuple[str, str]]:
    """Every text of a part of a page."""
    for child in block.children.values():
        if isinstance(getattr(child, "proto", None), Message):
            yield from texts(child.proto)
        if hasattr(child, "children"):
            yield from sent(child)


def is_active(name: str, text: str) -> bool:
    return any(part in text for part in (TAGS if name.startswith("Html.") else (*TAGS, *MARKDOWN)))


def active(app: AppTest) -> list[tuple[str, str]]:
    """What a page would render of names."""
    assert not app.exception
    shown = [*sent(app.main), *sent(app.sidebar)]
    assert any(MARK in text for _, text in shown)
    return [(name, text) for name, text in shown if is_active(name, text)]


WITHOUT_NAMES = [{"learn.lesson": name} for name in learn.LESSONS if name != "decomposition"]
WITHOUT_NAMES += [{"experiments.which": name} for name in EXPERIMENTS]
"""Parts that show samples alone."""

OPENED = [
    (page.path, part) for name, page in pages().items() for part in [{}, *parts(name)] if part not in WITHOUT_NAMES
]


@pytest.mark.parametrize(("page", "part"), OPENED, ids=str)
def test_names_are_escaped_whatever_is_chosen(page: str, part: dict[str, str]) -> None:
    user, rendered = hostile(), {}

    def check(app: AppTest, changed: str) -> None:
        failed = [error.value for error in app.error if "data.edit" not in part]  # which lets data be read wrongly
        if found := [*active(app), *failed, *(error.value for error in app.error if "went wrong" in error.value)]:
            rendered[changed] = found

    app = open_page(page, user.user, **user.query, **part)
    try_all(app, check, skipped=[f"{keys.PICK}{name}" for name in ("data", *part)])
    assert rendered == {}


TYPED = [(pages()[page].path, part) for page in ("data", "network", "predict") for part in [{}, *parts(page)]]


@pytest.mark.parametrize(("page", "part"), TYPED, ids=str)
def test_names_of_types_and_of_several_files_are_escaped(page: str, part: dict[str, str]) -> None:
    user = hostile_two_mode()
    assert active(open_page(page, user.user, **user.query, **part)) == []


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_names_in_a_file_whose_columns_are_chosen_are_escaped(separator: str) -> None:
    file = TEXTS[1] + ".csv"
    app = upload(open_data(), (file, hostile_columns(separator)), (TEXTS[6] + ".txt", b"a b\n"), (file, b"x"))
    assert active(app) == []
    app = upload(open_data(), (file, hostile_columns(separator)))
    toggle = next(toggle for toggle in app.toggle if toggle.label == data_texts.CHOOSE_COLUMNS)
    app = toggle.set_value(True).run()
    for place, role in enumerate(("source", "target", "relation", "value", "source_attributes")):
        assert active(app) == []
        columns = [box for box in app.selectbox if box.label.startswith("Column ")]
        app = columns[place].select(role).run()
    assert active(app) == []
    assert app.error  # the values are no numbers


def test_names_of_an_upload_that_is_changed_and_renamed_are_escaped() -> None:
    people = f'"name","{TEXTS[2]}"\n"{TEXTS[0]}","{TEXTS[4]}"\n"{TEXTS[5]}","{TEXTS[6]}"\n'.encode()
    app = upload(open_data(), (TEXTS[1] + ".csv", hostile_ties()), (TEXTS[6] + ".csv", people))
    assert active(app) == []
    app = use(app)
    assert active(app) == []  # with an advice about relations of ties only
    app = next(button for button in app.button if button.label == data_texts.EDIT).click().run()
    assert active(app) == []
    changes = {RELATIONS[0]: {"name": TEXTS[3]}, RELATIONS[1]: {"name": TEXTS[4], "absent": "no tie, or 0"}}
    app.session_state[f"{keys.EDITS}-{app.session_state[keys.EDITS]}"] |= changes
    app.run()
    assert active(app) == []
    app = next(button for button in app.button if button.label == data_texts.APPLY).click().run()
    assert active(app) == []
    assert relations(app) == [TEXTS[3], TEXTS[4], RELATIONS[2]]


def test_names_in_a_typed_network_are_escaped() -> None:
    app = open_data(data="florentine")
    app.session_state["way-0"] = data_texts.TYPE_TITLE
    app.run()
    columns = {"source": TEXTS[0], "relation": RELATIONS[0], "target": TEXTS[3]}
    for value in ("1", TEXTS[4]):
        rows = {0: columns | {"value": value}, 1: columns | {"value": "0"}}
        app.session_state[f"{keys.TYPED}-table-0"] = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
        app.run()
        assert active(app) == []


def test_names_in_the_results_of_an_experiment_are_escaped() -> None:
    user, name = hostile(), "experiments.learning-curve"
    options = {f"{name}-quick-methods": "Degree", f"{name}-quick-train": "0.5", f"{name}-quick-runs": "1"}
    query = {"experiments.source": "data", "experiments.kind": "learning-curve"} | options
    app = open_page("pages/7_Experiments.py", user.user, data=user.query["data"], **query)
    job = job_of(user.user, app, "Run")
    assert job.state == "finished", job.problem
    app.session_state[keys.EXPANDERS] = {"history": True}
    app.run()
    assert len(app.get("plotly_chart")) >= 1
    assert active(app) == []
