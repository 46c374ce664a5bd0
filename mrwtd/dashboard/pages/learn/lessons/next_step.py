"""How every lesson ends: with the visitor's own data, on the page that does the same, with the same settings."""

from __future__ import annotations

from typing import Any

import streamlit as st

from .... import navigation
from ....state import session


def try_it(lesson: str, words: str, page: str, **changes: Any) -> None:
    """A sentence on what will happen, and the button that does it."""
    with st.container(border=True):
        says, opens = st.columns([5, 1], vertical_alignment="center", gap="medium")
        says.markdown(words)
        if opens.button(
            "Try it",
            key=f"try-{lesson}",
            type="primary",
            icon=":material/arrow_forward:",
            width="stretch",
            help=f"Opens the page {navigation.pages()[page].title} with the settings named here",
        ):
            session.change(**changes)
            session.go(page)
