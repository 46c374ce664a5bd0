"""What the Network and Predict pages compute once for each run: scores of pairs, layouts, trust, reasons."""

from __future__ import annotations

import numpy as np
import streamlit as st

from mrwtd.evaluation.latent import latent
from mrwtd.evaluation.outcomes import ScoredPairs, score_pairs
from mrwtd.evaluation.reasons import reasons
from mrwtd.evaluation.trust import Trust, trust
from mrwtd.model.explaining import Explanation
from mrwtd.model.losses import loss_named
from mrwtd.plots.layout import LAYOUTS, SMALL, place, tie_matrix
from mrwtd.typing import Array

from .results import Result


def pairs(result: Result, label: str, relation: str, tie_from: float) -> ScoredPairs:
    """The pairs of a relation as a method scores them."""
    return _pairs(result.key, label, relation, tie_from, result)


def places(result: Result, label: str, relation: str, tie_from: float, how: str) -> Array:
    """A place for each object, shared by everything that is drawn of a relation."""
    return _places(result.key, label if how == "embedding" else "", relation, tie_from, how, result)


def layouts(result: Result, label: str, relation: str) -> list[str]:
    """The layouts that there can be, the usual one first: springs for few objects, the embedding for many."""
    factors = latent(result.models[label], relation) is not None
    usual = LAYOUTS if result.data.n_objects <= SMALL else ("embedding", "spectral")
    return [how for how in usual if factors or how != "embedding"]


def probability(result: Result, label: str, relation: str, score: float) -> float:
    """The probability of a tie that a score stands for; NaN where the method gives none."""
    loss = loss_named(result.models[label].losses_[relation])
    return float(loss.probability(np.array([score]))[0])


def trusted(result: Result, label: str) -> Trust:
    """How far a method's predictions can be trusted."""
    return _trust(result.key, label, result)


def why(result: Result, label: str, source: str, target: str, relation: str) -> Explanation | None:
    """What speaks for and against a prediction, where the method tells."""
    return _why(result.key, label, (source, target), relation, result)


@st.cache_resource(show_spinner="Scoring the pairs …", max_entries=40)
def _pairs(key: str, label: str, relation: str, tie_from: float, _result: Result) -> ScoredPairs:  # noqa: ARG001
    return score_pairs(_result.models[label], _result.train, _result.test, relation, tie_from=tie_from)


@st.cache_data(show_spinner="Placing the objects …", max_entries=100)
def _places(key: str, label: str, relation: str, tie_from: float, how: str, _result: Result) -> Array:  # noqa: ARG001
    found = latent(_result.models[label], relation) if label else None
    return place(how, tie_matrix(_result.data, relation, tie_from), None if found is None else found.A)


@st.cache_resource(show_spinner=False, max_entries=40)
def _trust(key: str, label: str, _result: Result) -> Trust:  # noqa: ARG001
    return trust(_result.models[label], _result.test)


@st.cache_data(show_spinner="Looking for reasons …", max_entries=200)
def _why(key: str, label: str, ends: tuple[str, str], relation: str, _result: Result) -> Explanation | None:  # noqa: ARG001
    return reasons(_result.models[label], *ends, relation, _result.train)
