"""The Experiments page: the experiments of the paper."""

import streamlit as st

from . import experiment_panel


def render() -> None:
    """Draw the page."""
    st.title("Experiments")
    experiment_panel.render()
