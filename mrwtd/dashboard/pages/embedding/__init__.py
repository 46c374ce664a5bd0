"""The Embedding page: objects as points, the meaning of their factors, all methods side by side, and a replay."""

import streamlit as st

from ...state import current_run
from ...widgets import inputs
from . import embedding_texts as texts
from . import factor_data, factors, methods, object_map, replay

VIEWS = {
    "Map": object_map.render,
    "Factors": factors.render,
    "Methods": methods.render,
    "Replay": replay.render,
}
"""The sections by name, which is also their value in URLs."""


def render() -> None:
    """Draw the page."""
    st.title("Embedding")
    result = current_run.current()
    if not factor_data.methods_with_factors(result):
        factor_data.offer_training(texts.NO_FACTORS, "Train one that has", ":material/scatter_plot:")
        return
    view = inputs.choose("View", "embedding.view", list(VIEWS), style="tabs", help=texts.VIEW_HELP)
    VIEWS[view](result)
