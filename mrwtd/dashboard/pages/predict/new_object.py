"""A new object: a small table of known relationships, its place in the embedding, and its predictions."""

import json
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

import mrwtd

from ....analysis.new_objects import (
    KnownRelationship,
    NewObject,
    direction_with,
    example_relationships,
    fold_in_object,
)
from ....analysis.objects import nearest_objects
from ....plots.embedding_map import AXES_HELP, Colouring, embedding, point_table
from ...state import keys, run_cache, session
from ...state.caches import cached_resource
from ...state.current_run import Result
from ...widgets import figures, inputs, pickers
from ...widgets.formatting import escape_markdown
from . import predict_texts as texts
from . import prediction_table

OUT, IN = "from it", "to it"
COLUMNS = ["relation", "with", "value", "direction"]
EDITOR = keys.NEW_ENTRIES + "-"

Row = tuple[str, str, float, int]
"""A known relationship: relation, other object, value, and 1 if it goes from the new object to the other."""


@dataclass
class EditorState:
    """The table in the editor.

    Attributes:
        start: its first rows.
        text: the setting when it was last read.
        number: the number of its widget.
        kind: the type of the new object; empty if objects have no types.
    """

    start: pd.DataFrame
    text: str
    number: int
    kind: str


def render(result: Result, label: str, relation: mrwtd.Relation) -> None:
    """Draw a table to enter relationships of a new object, its place among the others, and its predictions."""
    if not isinstance(result.models[label], mrwtd.MrWTD):
        _offer_method(result, label)
        return
    left, right = st.columns([4, 7], gap="medium")
    with left:
        name = inputs.text_input("Name", "predict.name", help=texts.NAME_HELP, placeholder=texts.NAME)
        name = name.strip() or texts.NAME
        kind = _choose_type(result.data, relation)
        known = _known(_edited_rows(result, relation.name, kind), result.data, kind)
        st.caption(texts.TABLE_CAPTION)
    with right:
        if not known:
            st.info(texts.NO_ROWS, icon=":material/person_add:")
            return
        added = _folded_in(result, label, name, tuple(known))
        left, right = st.columns([4, 6])
        with left:
            _place(added, name)
        with right:
            if kind and relation.types and kind not in relation.types:
                st.info(texts.NO_RELATIONSHIPS.format(*map(escape_markdown, relation.types)), icon=":material/info:")
            else:
                _predictions(result, label, relation, added, name)
    st.caption(texts.TRUST)


def _offer_method(result: Result, label: str) -> None:
    """Say that a method cannot add objects, with a button for one that can."""
    st.info(texts.CANNOT_ADD.format(method=escape_markdown(label)), icon=":material/person_add:")
    able = next((name for name, model in result.models.items() if isinstance(model, mrwtd.MrWTD)), None)
    if able is not None:
        st.button(f"Use {escape_markdown(able)}", type="primary", on_click=session.change, kwargs={"method": able})
    elif st.button("Train MrWTD too", type="primary"):
        session.go("train", methods=tuple(dict.fromkeys(("MrWTD", *result.models))))


def _choose_type(data: mrwtd.RelationalData, relation: mrwtd.Relation) -> str:
    """Draw the menu of types; by default that of the rows in the URL, or of the relation's sources."""
    if not data.object_types:
        return ""
    kinds = list(dict.fromkeys(data.object_types))
    default = relation.types[0] if relation.types else kinds[0]
    types, relations = dict(zip(data.objects, data.object_types, strict=True)), {r.name: r for r in data.relations}
    for name, other, *_ in _rows(_parse(str(session.settings().get("predict.new") or ""))):
        ends = relations[name].types if name in relations else None
        if ends and types.get(other) in ends:
            default = ends[1 - ends.index(types[other])]
            break
    return inputs.choose("Type", "predict.type", kinds, default=default, help=texts.TYPE_HELP)


def _edited_rows(result: Result, relation: str, kind: str) -> list[Row]:
    """Draw the editor; its rows are saved in the settings."""
    data = result.data
    text = str(session.settings().get("predict.new") or "")
    state: EditorState | None = st.session_state.get(keys.NEW_ENTRIES)
    is_open = state is not None and state.text == text and f"{EDITOR}{state.number}" in st.session_state
    if is_open and state is not None and state.kind != kind:  # another type was chosen, which has other relationships
        text, is_open = "", False
        session.change(**{"predict.new": ""})
    if state is None or not is_open:
        # The settings were changed elsewhere, or the page was left: start with the rows of the settings.
        start = _parse(text) if text else _frame(map(astuple, example_relationships(data, relation, kind=kind)))
        state = EditorState(start, text, state.number + 1 if state else 1, kind)
        st.session_state[keys.NEW_ENTRIES] = state
    # Between two types of objects, the types determine the direction.
    directed = any(relation.directed and not relation.is_two_mode for relation in data.relations)
    start = state.start if directed else state.start.drop(columns="direction")
    names = [relation.name for relation in data.relations]
    column = st.column_config
    with_column = column.TextColumn(required=True)
    others = _others(data, kind)
    if len(others) <= pickers.MOST_LISTED:
        with_column = column.SelectboxColumn(options=others, required=True)
    edited = st.data_editor(
        start,
        key=f"{EDITOR}{state.number}",
        num_rows="dynamic",
        hide_index=True,
        height=320,
        column_config={
            "relation": column.SelectboxColumn(options=names, required=True, default=relation),
            "with": with_column,
            "value": column.NumberColumn(required=True, default=1.0, width="small", help=texts.VALUE_HELP),
            "direction": column.SelectboxColumn(options=[OUT, IN], default=OUT, width="small", help=texts.WAY_HELP),
        },
    )
    rows = _rows(edited)
    if text or not edited.equals(start):
        state.text = json.dumps(rows, separators=(",", ":"))
        session.change(**{"predict.new": state.text})
    return rows


def _others(data: mrwtd.RelationalData, kind: str) -> list[str]:
    """The objects with which a new object of this type can have relationships."""
    types = data.object_types or ("",) * data.n_objects
    kinds = {
        other
        for other in set(types)
        if any(direction_with(relation, kind, other) is not None for relation in data.relations)
    }
    return [name for name, other in zip(data.objects, types, strict=True) if other in kinds]


def _parse(text: str) -> pd.DataFrame:
    """The rows in the settings, or none if the text is not valid."""
    try:
        return _frame(json.loads(text))
    except (ValueError, TypeError, OverflowError, RecursionError):  # of any URL
        return _frame([])


def _frame(rows: Iterable[Any]) -> pd.DataFrame:
    cells = [(str(name), str(other), float(value), OUT if outward else IN) for name, other, value, outward in rows]
    return pd.DataFrame(cells, columns=COLUMNS).astype({"value": float})


def _rows(edited: pd.DataFrame) -> list[Row]:
    """The complete rows of the editor."""
    rows = edited.reindex(columns=COLUMNS).dropna(subset=["relation", "with", "value"])
    cells = rows.itertuples(index=False, name=None)
    return [(name, other, float(value), int(way != IN)) for name, other, value, way in cells]


def _known(rows: list[Row], data: mrwtd.RelationalData, kind: str) -> list[KnownRelationship]:
    """The rows with known names, the last one of each pair; unknown names and impossible pairs are reported."""
    known: dict[tuple[str, str, bool], KnownRelationship] = {}
    relations, objects = {relation.name: relation for relation in data.relations}, set(data.objects)
    types = dict(zip(data.objects, data.object_types or (), strict=False))
    unknown, impossible = [], []
    for name, other, value, way in rows:
        if name not in relations or other not in objects:
            unknown.append(other if name in relations else name)
            continue
        direction = direction_with(relations[name], kind, types.get(other, ""))
        if direction is None:
            impossible.append(f"{name}, {other}")
            continue
        outward = direction if relations[name].is_two_mode else bool(way) or not relations[name].directed
        known[name, other, outward] = KnownRelationship(name, other, value, outward)
    if unknown:
        st.caption(texts.UNKNOWN_NAMES.format(names=escape_markdown(", ".join(unknown))))
    if impossible:
        names = escape_markdown("; ".join(impossible))
        st.caption(texts.IMPOSSIBLE_ROWS.format(kind=escape_markdown(kind), names=names))
    return list(known.values())


def _place(added: NewObject, name: str) -> None:
    """Draw the new object among the others."""
    points, axes, objects = added.points, added.axes, added.model.objects_
    last = len(objects) - 1
    colouring = Colouring("status", classes=["known"] * last + ["new"], order=("known", "new"))
    figure = embedding(points, axes, objects, colouring, marked=(last,), true_scale=True, dark=figures.dark())
    figure.update_layout(dragmode="pan")
    alt = f"{name} among the {last:,} other objects, by their factors"
    data = partial(point_table, points, axes, objects, colouring)
    figures.show(figure, "new-object", alt=alt, height=330, data=data)
    near = nearest_objects(added.model.A_, last, top=5)["object"]
    st.caption("Most similar: " + ", ".join(escape_markdown(objects[row]) for row in near) + f". {AXES_HELP}")


def _predictions(result: Result, label: str, relation: mrwtd.Relation, added: NewObject, name: str) -> None:
    """Draw the predicted relationships of the new object."""
    rows = added.relationships(relation.name, run_cache.reliability(result, label))
    outward = rows["source"] == name
    table = pd.DataFrame(
        {
            "with": rows["target"].where(outward, rows["source"]),
            "direction": outward.map({True: OUT, False: IN}),
            "prediction": prediction_table.predictions([relation] * len(rows), rows),
            "trust": prediction_table.trust(rows),
        }
    )
    st.markdown(f"**{escape_markdown(relation.name)}**, predicted for **{escape_markdown(name)}**")
    if not relation.directed or relation.is_two_mode:
        table = table.drop(columns="direction")
    alt = f"The strongest relationships predicted for {name} in {relation.name}"
    prediction_table.show(table, f"new-object-{relation.name}", rows, height=312, alt=alt)


@cached_resource(max_entries=20, show_spinner="Learning its factors …")
def _folded_in(result: Result, label: str, name: str, known: tuple[KnownRelationship, ...]) -> NewObject:
    return fold_in_object(result.models[label], name, known)
