"""An experiment of the paper, or on the data set in use: its options, the button that runs it, and its results so far.

The options start with the presets of the command line. Every finished fit is saved at once, so a cancelled or
interrupted experiment continues where it stopped.
"""

import math
import tempfile
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from ....baselines import make_method
from ....comparison import OtherVersionError
from ....experiments.experiment import EXPERIMENTS, Experiment, ExperimentResult, Options
from ....experiments.on_data.data_experiment import DATA_EXPERIMENTS, DataExperiment
from ....experiments.reports import write_report
from ....hosting.config import config
from ....metrics import METRICS
from ....model.cost import Size
from ....plots.score_curves import lam_paths
from ....runs import estimated_notes
from ....runs.pending import Pending
from ....runs.storage_error import StorageError
from ...jobs import Job, estimates, job_status
from ...jobs.remote_work import in_process
from ...shell import page
from ...state import current_user, experiment_records, keys, session, user_datasets
from ...state.caches import Keyed, cached_data
from ...state.experiment_records import KIND, ExperimentRecord, fits_folder, records_folder
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown, format_duration
from . import experiments_texts as texts

NAMES = {"synth": "Synthetic", "real": "Kinship", "rank": "Rank", "timing": "Timing"}
"""The label of each experiment on its button."""

AXES = {
    "train": ("Training fractions", "train", (0.03, 0.05, 0.10, 0.15, 0.20, 0.25, 0.50, 0.80)),
    "rank": ("Ranks", "rank", (2, 5, 10, 20, 30, 40)),
    "fixed_lam": ("Values of λ", "lam", (0.01, 0.1, 1.0, 10.0, 100.0)),
    "n_objects": ("Numbers of objects", "sizes", (500, 1000, 2000, 4000, 8000)),
}
"""For each horizontal axis: its label, its field in `Options`, and the values offered besides those of the preset."""

MAX_RANK = 200

REFRESH_SECONDS = 2.0
"""While an experiment runs, its results are drawn again after this time."""


def render() -> None:
    """Draw the chosen experiment, its options and its results."""
    experiment = _choose()
    st.markdown(escape_markdown(experiment.about))
    controls, results = st.columns([2, 5], gap="medium")
    with controls:
        options = _controls(experiment)
    with results:
        running = job_status.active_job(KIND) is not None
        st.fragment(_results, run_every=REFRESH_SECONDS if running else None)(experiment, options, running)


def _choose() -> Experiment:
    """Choose the data, and an experiment on it."""
    settings = session.settings()
    sources = {"paper": texts.PAPER_DATA}
    if user_datasets.may_copy(settings.data):  # the data of another user is not fitted
        sources = {"data": user_datasets.title(settings.data), **sources}
    is_own = user_datasets.is_uploaded(settings.data) and not settings.get("experiments.which")
    default = "data" if is_own else "paper"
    source = inputs.choose(
        "Data", "experiments.source", sources, default=default, style="buttons", help=texts.SOURCE_HELP
    )
    if source == "paper":
        labels = {name: NAMES.get(name, name) for name in EXPERIMENTS}
        return EXPERIMENTS[inputs.choose("Experiment", "experiments.which", labels, default="real", style="tabs")]
    labels = {name: template.label for name, template in DATA_EXPERIMENTS.items()}
    name = inputs.choose("Experiment", "experiments.kind", labels, style="tabs")
    data, title = user_datasets.load(settings.data), user_datasets.title(settings.data)
    file = "FILE" if user_datasets.is_uploaded(settings.data) else settings.data
    return DATA_EXPERIMENTS[name].on(data, title, file)


def _controls(experiment: Experiment) -> Options:
    """Draw the options and the button, and return the options."""
    options = _options(experiment)
    experiment.check(options)
    total = len(experiment.jobs(options))
    busy, restarted = job_status.active_job(KIND) is not None, st.session_state.pop(keys.RESTARTED, "")
    try:
        done = _finished_fits(experiment, options).done
    except OtherVersionError as error:
        _offer_restart(experiment, options, error, total, busy=busy)
        return options
    label = "Run" if not done else f"Continue: {total - done} fits left" if done < total else "All fits are done"
    off = busy or done >= total
    clicked = st.button(label, type="primary", icon=":material/science:", disabled=off, width="stretch")
    if clicked or (restarted == experiment.name and not off):
        _start(experiment, options, done, total)
    finished = f"{done} of {total} fits are finished and saved. Nothing is computed twice."
    if done < total:
        seconds = _seconds(experiment, options, done, total)
        finished += f" {'The others take about' if done else 'About'} {format_duration(seconds)}."
    st.caption((texts.RUNNING if _is_running(experiment) else texts.OTHER_RUNNING) if busy else finished)
    return options


def _options(experiment: Experiment) -> Options:
    """The options of a preset, with the user's changes."""
    name = f"experiments.{experiment.name}"
    left, right = st.columns([3, 2])
    with left:
        size = inputs.choose("Size", f"{name}-size", ["quick", "full"], style="buttons", help=texts.SIZE_HELP)
    name, preset = f"{name}-{size}", experiment.presets[size]
    with right:
        runs = inputs.number_input("Splits", f"{name}-runs", 1, 50, 1, preset.runs, help=texts.SPLITS_HELP)
    methods = inputs.checkboxes(
        "Methods", f"{name}-methods", experiment.offered_methods, preset.methods, help=texts.METHODS_HELP
    )
    label, field, more = AXES[experiment.axis]
    values = {f"{value:g}": value for value in sorted({*more, *getattr(preset, field)})}
    labels = {text: f"{value:.0%}" if field == "train" else text for text, value in values.items()}
    initial = [f"{value:g}" for value in getattr(preset, field)]
    chosen = inputs.checkboxes(label, f"{name}-{experiment.axis}", labels, initial, help=texts.AXIS_HELP)
    fixed = _fixed_options(experiment, name, preset) if isinstance(experiment, DataExperiment) else {}
    return preset.change(
        runs=int(runs), methods=tuple(methods), **fixed, **{field: tuple(values[text] for text in chosen)}
    )


def _fixed_options(experiment: DataExperiment, name: str, preset: Options) -> dict[str, Any]:
    """The rank and the training fraction, as far as the experiment does not vary them."""
    fixed: dict[str, Any] = {}
    if experiment.axis != "rank":
        rank = inputs.number_input("Rank", f"{name}-rank", 1, MAX_RANK, 1, preset.rank[0], help=texts.RANK_HELP)
        fixed["rank"] = (int(rank),)
    if experiment.axis != "train":
        fraction = inputs.slider(
            "Training fraction", f"{name}-fraction", 0.05, 0.95, 0.05, preset.train[0], percent=True,
            help=texts.FRACTION_HELP,
        )  # fmt: skip
        fixed["train"] = (round(float(fraction), 2),)
    return fixed


def _seconds(experiment: Experiment, options: Options, done: int, total: int) -> float:
    """The estimated time of the fits that are not finished."""
    return experiment.estimated_seconds(options) * (total - done) / max(total, 1)


def _memory(experiment: DataExperiment, options: Options) -> float:
    """The estimated memory of the fits, several of which run at once. Each process has a copy of the data."""
    largest = [(method, rank, train) for method in options.methods for rank in options.rank for train in options.train]
    sizes = {train: Size.of(experiment.data, train) for train in options.train}
    costs = [make_method(method, rank=rank).cost(sizes[train]) for method, rank, train in largest]
    return options.n_jobs * estimates.peak_memory(len(experiment.data), costs)


def _offer_restart(experiment: Experiment, options: Options, error: OtherVersionError, total: int, busy: bool) -> None:
    """Warn that stored fits were made with other code, and run them again if the user wants it."""
    n_fits = sum(error.counts.values())
    text = texts.OTHER_VERSION.format(n_fits, ", ".join(error.counts), error.expected)
    st.warning(text, icon=":material/update:")
    if st.button(
        f"Restart: {total} fits", type="primary", icon=":material/restart_alt:", disabled=busy, width="stretch",
        help=f"Deletes the {n_fits} fits of the other version and runs the experiment with this one.",
    ):  # fmt: skip
        experiment.restart(options, fits_folder(experiment.name))
        _start(experiment, options, 0, total)


def _start(experiment: Experiment, options: Options, done: int, total: int) -> None:
    """Submit a job that runs the experiment and records in the history how far it came."""
    seconds, max_minutes = _seconds(experiment, options, done, total), config().jobs.max_experiment_minutes
    estimates.check_seconds("an experiment", seconds, max_minutes, texts.SHORTER)
    values = ", ".join(f"{value:g}" for value in getattr(options, AXES[experiment.axis][1]))
    name = f"{', '.join(options.methods)}; {values}; {options.runs} splits"
    settings = experiment_records.experiment_settings(session.settings().views, experiment.name)
    record = ExperimentRecord(experiment.name, name, settings, done, total)
    if isinstance(experiment, DataExperiment):
        estimates.check_memory("an experiment", _memory(experiment, experiment.check(options)), texts.SMALLER)
        data = session.settings().data
        record = replace(record, data=data, data_title=user_datasets.title(data))
    fits, records = fits_folder(experiment.name), records_folder()
    current_user.workspace().check_space(new_run=False)
    experiment_records.save(records, record)

    def fit(job: Job) -> tuple[int, int]:
        def progress(done: int, total: int, status: str, left: float) -> bool:
            job.eta = left if math.isfinite(left) else None
            return job.report(done / max(total, 1), status or "starting")

        result = experiment.run(options, fits, progress)
        return result.done, result.total

    def run(job: Job) -> str:
        if (counts := in_process(fit)(job)) is not None:
            experiment_records.save(records, replace(record, done=counts[0], total=counts[1]))
        return experiment.name

    user, title = current_user.user_id(), f"Experiment: {experiment.title}"
    job = current_user.queue().submit(user, title, run, KIND, experiment.name, seconds=seconds)
    with suppress(StorageError):  # which is reported when a fit is saved
        job.at_end(partial(_end, job, experiment_records.pending(records, record)))
    st.rerun()


def _end(job: Job, pending: Pending) -> None:
    """The experiment has ended. If its user or the server is gone, it can be restarted."""
    pending.release() if job.state == "interrupted" else pending.end()


def _is_running(experiment: Experiment) -> bool:
    """Whether the user's running experiment is this one, with any options."""
    return job_status.active_job(KIND, experiment.name) is not None


def _results(experiment: Experiment, options: Options, running: bool) -> None:
    with page.error_boundary("Experiments"):
        try:
            result = _finished_fits(experiment, options)
        except OtherVersionError:
            st.info(texts.RUN_AGAIN, icon=":material/science:")
            return
        if not result.done:
            is_first = running and _is_running(experiment)
            st.info(texts.FIRST_FITS if is_first else texts.NOTHING_YET, icon=":material/science:")
            return
        paper = bool(experiment.source) and inputs.toggle(
            texts.PAPER_LABEL, "experiments.paper", default=True, help=texts.PAPER_HELP
        )
        _scores(experiment, result, paper)
        _downloads(experiment, options, result)
        session.sync_to_url()


def _scores(experiment: Experiment, result: ExperimentResult, paper: bool) -> None:
    is_score = result.scores["metric"] != ""
    scores, failures = result.scores[is_score], result.scores[~is_score]
    if len(scores):
        table = experiment.table(scores, paper=paper)
        metrics = [METRICS[name] for name in table.summary["metric"].unique()]
        figures.show(
            experiment.figure(scores, paper=paper, dark=figures.dark()), f"experiment-{experiment.name}",
            alt=experiment.title, data=table.summary,
            caption=" ".join(["Means over the splits.", *(f"{metric.title}: {metric.help}." for metric in metrics)]),
        )  # fmt: skip
        if not experiment.source:  # without the title of the data, which may contain Markdown
            table = experiment.table(scores.assign(data=texts.THIS_DATA))
        st.markdown(table.markdown)
        for note in (*table.notes, *result.notes):
            st.caption(escape_markdown(note))
    for method, reason in failures[["method", "reason"]].drop_duplicates().itertuples(index=False):
        text = f"**{escape_markdown(method)}** could not be fitted: {escape_markdown(reason)}"
        st.warning(text, icon=":material/info:")
    if len(result.lam_paths):
        with st.expander(texts.LAM_TITLE):
            figures.show(
                lam_paths(result.lam_paths, dark=figures.dark()), f"paths-{experiment.name}",
                alt="Held-out score against λ", data=result.lam_paths, caption=texts.LAM_CAPTION,
            )  # fmt: skip


def _downloads(experiment: Experiment, options: Options, result: ExperimentResult) -> None:
    formats = (
        ("CSV", ".csv", "text/csv"), ("Markdown", ".md", "text/markdown"), ("Figure (HTML)", ".html", "text/html"),
    )  # fmt: skip
    for column, (label, suffix, mime) in zip(st.columns([2, 3, 4, 3]), formats, strict=False):
        column.download_button(
            label, partial(_report, experiment, options, result, suffix), f"{experiment.name}{suffix}",
            mime, icon=":material/download:", key=f"report-{suffix}", on_click="ignore", width="stretch",
        )  # fmt: skip
    st.caption(f"The same on the command line: `{experiment.command(options)}`")


def _report(experiment: Experiment, options: Options, result: ExperimentResult, suffix: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        write_report(experiment, result, folder, experiment.command(options))
        return (Path(folder) / f"{experiment.name}{suffix}").read_text(encoding="utf-8")


def _finished_fits(experiment: Experiment, options: Options) -> ExperimentResult:
    """The finished fits of an experiment, read again whenever another one finishes."""
    folder = fits_folder(experiment.name)
    n_finished = len(list((folder / "finished").glob("*")))
    return _gather(Keyed((experiment.key, n_finished), experiment), options, str(folder))


@cached_data(max_entries=20)
def _gather(experiment: Keyed[Experiment], options: Options, folder: str) -> ExperimentResult:
    result = experiment.value.gather(options, folder)
    return replace(result, notes=(*result.notes, *estimated_notes(result.scores)))
