"""A finished result: the mean scores of the current run, which on the first visit is the stored example."""

from __future__ import annotations

import streamlit as st

import mrwtd

from ....data.datasets.samples import dataset_info
from ....plots.bars import score_bars
from ...jobs.training import dataset_name, sample_note
from ...state import current_run, session
from ...widgets import figures
from ...widgets.formatting import escape_markdown
from .start_texts import STORED_RUN


def render() -> None:
    """Draw the scores of the current run, if there is one."""
    run = current_run.selected()
    if run is None or not run.summary:
        return
    try:
        scores = run.scores
    except mrwtd.DataError as error:
        current_run.skip_damaged(run, str(error))
    with st.container(border=True, key="finished-result"):
        if current_run.is_example(run):
            st.markdown(f"**A finished result: {escape_markdown(run.title)}**")
            st.caption(f"{dataset_info(dataset_name(run.spec)).question} {STORED_RUN}")
        else:
            st.markdown(f"**Your result: {escape_markdown(run.title)}**")
            st.caption(escape_markdown(" · ".join(filter(None, [run.display_name, sample_note(scores)]))))
        figures.show_bars(score_bars(scores), "scores", scores)
        st.caption(current_run.split_description(run))
        if st.button("See the comparison", icon=":material/arrow_forward:", width="stretch"):
            session.go("compare")
