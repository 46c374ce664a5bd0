"""Two objects: every relation between them, what is known, and why."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ....analysis.pair_predictions import predict_pair
from ...state import run_cache, session
from ...state.caches import cached_data
from ...state.current_run import Result
from ...widgets import explanation_panel, figures, pickers
from ...widgets.formatting import escape_markdown
from . import prediction_text


def section(result: Result, label: str, relation: str) -> None:
    """Every relation between two objects: prediction, what is known, and why."""
    objects = result.data.objects
    one, turn, other = st.columns([4, 1, 4], vertical_alignment="bottom")
    with one:
        source = pickers.object_picker("From", "predict.source", objects, default=objects[0])
    with other:
        target = pickers.object_picker("To", "predict.target", objects, default=objects[min(1, len(objects) - 1)])
    if source is None or target is None:
        return
    with turn:
        if st.button("Swap", icon=":material/swap_horiz:", width="stretch"):
            session.change(**{"predict.source": objects[target], "predict.target": objects[source]})
            st.rerun()
    if source == target:
        st.info("These are the same object: choose two different ones.", icon=":material/info:")
        return
    told = _between(result, label, source, target)
    table, why = st.columns([6, 5], gap="medium")
    with table:
        st.dataframe(
            prediction_text.in_words(result.data, told),
            hide_index=True,
            height="content" if len(told) <= 10 else 388,
            column_config=prediction_text.columns(),
            alt=f"What is predicted and known between {objects[source]} and {objects[target]}, a row a relation",
        )
        bars = prediction_text.error_bars(label, result.models[label], told["spread"])
        figures.download_buttons("between", told, caption=bars)
        explanation_panel.known_entries(result, label, objects[source], objects[target], relation)
    with why:
        own = result.data.relations[result.data.relation_index(relation)]
        st.markdown(
            f"**Why {explanation_panel.pair_text(own, objects[source], objects[target])} in "
            f"{escape_markdown(relation)}?**"
        )
        explanation_panel.factors(result, label, objects[source], objects[target], relation, "predict")
    prediction_text.trust_note()


@cached_data(max_entries=200)
def _between(result: Result, label: str, source: int, target: int) -> pd.DataFrame:
    trust = run_cache.reliability(result, label)
    return predict_pair(result.models[label], result.train, result.test, trust, source, target)
