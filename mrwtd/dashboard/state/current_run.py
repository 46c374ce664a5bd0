"""The run that is looked at: its data, its split, its models and their scores. Opened once, shared by all pages."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, NoReturn

import pandas as pd
import streamlit as st

import mrwtd

from ...data.observed import observed
from ...data.reciprocity import describe_split
from ...data.splitting import sample_entries
from ...errors import Problem
from ...model.method import Method
from ...runs import Damaged, Run, Workspace, check_parts, sampled_entries
from ..jobs import job_status
from ..jobs.training import dataset_name, default_name
from ..widgets.formatting import escape_markdown, join_names, summarize_names
from . import current_user, keys, session, user_datasets
from .caches import hashed_by_key
from .settings import Settings

UNTESTED = "it was tested on nothing: fit it with a training fraction below 1"
PAGE_FAILED = "a page failed while it was shown"
"""What is wrong with a run or a data set that looks whole, as far as is known."""

STARTUP_RUN = "MRWTD_OPEN"
"""The environment variable with the run that `mrwtd dashboard --open` was given."""

EXAMPLE = Path(__file__).parent / "example.zip"
"""A stored run, for the first visit."""


@hashed_by_key
@dataclass(frozen=True)
class Result:
    """A run with all that pages show of it.

    Attributes:
        run: what was asked, and how it ended.
        data, train, test: the data set and the two parts of its split.
        scored: the test entries that the scores are of: all that count, or a sample where a training was stopped.
        models: the fitted methods by label, in the order of the run.
        scores: one row per score: method, the columns of `mrwtd.evaluate`, lam, seconds and messages.
        key: tells it from all other results, for caches.
    """

    run: Run
    data: mrwtd.RelationalData
    train: mrwtd.RelationalData
    test: mrwtd.RelationalData
    scored: mrwtd.RelationalData
    models: Mapping[str, Method]
    scores: pd.DataFrame
    key: str

    @property
    def data_name(self) -> str:
        """What the dashboard calls its data."""
        return dataset_name(self.run.spec)

    @property
    def selected_method(self) -> str:
        """The method that is looked at: the one chosen, else the first."""
        chosen = session.settings().method
        return chosen if chosen in self.models else next(iter(self.models))


@st.cache_data(
    show_spinner=user_datasets.LOADING,
    max_entries=100,
    hash_funcs={Run: lambda run: (dataset_name(run.spec), run.spec.split.by)},
)
def split_description(run: Run) -> str:
    """How the test part of a run was drawn, in a sentence to be shown beside its scores."""
    return describe_split(user_datasets.load(dataset_name(run.spec)), run.spec.split.by)


def history() -> list[Run]:
    """The user's runs, the newest first, and after them the stored example."""
    return [*_usable(), *([stored] if (stored := example()) else [])]


def damaged() -> list[Damaged]:
    """The runs of this user that cannot be opened, for the history to list them."""
    usable = {run.id for run in _usable()}
    others = [run for run in current_user.workspace().runs() if run.id not in usable]
    opened = _unreadable()
    return [
        *current_user.workspace().damaged_runs(),
        *(Damaged(run.id, run.name, opened.get(run.id, UNTESTED)) for run in others),
    ]


def _usable() -> list[Run]:
    return [run for run in current_user.workspace().runs() if _can_be_shown(run) and run.id not in _unreadable()]


def _unreadable() -> dict[str, str]:
    """What is wrong with runs that look whole and could not be opened, by id."""
    reasons: dict[str, str] = st.session_state.setdefault(keys.DAMAGED, {})
    return reasons


def _can_be_shown(run: Run) -> bool:
    """Whether pages have something to show of a run: fitted methods, and entries that they were tested on."""
    return bool(run.methods) and run.spec.split.train < 1


def find(id: str) -> Run | None:
    """A run of the user, or the stored example, by its id."""
    stored = example()
    runs = [*([stored] if stored else []), *_usable()]
    return next((run for run in runs if run.id == id), None)


def is_example(run: Run) -> bool:
    """Whether it is the stored run that comes with the package."""
    stored = example()
    return stored is not None and stored.id == run.id


def selected() -> Run | None:
    """The run that the settings ask for: by its id, else the newest of the data set as it is now."""
    settings = session.settings()
    if settings.run and (named := find(settings.run)) is not None:
        return named
    runs = (run for run in history() if dataset_name(run.spec) == settings.data)
    return next((run for run in runs if run.digest == user_datasets.digest(settings.data)), None)


def current_or_none() -> Result | None:
    """The run that is looked at, or None where there is none of this data set."""
    run = selected()
    if run is None:
        return None
    if user_datasets.digest(dataset_name(run.spec)) != run.digest:
        raise mrwtd.DataError(Problem("a run of data that has changed since", "another run, or a new training"))
    try:
        return open_run(run)
    except mrwtd.DataError as error:
        skip_damaged(run, str(error))


def mark_damaged(run: Run, reason: str) -> None:
    """Go on without a run, in this session: it is listed as damaged, to be deleted, and the one before it is shown."""
    _unreadable()[run.id] = reason
    if session.settings().run == run.id:
        session.change(run="")


def skip_damaged(run: Run, reason: str) -> NoReturn:
    """Go on without a run that cannot be opened, and say so."""
    mark_damaged(run, reason)
    session.add_message(
        f"The run {run.name!r} is damaged and cannot be opened: go on without it, and delete it at the left."
    )
    st.rerun()


def current() -> Result:
    """The run that is looked at. Without one, the page says how to get one, or how far it is, and ends there.

    While a training of the data set goes on, that is what is looked at, until the user chooses a run.
    """
    result = None if job_status.shown_training() is not None else current_or_none()
    if result is None:
        _nothing_yet()
        st.stop()
    _warn_of_collapse(result)
    return result


def _warn_of_collapse(result: Result) -> None:
    """Say which fits have come to nothing: a network or a map of them looks like one that was drawn wrongly."""
    gone = []
    for label, model in result.models.items():
        facts = [fact for fact in model.diagnostics_ if fact.code == "collapsed"]
        relations = [fact.relation for fact in facts if fact.relation is not None]
        if facts:
            gone.append(f"{label} ({summarize_names(relations)})" if relations else label)
    if gone:
        st.warning(
            f"**{escape_markdown(join_names(gone))}** collapsed to zero in this run, and cannot tell pairs apart. "
            "The Train page says what helps.",
            icon=":material/info:",
        )


def _nothing_yet() -> None:
    if job_status.shown_training() is not None:
        job_status.training_panel()
    else:
        name = user_datasets.title(session.settings().data)
        st.info(f"Nothing has been trained on this data set yet: {escape_markdown(name)}.", icon=":material/bolt:")
        settings = session.settings()
        wanted = settings.resolved(user_datasets.load(settings.data).n_objects)
        if st.button("Train with these settings", type="primary"):
            job_status.submit_training(settings)
            st.rerun()
        st.caption(
            escape_markdown(f"{default_name(wanted.change(methods=Settings.methods))} · {', '.join(wanted.methods)}")
        )


def drop_stale_run() -> None:
    """Say so where the settings ask for a run that is not here: a friend's, one that was deleted, or of other data."""
    wanted = session.settings().run
    if current_user.queue().ended_without_result(wanted):
        return  # its end was shown, and Back should not come across another URL of the same page
    if any(job.id == wanted for job in current_user.queue().jobs_of(current_user.user_id())):
        return  # it is being made
    run = find(wanted) if wanted else None
    if wanted and (run is None or dataset_name(run.spec) != session.settings().data):
        session.change(run="")
        broken = next((item for item in damaged() if item.id == wanted), None)
        why = (
            "is a run of another data set."
            if run is not None
            else f"cannot be opened: {broken.reason}"
            if broken is not None
            else "is not here: it was deleted, was cut off by a restart of the server, or stays with whoever made it. "
            "Train makes one with the settings of the link."
        )
        session.add_message(f"The link asks for run = {wanted[:60]!r}, which {why}")


def import_run(source: IO[bytes] | Path) -> Run:
    """A run from a zip or a folder, imported only if its pages can show it. Of one that is refused nothing is left."""
    space = current_user.workspace()
    before = space.datasets()
    run = space.import_run(source)
    try:
        check(run)
    except mrwtd.DataError:
        space.delete(run.id)
        if run.digest not in before:
            space.delete_dataset(run.digest)
        raise
    return run


def import_startup_run() -> None:
    """Import the run that the server was started with, for each user once. A session without a URL begins with it."""
    path = os.environ.get(STARTUP_RUN)
    if not path or st.session_state.get(keys.STARTUP_RUN):
        return
    st.session_state[keys.STARTUP_RUN] = True
    try:
        run = current_user.workspace().run(_startup_id(path)) or import_run(Path(path))
    except mrwtd.DataError as error:
        session.add_message(str(error))
        return
    if not st.query_params:
        session.restore(run)
        session.go("train")


@st.cache_resource(show_spinner=False)
def _startup_id(path: str) -> str:
    return mrwtd.load_run(path).id


def check(run: Run) -> None:
    """Refuse a run from elsewhere whose pages would fail: with nothing tested, without data, or with other models."""
    if not _can_be_shown(run):
        raise mrwtd.DataError(Problem("a run that was tested on nothing", "one with a training fraction below 1"))
    name = dataset_name(run.spec)
    if name not in user_datasets.names() or user_datasets.digest(name) != run.digest:
        expected = "a run of a sample as it is here, or one that was exported together with its data"
        raise mrwtd.DataError(Problem(f"a run of data that is not here ({run.title})", expected))
    open_run(run)


def open_run(run: Run) -> Result:
    """A run with its data and its models."""
    return replace(_open(run), run=run)  # it may have another name by now


def _key(run: Run) -> str:
    """A workspace is one user's, so that its folder tells runs of one id apart."""
    return f"{run.folder} {run.created}"


@st.cache_resource(show_spinner="Opening the run …", max_entries=8, hash_funcs={Run: _key})
def _open(run: Run) -> Result:
    data = user_datasets.load(dataset_name(run.spec))
    train, test = run.spec.split.parts(data)
    assert test is not None  # only runs that were tested are opened
    models, scores = run.models(), run.scores
    check_parts(models, scores, test)
    counts = sampled_entries(scores)
    scored = observed(test) if counts is None else sample_entries(observed(test), counts[0], run.spec.split.seed)
    return Result(run, data, train, test, scored, models, scores, _key(run))


@st.cache_resource(show_spinner=False)
def example() -> Run | None:
    """The stored run that the first visit shows."""
    space = Workspace(current_user.home() / "example")
    if not EXAMPLE.is_file():
        return None
    for old in [run.id for run in space.runs()] + [run.id for run in space.damaged_runs()]:
        space.delete(old)
    with EXAMPLE.open("rb") as stream:
        return space.import_run(stream)
