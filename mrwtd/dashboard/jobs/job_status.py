"""Jobs on a page: submit a training, follow a job, and cancel it."""

from collections.abc import Hashable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain, repeat

import streamlit as st

from ...errors import DataError, Problem
from ...plots.training_progress import progress_figure, progress_frame
from ...runs.pending import PendingRun
from ...runs.storage_error import StorageError
from ..state import current_user, keys, session, user_datasets
from ..state.settings import Settings
from ..widgets import figures
from ..widgets.formatting import escape_markdown, format_duration, format_elapsed
from . import Job, estimates, recent_runs
from .job import ORPHAN_TIMEOUT
from .training import Training, check, meaningful_scores, recipient, score_label
from .training_process import FitProgress

REFRESH_SECONDS = 1.0
"""Seconds between two updates of a job."""

WAITING_SECONDS = 2.0
"""Seconds between two updates of jobs that wait: in a class, most of those that pages show do."""

SOON = 2
"""A job with at most this many before it may start, and end, at any moment."""

POLL_SECONDS = 0.25
"""Seconds between two updates of a job that has just started: a small one takes less than a second."""

CURVES_AFTER = 3.0
"""Seconds after which the curves of a training are shown. A browser needs time for them, and then for the results."""

OBJECTIVE = (
    "An iteration is one step of a fit. A fit minimizes the objective: the losses of the known entries plus the "
    "regularization. For methods that sample, it is how unlikely the entries are."
)
"""Help on the numbers of a training."""

CANCEL_SECONDS = 1.0
"""Seconds for which a page waits for the end of a cancelled job. Most have ended by then."""


def submit_training(settings: Settings, name: str = "") -> str:
    """Train with these settings, or raise `DataError` if it is not possible. Returns the id of the run.

    A training that is the same as one that waits, runs or has ended is not repeated: the user gets its run.
    """
    data, title = user_datasets.load(settings.data), user_datasets.title(settings.data)
    if not user_datasets.may_copy(settings.data):
        raise DataError(
            Problem("a run that is shared without its data", "your own data, or a run that is shared with its data")
        )
    current_user.workspace().check_space()
    settings = settings.resolved(data)
    user, place = current_user.user_id(), recipient(settings, data, title, current_user.workspace(), name)
    key = (data.digest(), repr(place.spec.split), repr(place.spec.methods))
    if (run := recent_runs.copy(key, place)) is not None:
        session.change(run=run.id)
        session.add_message("The same training has run on this server before. This is its result.", success=True)
        return run.id
    estimate = estimates.check(settings, data)
    check(settings, data)
    job = current_user.queue().submit(
        user, title, Training(settings, data, user, place), subject=settings.data, request=settings.request(),
        key=key, seconds=estimate.seconds,
        join=lambda other: isinstance(other.work, Training) and other.work.add(user, place),
    )  # fmt: skip
    job.at_end(partial(_remember, key, job))
    with suppress(StorageError):  # which is reported when the run is saved
        job.at_end(partial(_end_pending, job, PendingRun(place.space.folder, job.id, place.spec, place.name)))
    session.change(run=job.id)
    return job.id


def _remember(key: Hashable, job: Job) -> None:
    if job.state == "finished" and job.result is not None:
        recent_runs.add(key, job.result)


def _end_pending(job: Job, pending: PendingRun) -> None:
    """The training has ended. If it has no result because the user or the server was gone, it can be restarted."""
    if job.state == "interrupted" and job.result is None:
        pending.release()
    else:
        pending.end()


def all_jobs() -> list[Job]:
    """The user's jobs, including those whose end has not been shown yet."""
    return current_user.queue().jobs_of(current_user.user_id())


def active_jobs() -> list[Job]:
    """The user's jobs that have not ended."""
    return [job for job in all_jobs() if not job.done]


def active_job(kind: str = "train", subject: str | None = None) -> Job | None:
    """The user's first active job of a kind, about a data set if one is given."""
    return next((job for job in active_jobs() if job.kind == kind and subject in (None, job.subject)), None)


def shown_training() -> Job | None:
    """The training that pages show: the one in the URL, or any on the data set if the URL has no run."""
    settings = session.settings()
    trainings = (job for job in active_jobs() if job.kind == "train" and job.subject == settings.data)
    return next((job for job in trainings if settings.run in ("", job.id)), None)


def sidebar_status() -> None:
    """The progress of the user's jobs in the sidebar, updated while there are any."""
    jobs = all_jobs()
    if jobs:
        # A small job may end at any moment. One that has run for a while, or is not the next, is updated less often:
        # in a class, everybody who waits would cost the server four updates per second.
        positions = [current_user.queue().position(job) for job in jobs]
        recent = any(job.seconds < CURVES_AFTER and not ahead for job, ahead in zip(jobs, positions, strict=True))
        seconds = POLL_SECONDS if recent else REFRESH_SECONDS if min(positions) <= SOON else WAITING_SECONDS
        update = st.fragment(_status, run_every=seconds)
        update(chain([0.0], repeat(POLL_SECONDS)))  # the first update does not wait, as it holds up the whole page


def _status(waiting_times: Iterator[float]) -> None:
    jobs, seconds = all_jobs(), next(waiting_times)
    for job in jobs:
        if job.state == "running" and job.seconds < CURVES_AFTER:
            current_user.queue().wait(job, seconds)  # a small job ends meanwhile, and its result is shown at once
    for job in jobs:
        if job.done:
            _show_end(job)
            continue
        with st.container(border=True, gap="xsmall"):
            st.markdown(heading(job), help=OBJECTIVE if job.kind == "train" else None)
            st.progress(job.progress, text=status_line(job))
            st.button(
                "Cancel", key=f"cancel-{job.id}", icon=":material/stop_circle:", on_click=_cancel, args=(job,),
                disabled=job.stopping, help="Stops within a second or two, and saves the best result so far, if any",
            )  # fmt: skip
    if not jobs or any(job.done for job in jobs):  # without jobs, their end was shown in another window
        st.rerun()


def compact_status() -> None:
    """The user's jobs, one line each, for a page without a sidebar. The sidebar shows their end."""
    if jobs := active_jobs():
        st.fragment(_compact_status, run_every=_refresh_seconds(jobs))()


def _refresh_seconds(jobs: Sequence[Job]) -> float:
    """Seconds between two updates of what only changes while a job runs, besides its place in the queue."""
    return REFRESH_SECONDS if any(job.state == "running" for job in jobs) else WAITING_SECONDS


def _compact_status() -> None:
    for job in active_jobs():
        with st.container(horizontal=True, vertical_alignment="center", key=f"in-short-{job.id}"):
            st.progress(job.progress, text=f"{escape_markdown(job.title)}: {status_line(job)}")
            st.button("Cancel", key=f"stop-{job.id}", on_click=_cancel, args=(job,), disabled=job.stopping)


def _cancel(job: Job) -> None:
    queue = current_user.queue()
    queue.cancel(job, current_user.user_id())
    if current_user.user_id() not in job.owners:
        session.add_message(f"{job.title}: cancelled. It goes on for other users who wait for the same result.")
        return
    queue.wait(job, CANCEL_SECONDS)


def _show_end(job: Job) -> None:
    """Report the end of a job, once."""
    current_user.queue().remove(job, current_user.user_id())
    settings = session.settings()
    away = f", as you were away for {format_duration(ORPHAN_TIMEOUT)}" if job.state == "interrupted" else ""
    if job.problem:
        session.add_message(f"{job.title}: {job.problem}")
    elif job.kind == "train" and job.result is not None:
        if job.result.folder is None:
            st.session_state.setdefault(keys.UNSAVED, {})[job.id] = job.result
            session.add_message(f"{job.title}: the run is not saved. It is here until you leave: export it in History.")
        if job.state != "finished":
            session.add_message(f"{job.title}: the training was stopped{away}. Its best result so far is saved.")
        elif job.seconds > CURVES_AFTER:  # the user may look at another part of the page
            st.toast(f"{escape_markdown(job.title)}: the training has ended.", icon=":material/check:")
        if not settings.run and settings.data == job.subject:
            session.change(run=job.id)
        elif settings.run != job.id and job.state == "finished":
            session.add_message(f"{job.title}: the training has ended. Its run is in the history.", success=True)
    elif job.kind == "rank" and job.result is not None and job.result[1] is not None:
        st.session_state.setdefault(keys.RANK_CHOICES, {}).update([job.result])
    elif job.state != "finished" and job.result is None:
        session.add_message(f"{job.title}: stopped{away} before there was a result.")


def heading(job: Job) -> str:
    """The state and the title of a job."""
    return f"**{'Waiting' if job.state == 'queued' else 'Running'}** · {escape_markdown(job.title)}"


def status_line(job: Job) -> str:
    """The position in the queue, or the current step and the remaining time."""
    if job.state == "queued":
        ahead = current_user.queue().position(job)
        return f"{ahead} before it in the queue" if ahead else "next in the queue"
    if job.stopping:
        return "stopping: the best result so far is saved"
    remaining = job.remaining
    return escape_markdown(job.status) + ("" if remaining is None else f" · about {format_duration(remaining)} left")


def training_panel() -> None:
    """The training on the current data set: progress of each method, and objective and held-out score by iteration."""
    job = shown_training()
    # When the training has run for `CURVES_AFTER`, the page is drawn again, and updates are as frequent as they can be.
    st.fragment(_training_panel, run_every=_refresh_seconds([job] if job else []))()
    if job is not None and _curves(job):
        # Outside of the fragment: a file that is rebuilt every second is gone before its download starts.
        caption = "Objective and score of the final fits so far"
        figures.download_buttons("progress", lambda: progress_frame(_curves(job)), caption=caption)


def _training_panel() -> None:
    job = shown_training()
    if job is None:
        st.rerun()  # it has ended, here or in another window of the user
    fits: list[FitProgress] = job.detail or []
    st.markdown(heading(job))
    bars, curve = st.columns([2, 3], gap="medium")
    for fit in fits:
        states = {"running": str(fit.stage or "starting"), "done": f"done in {format_elapsed(fit.seconds)}"}
        bars.progress(fit.progress, text=escape_markdown(f"{fit.method}: {states.get(fit.state, fit.state)}"))
    curves = _curves(job)
    if not curves or job.seconds < CURVES_AFTER:
        return
    if st.session_state.get(keys.DRAWN) != job.id:
        st.session_state[keys.DRAWN] = job.id
        st.rerun()  # from now on there is data to download
    with curve:
        figure = progress_figure(curves, score=score_label(user_datasets.load(job.subject)), dark=figures.dark())
        figures.show(figure, "progress", alt="Objective and held-out score by iteration")


def _curves(job: Job) -> dict[str, tuple[list[float], list[float]]]:
    """Copies of the objectives and held-out scores so far, of the methods that have started."""
    return {fit.method: ([*fit.objective], meaningful_scores(fit.score)) for fit in job.detail or [] if fit.objective}
