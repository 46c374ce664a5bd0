"""The visitor's session: the settings in one place, kept equal to the address of the page.

The address is read when it is not what this session last wrote: at the start, after a reload, and when the visitor
goes back. A change of page drops its parameters, so an address without any is written, never read.
"""

from __future__ import annotations

import time
from typing import Any, NoReturn

import streamlit as st

from ...runs import Run
from .. import navigation
from ..jobs.training import dataset_name, settings_of, unsettable
from . import keys
from .settings import Settings, from_query
from .user_datasets import can_open, choices, display_name, is_uploaded, names

MESSAGE_SECONDS = 5.0
"""Seconds for which a note stays, though the page is drawn anew meanwhile."""


def settings() -> Settings:
    """What the visitor has chosen so far."""
    chosen: Settings = st.session_state.get(keys.SETTINGS, Settings())
    return chosen


def change(**changes: Any) -> None:
    """Change some of the settings, for this run and all that follow."""
    st.session_state[keys.SETTINGS] = settings().change(**changes)
    st.session_state[keys.CHANGED] = True


def restore(run: Run) -> None:
    """Go back to the settings that a run was made with, and look at it."""
    data = dataset_name(run.spec)
    _skip_damaged(data)
    restored, notes = settings_of_run(run)
    if restored.data == data:
        restored = restored.change(run=run.id, relation=settings().relation if data == settings().data else "")
    st.session_state[keys.SETTINGS] = restored
    for sentence in notes:
        add_message(sentence)


def settings_of_run(run: Run) -> tuple[Settings, tuple[str, ...]]:
    """The settings that a run was made with, and a sentence for each that the dashboard does not have."""
    data = dataset_name(run.spec)
    relations = choices(data).relations if data in names() else ()
    settings, notes = from_query(
        settings_of(run.spec, relations).request(), names(), choices, source=f"The run {run.name!r}"
    )
    return settings, (*notes, *unsettable(run.spec))


def go(page: str) -> NoReturn:
    """Open another page by its name in `navigation.pages`, such as "train".

    The URL is complete from the start, so that the Back button has no extra step.
    """
    st.switch_page(navigation.pages()[page].path, query_params=settings().to_query())


def add_message(sentence: str, *, success: bool = False) -> None:
    """Show a sentence on top of the page, long enough to be read; `good` where it tells of a success."""
    st.session_state.setdefault(keys.MESSAGES, {})[sentence] = None
    if success:
        st.session_state.setdefault(keys.SUCCESSES, set()).add(sentence)


def is_success(sentence: str) -> bool:
    """Whether a note tells of a success."""
    return sentence in st.session_state.get(keys.SUCCESSES, ())


def current_messages() -> list[str]:
    """The sentences to show now: new ones, and those of the last moments, as a page is also drawn anew by itself."""
    now = time.monotonic()
    notes: dict[str, float | None] = st.session_state.pop(keys.MESSAGES, {})
    shown = {sentence: now if since is None else since for sentence, since in notes.items()}
    st.session_state[keys.MESSAGES] = {
        sentence: since for sentence, since in shown.items() if now - since < MESSAGE_SECONDS
    }
    return list(st.session_state[keys.MESSAGES])


def sync_from_url() -> None:
    """Take the settings from the address, where the visitor has come to it rather than been led there."""
    address = st.query_params.to_dict()
    if address == st.session_state.get(keys.QUERY_PARAMS) or (not address and keys.SETTINGS in st.session_state):
        return
    if st.session_state.get(keys.CHANGED):
        return  # A widget was moved before the browser had heard of the address that the last move wrote.
    named = {} if _skip_damaged(address.get("data", "")) else address
    st.session_state[keys.SETTINGS], notes = from_query(named, names(), choices)
    st.session_state[keys.QUERY_PARAMS] = address
    for sentence in notes:
        add_message(sentence)


def drop_stale_dataset() -> None:
    """Go to another data set where the one in use was removed, as in another window."""
    data = settings().data
    if _skip_damaged(data):
        change(data=Settings.data)
    elif is_uploaded(data) and data not in names():
        change(data=Settings.data)
        add_message("The data set that was in use has been removed. Choose another one, or upload it again.")


def _skip_damaged(data: str) -> bool:
    """Say so where a data set is here and cannot be opened."""
    if data not in names() or can_open(data):
        return False
    add_message(
        f"The data set {display_name(data)!r} is damaged and cannot be opened: go on without it, and delete it "
        "at the left."
    )
    return True


def sync_to_url() -> None:
    """Let the address say what is shown, so that a copied link, a reload and the back button bring it back."""
    address = settings().to_query()
    if st.query_params.to_dict() != address:
        st.query_params.from_dict(address)
    st.session_state[keys.QUERY_PARAMS] = address
    st.session_state.pop(keys.CHANGED, None)
