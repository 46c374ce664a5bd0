"""Two objects: every relation between them, what is known, and why."""

import pandas as pd
import streamlit as st

from ....analysis.pair_predictions import best_unknown_pairs, predict_pair
from ....data.possible_pairs import possible_pairs
from ....data.relational import RelationalData
from ....data.relations import Relation
from ....typing import Int64Array
from ...state import run_cache, session
from ...state.caches import cached_data
from ...state.current_run import Result
from ...widgets import explanation_panel, pickers
from ...widgets.formatting import escape_markdown
from . import predict_texts as texts
from . import prediction_table

MAX_RANKED = 1000
"""With more objects, all pairs are not ranked just to choose the pair to begin with."""


def render(result: Result, label: str, relation: Relation) -> None:
    """Draw the predictions of every relation between two objects, with an explanation of one of them."""
    pair = _choose_pair(result.data, relation, _first_pair(result, label, relation.name))
    if pair is None:
        return
    i, j = pair
    source, target = result.data.objects[i], result.data.objects[j]
    if i == j:
        st.info(texts.SAME_OBJECT, icon=":material/info:")
        return
    rows = _between(result, label, i, j)
    left, right = st.columns([6, 5], gap="medium")
    with left:
        table, height = prediction_table.formatted(result.data, rows), "content" if len(rows) <= 10 else 388
        alt = f"Predictions and known values between {source} and {target}, one row per relation"
        bars = prediction_table.error_bars(label, result.models[label], rows["spread"])
        prediction_table.show(table, "between", rows, height=height, alt=alt, caption=bars)
        explanation_panel.known_entries(result, label, source, target, relation.name)
    with right:
        title = explanation_panel.pair_text(relation, source, target)
        st.markdown(f"**Why {title} in {escape_markdown(relation.name)}?**")
        explanation_panel.factors(result, label, source, target, relation.name, "predict")
    st.caption(texts.TRUST)


@cached_data(max_entries=60)
def _first_pair(result: Result, label: str, relation: str) -> tuple[str, ...]:
    """The pair to begin with: the most likely tie that is not a training entry. Empty in large data."""
    if result.data.n_objects > MAX_RANKED:
        return ()
    trust = run_cache.reliability(result, label)
    best = best_unknown_pairs(result.models[label], result.train, result.test, trust, relation, 1)
    return tuple(map(str, best[["source", "target"]].iloc[0])) if len(best) else ()


def _choose_pair(data: RelationalData, relation: Relation, first: tuple[str, ...]) -> tuple[int, int] | None:
    """Draw the menus of both objects. They have the objects that the relation can connect."""
    possible = possible_pairs(data, data.relation_index(relation.name))
    left, middle, right = st.columns([4, 1, 4], vertical_alignment="bottom")
    with left:
        i = _choose_end(data, relation, 0, possible.sources, first)
    if i is not None and data.objects[i] in first[1:]:  # the user has chosen the other end of the first pair
        first = first[::-1]
    with right:
        j = _choose_end(data, relation, 1, possible.targets, first)
    if i is None or j is None:
        return None
    with middle:
        if not relation.is_two_mode:
            ends, icon = {"predict.source": data.objects[j], "predict.target": data.objects[i]}, ":material/swap_horiz:"
            st.button("Swap", icon=icon, width="stretch", on_click=session.change, kwargs=ends)
    return i, j


def _choose_end(
    data: RelationalData, relation: Relation, end: int, positions: Int64Array | None, first: tuple[str, ...]
) -> int | None:
    """Draw the menu of the source (0) or the target (1): all objects, or those at these positions."""
    objects = data.objects if positions is None else tuple(data.objects[position] for position in positions)
    label, setting = (("From", "predict.source"), ("To", "predict.target"))[end]
    if relation.types:
        label += f" ({escape_markdown(relation.types[end])})"
    # In menus of the same objects, the second one starts with another object.
    default = objects[0 if relation.is_two_mode else min(end, len(objects) - 1)]
    if first and first[end] in objects:
        default = first[end]
    index = pickers.object_picker(label, setting, objects, default=default)
    return index if index is None or positions is None else int(positions[index])


@cached_data(max_entries=60)
def _between(result: Result, label: str, source: int, target: int) -> pd.DataFrame:
    trust = run_cache.reliability(result, label)
    return predict_pair(result.models[label], result.train, result.test, trust, source, target)
