"""The methods of a run on further random splits: their scores and their precision–recall curves."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from ....comparison.jobs import Job as Fit
from ....comparison.repeats import plan_repeats, repeat_seeds
from ....data.relational import RelationalData
from ....evaluation.curves import precision_at_recall
from ....model.method import Method
from ...jobs import Job, on_demand
from ...state import current_user, user_datasets
from ...state.current_run import Result
from ...widgets import inputs
from . import compare_texts as texts

SPLITS = {"1": "This split", "5": "5 splits", "10": "10 splits", "20": "20 splits"}


@dataclass(frozen=True)
class RepeatedSplits:
    """Scores (rows of `mrwtd.compare`) and curves (method, run, relation, recall, precision) of several splits."""

    scores: pd.DataFrame
    curves: pd.DataFrame


def choose(result: Result, style: str = "buttons") -> int:
    """The number of random splits, shared by all sections of the page. 1 for the data of another user."""
    if not user_datasets.may_copy(result.data_name):
        return 1
    return int(inputs.choose("Random splits", "compare.splits", SPLITS, style=style, help=texts.SPLITS_HELP))


def fit_on_splits(result: Result, n_splits: int) -> RepeatedSplits | None:
    """Scores and curves of all methods on several splits, or None until they are computed."""
    split = result.run.spec.split
    planned = plan_repeats(result.models, split.train, split.stratify, split.by)
    n_methods = len(planned.methods)

    def work(job: Job) -> RepeatedSplits | None:
        curves: list[pd.DataFrame] = []

        def progress(done: int, total: int, _: str) -> bool:
            return job.report(done / total, f"split {min(done // n_methods + 1, n_splits)} of {n_splits}")

        def trace(fit: Fit, model: Method, test: RelationalData) -> None:
            curves.append(precision_at_recall(model, test).assign(method=fit.label, run=fit.run))

        scores = repeat_seeds(result.data, planned, n_splits, progress, first=split.seed, on_fit=trace)
        # A cancelled comparison has splits without some methods: means over different splits cannot be compared.
        scores = scores[scores.groupby("run")["method"].transform("nunique") == n_methods]
        if scores["run"].nunique() < 2:
            return None
        all_curves = pd.concat(curves, ignore_index=True)
        return RepeatedSplits(scores, all_curves[all_curves["run"].isin(scores["run"])])

    key = (result.key, "splits", str(n_splits))
    seconds = pd.to_numeric(result.scores.drop_duplicates("method")["seconds"], errors="coerce").sum()
    title, button = f"{n_methods} methods on {n_splits} splits", f"Fit on {n_splits} splits"
    explanation = texts.SPLITS_EXPLANATION.format(methods=n_methods, splits=n_splits)
    repeated = on_demand.compute(key, title, work, n_splits * float(seconds), button, explanation)
    if repeated is not None and (done := repeated.scores["run"].nunique()) < n_splits:
        message, restart = st.columns([4, 1], vertical_alignment="center")
        message.caption(texts.SPLITS_CANCELLED.format(done=done, splits=n_splits))
        restart.button("Restart", on_click=current_user.queue().discard, args=(key,))
    return repeated
