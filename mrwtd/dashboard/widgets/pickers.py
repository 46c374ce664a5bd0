"""Whom and what a question is about: widgets for an object, and for some of the relations."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ..state import keys, session
from . import inputs
from .formatting import listed, plain, unlisted

MOST_LISTED = 3_000
"""More objects than this are searched by typing; a menu of them would be slow to open."""


def ask_object(
    label: str, name: str, objects: Sequence[str], *, begin: str = "", hint: str | None = None
) -> int | None:
    """The position of an object by its name, or None where there is none yet.

    Few objects are a menu that can be typed into; many are a line of text, for a name or a part that only one has.
    """
    if len(objects) <= MOST_LISTED:
        options = objects if begin else ("", *objects)
        at = options.index(begin) if begin in options else 0
        chosen = inputs.choose(label, name, options, begin=at, show=lambda one: one or "Find an object …", hint=hint)
        return objects.index(chosen) if chosen else None
    text = inputs.write(label, name, hint=hint, placeholder=begin or "A name, or a part of one") or begin
    if not text:
        return None
    found = matching(objects, text)
    if len(found) == 1:
        return found[0]
    if found:
        few = ", ".join(plain(objects[at]) for at in found[:5])
        st.caption(f"More than one name has that in it: {few} … Type more of it.")
    else:
        st.caption("No object has such a name.")
    return None


def matching(objects: Sequence[str], text: str, most: int = 50) -> list[int]:
    """The position of the object of a name, or else of those whose names contain the text.

    >>> matching(("Ann", "Anna", "Bob"), "ann"), matching(("Ann", "Anna", "Bob"), "Ann"), matching(("Ann",), "x")
    ([0, 1], [0], [])
    """
    if text in objects:
        return [objects.index(text)]
    wanted = text.strip().casefold()
    found = [at for at, own in enumerate(objects) if wanted and wanted in own.casefold()]
    return found[:most]


def ask_several(label: str, name: str, options: Sequence[str], *, hint: str) -> list[str]:
    """Some of the options, none to begin with; what is chosen stands in the settings as a list."""
    key = keys.PICK + name
    now = unlisted(str(session.settings().get(name) or ""))
    st.session_state[key] = [option for option in options if option in now]

    def take() -> None:
        session.change(**{name: listed(st.session_state[key])})

    st.multiselect(label, options, key=key, help=hint, on_change=take, placeholder="None")
    return list(st.session_state[key])
