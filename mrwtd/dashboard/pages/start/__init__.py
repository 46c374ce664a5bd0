"""The Start page: what this is, a finished result, and a card for each sample."""

from __future__ import annotations

import streamlit as st

from . import welcome


def render() -> None:
    """Draw the page."""
    st.title("Relations of many kinds, learned together")
    welcome.introduction()
    samples, result = st.columns([5, 2], gap="medium")
    with samples:
        welcome.cards()
    with result:
        welcome.finished_result()
