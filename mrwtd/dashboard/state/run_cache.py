"""What the Network and Predict pages compute once for each run: scores of pairs, layouts, trust, reasons."""

from __future__ import annotations

import numpy as np

from ...analysis.edges import ScoredPairs, score_pairs
from ...analysis.explanations import explain_prediction
from ...analysis.latent_factors import latent_factors
from ...analysis.reliability import Reliability, assess_reliability
from ...model.explanation import Explanation
from ...model.losses import LOSSES
from ...plots.node_layout import LAYOUTS, MAX_SPRING_OBJECTS, node_positions, tie_matrix
from ...typing import Array
from .caches import cached_data, cached_resource
from .current_run import Result


@cached_resource(max_entries=40, show_spinner="Scoring the pairs …")
def scored_pairs(result: Result, label: str, relation: str, tie_from: float) -> ScoredPairs:
    """The pairs of a relation as a method scores them."""
    return score_pairs(result.models[label], result.train, result.test, relation, tie_from=tie_from)


@cached_data(max_entries=100, show_spinner="Placing the objects …")
def positions(result: Result, relation: str, tie_from: float, how: str, label: str = "") -> Array:
    """A place for each object, shared by everything that is drawn of a relation; `label` is for "embedding" alone."""
    factors = latent_factors(result.models[label], relation) if label else None
    return node_positions(how, tie_matrix(result.data, relation, tie_from), None if factors is None else factors.A)


def layouts(result: Result, label: str, relation: str) -> list[str]:
    """The layouts that there can be, the usual one first: springs for few objects, the embedding for many."""
    factors = latent_factors(result.models[label], relation) is not None
    usual = LAYOUTS if result.data.n_objects <= MAX_SPRING_OBJECTS else ("embedding", "spectral")
    return [how for how in usual if factors or how != "embedding"]


def probability(result: Result, label: str, relation: str, score: float) -> float:
    """The probability of a tie that a score stands for; NaN where the method gives none."""
    loss = LOSSES[result.models[label].losses_[relation]]
    return float(loss.probability(np.array([score]))[0])


@cached_resource(max_entries=40)
def reliability(result: Result, label: str) -> Reliability:
    """How far a method's predictions can be trusted."""
    return assess_reliability(result.models[label], result.test)


@cached_data(max_entries=200, show_spinner="Looking for reasons …")
def explanation(result: Result, label: str, source: str, target: str, relation: str) -> Explanation | None:
    """What speaks for and against a prediction, where the method can explain it."""
    return explain_prediction(result.models[label], source, target, relation, result.train)
