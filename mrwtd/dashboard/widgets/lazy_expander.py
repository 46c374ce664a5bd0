"""Parts of a page that stay shut until they are asked for: what is inside is drawn only while they are open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from ..state import keys


@contextmanager
def lazy_expander(label: str, name: str, *, icon: str | None = None, expanded: bool = False) -> Iterator[bool]:
    """An expander, and whether it is open. It stays as the visitor left it, on all pages that show it.

    A browser builds what is inside an expander even while nobody can see it, so it is left out.
    """
    key, held = keys.EXPANDER + name, st.session_state.setdefault(keys.EXPANDERS, {})
    st.session_state[key] = held.get(name, expanded)
    with st.expander(label, icon=icon, key=key, on_change=_take, args=(key, name)):
        yield bool(st.session_state[key])


def reset(name: str) -> None:
    """Let a part begin again as on a first visit."""
    st.session_state[keys.EXPANDERS] = {
        one: held for one, held in st.session_state.get(keys.EXPANDERS, {}).items() if one != name
    }


def _take(key: str, name: str) -> None:
    st.session_state[keys.EXPANDERS] = {**st.session_state[keys.EXPANDERS], name: bool(st.session_state[key])}
