"""Runs that are shared by link: the menu of their owner, and the banner on the pages of a reader."""

import streamlit as st

from ...hosting.publications import Publication
from ...runs import Run
from ..jobs.training import dataset_name
from ..state import current_run, keys, session, shared_run, storage, user_datasets
from ..widgets.formatting import escape_markdown

MENU = "Everyone who has the link can see this run on this server, and nothing else of yours."
MENU_UPLOAD = " They see the objects and ties of your data in the figures."
SHARED = "Send this link. It works until you stop sharing or delete the run."
WITH_DATA = "With the data"
WITH_DATA_HELP = (
    "Readers can copy the data set to their own data sets and train on it. Copies stay when you stop sharing."
)
MENU_WIDTH = 320
"""The width of the link and its explanation in pixels. A menu is as wide as its longest text."""

COPY_HELP = "Go to Train with the settings of this run"
COPY_HELP_WITHOUT_DATA = "Go to Train with the settings of this run. Its data set stays with its owner."


def menu(run: Run, publication: Publication | None) -> None:
    """The part of the menu of a run that shares it by link, or stops that."""
    uploaded, key = user_datasets.is_uploaded(dataset_name(run.spec)), keys.WITH_DATA + run.id
    if publication is None:
        st.button(
            "Share by link", icon=":material/link:", key=f"share-{run.id}", on_click=_publish, args=(run.id,),
            help=MENU + MENU_UPLOAD * uploaded,
        )  # fmt: skip
        return
    with st.container(width=MENU_WIDTH):
        st.code(shared_run.link(publication), language=None, wrap_lines=True)
        st.caption(f"{SHARED} {MENU}{MENU_UPLOAD * uploaded}")
    if user_datasets.may_share(dataset_name(run.spec)):
        st.session_state[key] = publication.with_data
        st.checkbox(WITH_DATA, key=key, help=WITH_DATA_HELP, on_change=_publish, args=(run.id,))
    st.button(
        "Stop sharing", icon=":material/link_off:", key=f"unshare-{run.id}",
        on_click=storage.attempt, args=(shared_run.revoke, run.id),
    )  # fmt: skip


def _publish(run_id: str) -> None:
    with storage.errors_as_messages():
        shared_run.publish(run_id, with_data=bool(st.session_state.get(keys.WITH_DATA + run_id)))


def banner() -> None:
    """Whose run the page shows, if it is shared by link, with buttons to copy its settings and to leave it."""
    shared = shared_run.current()
    if shared is None:
        return
    name = escape_markdown(f"{current_run.title(shared.run)}: {shared.run.display_name}")
    note = " This is what readers of your link see." if shared.is_own else ""
    with st.container(key="shared-run", border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/link: Shared by link: **{name}**, read only.{note}")
        help_text = COPY_HELP if user_datasets.may_copy(shared.data) else COPY_HELP_WITHOUT_DATA
        if st.button("Copy these settings", icon=":material/content_copy:", key="copy-shared", help=help_text):
            with storage.errors_as_messages():
                session.copy_shared_settings()
                session.go("train")
            st.rerun()  # with the message
        st.button("Leave", icon=":material/close:", key="leave-shared", on_click=session.leave_shared)
