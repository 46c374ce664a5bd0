"""Somebody new: a small table of known relationships, a place in the embedding, and what is predicted."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pandas as pd
import streamlit as st

import mrwtd

from ....analysis.new_objects import KnownRelationship, NewObject, example_relationships, fold_in_object
from ....analysis.objects import nearest_objects
from ....analysis.reliability import RELIABILITY_HELP
from ....plots.embedding_map import AXES_HELP, Colouring, embedding, point_table
from ...state import keys, run_cache, session
from ...state.caches import cached_resource
from ...state.current_run import Result
from ...widgets import figures, inputs, pickers
from ...widgets.formatting import escape_markdown
from . import prediction_text

OUT, IN = "from it", "to it"
COLUMNS = ("relation", "with", "value", "direction")
OURS = "MrWTD"
EDITOR = keys.NEW_ENTRIES + "-"


@dataclass
class Table:
    """The table that is edited: what it began with, and what the settings held when it was last read."""

    begin: pd.DataFrame
    text: str
    number: int


def section(result: Result, label: str, relation: str) -> None:
    """Enter a few relationships of somebody new; see where he stands and what follows."""
    model = result.models[label]
    if not isinstance(model, mrwtd.MrWTD):
        _unable(result, label)
        return
    asks, answers = st.columns([4, 7], gap="medium")
    with asks:
        name = inputs.text_input("Name", "predict.name", help="What the new object is called.", placeholder="Newcomer")
        name = name.strip() or "Newcomer"
        known = _table(result, relation)
        st.caption(
            "A row a known relationship; of a binary one, 1 is a tie and 0 none. Its factors are learned from these "
            "rows, all else stays as it is."
        )
    with answers:
        if not known:
            st.info("Enter a relationship with an object that is there.", icon=":material/person_add:")
            return
        found = _newcomer(result, label, name, tuple(known))
        place, told = st.columns([4, 6])
        with place:
            _place(found, name)
        with told:
            _relationships(result, label, relation, found, name)
    prediction_text.trust_note()


def _unable(result: Result, label: str) -> None:
    """A method that cannot take in new objects: a sentence, and the way to one that can."""
    st.info(f"{escape_markdown(label)} cannot take in new objects.", icon=":material/person_add:")
    able = next((name for name, other in result.models.items() if isinstance(other, mrwtd.MrWTD)), None)
    if able is not None:
        st.button(f"Ask {escape_markdown(able)}", type="primary", on_click=session.change, kwargs={"method": able})
    elif st.button(f"Train {OURS} too", type="primary"):
        methods = dict.fromkeys((OURS, *result.models))
        session.change(methods=tuple(methods))
        session.go("train")


def _table(result: Result, relation: str) -> list[KnownRelationship]:
    """The editable table; what it says is kept in the settings."""
    data = result.data
    text = str(session.settings().get("predict.new") or "")
    held: Table | None = st.session_state.get(keys.NEW_ENTRIES)
    if held is None or held.text != text or f"{EDITOR}{held.number}" not in st.session_state:
        # The settings have changed without the table, or the page was left: begin with what they say.
        begin = _parsed(text) if text else _frame(example_relationships(data, relation))
        held = Table(begin, text, 1 if held is None else held.number + 1)
        st.session_state[keys.NEW_ENTRIES] = held
    directed = any(own.directed for own in data.relations)
    few = data.n_objects <= pickers.MOST_LISTED
    edited = st.data_editor(
        held.begin if directed else held.begin.drop(columns="direction"),
        key=f"{EDITOR}{held.number}",
        num_rows="dynamic",
        hide_index=True,
        height=320,
        column_config={
            "relation": st.column_config.SelectboxColumn(
                options=[own.name for own in data.relations], required=True, default=relation
            ),
            "with": st.column_config.SelectboxColumn(options=list(data.objects), required=True)
            if few
            else st.column_config.TextColumn(required=True),
            "value": st.column_config.NumberColumn(
                required=True,
                default=1.0,
                width="small",
                help="Binary relations: 1 is a tie and −1, or 0, is none. Others: the value in the relation's unit",
            ),
            "direction": st.column_config.SelectboxColumn(
                options=[OUT, IN], default=OUT, width="small", help="From the new object to the other, or to it"
            ),
        },
    )
    if not edited.equals(held.begin if directed else held.begin.drop(columns="direction")) or text:
        held.text = _written(edited)
        session.change(**{"predict.new": held.text})
    return _known(edited, data)


def _parsed(text: str) -> pd.DataFrame:
    """The rows that the settings hold; nothing where somebody has spoiled them."""
    try:
        rows = [[str(row[0]), str(row[1]), float(row[2]), OUT if row[3] else IN] for row in json.loads(text)]
    except (ValueError, TypeError, LookupError):
        rows = []
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"value": float})


def _frame(known: list[KnownRelationship]) -> pd.DataFrame:
    rows = [(one.relation, one.other, float(one.value), OUT if one.outward else IN) for one in known]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"value": float})


def _written(edited: pd.DataFrame) -> str:
    full = edited.dropna(subset=["relation", "with", "value"])
    ways = full["direction"] if "direction" in full else pd.Series(OUT, index=full.index)
    rows = zip(full["relation"], full["with"], full["value"], ways, strict=True)
    return json.dumps([[a, b, float(value), int(way != IN)] for a, b, value, way in rows], separators=(",", ":"))


def _known(edited: pd.DataFrame, data: mrwtd.RelationalData) -> list[KnownRelationship]:
    """The rows that are whole; those of names that are not here are said to be so."""
    known: dict[tuple[str, str, bool], KnownRelationship] = {}
    relations, objects = {own.name: own for own in data.relations}, set(data.objects)
    strange = []
    for relation, other, value, outward in json.loads(_written(edited)):
        if relation not in relations or other not in objects:
            strange.append(other if relation in relations else relation)
            continue
        own = relations[relation]
        way = bool(outward) or not own.directed
        # The last row of a pair counts.
        known[relation, other, way] = KnownRelationship(relation, other, value, way)
    if strange:
        st.caption(f":orange[Not here, and left out: {escape_markdown(', '.join(map(str, strange)))}.]")
    return list(known.values())


def _place(found: NewObject, name: str) -> None:
    """Where it stands among the others."""
    objects = found.model.objects_
    last = len(objects) - 1
    colouring = Colouring("status", classes=["known"] * last + ["new"], order=("known", "new"))
    figure = embedding(
        found.points,
        found.axes,
        objects,
        colouring,
        marked=(last,),
        true_scale=True,
        dark=figures.dark(),
    )
    figure.update_layout(dragmode="pan")
    figures.show(
        figure,
        "newcomer",
        alt=f"{name} among the {last:,} other objects, by their factors",
        height=330,
        data=lambda: point_table(found.points, found.axes, objects, colouring),
    )
    near = nearest_objects(found.model.A_, last, top=5)["object"]
    st.caption("Most alike: " + ", ".join(escape_markdown(objects[at]) for at in near) + f". {AXES_HELP}")


def _relationships(result: Result, label: str, relation: str, found: NewObject, name: str) -> None:
    """What is predicted of it in the relation that is looked at."""
    told = found.relationships(relation, run_cache.reliability(result, label))
    own = result.data.relations[result.data.relation_index(relation)]
    out = told["source"] == name
    shown = pd.DataFrame(
        {
            "with": told["target"].where(out, told["source"]),
            "direction": out.map({True: OUT, False: IN}),
            "prediction": prediction_text.predicted([own] * len(told), told),
            "trust": [prediction_text.DOUBT + doubt if doubt else "trusted" for doubt in told["doubt"]],
        }
    )
    st.markdown(f"**{escape_markdown(relation)}**, predicted for **{escape_markdown(name)}**")
    st.dataframe(
        shown if own.directed else shown.drop(columns="direction"),
        hide_index=True,
        height=312,
        column_config={
            "with": st.column_config.TextColumn(width="small"),
            "direction": st.column_config.TextColumn(width="small"),
            "prediction": st.column_config.TextColumn(width="small", help=prediction_text.PREDICTION),
            "trust": st.column_config.TextColumn(help=RELIABILITY_HELP),
        },
        alt=f"The strongest relationships predicted for {name} in {relation}",
    )
    figures.download_buttons(f"newcomer-{relation}", told)


@cached_resource(max_entries=20, show_spinner="Fitting it in …")
def _newcomer(result: Result, label: str, name: str, known: tuple[KnownRelationship, ...]) -> NewObject:
    return fold_in_object(result.models[label], name, known)
