"""Rankings of positives among negatives: the curve over all thresholds, and its area for one relation or many."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from ..typing import Array, BoolArray, Int64Array

ALONE = 10_000
"""Relations of more entries than this on average are ranked one by one."""


def average_precision(y: Array, x: Array) -> float:
    """The area under the precision–recall curve of scores x for labels y = ±1: Σ (R_t − R_{t−1}) P_t.

    >>> average_precision(np.array([1.0, -1.0, 1.0]), np.array([3.0, 2.0, 1.0])).__round__(4)
    0.8333
    >>> average_precision(-np.ones(3), np.zeros(3))
    nan
    """
    return RankingCurve.of(y > 0, x).average_precision


@dataclass(frozen=True)
class RankingCurve:
    """Hits and false alarms of a ranking at each score of a positive, from the highest to the lowest.

    No other threshold matters: a lower one has more false alarms and no more hits.

    Attributes:
        threshold: the scores.
        hits, alarms: how many positives, and how many negatives, reach each.
        level: how many negatives have exactly that score.
        negatives: how many negatives there are. An entry that represents several pairs counts as all of them.
    """

    threshold: Array
    hits: Array
    alarms: Array
    level: Array
    negatives: float

    @classmethod
    def of(cls, truth: BoolArray, x: Array, pairs: Array | None = None) -> RankingCurve:
        """The curve of scores x for entries that are positive where `truth` is True.

        >>> RankingCurve.of(np.array([True, False, True]), np.array([3.0, 2.0, 1.0])).roc_auc
        0.5
        """
        if np.isnan(x).any():  # entries without a score are ranked last
            x = np.where(np.isnan(x), -np.inf, x)
        if pairs is not None:
            return cls._weighted(truth, x, pairs)
        # Sorting values takes a fifth of the time of sorting positions by them.
        positive, negative = np.sort(x[truth]), np.sort(x[~truth])
        first = np.flatnonzero(np.append(True, positive[1:] != positive[:-1])[: positive.size])[::-1]
        threshold = positive[first]
        below, upto = np.searchsorted(negative, threshold), np.searchsorted(negative, threshold, "right")
        hits, alarms = (positive.size - first).astype(np.float64), (negative.size - below).astype(np.float64)
        return cls(threshold, hits, alarms, (upto - below).astype(np.float64), negative.size)

    @classmethod
    def _weighted(cls, truth: BoolArray, x: Array, pairs: Array) -> RankingCurve:
        """As `of`, with the number of pairs that each entry represents."""
        threshold = np.unique(x[truth])
        above, level = (
            [_weight_above(x[group], pairs[group], threshold, side) for group in (truth, ~truth)]
            for side in ("left", "right")
        )
        negatives = float(pairs[~truth].sum())
        return cls(threshold[::-1], above[0][::-1], above[1][::-1], (above[1] - level[1])[::-1], negatives)

    @property
    def precision(self) -> Array:
        """The fraction of hits among the entries that reach each threshold."""
        return self.hits / (self.hits + self.alarms)

    @property
    def average_precision(self) -> float:
        """The area under the precision–recall curve: Σ (R_t − R_{t−1}) P_t; NaN if there is one class only."""
        if not (self.hits.size and self.negatives):
            return float("nan")
        return float(self._gained @ self.precision / self.hits[-1])

    @property
    def roc_auc(self) -> float:
        """The area under the ROC curve: P(a positive scores above a negative), and half of those that are level."""
        beaten = self.negatives - self.alarms + 0.5 * self.level
        return float(self._gained @ beaten / (self.hits[-1] * self.negatives))

    @cached_property
    def f1(self) -> Array:
        """2 PR / (P + R) at each threshold."""
        return np.asarray(2 * self.hits / (self.hits + self.alarms + self.hits[-1]))

    @cached_property
    def best(self) -> int:
        """The position of the highest F1; of equal ones, that of the highest threshold."""
        return int(np.argmax(self.f1))

    @property
    def _gained(self) -> Array:
        return np.diff(self.hits, prepend=0.0)


def _weight_above(x: Array, pairs: Array, threshold: Array, side: Literal["left", "right"]) -> Array:
    """The weight of the entries that score at least (left) or more than (right) each threshold."""
    order = np.argsort(x)
    from_here = np.append(np.cumsum(pairs[order][::-1])[::-1], 0.0)
    return np.asarray(from_here[np.searchsorted(x[order], threshold, side)])


def average_precisions(y: Array, x: Array, bounds: Int64Array) -> Array:
    """The average precision of each relation s, whose entries are bounds[s] … bounds[s + 1] − 1.

    Small relations are ranked together, which is faster.

    >>> average_precisions(np.array([1.0, -1.0, -1.0, 1.0]), np.array([3.0, 2.0, 3.0, 2.0]), np.array([0, 2, 4]))
    array([1. , 0.5])
    """
    sizes = np.diff(bounds)
    if y.size > ALONE * sizes.size:
        parts = [slice(*ends) for ends in pairwise(bounds)]
        return np.array([average_precision(y[part], x[part]) for part in parts])
    # Few enough relations are numbered by 16 bits, which are sorted in a pass or two.
    relation = np.repeat(np.arange(sizes.size, dtype=np.uint16 if sizes.size <= 1 << 16 else np.int64), sizes)
    order = np.argsort(-x)  # NaN, no score, comes last
    if sizes.size > 1:
        order = order[np.argsort(relation[order], kind="stable")]
    ranked, hits = x[order], np.append(0, np.cumsum(y[order] > 0))
    # Equal scores are one threshold: only the last of each run is a point of the curve.
    last = np.append((ranked[1:] != ranked[:-1]) | (relation[1:] != relation[:-1]), [True] * (y.size > 0)).nonzero()[0]
    of = relation[last]
    reached = hits[last + 1] - hits[bounds[of]]
    gained = np.diff(hits[last + 1], prepend=0)
    positives = np.diff(hits[bounds])
    areas = np.bincount(of, gained * reached / (last + 1.0 - bounds[of]), sizes.size)
    scores: Array = np.full(sizes.size, np.nan)
    np.divide(areas, positives, out=scores, where=(positives > 0) & (positives < sizes))
    return scores


def thresholds(truth: BoolArray, x: Array, pairs: Array | None = None) -> tuple[Array, Array, Array]:
    """Each threshold from the highest score down, and how many positives and how many entries, or pairs, reach it.

    >>> thresholds(np.array([True, False, True]), np.array([3.0, 1.0, 3.0]))
    (array([3., 1.]), array([2., 2.]), array([2., 3.]))
    """
    if pairs is not None:
        reached = np.unique(x)[::-1]
        return reached, _weight_above(x[truth], pairs[truth], reached, "left"), _weight_above(x, pairs, reached, "left")
    ascending, positive = np.sort(x), np.sort(x[truth])
    # Equal scores are one threshold: only one of each run is a point of the curve.
    first = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1]))[::-1]
    reached = ascending[first]
    return reached, positive.size - np.searchsorted(positive, reached).astype(np.float64), x.size - first.astype(float)
