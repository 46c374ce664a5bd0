"""The Experiments page: the paper's experiments with the presets of the command line, kept in the workspace.

Every finished fit is written at once, so a cancelled or interrupted experiment goes on where it was.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from ....baselines import METHODS
from ....comparison import OtherVersionError
from ....experiments import EXPERIMENTS, Experiment, ExperimentResult, Options, write_report
from ....metrics import METRICS
from ....plots.score_curves import lam_paths
from ...jobs import Job, job_status
from ...shell import page
from ...state import current_user, experiment_records, session
from ...state.caches import Keyed, cached_data
from ...state.experiment_records import ExperimentRecord
from ...state.user_experiments import KIND, fits_folder, records_folder
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown

EVERY = 2.0
"""Seconds between two looks at what has come out of an experiment that runs."""

AXES = {"train": "Shares to learn from", "rank": "Ranks", "n_objects": "Numbers of objects"}
FIELDS = {"train": "train", "rank": "rank", "n_objects": "sizes"}
NAMES = {"synth": "Synthetic", "real": "Kinship", "rank": "Rank", "timing": "Timing"}
"""What each experiment is called on its button."""

MORE = {"train": (0.03, 0.05, 0.10, 0.15, 0.20, 0.25, 0.50), "rank": (2, 5, 10, 20, 30, 40),
        "n_objects": (500, 1000, 2000, 4000, 8000)}  # fmt: skip
"""What may be chosen along each axis, besides the presets' own values."""


def choose() -> Experiment:
    """Which experiment, and what it does."""
    known = EXPERIMENTS
    name = inputs.choose(
        "Experiment", "experiments.which", list(known), index=list(known).index("real"), style="buttons",
        format_func=lambda one: NAMES.get(one, one), show_label=False, help="The experiments of the paper.",
    )  # fmt: skip
    st.markdown(escape_markdown(known[name].about))
    return known[name]


def ask(experiment: Experiment) -> Options:
    """With which options: those of a preset, until they are changed."""
    name = experiment.name
    preset, runs = st.columns([3, 2], vertical_alignment="bottom")
    with preset:
        size = inputs.choose(
            "Size", f"experiments.{name}-size", ["quick", "full"], style="buttons",
            help="Quick takes a minute or two; full is as the paper prints it, and may take hours.",
        )  # fmt: skip
    options = experiment.presets[size]
    with runs:
        number = inputs.number_input(
            "Splits", f"experiments.{name}-{size}-runs", 1, 50, 1, options.runs, help="Random splits for each point."
        )
    own = f"experiments.{name}-{size}"
    fitted = inputs.checkboxes(
        "Methods", f"{own}-methods", tuple(METHODS), options.methods, help="What is fitted and compared."
    )
    field = FIELDS[experiment.axis]
    values = sorted({*MORE[experiment.axis], *getattr(options, field)})
    texts = inputs.checkboxes(
        AXES[experiment.axis], f"{own}-{experiment.axis}", [f"{value:g}" for value in values],
        [f"{value:g}" for value in getattr(options, field)],
        format_func=(lambda text: f"{float(text):.0%}") if experiment.axis == "train" else str,
        help="The places along the horizontal axis.",
    )  # fmt: skip
    kind = float if experiment.axis == "train" else int
    changes: dict[str, Any] = {
        "runs": int(number),
        "methods": tuple(fitted),
        field: tuple(kind(text) for text in texts),
    }
    return options.change(**changes)


def controls(experiment: Experiment, options: Options) -> None:
    """Run, or go on; while it runs, how far it is."""
    experiment.check(options)
    total = len(experiment.jobs(options))
    job = job_status.active_job(KIND)
    try:
        done = _gathered(experiment, options).done
    except OtherVersionError as error:
        _offer_restart(experiment, options, error, total, busy=job is not None)
        return
    label = "Run" if not done else f"Go on: {total - done} fits left" if done < total else "All fits are done"
    if st.button(label, type="primary", icon=":material/science:", disabled=job is not None or done >= total,
                 width="stretch"):  # fmt: skip
        _submit(experiment, options, done, total)
    if job is None:
        st.caption(f"{done} of {total} fits are finished and kept; nothing is computed twice.")
    else:
        st.caption("It goes on while you look at other pages; the left side tells how far it is.")


def _offer_restart(experiment: Experiment, options: Options, error: OtherVersionError, total: int, busy: bool) -> None:
    """Say that kept fits are of other code, and run them again if the user wants that."""
    number = sum(error.counts.values())
    st.warning(
        f"{number} of the kept fits come from another version of mrwtd ({', '.join(error.counts)}). This is "
        f"{error.expected}. A table never mixes versions.",
        icon=":material/update:",
    )
    if st.button(
        f"Restart: {total} fits", type="primary", icon=":material/restart_alt:", disabled=busy, width="stretch",
        help=f"Deletes the {number} fits of the other version and runs the experiment with this one.",
    ):  # fmt: skip
        experiment.restart(options, fits_folder(experiment))
        _submit(experiment, options, 0, total)


def _submit(experiment: Experiment, options: Options, done: int, total: int) -> None:
    record = _record(experiment, options, done, total)
    experiment_records.save(records_folder(), record)
    job = work(experiment, options, record)
    current_user.queue().submit(current_user.user_id(), f"Experiment: {experiment.title}", job, KIND)
    st.rerun()


def _record(experiment: Experiment, options: Options, done: int, total: int) -> ExperimentRecord:
    along = getattr(options, FIELDS[experiment.axis])
    name = f"{', '.join(options.methods)}; {', '.join(f'{value:g}' for value in along)}; {options.runs} splits"
    return ExperimentRecord(
        experiment.name,
        name,
        experiment_records.experiment_settings(session.settings().views, experiment.name),
        done=done,
        total=total,
    )


def work(experiment: Experiment, options: Options, record: ExperimentRecord) -> Callable[[Job], Any]:
    """The work of a job that runs an experiment, and says in the history how far it came."""
    place, asked = fits_folder(experiment), records_folder()

    def run(job: Job) -> str:
        def progress(done: int, total: int, what: str, left: float) -> bool:
            job.eta = left if math.isfinite(left) else None
            return job.report(done / max(total, 1), what or "starting")

        found = experiment.run(options, place, progress)
        experiment_records.save(asked, replace(record, done=found.done, total=found.total))
        return experiment.name

    return run


def outcome(experiment: Experiment, options: Options) -> None:
    """What has come out so far: while it runs, drawn anew as fits come in."""
    working = job_status.active_job(KIND) is not None
    st.fragment(_outcome, run_every=EVERY if working else None)(experiment, options, working)


def _outcome(experiment: Experiment, options: Options, working: bool) -> None:
    """The figure, the table in the paper's layout, and both to take along."""
    with page.error_boundary("Experiments"):
        try:
            found = _gathered(experiment, options)
        except OtherVersionError:
            st.info("The curves appear here once the experiment has run again.", icon=":material/science:")
            return
        if not found.done:
            what = "The first fits are under way: their" if working else "Nothing is finished yet: run it, and the"
            st.info(f"{what} curves appear here fit by fit.", icon=":material/science:")
            return
        beside = inputs.toggle(
            "The paper's numbers beside ours", "experiments.paper", default=True,
            help="Open diamonds in the figure, and a second row in the table",
        )  # fmt: skip
        _results(experiment, found, beside)
        _downloads(experiment, options, found)
        session.sync_to_url()


def _results(experiment: Experiment, found: ExperimentResult, beside: bool) -> None:
    scored = found.scores[found.scores["metric"] != ""]
    if len(scored):
        figure = experiment.figure(scored, paper=beside, dark=figures.dark())
        table = experiment.table(scored, paper=beside)
        metrics = [METRICS[name] for name in table.summary["metric"].unique()]
        figures.show(
            figure, f"experiment-{experiment.name}", alt=experiment.title, data=table.summary,
            caption=" ".join(["Means over the runs.", *(f"{metric.title}: {metric.help}." for metric in metrics)]),
        )  # fmt: skip
        st.markdown(table.markdown)
        for sentence in (*table.notes, *found.notes):
            st.caption(escape_markdown(sentence))
    failures = found.scores[found.scores["metric"] == ""]
    for method, reason in failures[["method", "reason"]].drop_duplicates().itertuples(index=False):
        st.warning(
            f"**{escape_markdown(method)}** could not be fitted: {escape_markdown(reason)}", icon=":material/info:"
        )
    if len(found.lam_paths):
        with st.expander("The search for λ: held-out score along the path"):
            figure = lam_paths(found.lam_paths, dark=figures.dark())
            figures.show(
                figure, f"paths-{experiment.name}", alt="Held-out score against λ", data=found.lam_paths,
                caption="λ is the strength of the regularisation. Scores are those of held-out training entries.",
            )  # fmt: skip


def _downloads(experiment: Experiment, options: Options, found: ExperimentResult) -> None:
    kinds = (("CSV", ".csv", "text/csv"), ("Markdown", ".md", "text/markdown"), ("Figure (HTML)", ".html", "text/html"))
    for column, (label, ending, mime) in zip(st.columns([2, 3, 4, 3]), kinds, strict=False):
        column.download_button(
            label, partial(_report, experiment, options, found, ending), f"{experiment.name}{ending}",
            mime, icon=":material/download:", key=f"report-{ending}", on_click="ignore", width="stretch",
        )  # fmt: skip
    st.caption(f"The same on the command line: `{experiment.command(options)}`")


def _report(experiment: Experiment, options: Options, found: ExperimentResult, ending: str) -> str:
    with tempfile.TemporaryDirectory() as place:
        write_report(experiment, found, place, experiment.command(options))
        return (Path(place) / f"{experiment.name}{ending}").read_text(encoding="utf-8")


def _gathered(experiment: Experiment, options: Options) -> ExperimentResult:
    place = fits_folder(experiment)
    finished = len(list((place / "finished").glob("*"))) if (place / "finished").is_dir() else 0
    return _gather(Keyed((experiment.name, finished), experiment), options, str(place))


@cached_data(max_entries=20)
def _gather(experiment: Keyed[Experiment], options: Options, place: str) -> ExperimentResult:
    return experiment.value.gather(options, place)
