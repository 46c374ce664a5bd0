"""The table of what each relation of an upload is taken for: guesses with their reasons, to be changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import pandas as pd
import streamlit as st

from ....data.description import COLUMNS
from ....data.relations import KINDS
from ....data.schema import infer_schema
from ....data.table import Table
from ...state import keys
from ...widgets.formatting import summarize_names
from ...widgets.tables import relation_column

MEANINGS: dict[str, str | int] = {
    "not known": "unobserved",
    "no tie, or 0": "negative",
    "no tie, a sample of 5 a tie": 5,
}
"""What a pair that a file does not list can mean, in the words of the page."""

ROWS = 6
"""More rows than these are scrolled."""


def choose(found: Table) -> dict[str, Any]:
    """The table, with what was changed in it; gives what `mrwtd.read` takes."""
    guessed = _guessed(found)
    chosen = changed(guessed, st.session_state.setdefault(keys.CHANGES, {}))
    # A change makes a new table: the old one would keep changes by row, whatever relation then stands there.
    key = keys.GUESSES + sha256(repr(chosen.to_dict("split")).encode()).hexdigest()[:12]
    names = [str(name) for name in chosen.index]
    st.data_editor(
        chosen,
        key=key,
        height="content" if len(chosen) <= ROWS else 260,
        disabled=["relation", "why"],
        on_change=_take,
        args=(key, names),
        column_config={
            "relation": relation_column(names),
            "kind": st.column_config.SelectboxColumn(
                "kind", options=list(KINDS), required=True, width=80, help=COLUMNS["kind"]
            ),
            "directed": st.column_config.CheckboxColumn(
                "directed", width=75,
                help="Whether a → b differs from b → a. Untick it where a mutual tie is listed in one direction only",
            ),
            "absent": st.column_config.SelectboxColumn(
                "a pair not listed is", options=list(MEANINGS), required=True, width=150,
                help="Never guessed: only you know whether a pair was left out because there is no tie",
            ),
            "why": st.column_config.TextColumn("why this guess", width=530),  # as wide as the longest
        },
        alt="What each relation is taken for",
    )  # fmt: skip
    return how(guessed, chosen)


def _guessed(found: Table) -> pd.DataFrame:
    guesses = infer_schema(found)
    return pd.DataFrame(
        {
            "kind": [one.kind for one in guesses],
            "directed": [one.directed for one in guesses],
            "absent": next(iter(MEANINGS)),
            # What follows a semicolon is advice, which the column's hint gives.
            "why": [f"{one.kind_reason}; {one.directed_reason}" for one in guesses],
        },
        index=pd.Index([one.name for one in guesses], name="relation"),
    )


def changed(guessed: pd.DataFrame, changes: Mapping[str, Mapping[str, Any]]) -> pd.DataFrame:
    """The guesses with what was changed, by relation: of one that is not here, nothing.

    >>> rows = pd.DataFrame({"kind": ["binary", "count"]}, index=["likes", "calls"])
    >>> changed(rows, {"calls": {"kind": "real"}, "hates": {"kind": "real"}})["kind"].to_dict()
    {'likes': 'binary', 'calls': 'real'}
    """
    chosen = guessed.copy()
    for name, columns in changes.items():
        if name in chosen.index:
            for column, value in columns.items():
                chosen.loc[name, column] = value
    return chosen


def _take(key: str, names: Sequence[str]) -> None:
    changes = st.session_state[keys.CHANGES]
    for row, columns in st.session_state[key]["edited_rows"].items():
        name = names[int(row)]
        changes[name] = changes.get(name, {}) | columns


def how(guessed: pd.DataFrame, chosen: pd.DataFrame) -> dict[str, Any]:
    """The arguments of `mrwtd.read` that make the table's choices: those that differ from the guesses.

    >>> rows = pd.DataFrame({"kind": ["binary"], "directed": [True], "absent": ["not known"]}, index=["likes"])
    >>> how(rows, rows.assign(directed=False, absent="no tie, or 0"))
    {'directed': {'likes': False}, 'absent': 'negative'}
    """
    arguments: dict[str, Any] = {}
    for argument, column in (("kinds", "kind"), ("directed", "directed")):
        differ = chosen[column][chosen[column] != guessed[column]]
        if len(differ):
            arguments[argument] = {str(name): value for name, value in differ.items()}
    if "directed" in arguments:
        arguments["directed"] = {name: bool(value) for name, value in arguments["directed"].items()}
    meanings = {str(name): MEANINGS[word] for name, word in chosen["absent"].items()}
    if len(set(meanings.values())) == 1:
        meaning = next(iter(meanings.values()))
        return arguments | ({} if meaning == "unobserved" else {"absent": meaning})
    return arguments | {"absent": {name: meaning for name, meaning in meanings.items() if meaning != "unobserved"}}


def notes(how: Mapping[str, Any], relations: Sequence[str]) -> list[str]:
    """What was chosen, in sentences, from the arguments of `mrwtd.read`.

    >>> notes({"absent": "negative", "kinds": {"calls": "real"}}, ["helps", "calls"])
    ['calls: read as real, as you chose',
     'In every relation, a pair that is not listed has no tie, as you chose.']
    >>> notes({"absent": {"helps": 5}}, ["helps", "calls"])
    ['In helps, 5 pairs that are not listed, drawn at random, have no tie for each tie, as you chose.']
    """
    said = [f"{name}: read as {kind}, as you chose" for name, kind in how.get("kinds", {}).items()]
    ways = how.get("directed", {}).items()
    said += [f"{name}: read as {'directed' if way else 'undirected'}, as you chose" for name, way in ways]
    absent = how.get("absent", {})
    meanings = absent if isinstance(absent, Mapping) else dict.fromkeys(relations, absent)
    for meaning in dict.fromkeys(meanings.values()):
        names = [name for name, other in meanings.items() if other == meaning]
        where = "every relation" if len(names) == len(relations) > 1 else summarize_names(names)
        means = (
            "a pair that is not listed has no tie"
            if meaning == "negative"
            else f"{meaning} pairs that are not listed, drawn at random, have no tie for each tie"
        )
        said.append(f"In {where}, {means}, as you chose.")
    return said


def ties_only(facts: pd.DataFrame) -> list[str]:
    """The relations of which nothing but ties is known, from the table of `RelationalData.describe`.

    >>> facts = {"kind": ["binary", "count", "real"], "balance": [1.0, 1.0, 1.0], "missing": [0.5, 0.0, 0.5]}
    >>> ties_only(pd.DataFrame(facts, index=["likes", "calls", "distance"]))
    ['likes']
    """
    alone = facts["kind"].isin(["binary", "count"]) & (facts["balance"] == 1) & (facts["missing"] > 0)
    return [str(name) for name in facts.index[alone]]
