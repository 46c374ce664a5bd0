"""Work of a lesson that goes on while the user reads: run once for all users, and drawn piece by piece."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import streamlit as st

from ....jobs import Job
from ....state import current_user

EVERY = 0.5
"""Seconds between two looks at what has come."""

FAILED = "This could not be computed; the server's log says why."


def gather(key: str, work: Callable[[], Iterator[Any]]) -> Job:
    """The job whose `pieces` are those of the work so far; the first call starts it."""
    return current_user.queue().run_once(f"lesson {key}", lambda _: work())


def watch(draw: Callable[..., None], job: Job, *args: Any) -> None:
    """Call `draw(job, …)` now, and again as pieces come."""
    waiting = not job.done
    st.fragment(_watch, run_every=EVERY if waiting else None)(draw, job, waiting, *args)


def _watch(draw: Callable[..., None], job: Job, waiting: bool, *args: Any) -> None:
    if waiting and job.done and not job.problem:  # a failure would be tried again at once
        st.rerun()
    draw(job, *args)
