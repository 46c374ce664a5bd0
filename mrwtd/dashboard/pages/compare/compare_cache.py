"""Computations that sections of the Compare page share, cached for each run."""

import pandas as pd
import streamlit as st

from ....data.negatives import represented_pairs
from ....evaluation.curves import Confusion, confusion, precision_recall_curve
from ....evaluation.standings import standings_on_split
from ....metrics.predictions import mean_of
from ....model.cost import Cost, Size
from ....model.mrwtd import MrWTD
from ....typing import Array
from ...jobs import Job, estimates, on_demand
from ...state import session
from ...state.caches import cached_data, cached_resource
from ...state.current_run import Result
from . import compare_texts as texts

PANEL_POINTS, DETAIL_POINTS = 300, 1_000
"""Points per curve in a small panel and in a large figure."""


def binary_relations(result: Result) -> list[str]:
    """The binary relations with both ties and non-ties among the test entries: those that have a curve."""
    scores = result.scores
    names = scores.loc[(scores["kind"] == "binary") & scores["value"].notna(), "relation"]
    return [str(name) for name in names.unique()]


@cached_data(max_entries=20, show_spinner="Comparing the methods …")
def standings(result: Result) -> pd.DataFrame:
    """Scores of all methods by relation, with the best method and those statistically tied with it."""
    return standings_on_split(result.models, result.scored, result.scores)


def confusion_at(result: Result, method: str, relation: str, threshold: float) -> Confusion:
    """The confusion matrix of a relation at a threshold, over all pairs that the test entries represent."""
    pairs = represented_pairs(result.scored, result.scored.relation_index(relation))
    return confusion(*truth_and_scores(result, method, relation), threshold, pairs)


def truth_and_scores(result: Result, method: str, relation: str) -> tuple[Array, Array]:
    """True value and score of each test entry of a relation."""
    entries = result.scored.slice(result.scored.relation_index(relation))
    return result.scored.y[entries], _scores(result, method)[entries]


@cached_resource(max_entries=6)
def _scores(result: Result, method: str) -> Array:
    return result.models[method].decision_function(result.scored)


@cached_resource(max_entries=20, show_spinner="Drawing the curves …")
def curves(result: Result, relation: str = "", points: int = PANEL_POINTS) -> pd.DataFrame:
    """Precision–recall curves of one relation or of all: method, relation, threshold, precision, recall."""
    test = result.scored.select_relations([relation]) if relation else result.scored
    parts = [precision_recall_curve(model, test, points).assign(method=label) for label, model in result.models.items()]
    return pd.concat(parts, ignore_index=True)[["method", "relation", "threshold", "precision", "recall"]]


def base_rates(result: Result) -> dict[str, float]:
    """The fraction of ties among the test pairs of each binary relation."""
    test = result.scored
    rates = {}
    for k, relation in enumerate(test.relations):
        y = test.y[test.slice(k)]
        if relation.kind == "binary" and y.size:
            rates[relation.name] = mean_of(y > 0, represented_pairs(test, k))
    return rates


def main_model(result: Result) -> MrWTD | None:
    """The first MrWTD of the run, or else a new fit with its rank, λ and seed; None until that is fitted."""
    for model in result.models.values():
        if type(model) is MrWTD:
            return model
    settings = session.settings_of_run(result.run)[0]
    model = MrWTD(rank=settings.rank, lam=settings.lam, seed=settings.seed)

    def work(job: Job) -> MrWTD | None:
        job.report(0.5, "MrWTD")
        model.fit(result.fitted_entries, lambda _: job.cancelled)
        return None if job.cancelled else model

    cost = fit_cost(result, model, searched=settings.lam == "auto")
    fitted = on_demand.compute((result.key, "main"), "Fitting MrWTD", work, cost, "Fit MrWTD", texts.FIT_MAIN_FIRST)
    if fitted is not None:
        st.caption(texts.MAIN_FITTED)
    return fitted


def fit_cost(result: Result, base: MrWTD, *, searched: bool, entries: int | None = None, fits: int = 1) -> Cost:
    """The estimated cost of fits like `base`, with or without a λ search, to the training data or to `entries`."""
    fraction = 1.0 if entries is None else entries / max(len(result.train), 1)
    method = MrWTD(rank=base.rank, lam="auto" if searched else 1.0, ensemble=base.ensemble)
    cost, held = method.cost(Size.of(result.train, fraction)), max(entries or 0, len(result.data))
    return Cost(fits * cost.seconds, estimates.peak_memory(held, [cost]))
