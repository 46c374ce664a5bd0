"""Metrics of ordinal relations: how far predicted levels are from the true ones."""

import numpy as np

from ..typing import Array
from .errors import explained
from .jackknife import ratio_influence
from .metric import METRICS, Metric
from .predictions import Predictions, mean_of, median_of, no_variance, sum_of


def ordinal_gain(y: Array, level: Array, pairs: Array | None = None) -> float:
    """1 − MAE / MAE of the median: how much better levels are predicted than by the median alone.

    >>> ordinal_gain(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 2.0]))
    1.0
    """
    if not y.size:
        return float("nan")
    return explained(sum_of(np.abs(y - level), pairs), sum_of(np.abs(y - median_of(y, pairs)), pairs))


class OrdinalMetric(Metric):
    """A metric of levels."""

    kinds = ("ordinal",)
    direction = "higher"
    perfect = 1.0
    constant_predictor = "predicting the median for every pair"
    order = 20


@METRICS.register
class MeanAbsoluteError(OrdinalMetric):
    """Mean of |y − ŷ|."""

    name = "mae"
    label = "MAE in levels"
    help = "Mean distance of the predicted level from the true one, in levels: 0 is perfect"
    direction = "lower"
    perfect = 0.0
    bounds = (0.0, np.inf)
    quantity = "unit"
    main_for = ("ordinal",)

    def compute(self, predictions: Predictions) -> float:
        """The mean distance."""
        return mean_of(np.abs(predictions.y - predictions.predicted), predictions.pairs)

    def influence(self, predictions: Predictions) -> Array:
        """Of a mean: the sum of the distances over the number of entries."""
        y, pairs = predictions.y, predictions.pairs
        return ratio_influence(np.abs(predictions.predicted - y), np.ones_like(y), pairs)

    def constant_score(self, y: Array, pairs: Array | None = None) -> float:
        """The mean distance from the median."""
        return mean_of(np.abs(y - median_of(y, pairs)), pairs)


@METRICS.register
class Accuracy(OrdinalMetric):
    """Mean of [y = ŷ], ŷ rounded to a level."""

    name = "accuracy"
    label = "accuracy"
    help = "Fraction of entries whose level is predicted exactly"
    bounds = (0.0, 1.0)
    quantity = "share"

    def compute(self, predictions: Predictions) -> float:
        """The fraction predicted exactly."""
        return mean_of(predictions.y == np.rint(predictions.predicted), predictions.pairs)

    def constant_score(self, y: Array, pairs: Array | None = None) -> float:
        """The fraction of the median level."""
        return mean_of(y == np.rint(median_of(y, pairs)), pairs)


@METRICS.register
class OrdinalGain(OrdinalMetric):
    """1 − MAE / MAE of the median."""

    name = "ordinal_gain"
    label = "gain over the median"
    help = "How much smaller the MAE is than that of predicting the median for every pair: 1 is perfect, 0 no better"
    constant = 0.0
    bounds = (-np.inf, 1.0)
    selects_for = ("ordinal",)
    reported = False

    def missing(self, predictions: Predictions) -> str:
        """All test values are equal."""
        return no_variance(predictions.y)

    def compute(self, predictions: Predictions) -> float:
        """The gain."""
        return ordinal_gain(predictions.y, predictions.predicted, predictions.pairs)
