"""Phantom zeros: the same data with missing as missing, and with missing as zero."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pandas as pd
import streamlit as st

from ....analysis.interpretation import score_text
from ....analysis.loss_comparison import like
from ....analysis.missing_as_zero import MOST_OBJECTS, MOST_ZEROS, Filled, called, fill
from ....analysis.run_differences import scores_apart
from ....evaluation.evaluate import evaluate
from ....metrics import METRICS
from ....model.mrwtd import MrWTD
from ....plots.distributions import score_distributions, shared_range
from ....plots.score_bars import dumbbells
from ...jobs import Job, on_demand
from ...state.current_run import Result
from ...widgets import figures
from . import compare_cache
from .loss_lab import fit_seconds, main_model

AS_MISSING, AS_ZERO = "missing as missing", "missing as zero"


@dataclass(frozen=True)
class Found:
    """Two fits of one method, and their scores relation by relation (A: missing as zero, B: missing as missing)."""

    models: dict[str, MrWTD]
    rows: pd.DataFrame
    shares: pd.DataFrame
    zeros: int
    missing: int
    false: int


def show(result: Result) -> None:
    """What happens to scores and predictions when unknown pairs are taken for pairs without a tie."""
    found = _found(result)
    if found is None:
        return
    st.markdown(_verdict(found, result), help=compare_cache.scores_help())
    names = [name for name in compare_cache.binary(result) if name in set(found.shares["relation"])]
    # Without binary relations the scores have the page to themselves.
    left, right = st.columns([5, 6], gap="medium") if names else (st.container(), None)
    with left:
        for metric in found.rows["metric"].unique():
            figures.show(
                dumbbells(found.rows, metric, AS_ZERO, AS_MISSING, dark=figures.dark()),
                f"phantom-{metric}",
                alt=f"{METRICS[metric].label} of each relation with missing as zero and with missing as missing",
                data=found.rows[found.rows["metric"] == metric]
                .replace({"better": {"A": AS_ZERO, "B": AS_MISSING}})
                .rename(columns={"A": AS_ZERO, "B": AS_MISSING}),
                caption=f"Scores on the same test entries. {METRICS[metric].direction.capitalize()} is better.",
            )
    if right is not None:
        with right:
            _predictions(result, found, names)


def _found(result: Result) -> Found | None:
    base = main_model(result)
    if base is None:
        return None
    known = len(result.train)

    def work(job: Job) -> Found | None:
        filled = fill(result.train, result.test, seed=result.run.spec.split.seed)
        job.report(0.5, "fitting with phantom zeros")
        naive = like(base, lam=base.lam_, loss=dict(base.losses_)).fit(filled.data, lambda _: job.cancelled)
        if job.report(0.9, "comparing"):
            return None
        return _compared(result, base, naive, filled)

    return on_demand.compute(
        (result.key, "phantom"),
        "Fitting with phantom zeros",
        work,
        fit_seconds(result, base, searched=False, entries=min(known + MOST_ZEROS, _pairs(result))) + 0.2,
        "Fit with missing as zero",
        "MrWTD will be fitted once more, to data in which every pair that is not known is taken for one without a tie.",
    )


def _pairs(result: Result) -> int:
    n = result.data.n_objects
    return sum(n * n if relation.directed else n * (n + 1) // 2 for relation in result.data.relations)


def _compared(result: Result, base: MrWTD, naive: MrWTD, filled: Filled) -> Found:
    models = {AS_ZERO: naive, AS_MISSING: base}
    rows = scores_apart(evaluate(naive, result.scored), evaluate(base, result.scored)).dropna(subset=["A", "B"])
    return Found(models, rows, called(models, result.scored), filled.zeros, filled.missing, filled.false)


def _verdict(found: Found, result: Result) -> str:
    changes = "; ".join(
        f"{METRICS[str(metric)].mean_label(len(own))} **{score_text(own['A'].mean())}** with missing as zero, "
        f"**{score_text(own['B'].mean())}** with missing as missing"
        for metric, own in found.rows.groupby("metric", sort=False)
    )
    drawn = (
        f" Of {found.missing:,} unknown pairs, {found.zeros:,} were drawn at random to be zeros"
        + (f", as there are more than {MOST_OBJECTS:,} objects." if result.data.n_objects > MOST_OBJECTS else ".")
        if found.zeros < found.missing
        else f" {found.zeros:,} unknown pairs became zeros."
    )
    wrong = f" At least {found.false:,} of these are wrong: the test entries say otherwise." if found.false else ""
    return f"The same split, rank, λ and loss: {changes}.{drawn}{wrong}"


def _predictions(result: Result, found: Found, names: list[str]) -> None:
    relation = compare_cache.choose_relation(result, names)
    own = found.shares.set_index("relation").loc[relation]
    test = result.scored.select_relations([relation])
    scores = {label: model.decision_function(test) for label, model in found.models.items()}
    within = shared_range(scores.values())
    for column, label in zip(st.columns(2), (AS_MISSING, AS_ZERO), strict=True):
        with column:
            st.markdown(f"**{label.capitalize()}**  \ncalls {own[label]:.1%} ties; {own['truth']:.1%} are")
            figures.show(
                score_distributions(scores[label], test.y, None, within, dark=figures.dark()),
                f"{label} {relation}",
                alt=f"Distribution of x for ties and no ties of {relation}, {label}",
                height=230,
                data=partial(compare_cache.scores_frame, test, scores[label]),
            )
    ties = {label: float(x[test.y > 0].mean()) for label, x in scores.items()}
    st.caption(
        "Test pairs of one relation by their score x: blue those that are ties, orange those that are not. A model "
        "that is taught that everything unknown is no tie tends to pull what it cannot know to the left. "
        f"{'Here it does' if ties[AS_ZERO] < ties[AS_MISSING] else 'Here it does not'}: the mean score of ties is "
        f"{ties[AS_MISSING]:.2f} with missing as missing and {ties[AS_ZERO]:.2f} with missing as zero."
    )
