"""Widgets to pick a relation, an object, or several names."""

from collections.abc import Sequence

import streamlit as st

from ..state import keys, session, user_datasets
from . import inputs
from .formatting import decode_list, encode_list, escape_markdown

MOST_LISTED = 3_000
"""The largest number of objects in a menu. More are searched by typing, as a menu of them would open slowly."""

PROMPT = "Find an object …"


def relation_picker(data: str, names: Sequence[str] = (), *, help: str | None = None) -> str:
    """The menu of the relations of a data set, or of some of them."""
    choices = user_datasets.choices(data)
    default = choices.relations[choices.default_relation]
    return inputs.choose("Relation", "relation", names or choices.relations, default=default, help=help)


def object_field(label: str, name: str, objects: Sequence[str], *, default: str = "", help: str | None = None) -> str:
    """The name of an object from a menu. If there are many, a text field for a name or a part of one."""
    if len(objects) > MOST_LISTED:
        return inputs.text_input(label, name, help=help, placeholder=default or "A name, or part of one") or default
    labels = ({} if default else {"": PROMPT}) | {text: text for text in objects}
    return inputs.choose(label, name, labels, default=default, help=help)


def object_picker(
    label: str, name: str, objects: Sequence[str], *, default: str = "", help: str | None = None
) -> int | None:
    """The index of the object in an `object_field`, or None if there is none yet, or several match."""
    text = object_field(label, name, objects, default=default, help=help)
    if not text:
        return None
    matches = find_objects(objects, text)
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(escape_markdown(objects[index]) for index in matches[:5])
        st.caption(f"More than one name contains this: {names} … Type more of it.")
    else:
        st.caption("No object has such a name.")
    return None


def find_objects(objects: Sequence[str], text: str) -> list[int]:
    """Indices of the object with this name, or else of all objects whose names contain the text.

    >>> names = ("Ann", "Anna", "Bob")
    >>> find_objects(names, "ann"), find_objects(names, "Ann"), find_objects(names, "x")
    ([0, 1], [0], [])
    """
    if text in objects:
        return [objects.index(text)]
    part = text.strip().casefold()
    return [index for index, name in enumerate(objects) if part and part in name.casefold()]


def multi_picker(label: str, name: str, options: Sequence[str], *, help: str) -> list[str]:
    """Some of the options, none by default. The setting is a text written by `encode_list`."""
    key = keys.PICK + name
    chosen = decode_list(str(session.settings().get(name) or ""))
    st.session_state[key] = [option for option in options if option in chosen]

    def save() -> None:
        session.change(**{name: encode_list(st.session_state[key])})

    st.multiselect(label, options, key=key, help=help, on_change=save, placeholder="None")
    return list(st.session_state[key])
