"""Where a page has failed: the user's own run and data set that were in use, and how to go on without them."""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st

from ...runs import Run
from ..state import current_run, session, user_datasets
from ..state.settings import Settings
from ..widgets.formatting import escape_markdown
from . import history

log = logging.getLogger(__name__)


def offer() -> None:
    """Name what was in use, with a button to go on without it and one to delete it. Samples are never offered."""
    try:
        run, data = current_run.selected(), session.settings().data
        if run is not None and not current_run.is_example(run):
            _choices("run", run.id, run.name, lambda: _leave_run(run), lambda: history.delete(run.id))
        if user_datasets.is_uploaded(data):
            _choices(
                "data set",
                data,
                user_datasets.display_name(data),
                lambda: _leave_data(data),
                lambda: _delete_data(data),
            )
    except Exception:  # what failed may be the list of runs itself
        log.exception("What was in use is not known")


def _choices(kind: str, name: str, called: str, leave: Callable[[], None], delete: Callable[[], None]) -> None:
    with st.container(border=True):
        st.markdown(f"The {kind} in use is **{escape_markdown(called)}**. If it is damaged, other pages may fail too.")
        with st.container(horizontal=True):
            st.button("Go on without it", key=f"leave-{name}", on_click=leave, type="primary")
            also = ", and the runs made from it" if kind == "data set" else ""
            st.button(
                f"Delete this {kind}{also}", key=f"delete-failed-{name}", on_click=delete, icon=":material/delete:"
            )


def _leave_run(run: Run) -> None:
    current_run.mark_damaged(run, current_run.PAGE_FAILED)
    session.add_message(
        f"The run {run.name!r} is left out until you reload the page, and can be deleted in the sidebar."
    )


def _leave_data(data: str) -> None:
    session.add_message(
        f"The data set {user_datasets.display_name(data)!r} is left out until you reload the page, and can "
        "be deleted in the sidebar."
    )
    user_datasets.mark_damaged(data, current_run.PAGE_FAILED)
    session.change(data=Settings.data, run="")


def _delete_data(data: str) -> None:
    user_datasets.delete(data)
    session.change(data=Settings.data, run="")
