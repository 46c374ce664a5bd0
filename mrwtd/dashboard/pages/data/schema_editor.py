"""The schema of data: a table with the kind and direction of each relation, which the user can change.

Menus above the table set a column for all relations at once.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from ....data.description import COLUMNS
from ....data.relations import KINDS
from ....data.schema import InferredRelation
from ....data.transform import TRANSFORMS
from ...state import keys
from ...widgets.tables import name_width, relation_column
from . import data_texts as texts

ROWS = 4
"""Longer tables scroll."""

MAX_SAMPLED = 100
"""The largest number of sampled pairs per tie that the page offers."""

DIRECTIONS = {True: "directed", False: "undirected"}

TRANSFORMED = {transform.formula: name for name, transform in TRANSFORMS.items()}
"""Transforms by formula. The page offers them with the kinds, as each makes a relation real."""

KIND_OPTIONS = (*KINDS, *TRANSFORMED)

FOR_ALL: dict[str, tuple[str, dict[Any, str]]] = {
    "kind": ("Kind", {kind: kind for kind in KIND_OPTIONS}),
    "directed": ("Direction", DIRECTIONS),
    "absent": ("Unlisted pairs are", {meaning: meaning for meaning in texts.UNLISTED}),
}
"""The menus for all relations by column of the table: the label, and the label of each value."""


def render(schema: Sequence[InferredRelation], store: str = keys.CHANGES) -> dict[str, Any]:
    """Draw the menus and the table, and return the user's choices as arguments of `mrwtd.read`.

    Args:
        schema: the relations as they are, or as they were inferred.
        store: the key of the changes in the session state, by relation and column. Under the name `SAMPLED_PER_TIE`
            they include the number of sampled pairs per tie.
    """
    changes, unknown = st.session_state.setdefault(store, {}), meaning_label("unobserved")
    rows = [
        (r.name, r.name, r.kind, r.directed, unknown, texts.reasons(r.kind_reason, r.directed_reason)) for r in schema
    ]
    columns = ["relation", "name", "kind", "directed", "absent", "why"]
    guessed = pd.DataFrame(rows, columns=columns).set_index("relation")
    chosen = changed(guessed, changes)
    per_tie = changes.get(texts.SAMPLED_PER_TIE, {}).get("absent") or texts.UNLISTED[texts.SAMPLED]
    with st.container(horizontal=True, vertical_alignment="bottom", key="for-all-relations"):
        for column in FOR_ALL:
            _for_all(column, chosen, store)
        if (chosen["absent"] == texts.SAMPLED).any():
            _sampled_per_tie(int(per_tie), store)
    _table(chosen, store)
    return read_arguments(guessed, chosen, int(per_tie))


def _for_all(column: str, chosen: pd.DataFrame, store: str) -> None:
    """A menu with the value that all relations have in a column. It is empty if they differ."""
    label, options = FOR_ALL[column]
    key, values = f"{keys.FOR_ALL}{store}-{column}", chosen[column].unique().tolist()
    st.session_state[key] = values[0] if len(values) == 1 else None

    def apply() -> None:
        for name in map(str, chosen.index):
            _change(store, name, {column: st.session_state[key]})

    title = f"{label}, for all relations" if len(chosen) > 1 else label
    st.selectbox(
        title, list(options), None, options.__getitem__, key=key, on_change=apply, placeholder=texts.LEAVE_AS_IS,
        help=texts.FOR_ALL_HELP if len(chosen) > 1 else texts.UNLISTED_HELP if column == "absent" else None, width=210,
    )  # fmt: skip


def _sampled_per_tie(number: int, store: str) -> None:
    key = f"{keys.FOR_ALL}{store}-{texts.SAMPLED_PER_TIE}"
    st.session_state[key] = number

    def apply() -> None:
        _change(store, texts.SAMPLED_PER_TIE, {"absent": st.session_state[key]})

    st.number_input(texts.SAMPLED_PER_TIE, 1, MAX_SAMPLED, key=key, on_change=apply, help=texts.SAMPLED_HELP, width=180)


def _change(store: str, name: str, columns: Mapping[str, Any]) -> None:
    changes = st.session_state[store]
    changes[name] = changes.get(name, {}) | columns


def _table(chosen: pd.DataFrame, store: str) -> None:
    # A change makes a new table. The old one would apply its edits to the row, whatever relation is there then.
    key = f"{keys.GUESSES}{store}-{keys.digest(chosen.to_dict('split'))}"
    names, column = [str(name) for name in chosen.index], st.column_config

    def store_edits() -> None:
        for row, columns in st.session_state[key]["edited_rows"].items():
            _change(store, names[int(row)], columns)

    st.data_editor(
        chosen,
        key=key,
        height="content" if len(chosen) <= ROWS else 185,
        disabled=["relation", "why"],
        on_change=store_edits,
        column_config={
            "relation": relation_column(names),
            "name": column.TextColumn(required=True, max_chars=200, width=name_width(names), help=texts.NAME_HELP),
            "kind": column.SelectboxColumn(options=list(KIND_OPTIONS), required=True, width=80, help=COLUMNS["kind"]),
            "directed": column.CheckboxColumn(width=86, help=texts.DIRECTED_HELP),
            "absent": column.SelectboxColumn(
                "unlisted pairs are", options=list(texts.UNLISTED), required=True, width=150, help=texts.UNLISTED_HELP
            ),
            "why": column.TextColumn("why this guess", width=530),  # as wide as the longest
        },
        alt="The kind and the direction of each relation",
    )


def meaning_label(meaning: str | int) -> str:
    """The label of a meaning of unlisted pairs, an argument `absent` of `mrwtd.read`.

    >>> meaning_label("negative"), meaning_label(7)
    ('no tie, or 0', 'no tie (sampled)')
    """
    return next((label for label, value in texts.UNLISTED.items() if value == meaning), texts.SAMPLED)


def changed(guessed: pd.DataFrame, changes: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """The guesses with the user's changes, by relation. Changes of other relations are ignored, as are those to None.

    >>> rows = pd.DataFrame({"kind": ["binary", "count"]}, index=["likes", "calls"])
    >>> changed(rows, {"calls": {"kind": "real"}, "hates": {"kind": "real"}})["kind"].to_dict()
    {'likes': 'binary', 'calls': 'real'}
    """
    chosen = guessed.copy()
    for column in chosen.columns:
        values = {name: columns[column] for name, columns in changes.items() if columns.get(column) is not None}
        if values:
            chosen[column] = [values.get(str(name), value) for name, value in chosen[column].items()]
    return chosen


def read_arguments(guessed: pd.DataFrame, chosen: pd.DataFrame, per_tie: int = 5) -> dict[str, Any]:
    """The arguments of `mrwtd.read` for the choices that differ from the guesses.

    >>> rows = pd.DataFrame({"kind": ["binary"], "directed": [True], "absent": ["unknown"]}, index=["likes"])
    >>> read_arguments(rows, rows.assign(directed=False, absent="no tie, or 0"))
    {'directed': {'likes': False}, 'absent': 'negative'}
    >>> read_arguments(rows, rows.assign(absent="no tie (sampled)"), per_tie=7)
    {'absent': 7}
    >>> read_arguments(rows, rows.assign(kind="log(1 + y)", name="trade"))
    {'rename': {'likes': 'trade'}, 'transform': {'trade': 'log1p'}}
    """
    arguments: dict[str, Any] = {}
    if "name" in chosen:
        renamed = chosen["name"].astype(str).str.strip()
        arguments["rename"] = renamed[renamed != chosen.index].to_dict()
        chosen, guessed = chosen.set_index(renamed), guessed.set_axis(renamed)
    transformed = chosen["kind"].isin(TRANSFORMED)
    arguments["transform"] = chosen.loc[transformed, "kind"].map(TRANSFORMED).to_dict()
    arguments["kinds"] = chosen.loc[(chosen["kind"] != guessed["kind"]) & ~transformed, "kind"].to_dict()
    arguments["directed"] = chosen.loc[chosen["directed"] != guessed["directed"], "directed"].to_dict()
    meanings = chosen["absent"].map(texts.UNLISTED | {texts.SAMPLED: per_tie}).to_dict()
    known = {name: meaning for name, meaning in meanings.items() if meaning != "unobserved"}
    same = len(known) == len(meanings) and len(set(known.values())) == 1
    arguments["absent"] = next(iter(known.values())) if same else known
    return {argument: value for argument, value in arguments.items() if value != {}}
