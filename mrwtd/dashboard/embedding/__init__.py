"""The Embedding page: objects as points, what their factors mean, other methods beside ours, and the replay."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from .. import inputs, session
from ..results import Result
from . import atlas, latents, meanings, replays

VIEWS: dict[str, Callable[[Result], None]] = {
    "Map": atlas.section,
    "Factors": meanings.section,
    "Methods": meanings.side_by_side,
    "Replay": replays.section,
}
"""What can be looked at, by name."""


def sections(result: Result) -> None:
    """One of the views, chosen on top."""
    if not latents.labels(result):
        st.info("No method of this run has factors to show.", icon=":material/scatter_plot:")
        if st.button("Train one that has", type="primary"):
            session.go("pages/2_Train.py")
        return
    view = inputs.choose(
        "View",
        "embedding.view",
        list(VIEWS),
        style="buttons",
        labelled=False,
        hint="The objects, how their factors relate, other methods beside ours, and the training played again.",
    )
    VIEWS[view](result)
