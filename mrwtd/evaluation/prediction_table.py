"""Predictions as a table, in the words and the units of the data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..data.relations import Relation
from ..errors import DataError, Problem
from ..model.factor_model import FactorModel
from ..model.method import Method
from ..typing import Array, IntArray


def prediction_table(model: Method, entries: RelationalData) -> pd.DataFrame:
    """A row an entry: source, relation, target, value, then score, prediction, probability and spread.

    `value` and `prediction` are in the unit of the data (ordinal levels as what they stand for), `score` is what
    entries of a relation are ranked by, and `probability` and `spread` are NaN where the method has none.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> prediction_table(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test).columns.tolist()
    ['source', 'relation', 'target', 'value', 'score', 'prediction', 'probability', 'spread']
    """
    predicted = model.predict(entries)
    return (
        entries.to_frame()
        .drop(columns="weight")
        .assign(
            score=model.decision_function(entries),
            prediction=_in_units(predicted, entries.k, entries.relations),
            probability=model.predict_proba(entries),
            spread=model.predict_std(entries),
        )
    )


def top_predictions(model: Method, known: RelationalData, top: int = 100) -> pd.DataFrame:
    """The `top` best-scoring pairs of each relation that are not known: source, relation, target, score and so on.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine").select_relations(["marriage"])
    >>> known, rest = data.split(train=0.5, seed=0)
    >>> top_predictions(mrwtd.MrWTD(rank=2, lam=1.0).fit(known), known, top=3).shape
    (3, 6)
    """
    if not isinstance(model, FactorModel):
        raise DataError(
            Problem(f"{type(model).__name__} asked for the best of all pairs", "a method with factors A, R")
        )
    parts = []
    for k, relation in enumerate(known.relations):
        pairs = model.rank_pairs(relation.name, top=top, exclude=known)
        units = _in_units(pairs["prediction"].to_numpy(), np.full(len(pairs), k), known.relations)
        parts.append(pairs.assign(relation=relation.name, prediction=units))
    columns = ["source", "relation", "target", "score", "prediction", "probability"]
    return pd.concat(parts, ignore_index=True)[columns]


def _in_units(predicted: Array, k: IntArray, relations: Sequence[Relation]) -> Array:
    """Predicted levels of ordinal relations become what they stand for."""
    values = predicted.copy()
    for at, relation in enumerate(relations):
        if relation.levels:
            own = k == at
            values[own] = np.asarray(relation.levels)[predicted[own].astype(np.intp)]
    return values
