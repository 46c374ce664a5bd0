"""The explanation of the selected edge of the Network page."""

import streamlit as st

from ...state import session
from ...widgets import explanation_panel
from . import network_texts as texts
from .network_view import View


def render(view: View) -> None:
    """Draw why the selected edge is predicted or not."""
    edge = view.selected_edge()
    if edge is None:
        st.caption(texts.CLICK)
        return
    source, target = (view.result.data.objects[end] for end in edge)
    row = st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center")
    row.subheader(f"Why {explanation_panel.pair_text(view.relation_info(), source, target)}?", anchor=False)
    no_edge = {"network.edge": ""}
    row.button("Close", icon=":material/close:", type="tertiary", on_click=session.change, kwargs=no_edge)
    bars, known = st.columns([2, 3], gap="medium")
    with bars:
        explanation_panel.factors(view.result, view.labels[0], source, target, view.relation, "network")
    with known:
        explanation_panel.known_entries(view.result, view.labels[0], source, target, view.relation)
