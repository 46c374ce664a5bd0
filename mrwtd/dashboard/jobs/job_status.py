"""Jobs on the page: starting one, watching it, stopping it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat

import streamlit as st

from ...plots.training_progress import progress_figure, progress_frame
from ..state import current_user, keys, session, user_datasets
from ..state.settings import Settings
from ..widgets import figures
from ..widgets.formatting import escape_markdown, format_duration, format_elapsed
from . import Job, estimates
from .job import ORPHAN_TIMEOUT
from .training import FitProgress, check, meaningful_scores, score_label, train

REFRESH_SECONDS = 1.0
"""Seconds between two drawings of a training in detail."""

POLL_SECONDS = 0.25
"""Seconds between two looks at whether a job has ended: a small one takes no longer than a second."""

CURVES_AFTER = 3.0
"""Seconds after which a training is drawn as curves: a browser takes its time for them, and then for the result's."""

OBJECTIVE = (
    "An iteration is a step of a fit. The objective is what it makes small: the losses of the known entries and the "
    "regularisation, or for methods that sample, how unlikely the entries are."
)
"""What the numbers of a training are."""

STOPS_WITHIN = 1.0
"""Most cancelled jobs have ended after this many seconds: the page waits, and shows their end at once."""


def submit_training(settings: Settings, name: str = "") -> Job:
    """Put the training of these settings into the queue, or raise `DataError` where it would not fit."""
    data, title = user_datasets.load(settings.data), user_datasets.title(settings.data)
    settings = settings.resolved(data.n_objects)
    estimates.check(settings, data)
    check(settings, data)
    work = train(settings, data, title, current_user.workspace(), name)
    job = current_user.queue().submit(
        current_user.user_id(), title, work, subject=settings.data, request=settings.request()
    )
    session.change(run=job.id)
    return job


def active_jobs() -> list[Job]:
    """The user's jobs that have not ended."""
    return [job for job in current_user.queue().jobs_of(current_user.user_id()) if not job.done]


def active_job(kind: str = "train", subject: str | None = None) -> Job | None:
    """The user's job of a kind that runs or waits, if there is one: of those about a data set, if that is given."""
    return next((job for job in active_jobs() if job.kind == kind and subject in (None, job.subject)), None)


def shown_training() -> Job | None:
    """The training that pages show: that of the URL, or any of the data set where the URL has none."""
    settings = session.settings()
    trainings = (job for job in active_jobs() if job.kind == "train" and job.subject == settings.data)
    return next((job for job in trainings if settings.run in ("", job.id)), None)


def sidebar_status() -> None:
    """The state of the user's jobs, in the sidebar: drawn again while there are any."""
    jobs_here = current_user.queue().jobs_of(current_user.user_id())
    if jobs_here:
        # A small job may end any moment. One that has run for a while is looked at less often.
        often = any(job.seconds < CURVES_AFTER for job in jobs_here)
        look = st.fragment(_status, run_every=POLL_SECONDS if often else REFRESH_SECONDS)
        look(chain([0.0], repeat(POLL_SECONDS)))  # the whole page waits for the first look


def _status(patience: Iterator[float]) -> None:
    queue = current_user.queue()
    jobs_here = queue.jobs_of(current_user.user_id())
    seconds = next(patience)
    for job in jobs_here:
        if job.state == "running" and job.seconds < CURVES_AFTER:
            queue.wait(job, seconds)  # a small one ends while it is looked at, and its result is there at once
    ended = not jobs_here  # another window of the same user has seen the end
    for job in jobs_here:
        if job.done:
            _end(job)
            ended = True
            continue
        with st.container(border=True, gap="xsmall"):
            st.markdown(heading(job), help=OBJECTIVE if job.kind == "train" else None)
            st.progress(job.progress, text=status_line(job))
            st.button(
                "Cancel", key=f"cancel-{job.id}", icon=":material/stop_circle:", on_click=_cancel, args=(job,),
                disabled=job.stopping, help="Stops within a second or two, and keeps the best so far, if any",
            )  # fmt: skip
    if ended:
        st.rerun()


def compact_status() -> None:
    """The user's jobs, one line each, for a page without a sidebar; the sidebar sees their end."""
    if active_jobs():
        _compact_status()


@st.fragment(run_every=REFRESH_SECONDS)
def _compact_status() -> None:
    for job in active_jobs():
        with st.container(horizontal=True, vertical_alignment="center", key=f"in-short-{job.id}"):
            st.progress(job.progress, text=f"{escape_markdown(job.title)}: {status_line(job)}")
            st.button("Cancel", key=f"stop-{job.id}", on_click=_cancel, args=(job,), disabled=job.stopping)


def _cancel(job: Job) -> None:
    queue = current_user.queue()
    queue.cancel(job, current_user.user_id())
    queue.wait(job, STOPS_WITHIN)


def _end(job: Job) -> None:
    """Show how a job has ended, once."""
    current_user.queue().remove(job, current_user.user_id())
    if job.problem:
        session.add_message(f"{job.title}: {job.problem}")
    elif job.kind == "train" and job.result is not None:
        if job.state == "finished" and job.seconds > CURVES_AFTER:
            # Whoever waited for it may look at another part of the page.
            st.toast(f"{escape_markdown(job.title)}: the training has ended.", icon=":material/check:")
        if job.state != "finished":
            session.add_message(
                f"{job.title}: the training was stopped{_why_interrupted(job)}; the best that it had reached is kept."
            )
        settings = session.settings()
        if not settings.run and settings.data == job.subject:
            session.change(run=job.id)
        elif settings.run != job.id and job.state == "finished":
            session.add_message(f"{job.title}: the training has ended. Its run is in the history.", success=True)
    elif job.kind == "rank" and job.result is not None and len(job.result[1]):
        st.session_state.setdefault(keys.RANK_PATHS, {}).update([job.result])
    elif job.state != "finished" and job.result is None:
        session.add_message(f"{job.title}: stopped{_why_interrupted(job)} before there was anything to keep.")


def _why_interrupted(job: Job) -> str:
    return f", as nobody was here for {format_duration(ORPHAN_TIMEOUT)}" if job.state == "interrupted" else ""


def heading(job: Job) -> str:
    """Whether a job waits or runs, and what it is."""
    return f"**{'Waiting' if job.state == 'queued' else 'Working'}** · {escape_markdown(job.title)}"


def status_line(job: Job) -> str:
    """Where a job is, in a line."""
    if job.state == "queued":
        before = current_user.queue().position(job)
        return "next in the queue" if before == 0 else f"{before} before it in the queue"
    if job.stopping:
        return "stopping: the best so far is kept"
    left = job.remaining
    return escape_markdown(job.status) + ("" if left is None else f" · about {format_duration(left)} left")


def training_panel() -> None:
    """The training of the data set in use: each method's bar, and objective and held-out score by iteration."""
    job = shown_training()
    _training_panel()
    if job is not None and _curves(job):
        # Not drawn again each second with the rest: a file would be gone before its download has begun.
        figures.download_buttons(
            "progress", lambda: progress_frame(_curves(job)), caption="What final fits have reached so far"
        )


@st.fragment(run_every=REFRESH_SECONDS)
def _training_panel() -> None:
    job = shown_training()
    if job is None:
        st.rerun()  # it has ended, here or in another window of the same user
    fits: list[FitProgress] = job.detail or []
    st.markdown(heading(job))
    bars, curve = st.columns([2, 3], gap="medium")
    with bars:
        for fit in fits:
            what = {
                "waiting": "waiting",
                "running": str(fit.stage or "starting"),
                "done": f"done in {format_elapsed(fit.seconds)}",
            }
            st.progress(fit.progress, text=escape_markdown(f"{fit.method}: {what.get(fit.state, fit.state)}"))
    curves = _curves(job)
    if not curves or job.seconds < CURVES_AFTER:
        return
    if st.session_state.get(keys.DRAWN) != job.id:
        st.session_state[keys.DRAWN] = job.id
        st.rerun()  # from now on there is something to take along
    with curve:
        figure = progress_figure(curves, score=score_label(user_datasets.load(job.subject)), dark=figures.dark())
        figures.show(figure, "progress", alt="Objective and held-out score by iteration")


def _curves(job: Job) -> dict[str, tuple[list[float], list[float]]]:
    """Objectives and held-out scores so far, of the methods that have had a turn; the job goes on meanwhile."""
    return {fit.method: ([*fit.objective], meaningful_scores(fit.score)) for fit in job.detail or [] if fit.objective}
