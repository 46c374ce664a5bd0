"""Cached computations for a run, shared by pages: scores of pairs, layouts, reliability, explanations."""

import numpy as np

from ...analysis.edges import ScoredPairs, score_pairs
from ...analysis.latent_factors import latent_factors
from ...analysis.pair_predictions import explain_prediction
from ...analysis.reliability import Reliability, assess_reliability
from ...data.relational import RelationalData
from ...model.explanation import Explanation
from ...plots.node_layout import LAYOUTS, MAX_SPRING_OBJECTS, node_positions, tie_matrix
from ...typing import Array
from .caches import Keyed, cached_data, cached_resource
from .current_run import Result


@cached_resource(max_entries=40, show_spinner="Scoring the pairs …")
def scored_pairs(result: Result, label: str, relation: str, tie_from: float) -> ScoredPairs:
    """The pairs of a relation with their scores by a method."""
    return score_pairs(result.models[label], result.train, result.test, relation, tie_from=tie_from)


def positions(result: Result, relation: str, tie_from: float, how: str, label: str = "") -> Array:
    """Positions of the objects for all figures of a relation. `label` is needed for the layout "embedding" only."""
    if label:
        factors = latent_factors(result.models[label], relation)
        ties = tie_matrix(result.data, relation, tie_from)
        return node_positions(how, ties, None if factors is None else factors.A)
    return _positions(Keyed(result.run.digest, result.data), relation, tie_from, how)


@cached_data(max_entries=100, show_spinner="Placing the objects …")
def _positions(data: Keyed[RelationalData], relation: str, tie_from: float, how: str) -> Array:
    """Positions that depend on the data only, so that all runs of all users on it share them."""
    return node_positions(how, tie_matrix(data.value, relation, tie_from), None)


def layouts(result: Result, label: str, relation: str) -> list[str]:
    """The possible layouts. The default is first: springs for few objects, the embedding for many."""
    factors = latent_factors(result.models[label], relation) is not None
    layouts = LAYOUTS if result.data.n_objects <= MAX_SPRING_OBJECTS else ("embedding", "spectral")
    return [how for how in layouts if factors or how != "embedding"]


def probability(result: Result, label: str, relation: str, score: float) -> float:
    """The probability of a tie with this score. NaN if the method has no probabilities."""
    return float(result.models[label].probability_of(relation, np.array([score]))[0])


@cached_resource(max_entries=40)
def reliability(result: Result, label: str) -> Reliability:
    """The reliability of the predictions of a method."""
    return assess_reliability(result.models[label], result.test)


@cached_data(max_entries=60, show_spinner="Explaining the score …")
def explanation(result: Result, label: str, source: str, target: str, relation: str) -> Explanation | None:
    """The explanation of a prediction, or None if the method has none."""
    return explain_prediction(result.models[label], source, target, relation, result.train)
