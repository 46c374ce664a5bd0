"""Work of a page section: done at once if it is short, or else by a job that the user starts."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from ...errors import DataError, Problem
from ...hosting.config import config
from ...model.cost import Cost
from ..state import current_user
from ..widgets.formatting import escape_markdown, format_duration
from . import Job, estimates, job_status
from .remote_work import in_process

T = TypeVar("T")

AT_ONCE = 3.0
"""Work of at most this many seconds is done while the page is drawn."""

LIMIT = 20.0
"""After this many seconds it is stopped: the estimate was wrong, as for an imported run with unusual parameters."""

LESS = "a training with a smaller rank, fewer methods or less data"


def compute(
    key: tuple[str, ...], title: str, work: Callable[[Job], T | None], cost: Cost, button: str, explanation: str
) -> T | None:
    """The result of some work, or None while there is none. Then the page shows its progress, or offers to start it.

    Work that takes more time or memory than a training may is refused with a `DataError`.

    Args:
        key: identifies the work; its first part is the key of a result.
        title: the title in the list of jobs.
        work: called with a `Job`; a result of None is not stored.
        cost: the estimated time and memory.
        button: the label of the button that starts longer work.
        explanation: a sentence above the button.
    """
    queue, user = current_user.queue(), current_user.user_id()
    job = queue.find(key)
    if job is not None and job.done:
        result: T = job.result
        return result
    estimates.check_memory(f"work ({title})", cost.memory, LESS)
    if cost.seconds <= AT_ONCE:
        with st.spinner(f"{escape_markdown(title)} …"):
            answer = queue.run_now(key, work, LIMIT)
        if answer is None:
            raise DataError(Problem(f"work of more than {LIMIT:.0f} s ({title})", LESS))
        return answer
    if job is not None and user in job.owners:
        _progress(job)
        return None
    duration = f"This takes about {format_duration(cost.seconds)} on an idle machine."
    st.info(f"{explanation} {duration}", icon=":material/hourglass_top:")
    if st.button(button, type="primary"):
        estimates.check_seconds(f"work ({title})", cost.seconds, config().jobs.max_minutes, f"choose {LESS}")
        queue.run_once(key, in_process(work), user, title, cost.seconds)
        st.rerun()
    return None


@st.fragment(run_every=job_status.REFRESH_SECONDS)
def _progress(job: Job) -> None:
    if not job.done:
        with st.container(height=120, border=False):
            st.progress(job.progress, text=job_status.status_line(job))
            st.caption("You can use other pages meanwhile; the sidebar shows the progress.")
