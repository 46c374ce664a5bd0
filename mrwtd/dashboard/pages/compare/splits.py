"""The methods of a run on further random splits or on folds: their scores and their precision–recall curves."""

from dataclasses import dataclass, replace

import streamlit as st

from ....comparison.repeats import RepeatedSplits, plan_repeats, repeat_with_curves
from ....model.cost import Cost, Size
from ...jobs import Job, estimates, on_demand
from ...state import current_user, user_datasets
from ...state.current_run import Result
from ...state.stored_splits import read_splits
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


def choose(result: Result, style: str = "buttons") -> Splits:
    """The splits, shared by all sections of the page. Only this one if it is published, or another user's data.

    The default is this split, or for the stored example those that are stored with it.
    """
    if not user_datasets.may_copy(result.data_name) or result.run.spec.split.is_published:
        return Splits()
    stored = read_splits(result.run)
    default = "1" if stored is None else str(stored.number)
    chosen = inputs.choose(
        "Random splits or folds",
        "compare.splits",
        SPLITS,
        default=default,
        style=style,
        help=texts.SPLITS_HELP,
    )
    return Splits(int(chosen.removesuffix(FOLD)), folds=chosen.endswith(FOLD))


def fit_on_splits(result: Result, splits: Splits) -> RepeatedSplits | None:
    """Scores and curves of all methods on several splits, or None until they are computed."""
    stored = read_splits(result.run)
    if stored is not None and splits == Splits(stored.number):
        return stored
    split = result.run.spec.split
    planned = plan_repeats(result.models, split.train, split.stratify, split.by)
    n_methods, n_splits, noun = len(planned.methods), splits.number, splits.noun
    planned = replace(planned, folds=n_splits) if splits.folds else planned

    def work(job: Job) -> RepeatedSplits | None:
        def progress(done: int, total: int, _: str) -> bool:
            return job.report(done / total, f"{noun} {min(done // n_methods + 1, n_splits)} of {n_splits}")

        return repeat_with_curves(result.data, planned, n_splits, progress, first=split.seed)

    key, cost = (result.key, "splits", str(splits)), _cost(result, splits)
    title, button = f"{n_methods} methods on {splits}", f"Fit on {splits}"
    explanation = texts.FOLDS_EXPLANATION if splits.folds else texts.SPLITS_EXPLANATION
    explanation = explanation.format(methods=n_methods, splits=n_splits, fraction=1 - 1 / n_splits)
    repeated = on_demand.compute(key, title, work, cost, button, explanation)
    if repeated is not None and (done := repeated.number) < n_splits:
        message, restart = st.columns([4, 1], vertical_alignment="center")
        message.caption(texts.SPLITS_CANCELLED.format(done=done, splits=splits))
        restart.button("Restart", on_click=current_user.queue().discard, args=(key,))
    return repeated


def _cost(result: Result, splits: Splits) -> Cost:
    """The estimated cost of the fits: at least what follows from the sizes, as the run may be from a faster machine."""
    fraction = 1 - 1 / splits.number if splits.folds else result.run.spec.split.train
    costs = [model.cost(Size.of(result.data, fraction)) for model in result.models.values()]
    measured = float(result.scores.drop_duplicates("method")["seconds"].sum())
    seconds = splits.number * max(measured, sum(cost.seconds for cost in costs))
    return Cost(seconds, estimates.peak_memory(len(result.data), costs))
