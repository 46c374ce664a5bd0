"""Facts and predictions about single objects: degree, held-out error, nearest objects, strongest predictions."""

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..evaluation.prediction_table import entries_to_predict, prediction_table
from ..model.method import Method
from ..typing import Array

DEGREE_LABELS = {
    "binary": "ties",
    "count": "sum of counts",
    "ordinal": "mean value",
    "real": "mean value",
}
"""What `degree` computes for a relation of each kind."""


def degree(data: RelationalData, relation: str) -> Array:
    """The degree of each object in a relation, as `DEGREE_LABELS` says. A tie counts at both ends.

    The mean of an object without a known entry is NaN.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> degree(data, "marriage")[data.objects.index("Medici")]
    np.float64(6.0)
    """
    data = data.select_relations([relation]).observed()
    kind, values = data.relations[0].kind, data.original_values()
    if kind in ("binary", "count"):
        return object_sums(data, (values > 0).astype(np.float64) if kind == "binary" else values)
    return _means(data, values)


def held_out_error(model: Method, test: RelationalData, relation: str) -> Array:
    """The mean error of the predictions for each object's held-out entries; NaN for an object without any.

    For binary relations this is the squared distance of the probability from 0 or 1, or the error rate if the method
    gives no probability; for others, the squared error over the variance of the values.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> error = held_out_error(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test, "marriage")
    >>> bool(((error >= 0) & (error <= 1)).all())
    True
    """
    entries = test.select_relations([relation]).observed()
    if entries.relations[0].kind == "binary":
        predicted = model.predict_proba(entries)
        if not np.isfinite(predicted).all():
            predicted = (model.predict(entries) > 0).astype(np.float64)
        errors = (predicted - (entries.y > 0)) ** 2
    else:
        variance = float(entries.y.var()) if len(entries) else 0.0
        errors = (model.predict(entries) - entries.y) ** 2 / (variance or 1.0)
    return _means(entries, errors)


def nearest_objects(A: Array, row_index: int, top: int = 5) -> pd.DataFrame:
    """The objects whose factors are nearest to those of a row, as positions: object, distance.

    >>> nearest_objects(np.array([[0.0], [3.0], [1.0]]), 0, top=1)
       object  distance
    0       2       1.0
    """
    distances = np.linalg.norm(A - A[row_index], axis=1)
    distances[row_index] = np.inf
    nearest = np.argsort(distances, kind="stable")[: min(top, len(A) - 1)]
    return pd.DataFrame({"object": nearest, "distance": distances[nearest]})


def strongest_unknown(
    model: Method, name: str, known: RelationalData, top: int = 3, relations: tuple[str, ...] = ()
) -> pd.DataFrame:
    """The best-scoring relationships of one object without a known entry, by relation, best first.

    The columns are those of `prediction_table` without the value. Directed relations are predicted in both directions.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> table = strongest_unknown(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), "Medici", train, top=2)
    >>> table["relation"].tolist(), table.columns.tolist()
    (['business', 'business', 'marriage', 'marriage'],
     ['source', 'relation', 'target', 'score', 'prediction', 'probability', 'spread'])
    """
    position = known.objects.index(name)
    tables = []
    for relation in relations or tuple(relation.name for relation in known.relations):
        pairs = _unknown_of(position, known.select_relations([relation]))
        best = np.argsort(-model.decision_function(pairs), kind="stable")[:top]
        table = prediction_table(model, pairs.subset(best)).drop(columns="value")
        tables.append(table.sort_values("score", ascending=False, kind="stable"))
    return pd.concat(tables, ignore_index=True).astype({"source": "str", "relation": "str", "target": "str"})


def _unknown_of(position: int, known: RelationalData) -> RelationalData:
    """The pairs of an object with every other object that have no entry in a single relation."""
    outward, inward = np.ones((2, known.n_objects), dtype=bool)
    outward[known.j[known.i == position]] = False
    inward[known.i[known.j == position]] = False
    outward[position] = inward[position] = False
    if not known.relations[0].directed:
        outward &= inward
        inward[:] = False
    targets, sources = np.flatnonzero(outward), np.flatnonzero(inward)
    i = np.append(np.full(targets.size, position), sources)
    j = np.append(targets, np.full(sources.size, position))
    return entries_to_predict(known, i, j)


def object_sums(data: RelationalData, values: Array) -> Array:
    """The sum of the values of each object, in data of one relation.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine").select_relations(["marriage"])
    >>> object_sums(data, np.maximum(data.y, 0)).max()
    np.float64(6.0)
    """
    off, n = data.i != data.j, data.n_objects
    return np.asarray(np.bincount(data.i, values, n) + np.bincount(data.j[off], values[off], n), dtype=np.float64)


def _means(data: RelationalData, values: Array) -> Array:
    counts = object_sums(data, np.ones(values.size))
    means = np.full(counts.size, np.nan)
    np.divide(object_sums(data, values), counts, out=means, where=counts > 0)
    return means
