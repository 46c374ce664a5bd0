"""The current run: its data, split, models and scores. It is opened once and shared by all pages."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO, NoReturn

import pandas as pd
import streamlit as st

import mrwtd

from ...data.splitting import NOTHING_HELD_OUT, TRAINING_FRACTION, describe_split, sample_entries
from ...errors import Problem
from ...hosting.uploads import unpack_in_process
from ...model.method import Method
from ...runs import Damaged, Run, check_parts, sampled_entries
from ...runs.store import read_run
from ..jobs import job_status
from ..jobs.training import dataset_name, default_name
from ..widgets.formatting import escape_markdown, join_names, shorten, summarize_names
from . import current_user, keys, session, shared_run, user_datasets
from .caches import hashed_by_key
from .stored_splits import read_splits

NOT_FITTED = "it has no fitted method"
PAGE_FAILED = "a page failed while it was shown"
"""Why a run or a data set is left out although its files are intact."""

STARTUP_RUN = "MRWTD_OPEN"
"""The environment variable for the run of `mrwtd dashboard --open`."""

SMALL_FILES, SMALL_DATA = 5_000_000, 300_000
"""Runs with files up to this many bytes, on data with up to this many entries, stay open for a class of users."""

EXAMPLE = Path(__file__).parent / "example"
"""The folder of the run that a new user sees first."""


@hashed_by_key
@dataclass(frozen=True)
class Result:
    """A run with everything that pages show.

    Attributes:
        run: the run as it is stored.
        data, train, test: the data set and the two parts of its split. If nothing is held out, `test` is empty.
        scored: the test entries that were scored: all observed ones, or a sample if the training was stopped.
        models: the fitted methods by label, in the order of the run.
        scores: one row per score: method, the columns of `mrwtd.evaluate`, lam, seconds and messages.
        key: identifies the result in caches.
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
        """The name of the data set in the dashboard."""
        return dataset_name(self.run.spec)

    @property
    def is_tested(self) -> bool:
        """Whether entries are held out, so that there are scores."""
        return len(self.test) > 0

    @property
    def fitted_entries(self) -> mrwtd.RelationalData:
        """The entries that the methods learned from: `train`, or more of a published split."""
        return self.run.spec.split.fitted_entries(self.data, self.train)

    @property
    def selected_method(self) -> str:
        """The method that is shown: the one in the settings, or the first."""
        method = session.settings().method
        return method if method in self.models else next(iter(self.models))


@st.cache_data(
    show_spinner=user_datasets.LOADING,
    max_entries=100,
    hash_funcs={Run: lambda run: (dataset_name(run.spec), run.spec.split.by, run.spec.split.train == 1)},
)
def split_description(run: Run) -> str:
    """A sentence about how the test entries of a run were drawn."""
    if run.spec.split.train == 1:
        return NOTHING_HELD_OUT
    return describe_split(user_datasets.load(dataset_name(run.spec)), run.spec.split.by)


def history() -> list[Run]:
    """The user's runs, newest first, with those that could not be stored, followed by the stored example."""
    unsaved: dict[str, Run] = st.session_state.get(keys.UNSAVED, {})
    runs = [run for run in (*reversed(unsaved.values()), *current_user.workspace().runs()) if _is_usable(run)]
    return [*runs, *([stored] if (stored := example()) and _is_usable(stored) else [])]


def damaged() -> list[Damaged]:
    """The user's runs that cannot be opened."""
    space, reasons = current_user.workspace(), current_user.unreadable()
    unusable = (run for run in space.runs() if not _is_usable(run))
    return [*space.damaged_runs(), *(Damaged(run.id, run.name, reasons.get(run.id, NOT_FITTED)) for run in unusable)]


def _is_usable(run: Run) -> bool:
    return bool(run.methods) and run.id not in current_user.unreadable()


def find(id: str) -> Run | None:
    """A run of the user, or the stored example, by id."""
    return next((run for run in history() if run.id == id), None)


def is_example(run: Run) -> bool:
    """Whether a run is the stored example."""
    stored = example()
    return stored is not None and stored.id == run.id


def title(run: Run) -> str:
    """The title of the data set of a run. "Your file" in the title that is stored is the owner's, not the reader's."""
    is_of_owner = shared_run.is_shown(run) and not run.spec.data.plain_sample
    return user_datasets.display_name(dataset_name(run.spec)) if is_of_owner else run.title


def selected() -> Run | None:
    """The shared run, the run in the settings, or the newest run of the data set in its current form."""
    if (shared := shared_run.current()) is not None:
        return shared.run
    settings = session.settings()
    if settings.run and (run := find(settings.run)) is not None:
        return run
    runs = (run for run in history() if dataset_name(run.spec) == settings.data)
    return next((run for run in runs if run.digest == user_datasets.digest(settings.data)), None)


def current_or_none() -> Result | None:
    """The current run, or None if the data set has none."""
    run = selected()
    if run is None:
        return None
    if user_datasets.digest(dataset_name(run.spec)) != run.digest:
        raise mrwtd.DataError(Problem("a run whose data has changed since", "another run, or a new training"))
    try:
        return open_run(run)
    except mrwtd.DataError as error:
        skip_damaged(run, str(error))


def mark_damaged(run: Run, reason: str) -> None:
    """Leave a run out in this session. It is listed as damaged and can be deleted."""
    current_user.unreadable()[run.id] = reason
    if session.settings().run == run.id:
        session.change(run="")


def skip_damaged(run: Run, reason: str) -> NoReturn:
    """Continue without a run that cannot be opened, with a message."""
    if shared_run.is_shown(run):
        session.leave_shared(shared_run.DAMAGED)
    else:
        mark_damaged(run, reason)
        session.add_message(f"The run {run.name!r} is damaged and cannot be opened. Delete it in the sidebar.")
    st.rerun()


def current(*, says_which_split: bool = True) -> Result:
    """The current run. If there is none, the page offers to train one and stops.

    The stored example has scores of several splits, but models of the first one only, which the page says.

    While a training on the data set runs, the page shows its progress instead, until the user selects a run.
    """
    if job_status.shown_training() is not None:
        job_status.training_panel()
        st.stop()
    result = current_or_none()
    if result is None:
        _offer_training()
        st.stop()
    if says_which_split and (stored := read_splits(result.run)) is not None:
        st.caption(f"The stored example, trained on {stored.number} splits: this page shows the models of the first.")
    _warn_of_collapse(result)
    return result


def _warn_of_collapse(result: Result) -> None:
    """Name the fits that collapsed to zero: their networks and maps look like errors."""
    collapsed = []
    for label, model in result.models.items():
        relations = [diagnostic.relation for diagnostic in model.diagnostics_ if diagnostic.code == "collapsed"]
        if relations:
            names = summarize_names(list(filter(None, relations)))
            collapsed.append(f"{label} ({names})" if names else label)
    if collapsed:
        st.warning(
            f"**{escape_markdown(join_names(collapsed))}** collapsed to zero in this run and cannot distinguish pairs. "
            "The Train page suggests a fix.",
            icon=":material/info:",
        )


def _offer_training() -> None:
    settings = session.settings()
    title = escape_markdown(user_datasets.title(settings.data))
    st.info(f"Nothing has been trained on this data set yet: {title}.", icon=":material/bolt:")
    if st.button("Train with these settings", type="primary"):
        job_status.submit_training(settings)
        st.rerun()
    resolved = settings.resolved(user_datasets.load(settings.data))
    name = default_name(resolved.change(methods=()))
    st.caption(escape_markdown(f"{name} · {', '.join(resolved.methods)}"))


def offer_test(result: Result, what: str) -> None:
    """Say that there is no `what`, as nothing is held out, and offer a training that holds out entries."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.info(f"{NOTHING_HELD_OUT} So there is no {what}.", icon=":material/info:")
        if session.settings().shared or not user_datasets.may_copy(result.data_name):
            return
        help_ = f"Learn from {TRAINING_FRACTION:.0%} of the entries, and test the predictions on the others."
        if st.button(f"Train with {TRAINING_FRACTION:.0%}", icon=":material/bolt:", help=help_):
            session.change(train=TRAINING_FRACTION)
            job_status.submit_training(session.settings())
            st.rerun()


def drop_stale_run() -> None:
    """Drop the run from the settings, with a message, if it does not exist or belongs to another data set."""
    settings, queue = session.settings(), current_user.queue()
    if settings.shared or not settings.run or queue.ended_without_result(settings.run):
        return  # the end of a job without a result was shown, and another URL would add a step to Back
    if any(job.id == settings.run for job in queue.jobs_of(current_user.user_id())):
        return  # it is being trained
    if (run := find(settings.run)) is not None and dataset_name(run.spec) == settings.data:
        return
    reason = (
        "is not here: it was deleted, was lost when the server restarted, or belongs to another user. "
        "Train repeats it with the settings of the link."
    )
    if run is not None:
        reason = "is a run of another data set."
    elif broken := [item.reason for item in damaged() if item.id == settings.run]:
        reason = f"cannot be opened: {broken[0]}"
    session.change(run="")
    session.add_message(f"The link asks for run = {shorten(settings.run)!r}, which {reason}")


def import_run(source: IO[bytes] | Path, check_user: Callable[[int], None] = lambda _: None) -> Run:
    """Import a run from a zip file or a folder. Nothing is stored if the pages cannot show it.

    An exception of `check_user`, which is called often while the files are read, stops the import.
    """
    space = current_user.workspace()
    before = space.datasets()
    run = space.import_run(source, partial(unpack_in_process, check=check_user, user=current_user.user_id()))
    try:
        check(run)
    except mrwtd.DataError:
        space.delete(run.id)
        if run.digest not in before:
            space.delete_dataset(run.digest)
        raise
    return run


def import_startup_run() -> None:
    """Import the run that the server was started with, once per user, and select it if the URL has no parameters."""
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
    """Reject an imported run that pages cannot show: nothing was fitted, its data is missing, or its models differ."""
    if not run.methods:
        raise mrwtd.DataError(Problem("a run without a fitted method", "a run with one or more"))
    name = dataset_name(run.spec)
    if name not in user_datasets.own_names() or user_datasets.digest(name) != run.digest:
        expected = "a run on a sample of this version, or a run that was exported with its data"
        raise mrwtd.DataError(Problem(f"a run whose data is not on this server ({run.title})", expected))
    _open(run)  # not from a cache, as its files were never read


def open_run(run: Run) -> Result:
    """A run with its data and its models."""
    files = sum(int(about["bytes"]) for about in run.files.values())
    is_small = files <= SMALL_FILES and len(user_datasets.load(dataset_name(run.spec))) <= SMALL_DATA
    opened = _open_small(run) if is_small else _open_large(run)
    return replace(opened, run=run)  # the cached one may have another name


def cache_key(run: Run) -> str:
    """Runs with equal files share a key, also those of different users: in a class, many get copies of one run.

    Without files, the id is part of the key.
    """
    if run.folder is None:
        return f"{run.id} {run.created}"
    files = {name: about["sha256"] for name, about in sorted(run.files.items())}
    return sha256(repr((run.spec, run.methods, files)).encode()).hexdigest()


@st.cache_resource(show_spinner="Opening the run …", max_entries=48, hash_funcs={Run: cache_key})
def _open_small(run: Run) -> Result:
    return _open(run)


@st.cache_resource(show_spinner="Opening the run …", max_entries=8, hash_funcs={Run: cache_key})
def _open_large(run: Run) -> Result:
    return _open(run)


def _open(run: Run) -> Result:
    data = user_datasets.load(dataset_name(run.spec))
    train, test = run.spec.split.parts(data)
    models, scores = run.models(), run.scores
    check_parts(models, scores, test)
    counts = sampled_entries(scores)
    scored = test.observed() if counts is None else sample_entries(test.observed(), counts[0], run.spec.split.seed)
    return Result(run, data, train, test, scored, models, scores, cache_key(run))


def example() -> Run | None:
    """The stored run that comes with the package. It is read where it is, as the server may be unable to write."""
    run = read_run(EXAMPLE)
    return run if isinstance(run, Run) else None
