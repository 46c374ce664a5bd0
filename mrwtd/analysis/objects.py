"""What is known and predicted of single objects: degree, held-out error, neighbours, strongest relationships."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..data.observed import observed
from ..data.relational import RelationalData
from ..data.relations import Relation
from ..evaluation.prediction_table import prediction_table
from ..model.method import Method
from ..typing import Array

DEGREE_LABELS = {
    "binary": "ties",
    "count": "sum of counts",
    "ordinal": "mean value",
    "real": "mean value",
}
"""What `degree` counts in a relation of each kind."""


def degree(data: RelationalData, relation: str) -> Array:
    """How much each object takes part in a relation: see `DEGREE_LABELS`. A tie counts at both of its ends.

    Without a known entry, the mean of an object is NaN.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> degree(data, "marriage")[data.objects.index("Medici")]
    np.float64(6.0)
    """
    data = observed(data)
    k = data.relation_index(relation)
    kind, values = data.relations[k].kind, data.original_values(k)
    if kind in ("binary", "count"):
        return _sums(data, k, (values > 0).astype(np.float64) if kind == "binary" else values)
    return _means(data, k, values)


def held_out_error(model: Method, test: RelationalData, relation: str) -> Array:
    """The mean error of the predictions for each object's held-out entries; NaN where it has none.

    Of binary relations it is the squared distance of the probability from 0 or 1, or the share of wrong
    answers where the method gives no probability; of others the squared error over the variance of the values.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> error = held_out_error(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test, "marriage")
    >>> bool(((error >= 0) & (error <= 1)).all())
    True
    """
    own = observed(test.select_relations([relation]))
    if own.relations[0].kind == "binary":
        probability = model.predict_proba(own)
        given = probability if np.isfinite(probability).all() else (model.predict(own) > 0).astype(np.float64)
        errors = (given - (own.y > 0)) ** 2
    else:
        variance = float(own.y.var()) if len(own) else 0.0
        errors = (model.predict(own) - own.y) ** 2 / (variance or 1.0)
    return _means(own, 0, errors)


def nearest_objects(A: Array, row_index: int, top: int = 5) -> pd.DataFrame:
    """The objects whose factors are nearest to those of one, as positions: object, distance.

    >>> nearest_objects(np.array([[0.0], [3.0], [1.0]]), 0, top=1)
       object  distance
    0       2       1.0
    """
    distances = np.linalg.norm(A - A[row_index], axis=1)
    distances[row_index] = np.inf
    top = min(top, len(A) - 1)
    some = np.argpartition(distances, top - 1)[:top] if top > 0 else np.zeros(0, dtype=np.intp)
    found = some[np.argsort(distances[some], kind="stable")]
    return pd.DataFrame({"object": found, "distance": distances[found]})


def strongest_unknown(
    model: Method, name: str, known: RelationalData, top: int = 3, relations: tuple[str, ...] = ()
) -> pd.DataFrame:
    """The best-scoring relationships of one object that are not known, by relation, best first.

    Columns as those of `predictions`, without a value. Of directed relations both directions are tried.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> found = strongest_unknown(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), "Medici", train, top=2)
    >>> found["relation"].tolist(), found.columns.tolist()
    (['business', 'business', 'marriage', 'marriage'],
     ['source', 'relation', 'target', 'score', 'prediction', 'probability', 'spread'])
    """
    at = known.objects.index(name)
    parts = []
    for own in relations or tuple(relation.name for relation in known.relations):
        asked = _unknown_of(at, known, own)
        x = model.decision_function(asked)
        best = np.argsort(-x, kind="stable")[:top]
        found = prediction_table(model, asked.subset(best)).drop(columns="value")
        parts.append(found.sort_values("score", ascending=False, kind="stable"))
    joined = pd.concat(parts, ignore_index=True)
    return joined.astype({"source": "str", "relation": "str", "target": "str"})


def _unknown_of(at: int, known: RelationalData, relation: str) -> RelationalData:
    """The pairs of an object with every other that the data has no entry for."""
    k = known.relation_index(relation)
    kind: Relation = known.relations[k]
    part = known.slice(k)
    n = known.n_objects
    out, back = np.ones(n, dtype=bool), np.ones(n, dtype=bool)
    out[known.j[part][known.i[part] == at]] = False
    back[known.i[part][known.j[part] == at]] = False
    out[at] = back[at] = False
    if not kind.directed:
        out &= back
        back[:] = False
    there, here = np.flatnonzero(out), np.flatnonzero(back)
    i, j = np.append(np.full(there.size, at), here), np.append(there, np.full(here.size, at))
    y = np.ones(i.size) if kind.kind == "binary" else np.zeros(i.size)
    return RelationalData(known.objects, (kind,), i, j, np.zeros(i.size, dtype=np.int32), y)


def _sums(data: RelationalData, k: int, values: Array) -> Array:
    i, j = data.i[data.slice(k)], data.j[data.slice(k)]
    off = i != j
    n = data.n_objects
    return np.asarray(np.bincount(i, values, n) + np.bincount(j[off], values[off], n), dtype=np.float64)


def _means(data: RelationalData, k: int, values: Array) -> Array:
    counts = _sums(data, k, np.ones(values.size))
    means = np.full(counts.size, np.nan)
    np.divide(_sums(data, k, values), counts, out=means, where=counts > 0)
    return means
