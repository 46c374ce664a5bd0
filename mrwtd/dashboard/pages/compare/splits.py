"""The methods of a run on further random splits or on folds: their scores and their precision–recall curves."""

from dataclasses import dataclass, replace

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

FOLD = "-fold"
"""The end of a choice of folds in URLs, such as "5-fold"."""

SPLITS = {
    "1": "This split", "5": "5 splits", "10": "10 splits", "20": "20 splits",
    f"5{FOLD}": "5 folds", f"10{FOLD}": "10 folds",
}  # fmt: skip


@dataclass(frozen=True)
class Splits:
    """The chosen splits: this one, several random ones, or the folds of a cross-validation.

    >>> str(Splits(5, folds=True)), str(Splits(20))
    ('5 folds', '20 splits')
    """

    number: int = 1
    folds: bool = False

    @property
    def noun(self) -> str:
        """What they are called, in the singular."""
        return "fold" if self.folds else "split"

    def __str__(self) -> str:
        return f"{self.number} {self.noun}s"


@dataclass(frozen=True)
class RepeatedSplits:
    """Scores (rows of `mrwtd.compare`) and curves (method, run, relation, recall, precision) of several splits."""

    scores: pd.DataFrame
    curves: pd.DataFrame


def choose(result: Result, style: str = "buttons") -> Splits:
    """The splits, shared by all sections of the page. Only this one if it is published, or another user's data."""
    if not user_datasets.may_copy(result.data_name) or result.run.spec.split.is_published:
        return Splits()
    chosen = inputs.choose("Random splits or folds", "compare.splits", SPLITS, style=style, help=texts.SPLITS_HELP)
    return Splits(int(chosen.removesuffix(FOLD)), folds=chosen.endswith(FOLD))


def fit_on_splits(result: Result, splits: Splits) -> RepeatedSplits | None:
    """Scores and curves of all methods on several splits, or None until they are computed."""
    split = result.run.spec.split
    planned = plan_repeats(result.models, split.train, split.stratify, split.by)
    n_methods, n_splits, noun = len(planned.methods), splits.number, splits.noun
    planned = replace(planned, folds=n_splits) if splits.folds else planned

    def work(job: Job) -> RepeatedSplits | None:
        curves: list[pd.DataFrame] = []

        def progress(done: int, total: int, _: str) -> bool:
            return job.report(done / total, f"{noun} {min(done // n_methods + 1, n_splits)} of {n_splits}")

        def trace(fit: Fit, model: Method, test: RelationalData) -> None:
            curves.append(precision_at_recall(model, test).assign(method=fit.label, run=fit.run))

        scores = repeat_seeds(result.data, planned, n_splits, progress, first=split.seed, on_fit=trace)
        # A cancelled comparison has splits without some methods: means over different splits cannot be compared.
        scores = scores[scores.groupby("run")["method"].transform("nunique") == n_methods]
        if scores["run"].nunique() < 2:
            return None
        all_curves = pd.concat(curves, ignore_index=True)
        return RepeatedSplits(scores, all_curves[all_curves["run"].isin(scores["run"])])

    key = (result.key, "splits", str(splits))
    seconds = pd.to_numeric(result.scores.drop_duplicates("method")["seconds"], errors="coerce").sum()
    title, button = f"{n_methods} methods on {splits}", f"Fit on {splits}"
    explanation = texts.FOLDS_EXPLANATION if splits.folds else texts.SPLITS_EXPLANATION
    explanation = explanation.format(methods=n_methods, splits=n_splits, fraction=1 - 1 / n_splits)
    repeated = on_demand.compute(key, title, work, n_splits * float(seconds), button, explanation)
    if repeated is not None and (done := repeated.scores["run"].nunique()) < n_splits:
        message, restart = st.columns([4, 1], vertical_alignment="center")
        message.caption(texts.SPLITS_CANCELLED.format(done=done, splits=splits))
        restart.button("Restart", on_click=current_user.queue().discard, args=(key,))
    return repeated
