"""The Data page: choose or upload a data set, and see its relations."""

import streamlit as st

from ...state.settings import Settings
from . import my_data, overview, pictures, upload


def render(settings: Settings) -> None:
    """Draw the page."""
    st.title("Data")
    upload.render()
    left, right = st.columns(2, gap="medium")
    with left:
        overview.render(settings)
        my_data.render()
    with right:
        pictures.render(settings)
