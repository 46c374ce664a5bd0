"""Work of a section that may take long: done at once where it is short, else by the queue, after a click."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from ..state import current_user
from ..widgets.formatting import escape_markdown, format_duration
from . import Job, job_status

T = TypeVar("T")

AT_ONCE = 3.0
"""Work of fewer seconds than this is done while the page is drawn."""


def compute(
    key: tuple[str, ...], title: str, work: Callable[[Job], T | None], seconds: float, button: str, explanation: str
) -> T | None:
    """The result of some work, or None while there is none yet: then the page says so, and offers to start.

    Args:
        key: tells this work from all other; its first part is the key of a result.
        title: for the list of jobs.
        work: called with a `Job`; None as its result is not kept.
        seconds: about how long it will take.
        button: the label of the button that starts it, where it is not started at once.
        explanation: a sentence above the button.
    """
    queue, user = current_user.queue(), current_user.user_id()
    job = queue.find(key)
    if job is not None and job.done:
        result: T = job.result
        return result
    if seconds <= AT_ONCE:
        with st.spinner(f"{escape_markdown(title)} …"):
            return queue.run_now(key, work)
    if job is not None and user in job.owners:
        _progress(job)
        return None
    st.info(
        f"{explanation} That takes about {format_duration(seconds)} on an idle machine.",
        icon=":material/hourglass_top:",
    )
    if st.button(button, type="primary"):
        queue.run_once(key, work, user, title)
        st.rerun()
    return None


@st.fragment(run_every=job_status.REFRESH_SECONDS)
def _progress(job: Job) -> None:
    if not job.done:
        with st.container(height=120, border=False):
            st.progress(job.progress, text=job_status.status_line(job))
            st.caption("You can look at other pages meanwhile; the sidebar shows the progress.")
