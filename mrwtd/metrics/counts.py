"""The metric of counts: the Poisson deviance, which weighs an error by the size that it should have."""

import numpy as np

from ..typing import Array
from .errors import ExplainedMetric, explained, varies
from .jackknife import ratio_influence
from .metric import METRICS
from .predictions import Predictions, mean_of, sum_of


def deviances(y: Array, rate: Array) -> Array:
    """The Poisson deviance of each count from its predicted rate: 0 where they are equal. Rates below 0 count as 0.

    >>> deviances(np.array([0.0, 4.0]), np.array([2.0, 4.0]))
    array([4., 0.])
    """
    rate = np.maximum(rate, 1e-12)
    logs = np.log(np.divide(y, rate, out=np.ones_like(rate), where=y > 0))
    each: Array = 2 * (y * logs - (y - rate))
    return each


def deviance_explained(y: Array, rate: Array, pairs: Array | None = None) -> float:
    """The fraction of the deviance from the mean count that predicted rates explain.

    >>> deviance_explained(np.array([0.0, 4.0]), np.array([2.0, 2.0]))
    0.0
    """
    if not varies(y):
        return float("nan")
    constant = np.full(y.shape, mean_of(y, pairs))
    return explained(sum_of(deviances(y, rate), pairs), sum_of(deviances(y, constant), pairs))


@METRICS.register
class DevianceExplained(ExplainedMetric):
    """1 − Σ d(y, ŷ) / Σ d(y, ȳ), d(y, m) = 2 (y log(y / m) − (y − m))."""

    name = "deviance_explained"
    label = "deviance explained"
    help = (
        "Fraction of the Poisson deviance explained: 1 is perfect, below 0 is worse than predicting the mean for "
        "every pair. Errors are weighed by the size of the count"
    )
    kinds = ("count",)
    shown_for = selects_for = ("count",)
    order = 40

    def compute(self, predictions: Predictions) -> float:
        """The fraction explained."""
        return deviance_explained(predictions.y, predictions.predicted, predictions.pairs)

    def influence(self, predictions: Predictions) -> Array:
        """Both are sums over the entries. The mean count does not matter: the deviance from it is least there."""
        y, pairs = predictions.y, predictions.pairs
        constant = np.full(y.shape, mean_of(y, pairs))
        return -ratio_influence(deviances(y, predictions.predicted), deviances(y, constant), pairs)
