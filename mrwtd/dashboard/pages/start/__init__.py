"""The Start page: what mrwtd does, a finished result, and one card per sample."""

from __future__ import annotations

import base64
from functools import cache

import streamlit as st

from ....plots.decomposition import decomposition_picture, planted_cells
from ...state import session
from ...widgets import figures, lazy_expander
from . import finished_result, try_a_sample
from .start_texts import INTRODUCTION, PICTURE_ALT, TITLE


def render() -> None:
    """Draw the page."""
    st.title(TITLE)
    text, picture = st.columns([5, 6], gap="large", vertical_alignment="center")
    with text:
        st.markdown(INTRODUCTION)
        upload, learn = st.columns(2)
        if upload.button("Upload your data", icon=":material/upload_file:", type="primary", width="stretch"):
            session.change(**{"data.upload": "True"})
            lazy_expander.reset("upload")
            session.go("data")
        if learn.button("How it works", icon=":material/school:", width="stretch"):
            session.go("learn")
    with picture:
        st.html(_picture(figures.dark()) + figures.preload_script(), unsafe_allow_javascript=True)
        figures.download_buttons("decomposition", planted_cells, picture=decomposition_picture(figures.dark()))
    samples, result = st.columns([5, 2], gap="medium")
    with samples:
        try_a_sample.render()
    with result:
        finished_result.render()


@cache
def _picture(dark: bool) -> str:
    """The decomposition as an HTML image with a text alternative."""
    svg = base64.b64encode(decomposition_picture(dark).encode()).decode()
    return f'<img alt="{PICTURE_ALT}" src="data:image/svg+xml;base64,{svg}" style="width: 100%">'
