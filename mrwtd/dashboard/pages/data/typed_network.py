"""Type or paste a small network: a table in the browser that becomes a file like an upload."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import pandas as pd
import streamlit as st

import mrwtd

from ...state import keys
from . import data_texts as texts

FILE = "network.csv"
"""The name of the file, after which a relation without a name is called."""

COLUMNS = ("source", "relation", "target", "value")

EMPTY_ROWS = 4

EXAMPLE = (("ann", "friends", "bob", "1"), ("ann", "friends", "cat", "0"), ("bob", "calls", "cat", "12"))


@dataclass(frozen=True)
class TypedFile:
    """A typed table as a file: one line per row, without a header, so that a line has the number of its row.

    >>> TypedFile((("ann", "", "bob", ""),)).columns
    {'source': 0, 'target': 2, 'header': False, 'separator': 'comma'}
    """

    rows: tuple[tuple[str, ...], ...]
    name: str = FILE

    @property
    def file_id(self) -> str:
        """An id of the content, as that of an uploaded file."""
        return sha256(self.getvalue()).hexdigest()

    @property
    def columns(self) -> dict[str, Any]:
        """The columns that have content, as `columns` of `mrwtd.read`."""
        optional = [noun for place, noun in enumerate(COLUMNS) if any(row[place] for row in self.rows)]
        roles = {noun: place for place, noun in enumerate(COLUMNS) if noun in ("source", "target", *optional)}
        return {**roles, "header": False, "separator": "comma"}

    def getvalue(self) -> bytes:
        """The content. All cells are in quotes: a line that starts with # would be a comment."""
        text = io.StringIO()
        writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows(row if any(row) else () for row in self.rows)
        return text.getvalue().encode()


def render(counter: str) -> list[TypedFile]:
    """Draw the table. Returns its rows as a file, or nothing if it is empty; `counter` changes to empty the table."""
    key = f"{keys.TYPED}-{counter}"
    stored: dict[str, pd.DataFrame] = st.session_state.setdefault(keys.TYPED, {})
    if key not in st.session_state:  # the first time, or after a visit to another page, which empties the table
        stored["start"] = stored.get("edited", _frame([("",) * len(COLUMNS)] * EMPTY_ROWS))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(texts.TYPED_HELP, width="content")  # the toolbar of the table covers what is at the right
        st.button(texts.TYPED_EXAMPLE, type="tertiary", on_click=_fill, args=(key,))
    column = st.column_config.TextColumn
    stored["edited"] = st.data_editor(
        stored["start"], key=key, num_rows="dynamic", hide_index=True, height=180, alt=texts.TYPE_TITLE,
        column_config={name: column(name, help=texts.TYPED_COLUMNS[name]) for name in COLUMNS},
    )  # fmt: skip
    rows = [tuple(_text(cell) for cell in row) for row in stored["edited"].itertuples(index=False, name=None)]
    return [TypedFile(tuple(rows))] if any(map(any, rows)) else []


def in_rows(error: mrwtd.DataError) -> mrwtd.DataError:
    """The error with rows in place of lines.

    >>> from mrwtd.errors import Problem
    >>> str(in_rows(mrwtd.DataError(Problem("no name", "a name for the source", 2))))
    'row 2: found no name; expected a name for the source'
    """
    problems = [
        problem if problem.line is None else replace(problem, line=None, where=_row(problem.line, problem.where))
        for problem in error.problems
    ]
    return mrwtd.DataError(problems, total=error.total)


def _row(line: int, where: str) -> str:
    """The place of a problem, with the name of its column."""
    for place, name in enumerate(COLUMNS, start=1):
        where = where.replace(f"'column {place}'", name)
    return f"row {line}" + (f", {where}" if where else "")


def _fill(key: str) -> None:
    """Replace the table by an example."""
    st.session_state[keys.TYPED] = {"edited": _frame(EXAMPLE)}
    st.session_state.pop(key, None)


def _frame(rows: Sequence[Sequence[str]]) -> pd.DataFrame:
    return pd.DataFrame([list(row) for row in rows], columns=list(COLUMNS), dtype="str")


def _text(cell: Any) -> str:
    return "" if cell is None or pd.isna(cell) else " ".join(str(cell).split())
