"""The score by which λ is chosen: one number for the predictions of all relations."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from ..typing import Array, Int64Array
from .metric import selection_metric
from .predictions import Predictions

LOW = 0.25
"""If kinds are mixed, a score of a kind below this counts for more than it is."""


def relation_scores(
    kinds: Sequence[str], y: Array, given: Array, bounds: Int64Array, pairs: Array | None = None
) -> Array:
    """The score of each relation by the selection metric of its kind.

    `given` has x for binary relations and φ(x) for others; the entries of relation s are bounds[s] … bounds[s + 1] − 1;
    `pairs` is that of `Predictions`.

    >>> y, given = np.array([1.0, -1.0, 2.0, 4.0]), np.array([1.0, 0.0, 2.0, 4.0])
    >>> relation_scores(["binary", "real"], y, given, np.array([0, 2, 4]))
    array([1., 1.])
    """
    metrics = {kind: selection_metric(kind) for kind in set(kinds)}
    if len(metrics) == 1:
        return metrics[kinds[0]].values(kinds[0], y, given, bounds, pairs)
    scores = []
    for kind, ends in zip(kinds, pairwise(bounds), strict=True):
        part = slice(*ends)
        weights = None if pairs is None else pairs[part]
        scores.append(metrics[kind].compute(Predictions(kind, y[part], given[part], given[part], pairs=weights)))
    return np.array(scores)


def selection_score(scores: Iterable[tuple[str, float]]) -> float:
    """One number from (kind, score) of each relation: the mean within a kind, the harmonic mean over the kinds.

    Paper: for binary relations alone this is the mean AUPRC; for a mix, the harmonic mean of the AUPRC and 1 − MSE. It
    has no meaning below 0, and near 0 one kind that cannot be predicted would hide all others: scores below `LOW` are
    transformed so that they stay above 0 in the same order.

    >>> selection_score([("binary", 0.4), ("binary", 0.6)])
    0.5
    >>> round(selection_score([("binary", 0.5), ("real", 1.0)]), 4)
    0.6667
    >>> round(selection_score([("binary", 0.5), ("count", -1e9)]), 4)
    0.0
    """
    by_kind: dict[str, list[float]] = {}
    for kind, score in scores:
        if not np.isnan(score):
            by_kind.setdefault(kind, []).append(score)
    if not by_kind:
        return float("nan")
    means = [float(np.mean(values)) for values in by_kind.values()]
    if len(means) == 1:
        return means[0]
    # The transform has slope 1 at LOW, so it is smooth there.
    transformed = [mean if mean >= LOW else LOW**2 / (2 * LOW - mean) for mean in means]
    return (
        len(transformed) / sum(1 / score for score in transformed) if min(transformed) > 0 else 0.0
    )  # 0 where a score is −inf
