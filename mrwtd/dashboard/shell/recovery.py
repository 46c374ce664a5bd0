"""Where a page has failed: the user's own run and data set that were in use, and how to go on without them."""

from __future__ import annotations

import logging
from collections.abc import Callable

import streamlit as st

from ...runs import Run
from ..state import current_run, session, user_datasets
from ..state.settings import Settings
from ..widgets.formatting import plain
from . import history

log = logging.getLogger(__name__)


def offer() -> None:
    """Name what was in use, with a button to go on without it and one to delete it. Samples are never offered."""
    try:
        run, data = current_run.chosen(), session.settings().data
        if run is not None and not current_run.is_example(run):
            _choices("run", run.id, run.name, lambda: _leave_run(run), lambda: history.delete(run.id))
        if user_datasets.is_own(data):
            _choices(
                "data set", data, user_datasets.called(data), lambda: _leave_data(data), lambda: _delete_data(data)
            )
    except Exception:  # what failed may be the list of runs itself
        log.exception("What was in use is not known")


def _choices(kind: str, name: str, called: str, leave: Callable[[], None], delete: Callable[[], None]) -> None:
    with st.container(border=True):
        st.markdown(f"The {kind} in use is **{plain(called)}**. If it is damaged, other pages may fail too.")
        with st.container(horizontal=True):
            st.button("Go on without it", key=f"leave-{name}", on_click=leave, type="primary")
            also = ", and the runs made from it" if kind == "data set" else ""
            st.button(
                f"Delete this {kind}{also}", key=f"delete-failed-{name}", on_click=delete, icon=":material/delete:"
            )


def _leave_run(run: Run) -> None:
    current_run.leave(run, current_run.UNSHOWN)
    session.note(f"The run {run.name!r} is left out until you reload the page, and can be deleted in the sidebar.")


def _leave_data(data: str) -> None:
    session.note(
        f"The data set {user_datasets.called(data)!r} is left out until you reload the page, and can "
        "be deleted in the sidebar."
    )
    user_datasets.leave(data, current_run.UNSHOWN)
    session.change(data=Settings.data, run="")


def _delete_data(data: str) -> None:
    user_datasets.remove(data)
    session.change(data=Settings.data, run="")
