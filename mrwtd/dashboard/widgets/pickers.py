"""Whom and what a question is about: widgets for an object, and for some of the relations."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ..state import keys, session
from . import inputs
from .formatting import decode_list, encode_list, escape_markdown

MOST_LISTED = 3_000
"""More objects than this are searched by typing; a menu of them would be slow to open."""


def object_picker(
    label: str, name: str, objects: Sequence[str], *, default: str = "", help: str | None = None
) -> int | None:
    """The position of an object by its name, or None where there is none yet.

    Few objects are a menu that can be typed into; many are a line of text, for a name or a part that only one has.
    """
    if len(objects) <= MOST_LISTED:
        options = objects if default else ("", *objects)
        at = options.index(default) if default in options else 0
        chosen = inputs.choose(
            label, name, options, index=at, format_func=lambda one: one or "Find an object …", help=help
        )
        return objects.index(chosen) if chosen else None
    text = inputs.text_input(label, name, help=help, placeholder=default or "A name, or a part of one") or default
    if not text:
        return None
    found = find_objects(objects, text)
    if len(found) == 1:
        return found[0]
    if found:
        few = ", ".join(escape_markdown(objects[at]) for at in found[:5])
        st.caption(f"More than one name has that in it: {few} … Type more of it.")
    else:
        st.caption("No object has such a name.")
    return None


def find_objects(objects: Sequence[str], text: str, most: int = 50) -> list[int]:
    """The position of the object of a name, or else of those whose names contain the text.

    >>> names = ("Ann", "Anna", "Bob")
    >>> find_objects(names, "ann"), find_objects(names, "Ann"), find_objects(names, "x")
    ([0, 1], [0], [])
    """
    if text in objects:
        return [objects.index(text)]
    wanted = text.strip().casefold()
    found = [at for at, own in enumerate(objects) if wanted and wanted in own.casefold()]
    return found[:most]


def multi_picker(label: str, name: str, options: Sequence[str], *, help: str) -> list[str]:
    """Some of the options, none to begin with; what is chosen stands in the settings as a list."""
    key = keys.PICK + name
    now = decode_list(str(session.settings().get(name) or ""))
    st.session_state[key] = [option for option in options if option in now]

    def take() -> None:
        session.change(**{name: encode_list(st.session_state[key])})

    st.multiselect(label, options, key=key, help=help, on_change=take, placeholder="None")
    return list(st.session_state[key])
