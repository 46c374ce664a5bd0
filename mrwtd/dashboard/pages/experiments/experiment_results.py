"""The results of an experiment so far: the figure, the table in the layout of the paper, and their downloads."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import streamlit as st

from ....comparison import OtherVersionError
from ....experiments import Experiment, ExperimentResult, Options, write_report
from ....metrics import METRICS
from ....plots.score_curves import lam_paths
from ...jobs import job_status
from ...shell import page
from ...state import session
from ...state.caches import Keyed, cached_data
from ...state.experiment_records import KIND, fits_folder
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown
from . import experiments_texts

REFRESH_SECONDS = 2.0
"""While an experiment runs, its results are drawn again after this time."""


def render(experiment: Experiment, options: Options) -> None:
    """Draw the results, and draw them again as fits finish."""
    working = job_status.active_job(KIND) is not None
    st.fragment(_results, run_every=REFRESH_SECONDS if working else None)(experiment, options, working)


def _results(experiment: Experiment, options: Options, working: bool) -> None:
    with page.error_boundary("Experiments"):
        try:
            result = gather(experiment, options)
        except OtherVersionError:
            st.info(experiments_texts.RUN_AGAIN, icon=":material/science:")
            return
        if not result.done:
            text = experiments_texts.FIRST_FITS if working else experiments_texts.NOTHING_YET
            st.info(text, icon=":material/science:")
            return
        paper = inputs.toggle(
            experiments_texts.PAPER_LABEL, "experiments.paper", default=True, help=experiments_texts.PAPER_HELP
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
            caption=" ".join(["Means over the runs.", *(f"{metric.title}: {metric.help}." for metric in metrics)]),
        )  # fmt: skip
        st.markdown(table.markdown)
        for note in (*table.notes, *result.notes):
            st.caption(escape_markdown(note))
    for method, reason in failures[["method", "reason"]].drop_duplicates().itertuples(index=False):
        st.warning(
            f"**{escape_markdown(method)}** could not be fitted: {escape_markdown(reason)}", icon=":material/info:"
        )
    if len(result.lam_paths):
        with st.expander(experiments_texts.LAM_TITLE):
            figures.show(
                lam_paths(result.lam_paths, dark=figures.dark()), f"paths-{experiment.name}",
                alt="Held-out score against λ", data=result.lam_paths, caption=experiments_texts.LAM_CAPTION,
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


def gather(experiment: Experiment, options: Options) -> ExperimentResult:
    """The finished fits of an experiment, read again whenever another one finishes."""
    folder = fits_folder(experiment)
    n_finished = len(list((folder / "finished").glob("*")))
    return _gather(Keyed((experiment.name, n_finished), experiment), options, str(folder))


@cached_data(max_entries=20)
def _gather(experiment: Keyed[Experiment], options: Options, folder: str) -> ExperimentResult:
    return experiment.value.gather(options, folder)
