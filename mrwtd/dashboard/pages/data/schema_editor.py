"""The schema of an upload: a table with the guessed kind and direction of each relation, which the user can change."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import pandas as pd
import streamlit as st

from ....data.description import COLUMNS
from ....data.relations import KINDS
from ....data.schema import InferredRelation
from ...state import keys
from ...widgets.tables import relation_column
from .data_texts import DIRECTED_HELP, UNLISTED, UNLISTED_HELP

ROWS = 6
"""Longer tables scroll."""


def render(schema: Sequence[InferredRelation]) -> dict[str, Any]:
    """Draw the table, and return the user's choices as arguments of `mrwtd.read`."""
    default = next(iter(UNLISTED))
    rows = [(r.name, r.kind, r.directed, default, f"{r.kind_reason}; {r.directed_reason}") for r in schema]
    guessed = pd.DataFrame(rows, columns=["relation", "kind", "directed", "absent", "why"]).set_index("relation")
    chosen = changed(guessed, st.session_state.setdefault(keys.CHANGES, {}))
    # A change makes a new table. The old one would apply its edits to the row, whatever relation is there then.
    key = keys.GUESSES + sha256(repr(chosen.to_dict("split")).encode()).hexdigest()[:12]
    names, column = [str(name) for name in chosen.index], st.column_config
    st.data_editor(
        chosen,
        key=key,
        height="content" if len(chosen) <= ROWS else 260,
        disabled=["relation", "why"],
        on_change=_store_edits,
        args=(key, names),
        column_config={
            "relation": relation_column(names),
            "kind": column.SelectboxColumn(options=list(KINDS), required=True, width=80, help=COLUMNS["kind"]),
            "directed": column.CheckboxColumn(width=75, help=DIRECTED_HELP),
            "absent": column.SelectboxColumn(
                "unlisted pairs are", options=list(UNLISTED), required=True, width=150, help=UNLISTED_HELP
            ),
            "why": column.TextColumn("why this guess", width=530),  # as wide as the longest
        },
        alt="The kind and the direction of each relation",
    )
    return read_arguments(guessed, chosen)


def changed(guessed: pd.DataFrame, changes: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """The guesses with the user's changes, by relation. Changes of other relations are ignored.

    >>> rows = pd.DataFrame({"kind": ["binary", "count"]}, index=["likes", "calls"])
    >>> changed(rows, {"calls": {"kind": "real"}, "hates": {"kind": "real"}})["kind"].to_dict()
    {'likes': 'binary', 'calls': 'real'}
    """
    chosen = guessed.copy()
    for name in chosen.index.intersection(list(changes)):
        for column, value in changes[name].items():
            chosen.loc[name, column] = value
    return chosen


def _store_edits(key: str, names: Sequence[str]) -> None:
    changes = st.session_state[keys.CHANGES]
    for row, columns in st.session_state[key]["edited_rows"].items():
        name = names[int(row)]
        changes[name] = changes.get(name, {}) | columns


def read_arguments(guessed: pd.DataFrame, chosen: pd.DataFrame) -> dict[str, Any]:
    """The arguments of `mrwtd.read` for the choices that differ from the guesses.

    >>> rows = pd.DataFrame({"kind": ["binary"], "directed": [True], "absent": ["unknown"]}, index=["likes"])
    >>> read_arguments(rows, rows.assign(directed=False, absent="no tie, or 0"))
    {'directed': {'likes': False}, 'absent': 'negative'}
    """
    arguments: dict[str, Any] = {}
    for argument, column in (("kinds", "kind"), ("directed", "directed")):
        arguments[argument] = chosen.loc[chosen[column] != guessed[column], column].to_dict()
    meanings = chosen["absent"].map(UNLISTED).to_dict()
    known = {name: meaning for name, meaning in meanings.items() if meaning != "unobserved"}
    same = len(known) == len(meanings) and len(set(known.values())) == 1
    arguments["absent"] = next(iter(known.values())) if same else known
    return {argument: value for argument, value in arguments.items() if value != {}}
