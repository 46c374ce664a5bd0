"""The column chooser: the first rows of an uploaded list, with a menu above each column that says what it is."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import mrwtd

from ....data.readers.first_rows import FirstRows
from ....data.readers.parsing.column_choice import SINGLE
from ....data.readers.parsing.delimited import SEPARATORS
from ....hosting.uploads import UploadReader
from ...state import keys
from ...widgets.formatting import escape_markdown
from . import data_texts as texts

OFFERED = (None, "long", "wide", "matrices", "contacts", "multilayer", "ratings")
"""Formats of lists, which can be read by chosen columns; None is an unknown format."""

SHOWN = 12
"""Columns that are shown at a time: each has a menu, and hundreds of menus are slow."""


def render(
    reader: UploadReader, format: str | None, row: DeltaGenerator, before: Mapping[str, Any] | None = None
) -> dict[str, Any] | None:
    """Draw the switch in a row and the chooser below it, if the file is a list. Returns `columns` of `mrwtd.read`.

    It starts with the columns `before`, if the file is already in use with them. Otherwise the switch is on at first if
    detection failed or is doubtful, except for files with known names of columns.
    """
    try:
        detected = reader.first_rows() if format in OFFERED else None
    except mrwtd.DataError:
        detected = None
    if detected is None:
        return None
    reason = "" if detected.is_known else _doubt(reader)
    scope = keys.digest(st.session_state[keys.READER][0])  # a name for the files that are read
    with row, st.container(width=180, height=38, vertical_alignment="center", border=False):
        key, initial = f"{keys.COLUMNS}-on-{scope}", bool(reason or before)
        is_on = st.toggle(
            texts.CHOOSE_COLUMNS, initial, key=key, help=texts.CHOOSE_COLUMNS_HELP, persist_state="session"
        )
    if is_on and reason and not before:
        st.caption(f":material/lightbulb: {reason}")
    return _chooser(reader, detected, row, scope, before or {}) if is_on else None


def _doubt(reader: UploadReader) -> str:
    """Why the user should check the columns, or nothing."""
    try:
        return texts.DOUBTFUL if reader.preview().doubtful else ""
    except mrwtd.DataError as error:
        problem = error.problems[0]
        return texts.NOT_RECOGNIZED.format(escape_markdown(f"found {problem.found}; expected {problem.expected}"))


def _chooser(
    reader: UploadReader, detected: FirstRows, row: DeltaGenerator, scope: str, before: Mapping[str, Any]
) -> dict[str, Any]:
    """Draw how the file is split, the menus and the rows."""
    with row:
        sheet = separator = None
        if detected.sheets:
            sheet = _menu("Sheet", f"sheet-{scope}", detected.sheets, before.get("sheet"))
        else:
            names = [detected.separator, *(name for name in SEPARATORS.values() if name != detected.separator)]
            separator = _menu("Separator", f"separator-{scope}", names, before.get("separator"))
        first = reader.first_rows(separator, sheet)
        scope = f"{scope}-{separator}-{sheet}"
        start = _range(first.width, scope) if first.width > SHOWN else 0
        has_header = st.checkbox(
            texts.HEADER_LABEL,
            before.get("header", first.has_header),
            key=f"{keys.COLUMNS}-header-{scope}",
            persist_state="session",
        )
    is_same = (separator, sheet) == (before.get("separator"), before.get("sheet"))
    initial = column_roles(before) if before and is_same else dict(first.suggested)
    roles = st.session_state.setdefault(keys.COLUMNS, {}).setdefault(scope, initial)
    with st.container(horizontal=True, key="column-chooser", gap="small"):
        for position in range(start, min(start + SHOWN, first.width)):
            with st.container(width=165 if roles.get(position, "").endswith("attributes") else 130, gap="small"):
                _column(first, position, roles, has_header, scope)
    options = {"header": has_header, "separator": separator, "sheet": sheet}
    return columns_argument(roles) | {name: value for name, value in options.items() if value is not None}


def _menu(label: str, name: str, options: Sequence[str], initial: str | None) -> str | None:
    """A menu whose first option is how the file was read at first, for which it returns None."""
    index, key = options.index(initial) if initial in options else 0, f"{keys.COLUMNS}-{name}"
    chosen = st.selectbox(label, options, index, key=key, persist_state="session", width=150)
    return None if chosen == options[0] else chosen


def _range(width: int, scope: str) -> int:
    """The first of the columns that are shown."""
    starts = list(range(0, width, SHOWN))
    labels = {start: f"{start + 1}–{min(start + SHOWN, width)} of {width}" for start in starts}
    key = f"{keys.COLUMNS}-range-{scope}"
    chosen = st.selectbox(texts.MORE_COLUMNS, starts, format_func=labels.__getitem__, key=key, width=170)
    return int(chosen)


def _column(first: FirstRows, position: int, roles: dict[int, str], has_header: bool, scope: str) -> None:
    """One column: its menu and its cells."""
    key = f"{keys.COLUMNS}-role-{scope}-{position}"
    st.session_state[key] = roles.get(position, "")

    def choose() -> None:
        role = st.session_state[key]
        if role in SINGLE:  # the column that had it before is ignored
            for other in [place for place, noun in roles.items() if noun == role]:
                del roles[other]
        roles[position] = role

    name = first.rows[0][position] if has_header else ""
    label = f"Column {position + 1}" + (f": {escape_markdown(name)}" if name else "")
    st.selectbox(
        label, list(texts.ROLES), format_func=texts.ROLES.__getitem__, key=key, on_change=choose,
        label_visibility="collapsed",
    )  # fmt: skip
    cells = [escape(row[position]) or "&nbsp;" for row in first.rows]
    lines = [f"<b>{cell}</b>" if has_header and row == 0 else cell for row, cell in enumerate(cells)]
    st.html("".join(f'<div class="chooser-cell">{line}</div>' for line in lines))


def columns_argument(roles: Mapping[int, str]) -> dict[str, Any]:
    """The argument `columns` of `mrwtd.read` from the role of each column.

    >>> columns_argument({0: "relation", 1: "source", 2: "target", 4: "value", 3: "value", 5: ""})
    {'source': 1, 'target': 2, 'relation': 0, 'value': [3, 4]}
    """
    columns: dict[str, Any] = {}
    for noun in filter(None, texts.ROLES):
        places = sorted(position for position, role in roles.items() if role == noun)
        if places:
            columns[noun] = places[0] if len(places) == 1 else places
    return columns


def column_roles(columns: Mapping[str, Any]) -> dict[int, str]:
    """The role of each column from `columns_argument`.

    >>> column_roles({"source": 1, "target": 2, "value": [3, 4], "header": False})
    {1: 'source', 2: 'target', 3: 'value', 4: 'value'}
    """
    places = {role: columns[role] for role in texts.ROLES if role in columns}
    lists = {role: value if isinstance(value, list | tuple) else [value] for role, value in places.items()}
    return {place: role for role, value in lists.items() for place in value if isinstance(place, int)}


def is_complete(columns: Mapping[str, Any]) -> bool:
    """Whether both ends are chosen."""
    return "source" in columns and "target" in columns
