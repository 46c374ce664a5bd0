"""The methods of a run on further random splits: their scores, and their precision–recall curves."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from ....comparison.jobs import Job as Fit
from ....comparison.repeats import plan, repeat_seeds
from ....data.relational import RelationalData
from ....evaluation.curves import precision_at_recall
from ....model.method import Method
from ...jobs import Job, on_demand
from ...state import current_user
from ...state.current_run import Result
from ...widgets import inputs

SPLITS = {"1": "This split", "5": "5 splits", "10": "10 splits", "20": "20 splits"}


@dataclass(frozen=True)
class Repeated:
    """What came out: rows of `mrwtd.compare`, and method, run, relation, recall and precision of the curves."""

    scores: pd.DataFrame
    curves: pd.DataFrame


def choose(style: str = "buttons") -> int:
    """How many random splits are looked at, on any section of the page."""
    return int(
        inputs.choose(
            "Random splits", "compare.splits", tuple(SPLITS), show=SPLITS.__getitem__, style=style,
            hint="Fit every method again on further random splits of the same size, to see how much is luck",
        )
    )  # fmt: skip


def repeated(result: Result, splits: int) -> Repeated | None:
    """Scores and curves of all methods on so many splits, once they are there."""
    once = pd.to_numeric(result.scores.drop_duplicates("method")["seconds"], errors="coerce").sum()
    split = result.run.spec.split
    asked = plan(result.models, split.train, split.stratify, split.by)

    def work(job: Job) -> Repeated | None:
        curves: list[pd.DataFrame] = []

        def progress(done: int, total: int, what: str) -> bool:
            del what  # in the words of the command line
            return job.report(done / total, f"split {min(done // len(asked.methods) + 1, splits)} of {splits}")

        def trace(fit: Fit, model: Method, test: RelationalData) -> None:
            curves.append(precision_at_recall(model, test).assign(method=fit.label, run=fit.run))

        scores = repeat_seeds(result.data, asked, splits, progress, first=split.seed, see=trace)
        # A stopped comparison has splits that some methods lack: means over different splits cannot be compared.
        whole = scores.groupby("run")["method"].nunique() == len(asked.methods)
        scores = scores[scores["run"].isin(whole.index[whole])]
        if len(scores["run"].unique()) < 2:
            return None
        drawn = pd.concat(curves, ignore_index=True)
        return Repeated(scores, drawn[drawn["run"].isin(scores["run"])])

    key = (result.key, "splits", str(splits))
    found = on_demand.compute(
        key,
        f"{len(result.models)} methods on {splits} splits",
        work,
        splits * float(once),
        f"Fit on {splits} splits",
        f"{len(result.models)} methods will be fitted on {splits} random splits like this one, with the same settings.",
    )
    if found is not None and (done := found.scores["run"].nunique()) < splits:
        says, again = st.columns([4, 1], vertical_alignment="center")
        says.caption(f"This was stopped: {done} of {splits} splits are shown.")
        again.button("Begin again", on_click=current_user.queue().discard, args=(key,))
    return found
