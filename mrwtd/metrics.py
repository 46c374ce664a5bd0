"""Truth and scores in, numbers out: what a single relation's predictions are worth.

Every function takes the observed values of one relation and something predicted for the same entries. Where a number
has no meaning (one class only, nothing that varies) it is NaN. The averages over relations and kinds are the
reader's, but for `selection_score`, by which λ is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .typing import Array, BoolArray, Int64Array

LOW = 0.25
"""Where kinds are mixed, a kind's score below this counts for more than it is."""

ALONE = 10_000
"""Relations of more entries than this on average are ranked one by one."""


def average_precision(y: Array, x: Array) -> float:
    """The area under the precision–recall curve of scores x for labels y = ±1: Σ (R_t − R_{t−1}) P_t.

    >>> average_precision(np.array([1.0, -1.0, 1.0]), np.array([3.0, 2.0, 1.0])).__round__(4)
    0.8333
    >>> average_precision(-np.ones(3), np.zeros(3))
    nan
    """
    truth = y > 0
    if not 0 < np.count_nonzero(truth) < y.size:
        return float("nan")
    return Steps.of(truth, x).average_precision


@dataclass(frozen=True)
class Steps:
    """What a ranking of positives among negatives comes to at each score that a positive has, the highest first.

    No other threshold matters: below it there are more false alarms and no more hits.

    Attributes:
        threshold: the scores.
        hits, alarms: how many positives, and how many negatives, reach each.
        level: how many negatives have exactly that score.
        negatives: how many there are.
    """

    threshold: Array
    hits: Array
    alarms: Array
    level: Array
    negatives: int

    @classmethod
    def of(cls, truth: BoolArray, x: Array) -> Steps:
        """Of scores x for truths, of which at least one is True and one False.

        >>> Steps.of(np.array([True, False, True]), np.array([3.0, 2.0, 1.0])).roc_auc
        0.5
        """
        if np.isnan(x).any():  # no score: last of all
            x = np.where(np.isnan(x), -np.inf, x)
        # Sorting values takes a fifth of the time of sorting positions by them.
        positive, negative = np.sort(x[truth]), np.sort(x[~truth])
        first = np.flatnonzero(np.append(True, positive[1:] != positive[:-1]))[::-1]
        threshold = positive[first]
        below, upto = np.searchsorted(negative, threshold), np.searchsorted(negative, threshold, "right")
        hits, alarms = (positive.size - first).astype(np.float64), (negative.size - below).astype(np.float64)
        return cls(threshold, hits, alarms, (upto - below).astype(np.float64), negative.size)

    @property
    def precision(self) -> Array:
        """The share of hits among what reaches each threshold."""
        return self.hits / (self.hits + self.alarms)

    @property
    def average_precision(self) -> float:
        """The area under the precision–recall curve: Σ (R_t − R_{t−1}) P_t."""
        return float(self._gained @ self.precision / self.hits[-1])

    @property
    def roc_auc(self) -> float:
        """The area under the ROC curve: P(a positive scores above a negative), and half of those that are level."""
        beaten = self.negatives - self.alarms + 0.5 * self.level
        return float(self._gained @ beaten / (self.hits[-1] * self.negatives))

    @property
    def f1(self) -> Array:
        """2 PR / (P + R) at each threshold."""
        f1: Array = 2 * self.hits / (self.hits + self.alarms + self.hits[-1])
        return f1

    @property
    def _gained(self) -> Array:
        return np.diff(self.hits, prepend=0.0)


def average_precisions(y: Array, x: Array, bounds: Int64Array) -> Array:
    """The average precision of each relation s, whose entries are bounds[s] … bounds[s + 1] − 1.

    Small ones are ranked in one go.

    >>> average_precisions(np.array([1.0, -1.0, -1.0, 1.0]), np.array([3.0, 2.0, 3.0, 2.0]), np.array([0, 2, 4]))
    array([1. , 0.5])
    """
    sizes = np.diff(bounds)
    if y.size > ALONE * sizes.size:
        parts = [slice(*ends) for ends in pairwise(bounds)]
        return np.array([average_precision(y[at], x[at]) for at in parts])
    # Few enough relations are numbered by 16 bits, which are sorted in a pass or two.
    relation = np.repeat(np.arange(sizes.size, dtype=np.uint16 if sizes.size <= 1 << 16 else np.int64), sizes)
    order = np.argsort(-x)  # NaN, no score, comes last
    if sizes.size > 1:
        order = order[np.argsort(relation[order], kind="stable")]
    ranked, hits = x[order], np.append(0, np.cumsum(y[order] > 0))
    # Equal scores are one threshold: only the last of each run is a point of the curve.
    last = np.append((ranked[1:] != ranked[:-1]) | (relation[1:] != relation[:-1]), [True] * (y.size > 0)).nonzero()[0]
    own = relation[last]
    found = hits[last + 1] - hits[bounds[own]]
    gained = np.diff(hits[last + 1], prepend=0)
    positives = np.diff(hits[bounds])
    areas = np.bincount(own, gained * found / (last + 1.0 - bounds[own]), sizes.size)
    scores: Array = np.full(sizes.size, np.nan)
    np.divide(areas, positives, out=scores, where=(positives > 0) & (positives < sizes))
    return scores


def thresholds(truth: BoolArray, x: Array) -> tuple[Array, Array, Array]:
    """Each threshold from the highest score down, and how many positives and how many entries reach it.

    >>> thresholds(np.array([True, False, True]), np.array([3.0, 1.0, 3.0]))
    (array([3., 1.]), array([2., 2.]), array([2., 3.]))
    """
    ascending, positive = np.sort(x), np.sort(x[truth])
    # Equal scores are one threshold: only one of each run is a point of the curve.
    first = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))[::-1]
    reached = ascending[first]
    return reached, positive.size - np.searchsorted(positive, reached).astype(np.float64), x.size - first.astype(float)


def r_squared(y: Array, predicted: Array) -> float:
    """The share of the variance that is explained: 1 − MSE / variance.

    >>> r_squared(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    1.0
    """
    return _gain(((y - predicted) ** 2).sum(), ((y - y.mean()) ** 2).sum()) if y.size else float("nan")


def deviance_explained(y: Array, rate: Array) -> float:
    """The share of the Poisson deviance that predicted rates explain, of what the mean of the counts leaves.

    1 is perfect; below 0 it is worse than predicting the mean for every pair.

    >>> deviance_explained(np.array([0.0, 4.0]), np.array([2.0, 2.0]))
    0.0
    """
    return _gain(deviances(y, rate).sum(), deviances(y, np.full(y.shape, y.mean())).sum()) if y.size else float("nan")


def ordinal_gain(y: Array, level: Array) -> float:
    """1 − MAE / MAE of the median: how much better levels are predicted than by the median alone.

    >>> ordinal_gain(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0]))
    1.0
    """
    return _gain(np.abs(y - level).sum(), np.abs(y - np.median(y)).sum()) if y.size else float("nan")


KIND_SCORES = {
    "binary": average_precision,
    "real": r_squared,
    "count": deviance_explained,
    "ordinal": ordinal_gain,
}
"""How a relation of each kind is scored when λ is chosen. Binary ones take x, the others φ(x)."""


def relation_scores(kinds: Sequence[str], y: Array, given: Array, bounds: Int64Array) -> Array:
    """The score of each relation by its kind, where `given` is x of binary relations and φ(x) of others.

    >>> y, given = np.array([1.0, -1.0, 2.0, 4.0]), np.array([1.0, 0.0, 2.0, 4.0])
    >>> relation_scores(["binary", "real"], y, given, np.array([0, 2, 4]))
    array([1., 1.])
    """
    if set(kinds) <= {"binary"}:
        return average_precisions(y, given, bounds)
    parts = [slice(*ends) for ends in pairwise(bounds)]
    return np.array([KIND_SCORES[kind](y[at], given[at]) for kind, at in zip(kinds, parts, strict=True)])


def selection_score(scores: Iterable[tuple[str, float]]) -> float:
    """One number from (kind, score) of each relation: the mean within a kind, the harmonic mean over the kinds.

    Paper: for binary relations alone this is the mean AUPRC; for a mix, the harmonic mean of the AUPRC and 1 − MSE. It
    has no meaning below 0, and near 0 one kind that cannot be predicted would hide all others: scores below `LOW` are
    bent so that they stay above 0, and still tell bad from worse.

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
    means = [float(np.mean(own)) for own in by_kind.values()]
    if len(means) == 1:
        return means[0]
    # The bend has the slope 1 where it begins: no step to either side of it.
    bent = [mean if mean >= LOW else LOW**2 / (2 * LOW - mean) for mean in means]
    return len(bent) / sum(1 / one for one in bent) if min(bent) > 0 else 0.0  # 0 where a score is −inf


def _gain(left: float, of: float) -> float:
    return 1 - float(left) / float(of) if of > 0 else float("nan")


def deviances(y: Array, rate: Array) -> Array:
    """The Poisson deviance of each count from its predicted rate: 0 where they are equal. Rates below 0 count as 0.

    >>> deviances(np.array([0.0, 4.0]), np.array([2.0, 4.0]))
    array([4., 0.])
    """
    rate = np.maximum(rate, 1e-12)
    logs = np.log(np.divide(y, rate, out=np.ones_like(rate), where=y > 0))
    each: Array = 2 * (y * logs - (y - rate))
    return each
