"""Work of a section that may take long: at once where it is short, else by the queue, after a click that says how long.

What it gives is kept for the run that it belongs to.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import streamlit as st

from .. import live, visitor
from ..jobs import Job
from ..words import duration, plain

AT_ONCE = 3.0
"""Work of fewer seconds than this is done while the page is drawn."""

MOST_KEPT = 32

Report = Callable[[float, str], bool]
"""Told how much is done and what is being done; its answer says whether to stop."""


def outcome(
    key: tuple[str, ...], title: str, work: Callable[[Report], Any], seconds: float, button: str, says: str
) -> Any:
    """What the work gives, or None while there is nothing yet: then the page says so, and offers to start.

    Args:
        key: tells this work from all other; its first part is the key of a result.
        title: for the list of jobs.
        work: called with a `Report`; None as its outcome is not kept.
        seconds: about how long it will take.
        button: what the button says that starts it, where it is not started at once.
        says: a sentence above the button.
    """
    kept = _kept()
    if key in kept:
        return kept[key]
    if seconds <= AT_ONCE:
        with st.spinner(f"{plain(title)} …"):
            _keep(key, work(lambda share, what: False))  # noqa: ARG005
        return kept.get(key)
    kind = " ".join(key)
    if live.busy(kind) is not None:
        _progress(kind)
        return None
    st.info(f"{says} That takes about {duration(seconds)} on an idle machine.", icon=":material/hourglass_top:")
    if st.button(button, type="primary"):
        visitor.queue().submit(visitor.identity(), title, _as_job(key, work), kind=kind)
        st.rerun()
    return None


def forget(key: tuple[str, ...]) -> None:
    """Let go of what a work has given, so that it is offered anew."""
    _kept().pop(key, None)


def _as_job(key: tuple[str, ...], work: Callable[[Report], Any]) -> Callable[[Job], Any]:
    def run(job: Job) -> Any:
        def report(share: float, what: str) -> bool:
            job.share, job.what = min(max(share, 0.0), 1.0), what
            return job.cancelled

        found = work(report)
        _keep(key, found)
        return found

    return run


def _keep(key: tuple[str, ...], found: Any) -> None:
    if found is None:
        return
    kept = _kept()
    kept[key] = found
    while len(kept) > MOST_KEPT:
        kept.popitem(last=False)


@st.cache_resource(show_spinner=False)
def _kept() -> OrderedDict[tuple[str, ...], Any]:
    return OrderedDict()


@st.fragment(run_every=live.EVERY)
def _progress(kind: str) -> None:
    job = live.busy(kind)
    if job is None:
        return
    with st.container(height=120, border=False):
        st.progress(job.share, text=live.sentence(job))
        st.caption("You may look at other pages meanwhile; the sidebar says how far it is.")
