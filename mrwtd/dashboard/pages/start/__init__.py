"""The Start page: what mrwtd does, a finished result, and one card per sample."""

import base64

import streamlit as st

import mrwtd

from ....data.datasets.samples import dataset_info
from ....plots.bars import score_bars
from ....plots.decomposition import decomposition_picture, planted_cells
from ...jobs.training import dataset_name, sample_note
from ...state import current_run, session, shared_run
from ...state.stored_splits import read_splits
from ...widgets import figures, lazy_expander
from ...widgets.formatting import escape_markdown
from . import try_a_sample
from .start_texts import INTRODUCTION, PICTURE_ALT, STORED_RUN, TITLE


def render() -> None:
    """Draw the page."""
    st.title(TITLE)
    text, picture = st.columns([5, 6], gap="large", vertical_alignment="center")
    with text:
        st.markdown(INTRODUCTION)
        upload, learn = st.columns(2)
        if upload.button("Upload your data", icon=":material/upload_file:", type="primary", width="stretch"):
            lazy_expander.reset("upload")
            session.go("data", **{"data.upload": "True"})
        if learn.button("How it works", icon=":material/school:", width="stretch"):
            session.go("learn")
    with picture:
        svg = decomposition_picture(figures.dark())
        source = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
        image = f'<img alt="{PICTURE_ALT}" src="{source}" style="width: 100%">'
        st.html(image + figures.preload_script(), unsafe_allow_javascript=True)
        figures.download_buttons("decomposition", planted_cells, picture=svg)
    samples, result = st.columns([5, 2], gap="medium")
    with samples:
        try_a_sample.render()
    with result:
        _finished_result()


def _finished_result() -> None:
    """The mean scores of the current run, which on the first visit is the stored example."""
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
            stored = read_splits(run)
            scores = scores if stored is None else stored.scores
            st.caption(f"{dataset_info(dataset_name(run.spec)).question} {STORED_RUN}")
        else:
            whose = "Shared" if shared_run.is_shown(run) else "Your"
            st.markdown(f"**{whose} result: {escape_markdown(current_run.title(run))}**")
            st.caption(escape_markdown(" · ".join(filter(None, [run.display_name, sample_note(scores)]))))
        figures.show_bars(score_bars(scores), "scores", scores)
        if how := current_run.split_description(run):
            st.caption(how)
        if st.button("See the comparison", icon=":material/arrow_forward:", width="stretch"):
            session.go("compare")
