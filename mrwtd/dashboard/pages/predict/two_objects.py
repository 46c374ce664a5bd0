"""Two objects: every relation between them, what is known, and why."""

import pandas as pd
import streamlit as st

from ....analysis.pair_predictions import pair_of, predict_pair
from ....data.relations import Relation
from ...state import run_cache, session
from ...state.caches import cached_data
from ...state.current_run import Result
from ...widgets import explanation_panel, figures, pickers
from ...widgets.formatting import escape_markdown
from . import predict_texts as texts
from . import prediction_table


def render(result: Result, label: str, relation: Relation) -> None:
    """Draw the predictions of every relation between two objects, with an explanation of one of them."""
    objects = result.data.objects
    left, middle, right = st.columns([4, 1, 4], vertical_alignment="bottom")
    with left:
        i = pickers.object_picker("From", "predict.source", objects, default=objects[0])
    with right:
        j = pickers.object_picker("To", "predict.target", objects, default=objects[min(1, len(objects) - 1)])
    if i is None or j is None:
        return
    source, target = objects[i], objects[j]
    with middle:
        if st.button("Swap", icon=":material/swap_horiz:", width="stretch"):
            session.change(**{"predict.source": target, "predict.target": source})
            st.rerun()
    if i == j:
        st.info(texts.SAME_OBJECT, icon=":material/info:")
        return
    if relation.types and pair_of(result.data, result.data.relation_index(relation.name), i, j) is None:
        st.info(texts.IMPOSSIBLE.format(*map(escape_markdown, relation.types)), icon=":material/info:")
        return
    if relation.is_two_mode and result.data.object_types and result.data.object_types[i] != (relation.types or "")[0]:
        source, target = target, source
    rows = _between(result, label, i, j)
    left, right = st.columns([6, 5], gap="medium")
    with left:
        table, config = prediction_table.formatted(result.data, rows), prediction_table.columns()
        alt = f"Predictions and known values between {source} and {target}, one row per relation"
        st.dataframe(
            table, hide_index=True, height="content" if len(rows) <= 10 else 388, column_config=config, alt=alt
        )
        bars = prediction_table.error_bars(label, result.models[label], rows["spread"])
        figures.download_buttons("between", rows, caption=bars)
        explanation_panel.known_entries(result, label, source, target, relation.name)
    with right:
        pair = explanation_panel.pair_text(relation, source, target)
        st.markdown(f"**Why {pair} in {escape_markdown(relation.name)}?**")
        explanation_panel.factors(result, label, source, target, relation.name, "predict")
    st.caption(texts.TRUST)


@cached_data(max_entries=200)
def _between(result: Result, label: str, source: int, target: int) -> pd.DataFrame:
    trust = run_cache.reliability(result, label)
    return predict_pair(result.models[label], result.train, result.test, trust, source, target)
