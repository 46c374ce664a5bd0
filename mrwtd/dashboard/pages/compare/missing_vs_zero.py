"""Missing vs. zero: the same fit with unknown pairs left out, and with unknown pairs as zeros."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from ....analysis.interpretation import format_score
from ....analysis.loss_comparison import with_parameters_of
from ....analysis.missing_as_zero import MAX_OBJECTS, MAX_ZEROS, fill_missing, tie_fractions
from ....analysis.run_differences import score_differences
from ....data.possible_pairs import possible_pairs
from ....evaluation.evaluate import evaluate
from ....model.mrwtd import MrWTD
from ....plots.calibration import shared_range
from ...jobs import Job, on_demand
from ...state.current_run import Result
from . import compare_cache, compare_controls
from . import compare_texts as texts

AS_MISSING, AS_ZERO = "missing as missing", "missing as zero"
NAMES = {"A": AS_ZERO, "B": AS_MISSING}


@dataclass(frozen=True)
class Comparison:
    """Two fits of one method.

    Attributes:
        models: the fits, by AS_ZERO and AS_MISSING.
        scores: the score of each relation (A: missing as zero, B: missing as missing).
        ties: the fraction of ties among the test entries of each relation, true and predicted.
        zeros, missing: how many unknown pairs became zeros, of how many.
        false: how many of the zeros contradict a test entry.
    """

    models: dict[str, MrWTD]
    scores: pd.DataFrame
    ties: pd.DataFrame
    zeros: int
    missing: int
    false: int


def render(result: Result) -> None:
    """Draw how scores and predictions change when unknown pairs are treated as pairs without a tie."""
    comparison = _compare(result)
    if comparison is None:
        return
    scores = comparison.scores
    st.markdown(_verdict(comparison, result.data.n_objects), help=texts.scores_help())
    names = [name for name in compare_cache.binary_relations(result) if name in set(comparison.ties["relation"])]
    # Without binary relations the scores take the full width.
    left, right = st.columns([5, 6], gap="medium") if names else (st.container(), st.container())
    with left:
        data = scores.replace({"better": NAMES}).rename(columns=NAMES)
        compare_controls.show_changes(scores, data, "phantom", (AS_ZERO, AS_MISSING), texts.MISSING_SCORES)
    if names:
        with right:
            _predictions(result, comparison, names)


def _compare(result: Result) -> Comparison | None:
    base = compare_cache.main_model(result)
    if base is None:
        return None

    def work(job: Job) -> Comparison | None:
        filled = fill_missing(result.train, result.test, seed=result.run.spec.split.seed)
        job.report(0.5, "fitting with missing as zero")
        naive = with_parameters_of(base, lam=base.lam_, loss=dict(base.losses_))
        naive.fit(filled.data, lambda _: job.cancelled)
        if job.report(0.9, "comparing"):
            return None
        models = {AS_ZERO: naive, AS_MISSING: base}
        scores = score_differences(evaluate(naive, result.scored), evaluate(base, result.scored))
        ties = tie_fractions(models, result.scored)
        complete = scores.dropna(subset=["A", "B"])
        return Comparison(models, complete, ties, filled.zeros, filled.missing, filled.false_zeros)

    n_pairs = sum(possible_pairs(result.data, k, with_self=True).count for k in range(result.data.n_relations))
    n_entries = min(len(result.train) + MAX_ZEROS, n_pairs)
    cost = compare_cache.fit_cost(result, base, searched=False, entries=n_entries)
    title, button = "Fitting with missing as zero", "Fit with missing as zero"
    return on_demand.compute((result.key, "phantom"), title, work, cost, button, texts.FIT_ZEROS)


def _verdict(comparison: Comparison, n_objects: int) -> str:
    means = texts.mean_scores(comparison.scores, texts.MISSING_MEANS)
    zeros, missing, false = comparison.zeros, comparison.missing, comparison.false
    filled = f"{zeros:,} unknown pairs became zeros."
    if zeros < missing:
        why = f", as there are more than {MAX_OBJECTS:,} objects" if n_objects > MAX_OBJECTS else ""
        filled = f"{zeros:,} of {missing:,} unknown pairs, drawn at random, became zeros{why}."
    wrong = f" At least {false:,} of these are wrong: the test entries say otherwise." if false else ""
    return f"Same split, rank, λ and loss: {means}. {filled}{wrong}"


def _predictions(result: Result, comparison: Comparison, names: list[str]) -> None:
    relation = compare_controls.choose_relation(result, names)
    ties = comparison.ties.set_index("relation").loc[relation]
    test = result.scored.select_relations([relation])
    scores = {label: model.decision_function(test) for label, model in comparison.models.items()}
    x_range = shared_range(scores.values())
    for column, label in zip(st.columns(2), scores, strict=True):
        with column:
            fractions = texts.PREDICTED_FRACTION.format(predicted=ties[label], truth=ties["truth"])
            st.markdown(f"**{label.capitalize()}**  \n{fractions}")
            compare_controls.show_distributions(test, scores[label], x_range, f"{label} {relation}", height=230)
    zero, missing = (float(scores[label][test.y > 0].mean()) for label in (AS_ZERO, AS_MISSING))
    do = "do" if zero < missing else "do not"
    st.caption(texts.PULLED_LEFT.format(do=do, zero=format_score(zero), missing=format_score(missing)))
