"""The Data page: choose or upload a data set, and see its relations."""

from __future__ import annotations

import streamlit as st

from ...state.settings import Settings
from . import my_data, overview, upload


def render(settings: Settings) -> None:
    """Draw the page."""
    st.title("Data")
    upload.section()
    facts, pictures = st.columns(2, gap="medium")
    with facts:
        overview.choose_data(settings)
        overview.relations_table(settings)
        my_data.section()
        my_data.mit_section()
    with pictures:
        overview.pictures(settings)
