"""`Predictions`: the test entries of one relation and a method's predictions for them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..typing import Array, BoolArray
from .ranking_curve import RankingCurve


@dataclass(frozen=True)
class Predictions:
    """The input of metrics.

    >>> y, x = np.array([1.0, -1.0, 1.0]), np.array([3.0, 2.0, 1.0])
    >>> Predictions("binary", y, x, np.sign(x)).ranking.roc_auc
    0.5

    Attributes:
        kind: of the relation.
        y: the test values: ±1, levels, counts or real numbers.
        x: the scores of `decision_function`.
        predicted: the predictions of `predict`.
        probability: those of `predict_proba`; NaN or None where the method has none.
        pairs: the number of pairs that each entry represents, by which sampled negatives count; None if all are 1.
    """

    kind: str
    y: Array
    x: Array
    predicted: Array
    probability: Array | None = None
    pairs: Array | None = None

    @cached_property
    def ranking(self) -> RankingCurve:
        """The ranking of a binary relation, for several metrics."""
        return RankingCurve.of(self.y > 0, self.x, self.pairs)

    @cached_property
    def problem(self) -> str:
        """Why no metric has a value; empty if some may have one.

        >>> Predictions("real", np.ones(2), np.ones(2), np.array([1.0, np.inf])).problem
        '1 of 2 predictions are not finite'
        """
        values = self.x if self.kind == "binary" else self.predicted
        if not values.size:
            return "no test entry"
        finite = np.isfinite(values)
        return "" if finite.all() else f"{np.count_nonzero(~finite)} of {values.size} predictions are not finite"


def mean_of(values: Array | BoolArray, pairs: Array | None) -> float:
    """The mean of a value of each entry, over the pairs that the entries represent.

    >>> mean_of(np.array([1.0, 3.0]), None), mean_of(np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    (2.0, 1.5)
    """
    return float(np.mean(values)) if pairs is None else float(values @ pairs / pairs.sum())


def sum_of(values: Array, pairs: Array | None) -> float:
    """The sum of a value of each entry, over the pairs that the entries represent.

    >>> sum_of(np.array([1.0, 3.0]), None), sum_of(np.array([1.0, 3.0]), np.array([3.0, 1.0]))
    (4.0, 6.0)
    """
    return float(values.sum() if pairs is None else values @ pairs)


def median_of(values: Array, pairs: Array | None) -> float:
    """The median of a value of each entry, over the pairs that the entries represent.

    >>> median_of(np.array([0.0, 2.0]), None), median_of(np.array([0.0, 2.0]), np.array([3.0, 1.0]))
    (1.0, 0.0)
    """
    if pairs is None or not values.size:
        return float(np.median(values))
    order = np.argsort(values)
    below = np.cumsum(pairs[order])
    return float(values[order[np.searchsorted(below, below[-1] / 2)]])


def no_variance(y: Array) -> str:
    """Why there is nothing to explain; empty if there is.

    >>> no_variance(np.ones(3))
    'all test values are equal: there is no variance to explain'
    """
    return "" if np.ptp(y) else "all test values are equal: there is no variance to explain"


def one_class(y: Array) -> str:
    """Why a ranking of labels y = ±1 has no score; empty if it has one.

    >>> one_class(-np.ones(3))
    'all 3 test entries are negative'
    """
    positives = np.count_nonzero(y > 0)
    if 0 < positives < y.size:
        return ""
    if y.size < 2:
        return "no test entry" if y.size == 0 else "a single test entry"
    return f"all {y.size} test entries are {'positive' if positives else 'negative'}"
