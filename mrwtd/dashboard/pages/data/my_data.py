"""My data sets: the uploaded data sets, each with a button that removes it."""

from __future__ import annotations

from datetime import datetime

import streamlit as st

from ...jobs import job_status
from ...state import session, user_datasets
from ...state.settings import UPLOAD_PREFIX, Settings
from ...widgets.formatting import escape_markdown, pluralize
from .data_texts import IN_TRAINING, REMOVAL, REMOVAL_OF_RUNS


def render() -> None:
    """Draw the list of uploaded data sets, if there are any."""
    names, damaged = (
        [name for name in user_datasets.names() if user_datasets.is_uploaded(name)],
        user_datasets.damaged(),
    )
    if not names and not damaged:
        return
    with st.expander(f"My data sets ({len(names) + len(damaged)})", icon=":material/folder:"):
        for item in damaged:
            _row(UPLOAD_PREFIX + item.id, item.name or item.id[:12], "damaged", item.reason)
        for name in names:
            stored = user_datasets.upload_info(name)
            uploaded = (
                f"uploaded {datetime.fromisoformat(stored['kept']):%d %B %Y, %H:%M} UTC" if "kept" in stored else ""
            )
            runs = pluralize(len(user_datasets.runs_of(name)), "run")
            facts = ", ".join(filter(None, [str(stored.get("size", "")), uploaded, runs]))
            _row(name, user_datasets.display_name(name), "in use" * (name == session.settings().data), facts)


def _row(name: str, label: str, state: str, facts: str) -> None:
    text, action = st.columns([4, 1], vertical_alignment="center")
    text.markdown(f"**{escape_markdown(label)}**{f' · {state}' if state else ''}  \n{escape_markdown(facts)}")
    with action.popover("", icon=":material/delete:", type="tertiary", help=f"Remove {escape_markdown(label)}"):
        if job_status.active_job(subject=name) is not None:
            st.markdown(IN_TRAINING)
            return
        runs = user_datasets.runs_of(name)
        n_runs = pluralize(len(runs), "run")
        st.markdown(REMOVAL.format(escape_markdown(label)) + (f" {REMOVAL_OF_RUNS.format(n_runs)}" if runs else ""))
        button = f"Remove it and {n_runs}" if runs else "Remove it"
        st.button(button, key=f"remove-{name}", type="primary", on_click=_remove, args=(name, label))


def _remove(name: str, label: str) -> None:
    user_datasets.delete(name)
    if session.settings().data == name:
        session.change(data=Settings.data)
    session.add_message(f"Removed: {label}.", success=True)
