"""Predictions as a table, with the names and the units of the data."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.relational import RelationalData
from ..data.relations import Relation
from ..errors import DataError, Problem
from ..model.factor_model import FactorModel
from ..model.method import Method
from ..typing import Array, IntArray


def prediction_table(model: Method, entries: RelationalData) -> pd.DataFrame:
    """One row per entry: source, relation, target, value, then score, prediction, probability and spread.

    `value` and `prediction` are in the unit of the data (ordinal levels as their values), `score` ranks the entries of
    a relation, and `probability` and `spread` are NaN where the method has none.

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


def entries_to_predict(
    data: RelationalData, i: npt.ArrayLike, j: npt.ArrayLike, k: npt.ArrayLike = 0
) -> RelationalData:
    """Pairs to predict, as entries with a value that their relation allows.

    >>> import mrwtd
    >>> entries_to_predict(mrwtd.load_dataset("monastery"), [0], [1], [2])
    RelationalData(18 objects, 10 relations, 1 entries)
    """
    relation = np.broadcast_to(np.asarray(k, dtype=np.intp), np.shape(i))
    binary = np.array([kind.kind == "binary" for kind in data.relations])
    y = np.where(binary[relation], 1.0, 0.0)
    return RelationalData(data.objects, data.relations, i, j, relation, y, object_types=data.object_types)


def top_predictions(model: Method, known: RelationalData, top: int = 100) -> pd.DataFrame:
    """The `top` best-scoring pairs of each relation without a known entry: source, relation, target, score and so on.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine").select_relations(["marriage"])
    >>> known, rest = data.split(train=0.5, seed=0)
    >>> top_predictions(mrwtd.MrWTD(rank=2, lam=1.0).fit(known), known, top=3).shape
    (3, 6)
    """
    if not isinstance(model, FactorModel):
        expected = "a method with latent factors, such as MrWTD"
        raise DataError(Problem(f"{type(model).__name__}, which cannot rank all pairs", expected))
    parts = []
    for k, relation in enumerate(known.relations):
        pairs = model.rank_pairs(relation.name, top=top, exclude=known)
        units = _in_units(pairs["prediction"].to_numpy(), np.full(len(pairs), k), known.relations)
        parts.append(pairs.assign(relation=relation.name, prediction=units))
    columns = ["source", "relation", "target", "score", "prediction", "probability"]
    return pd.concat(parts, ignore_index=True)[columns]


def _in_units(predicted: Array, k: IntArray, relations: Sequence[Relation]) -> Array:
    """Predictions with ordinal levels replaced by their values."""
    values = predicted.copy()
    for number, relation in enumerate(relations):
        if relation.levels:
            rows = k == number
            values[rows] = np.asarray(relation.levels)[predicted[rows].astype(np.intp)]
    return values
