"""Best unknown pairs: the likeliest ties of a relation that are not known."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ....analysis.pair_predictions import best_unknown_pairs, count_unknown_pairs
from ....analysis.reliability import RELIABILITY_HELP
from ...state import run_cache
from ...state.caches import cached_data
from ...state.current_run import Result
from ...widgets import figures, inputs
from . import prediction_text

TOPS = ("50", "100", "500", "1000")


def section(result: Result, label: str, relation: str) -> None:
    """The pairs that are likeliest and not known, to be filtered, sorted and taken away."""
    free = count_unknown_pairs(result.data, relation)
    search, how_many, which, trusted = st.columns([3, 1.4, 3, 2], vertical_alignment="bottom")
    with search:
        text = inputs.text_input(
            "With",
            "predict.with",
            help="Only pairs with an object whose name has this in it.",
            placeholder="Any object",
        )
    with how_many:
        top = int(inputs.choose("Best", "predict.top", TOPS, index=1, help="How many pairs to list."))
    with which:
        parts = ("training", "data")
        part = inputs.choose(
            "Pairs that are not in the …", "predict.part", parts, index=1 if free else 0, style="buttons",
            format_func=lambda one: "training part" if one == "training" else "data at all",
            help="Held-out pairs are in the data, so that their truth stands beside the prediction. "
            f"This relation has {free:,} pairs that the data does not answer.",
        )  # fmt: skip
    with trusted:
        sure = inputs.toggle("Trusted only", "predict.sure", help=RELIABILITY_HELP)
    if part == "data" and not free:
        st.info("The data answers every pair of this relation. Look at those outside the training part.")
        return
    told = _unknown(result, label, relation, top, part == "data")
    chosen = told[_named(told, text) & ((told["doubt"] == "") | (not sure))]
    if chosen.empty:
        st.info("No pair is left: take fewer conditions, or more pairs.", icon=":material/filter_alt:")
        prediction_text.trust_note()
        return
    own = result.data.relations[result.data.relation_index(relation)]
    shown = prediction_text.in_words(result.data, chosen).drop(columns="relation")
    shown.insert(0, "from" if own.directed else "one", chosen["source"])
    shown.insert(1, "to" if own.directed else "other", chosen["target"])
    shown.insert(2, "score", chosen["score"])
    st.dataframe(
        shown,
        hide_index=True,
        height=400,
        column_config=prediction_text.columns(),
        alt=f"The best pairs of {relation} that are not known, the likeliest first",
    )
    bars = prediction_text.error_bars(label, result.models[label], told["spread"])
    figures.download_buttons(
        f"best-{relation}",
        chosen,
        caption=f"{len(chosen):,} of the best {len(told):,} pairs. Click a column to sort. {bars}",
    )
    prediction_text.trust_note()


def _named(told: pd.DataFrame, text: str) -> pd.Series:
    """Which pairs have an object whose name has the text in it."""
    wanted = text.strip().casefold()
    found: pd.Series = told["source"].str.casefold().str.contains(wanted, regex=False) | told[
        "target"
    ].str.casefold().str.contains(wanted, regex=False)
    return found


@cached_data(max_entries=60, show_spinner="Ranking the pairs …")
def _unknown(result: Result, label: str, relation: str, top: int, unanswered: bool) -> pd.DataFrame:
    trust = run_cache.reliability(result, label)
    return best_unknown_pairs(
        result.models[label], result.train, result.test, trust, relation, top, exclude_test=unanswered
    )
