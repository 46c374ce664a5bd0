"""Widgets that show a setting and change it: the settings are the truth, and a widget is a view of one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from . import keys, session


def choose(
    label: str,
    field: str,
    options: Sequence[str],
    *,
    begin: int = 0,
    show: Callable[[str], str] = str,
    hint: str | None = None,
) -> str:
    """A menu for one of the settings, and what it says now. Until something is chosen, that is option `begin`."""
    key = keys.PICK + field
    now = getattr(session.settings(), field)
    st.session_state[key] = now if now in options else options[begin]
    st.selectbox(label, options, key=key, format_func=show, help=hint, on_change=_take, args=(field, key))
    return str(st.session_state[key])


def _take(field: str, key: str) -> None:
    session.change(**{field: st.session_state[key]})
