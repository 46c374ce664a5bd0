"""The choice of an experiment, its options, and the button that runs it.

The options start with the presets of the command line. Every finished fit is saved at once, so a cancelled or
interrupted experiment continues where it stopped.
"""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from ....baselines import METHODS
from ....comparison import OtherVersionError
from ....experiments import EXPERIMENTS, Experiment, Options
from ...jobs import Job, job_status
from ...state import current_user, experiment_records, session
from ...state.experiment_records import KIND, ExperimentRecord, fits_folder, records_folder
from ...widgets import inputs
from ...widgets.formatting import escape_markdown
from . import experiments_texts
from .experiment_results import gather

NAMES = {"synth": "Synthetic", "real": "Kinship", "rank": "Rank", "timing": "Timing"}
"""The label of each experiment on its button."""

AXES = {
    "train": ("Training fractions", "train", (0.03, 0.05, 0.10, 0.15, 0.20, 0.25, 0.50)),
    "rank": ("Ranks", "rank", (2, 5, 10, 20, 30, 40)),
    "n_objects": ("Numbers of objects", "sizes", (500, 1000, 2000, 4000, 8000)),
}
"""For each horizontal axis: its label, its field in `Options`, and the values offered besides those of the preset."""


def choose() -> Experiment:
    """The experiment that the user chooses, with its description."""
    names = list(EXPERIMENTS)
    name = inputs.choose(
        "Experiment", "experiments.which", names, index=names.index("real"), style="buttons", show_label=False,
        format_func=lambda name: NAMES.get(name, name), help=experiments_texts.EXPERIMENT_HELP,
    )  # fmt: skip
    st.markdown(escape_markdown(EXPERIMENTS[name].about))
    return EXPERIMENTS[name]


def render(experiment: Experiment) -> Options:
    """Draw the options and the button, and return the options."""
    options = _options(experiment)
    experiment.check(options)
    total = len(experiment.jobs(options))
    busy = job_status.active_job(KIND) is not None
    try:
        done = gather(experiment, options).done
    except OtherVersionError as error:
        _offer_restart(experiment, options, error, total, busy=busy)
        return options
    label = "Run" if not done else f"Continue: {total - done} fits left" if done < total else "All fits are done"
    if st.button(label, type="primary", icon=":material/science:", disabled=busy or done >= total, width="stretch"):
        _start(experiment, options, done, total)
    finished = f"{done} of {total} fits are finished and saved. Nothing is computed twice."
    st.caption(experiments_texts.RUNNING if busy else finished)
    return options


def _options(experiment: Experiment) -> Options:
    """The options of a preset, with the user's changes."""
    name = f"experiments.{experiment.name}"
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    with left:
        size = inputs.choose(
            "Size", f"{name}-size", ["quick", "full"], style="buttons", help=experiments_texts.SIZE_HELP
        )
    name, preset = f"{name}-{size}", experiment.presets[size]
    with right:
        runs = inputs.number_input("Splits", f"{name}-runs", 1, 50, 1, preset.runs, help=experiments_texts.SPLITS_HELP)
    methods = inputs.checkboxes(
        "Methods", f"{name}-methods", tuple(METHODS), preset.methods, help=experiments_texts.METHODS_HELP
    )
    label, field, more = AXES[experiment.axis]
    values = {f"{value:g}": value for value in sorted({*more, *getattr(preset, field)})}
    texts = inputs.checkboxes(
        label, f"{name}-{experiment.axis}", list(values), [f"{value:g}" for value in getattr(preset, field)],
        format_func=(lambda text: f"{float(text):.0%}") if field == "train" else str, help=experiments_texts.AXIS_HELP,
    )  # fmt: skip
    return preset.change(runs=int(runs), methods=tuple(methods), **{field: tuple(values[text] for text in texts)})


def _offer_restart(experiment: Experiment, options: Options, error: OtherVersionError, total: int, busy: bool) -> None:
    """Warn that stored fits were made with other code, and run them again if the user wants it."""
    n_fits = sum(error.counts.values())
    st.warning(experiments_texts.other_version(n_fits, error.counts, error.expected), icon=":material/update:")
    if st.button(
        f"Restart: {total} fits", type="primary", icon=":material/restart_alt:", disabled=busy, width="stretch",
        help=f"Deletes the {n_fits} fits of the other version and runs the experiment with this one.",
    ):  # fmt: skip
        experiment.restart(options, fits_folder(experiment))
        _start(experiment, options, 0, total)


def _start(experiment: Experiment, options: Options, done: int, total: int) -> None:
    """Submit a job that runs the experiment and records in the history how far it came."""
    values = ", ".join(f"{value:g}" for value in getattr(options, AXES[experiment.axis][1]))
    name = f"{', '.join(options.methods)}; {values}; {options.runs} splits"
    settings = experiment_records.experiment_settings(session.settings().views, experiment.name)
    record = ExperimentRecord(experiment.name, name, settings, done, total)
    fits, records = fits_folder(experiment), records_folder()
    experiment_records.save(records, record)

    def run(job: Job) -> str:
        def progress(done: int, total: int, status: str, left: float) -> bool:
            job.eta = left if math.isfinite(left) else None
            return job.report(done / max(total, 1), status or "starting")

        result = experiment.run(options, fits, progress)
        experiment_records.save(records, replace(record, done=result.done, total=result.total))
        return experiment.name

    current_user.queue().submit(current_user.user_id(), f"Experiment: {experiment.title}", run, KIND)
    st.rerun()
