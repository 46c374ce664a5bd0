"""Names are escaped in all Markdown and HTML that pages send, tooltips included."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.message import Message

from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.pages import compare
from mrwtd.dashboard.pages.train import results_panel
from mrwtd.dashboard.state import keys
from tests.dashboard.pages.open_pages import open_page
from tests.hostile_names import HOST, MARK, hostile

PAGES = [page.path for page in pages().values()]

NOT_RENDERED = {
    "id", "key", "alt", "aria_label", "placeholder", "default", "value", "set_value", "file_name", "url",
    "query_string", "raw_value", "raw_values", "Selectbox.options", "MultiSelect.options", "Code.code_text",
    "PlotlyChart.spec", "EChartsChart.spec", "BidiComponent.json", "BidiComponent.data", "css_class", "element_hash",
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


SECTIONS = [
    *((page, "", "") for page in PAGES),
    *(("pages/2_Train.py", "train.part", name) for name in results_panel.PARTS),
    *(("pages/3_Compare.py", "compare.section", name) for name in compare.SECTIONS),
]


@pytest.mark.parametrize(("page", "setting", "section"), SECTIONS)
def test_names_are_escaped(page: str, setting: str, section: str) -> None:
    user = hostile()
    app = open_page(page, user.user, **user.query, **({setting: section} if setting else {}))
    app.session_state[keys.EXPANDERS] = {"history": True}
    app.run()
    assert not app.exception
    assert not app.error
    shown = [*sent(app.main), *sent(app.sidebar)]
    assert any(MARK in text for _, text in shown)
    assert [(name, text) for name, text in shown if is_active(name, text)] == []
