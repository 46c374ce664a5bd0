"""The Network page: known, predicted and held-out ties of one relation on one layout."""

import streamlit as st

from ...state import current_run
from . import edge_explanation, network_view, operating_point, picture


def render() -> None:
    """Draw the page."""
    st.title("Network")
    view = network_view.choose_view(current_run.current())
    left, right = st.columns([7, 3], gap="medium")
    with right:
        view = operating_point.choose_thresholds(view)
        operating_point.render(view)
    with left:
        picture.render(view)
    edge_explanation.render(view)
