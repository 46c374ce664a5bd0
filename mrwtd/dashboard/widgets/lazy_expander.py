"""Expanders whose content is drawn only while they are open."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from ..state import keys


@contextmanager
def lazy_expander(label: str, name: str, *, icon: str | None = None, expanded: bool = False) -> Iterator[bool]:
    """An expander that yields whether it is open. Its state is the same on all pages that show it.

    A browser also builds what is inside a closed expander, so the caller leaves it out.
    """
    key = keys.EXPANDER + name
    st.session_state[key] = st.session_state.setdefault(keys.EXPANDERS, {}).get(name, expanded)

    def save() -> None:
        st.session_state[keys.EXPANDERS][name] = bool(st.session_state[key])

    with st.expander(label, icon=icon, key=key, on_change=save):
        yield bool(st.session_state[key])


def reset(name: str) -> None:
    """Return an expander to its initial state."""
    st.session_state.get(keys.EXPANDERS, {}).pop(name, None)
