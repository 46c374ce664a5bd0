"""An experiment of the paper: its options, the button that runs it, and its results so far.

The options start with the presets of the command line. Every finished fit is saved at once, so a cancelled or
interrupted experiment continues where it stopped.
"""

import math
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import streamlit as st

from ....baselines import METHODS
from ....comparison import OtherVersionError
from ....errors import DataError, Problem
from ....experiments import EXPERIMENTS, Experiment, ExperimentResult, Options, write_report
from ....hosting.config import config
from ....metrics import METRICS
from ....plots.score_curves import lam_paths
from ...jobs import Job, job_status
from ...shell import page
from ...state import current_user, experiment_records, session
from ...state.caches import Keyed, cached_data
from ...state.experiment_records import KIND, ExperimentRecord, fits_folder, records_folder
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown, format_duration
from . import experiments_texts as texts

NAMES = {"synth": "Synthetic", "real": "Kinship", "rank": "Rank", "timing": "Timing"}
"""The label of each experiment on its button."""

AXES = {
    "train": ("Training fractions", "train", (0.03, 0.05, 0.10, 0.15, 0.20, 0.25, 0.50)),
    "rank": ("Ranks", "rank", (2, 5, 10, 20, 30, 40)),
    "n_objects": ("Numbers of objects", "sizes", (500, 1000, 2000, 4000, 8000)),
}
"""For each horizontal axis: its label, its field in `Options`, and the values offered besides those of the preset."""

SECONDS_PER_FIT = 5.0
"""A rough mean over methods and sizes, to place an experiment in the queue."""

REFRESH_SECONDS = 2.0
"""While an experiment runs, its results are drawn again after this time."""


def render() -> None:
    """Draw the chosen experiment, its options and its results."""
    labels = {name: NAMES.get(name, name) for name in EXPERIMENTS}
    experiment = EXPERIMENTS[inputs.choose("Experiment", "experiments.which", labels, default="real", style="tabs")]
    st.markdown(escape_markdown(experiment.about))
    controls, results = st.columns([2, 5], gap="medium")
    with controls:
        options = _controls(experiment)
    with results:
        running = job_status.active_job(KIND) is not None
        st.fragment(_results, run_every=REFRESH_SECONDS if running else None)(experiment, options, running)


def _controls(experiment: Experiment) -> Options:
    """Draw the options and the button, and return the options."""
    options = _options(experiment)
    experiment.check(options)
    total = len(experiment.jobs(options))
    busy = job_status.active_job(KIND) is not None
    try:
        done = _finished_fits(experiment, options).done
    except OtherVersionError as error:
        _offer_restart(experiment, options, error, total, busy=busy)
        return options
    label = "Run" if not done else f"Continue: {total - done} fits left" if done < total else "All fits are done"
    if st.button(label, type="primary", icon=":material/science:", disabled=busy or done >= total, width="stretch"):
        _start(experiment, options, done, total)
    finished = f"{done} of {total} fits are finished and saved. Nothing is computed twice."
    st.caption(texts.RUNNING if busy else finished)
    return options


def _options(experiment: Experiment) -> Options:
    """The options of a preset, with the user's changes."""
    name = f"experiments.{experiment.name}"
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        size = inputs.choose("Size", f"{name}-size", ["quick", "full"], style="buttons", help=texts.SIZE_HELP)
    name, preset = f"{name}-{size}", experiment.presets[size]
    with right:
        runs = inputs.number_input("Splits", f"{name}-runs", 1, 50, 1, preset.runs, help=texts.SPLITS_HELP)
    methods = inputs.checkboxes("Methods", f"{name}-methods", tuple(METHODS), preset.methods, help=texts.METHODS_HELP)
    label, field, more = AXES[experiment.axis]
    values = {f"{value:g}": value for value in sorted({*more, *getattr(preset, field)})}
    chosen = inputs.checkboxes(
        label, f"{name}-{experiment.axis}", list(values), [f"{value:g}" for value in getattr(preset, field)],
        format_func=(lambda text: f"{float(text):.0%}") if field == "train" else str, help=texts.AXIS_HELP,
    )  # fmt: skip
    return preset.change(runs=int(runs), methods=tuple(methods), **{field: tuple(values[text] for text in chosen)})


def _offer_restart(experiment: Experiment, options: Options, error: OtherVersionError, total: int, busy: bool) -> None:
    """Warn that stored fits were made with other code, and run them again if the user wants it."""
    n_fits = sum(error.counts.values())
    text = texts.OTHER_VERSION.format(n_fits, ", ".join(error.counts), error.expected)
    st.warning(text, icon=":material/update:")
    if st.button(
        f"Restart: {total} fits", type="primary", icon=":material/restart_alt:", disabled=busy, width="stretch",
        help=f"Deletes the {n_fits} fits of the other version and runs the experiment with this one.",
    ):  # fmt: skip
        experiment.restart(options, fits_folder(experiment))
        _start(experiment, options, 0, total)


def _start(experiment: Experiment, options: Options, done: int, total: int) -> None:
    """Submit a job that runs the experiment and records in the history how far it came."""
    seconds, limit = SECONDS_PER_FIT * (total - done), 60 * config().jobs.max_experiment_minutes
    if seconds > limit:
        expected = (
            f"at most {format_duration(limit)} on this server: choose fewer splits or methods, and continue later"
        )
        raise DataError(Problem(f"an experiment of about {format_duration(seconds)}", expected))
    values = ", ".join(f"{value:g}" for value in getattr(options, AXES[experiment.axis][1]))
    name = f"{', '.join(options.methods)}; {values}; {options.runs} splits"
    settings = experiment_records.experiment_settings(session.settings().views, experiment.name)
    record = ExperimentRecord(experiment.name, name, settings, done, total)
    fits, records = fits_folder(experiment), records_folder()
    current_user.workspace().check_space(new_run=False)
    experiment_records.save(records, record)

    def run(job: Job) -> str:
        def progress(done: int, total: int, status: str, left: float) -> bool:
            job.eta = left if math.isfinite(left) else None
            return job.report(done / max(total, 1), status or "starting")

        result = experiment.run(options, fits, progress)
        experiment_records.save(records, replace(record, done=result.done, total=result.total))
        return experiment.name

    title = f"Experiment: {experiment.title}"
    current_user.queue().submit(current_user.user_id(), title, run, KIND, seconds=seconds)
    st.rerun()


def _results(experiment: Experiment, options: Options, running: bool) -> None:
    with page.error_boundary("Experiments"):
        try:
            result = _finished_fits(experiment, options)
        except OtherVersionError:
            st.info(texts.RUN_AGAIN, icon=":material/science:")
            return
        if not result.done:
            st.info(texts.FIRST_FITS if running else texts.NOTHING_YET, icon=":material/science:")
            return
        paper = inputs.toggle(texts.PAPER_LABEL, "experiments.paper", default=True, help=texts.PAPER_HELP)
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
            caption=" ".join(["Means over the runs.", *(f"{metric.title}: {metric.help}." for metric in metrics)]),
        )  # fmt: skip
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
    folder = fits_folder(experiment)
    n_finished = len(list((folder / "finished").glob("*")))
    return _gather(Keyed((experiment.name, n_finished), experiment), options, str(folder))


@cached_data(max_entries=20)
def _gather(experiment: Keyed[Experiment], options: Options, folder: str) -> ExperimentResult:
    return experiment.value.gather(options, folder)
