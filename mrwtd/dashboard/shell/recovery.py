"""After an error on a page: continue without the current run or data set, or delete it."""

import logging
from collections.abc import Callable
from functools import partial

import streamlit as st

from ..state import current_run, session, shared_run, storage, user_datasets
from ..state.settings import Settings
from ..widgets.formatting import escape_markdown
from . import history

log = logging.getLogger(__name__)


def offer() -> None:
    """Offer to leave out or delete the user's run and data set in use. Samples and the example are never offered."""
    try:
        run, data = current_run.selected(), session.settings().data
        if run is not None and shared_run.is_shown(run):
            st.button("Leave the shared run", on_click=session.leave_shared, type="primary")
            return
        if run is not None and not current_run.is_example(run):
            skip = partial(current_run.mark_damaged, run, current_run.PAGE_FAILED)
            _choices("run", run.id, run.name, skip, partial(history.delete, run.id))
        if user_datasets.is_uploaded(data):
            name = user_datasets.display_name(data)
            _choices("data set", data, name, partial(_skip_dataset, data), partial(_delete_dataset, data))
    except Exception:  # the list of runs itself may be what failed
        log.exception("The run and data set in use are unknown")


def _choices(kind: str, item_id: str, name: str, skip: Callable[[], None], delete: Callable[[], None]) -> None:
    def skip_with_message() -> None:
        skip()
        session.add_message(f"The {kind} {name!r} is left out until you reload the page. Delete it in the sidebar.")

    with st.container(border=True):
        st.markdown(f"The {kind} in use is **{escape_markdown(name)}**. If it is damaged, other pages may fail too.")
        with st.container(horizontal=True):
            st.button("Continue without it", key=f"leave-{item_id}", on_click=skip_with_message, type="primary")
            label = f"Delete this {kind}{' and its runs' if kind == 'data set' else ''}"
            st.button(label, key=f"delete-failed-{item_id}", on_click=delete, icon=":material/delete:")


def _skip_dataset(data: str) -> None:
    user_datasets.mark_damaged(data, current_run.PAGE_FAILED)
    session.change(data=Settings.data, run="")


def _delete_dataset(data: str) -> None:
    storage.attempt(user_datasets.delete, data)
    session.change(data=Settings.data, run="")
