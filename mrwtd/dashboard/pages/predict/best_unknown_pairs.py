"""Best unknown pairs: the most likely ties of a relation that are not known."""

import pandas as pd
import streamlit as st

from ....analysis.pair_predictions import best_unknown_pairs, count_unknown_pairs
from ....analysis.reliability import RELIABILITY_HELP
from ....data.relations import Relation
from ...state import run_cache
from ...state.caches import cached_data
from ...state.current_run import Result
from ...widgets import inputs
from ...widgets.tables import with_minus_signs
from . import predict_texts as texts
from . import prediction_table

COUNTS = ("50", "100", "500", "1000")
PARTS = {"training": "training entries", "data": "all known pairs"}


def render(result: Result, label: str, relation: Relation) -> None:
    """Draw filters and a table of the most likely unknown pairs."""
    name = relation.name
    unanswered = count_unknown_pairs(result.data, name)
    default, help_ = "data" if unanswered else "training", texts.PART_HELP.format(count=unanswered)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = inputs.text_input("With", "predict.with", help=texts.WITH_HELP, placeholder="Any object")
        top = int(inputs.choose("Number of pairs", "predict.top", COUNTS, default="100", help=texts.TOP_HELP))
        part = default
        if result.is_tested:
            part = inputs.choose(texts.PART, "predict.part", PARTS, default=default, style="buttons", help=help_)
        # Without held-out pairs, no prediction is trusted.
        trusted_only = result.is_tested and inputs.toggle("Trusted only", "predict.sure", help=RELIABILITY_HELP)
    if not unanswered and (part == "data" or not result.is_tested):
        st.info(texts.ALL_KNOWN if result.is_tested else texts.NOTHING_UNKNOWN, icon=":material/info:")
        return
    rows = _best_unknown(result, label, name, top, part == "data")
    ends = [rows[end].str.casefold().str.contains(text.strip().casefold(), regex=False) for end in ("source", "target")]
    chosen = rows[(ends[0] | ends[1]) & ((rows["doubt"] == "") | (not trusted_only))]
    if chosen.empty:
        st.info(texts.NO_PAIRS, icon=":material/filter_alt:")
    else:
        table = prediction_table.formatted(result.data, chosen).drop(columns="relation")
        pairs = chosen[["source", "target", "score"]].set_axis(["from", "to", "score"], axis="columns")
        alt = f"The best unknown pairs of {name}, most likely first"
        shown = with_minus_signs(pairs.join(table), {"score": ".2f"})
        bars = prediction_table.error_bars(label, result.models[label], rows["spread"])
        caption = texts.BEST_CAPTION.format(count=len(chosen), bars=bars)
        prediction_table.show(shown, f"best-{name}", chosen, height=400, alt=alt, caption=caption)
    st.caption(texts.TRUST)


@cached_data(max_entries=60, show_spinner="Ranking the pairs …")
def _best_unknown(result: Result, label: str, relation: str, top: int, unanswered: bool) -> pd.DataFrame:
    trust = run_cache.reliability(result, label)
    return best_unknown_pairs(
        result.models[label], result.train, result.test, trust, relation, top, exclude_test=unanswered
    )
