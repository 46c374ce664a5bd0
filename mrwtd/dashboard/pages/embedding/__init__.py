"""The Embedding page: objects as points, what their factors mean, other methods beside ours, and the replay."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ...state import current_run, session
from ...state.current_run import Result
from ...widgets import inputs
from . import factor_data, factors, object_map, replay

VIEWS: dict[str, Callable[[Result], None]] = {
    "Map": object_map.section,
    "Factors": factors.section,
    "Methods": factors.side_by_side,
    "Replay": replay.section,
}
"""What can be looked at, by name."""


def render() -> None:
    """Draw the page."""
    st.title("Embedding")
    result = current_run.current()
    if not factor_data.labels(result):
        st.info("No method of this run has factors to show.", icon=":material/scatter_plot:")
        if st.button("Train one that has", type="primary"):
            session.go("train")
        return
    view = inputs.choose(
        "View",
        "embedding.view",
        list(VIEWS),
        style="buttons",
        show_label=False,
        help="The objects, how their factors relate, other methods beside ours, and the training played again.",
    )
    VIEWS[view](result)
