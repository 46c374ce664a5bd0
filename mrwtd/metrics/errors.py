"""Metrics of counts and real numbers: how large the errors are.

The Poisson deviance of counts weighs an error by the size that it should have.
"""

import numpy as np

from ..typing import Array
from .jackknife import ratio_influence
from .metric import METRICS, Metric
from .predictions import Predictions, mean_of, no_variance, sum_of


def explained(error: float, constant_error: float) -> float:
    """1 − error / constant_error: the fraction of a constant prediction's error that is explained.

    >>> explained(1.0, 4.0), explained(1.0, 0.0)
    (0.75, nan)
    """
    return 1 - float(error) / float(constant_error) if constant_error > 0 else float("nan")


def varies(y: Array) -> bool:
    """Whether not all values are equal. Rounding can leave a constant some variance.

    >>> varies(np.full(3, 0.1)), varies(np.array([]))
    (False, False)
    """
    return bool(y.size and y.min() < y.max())


def r_squared(y: Array, predicted: Array, pairs: Array | None = None) -> float:
    """The fraction of the variance that is explained: 1 − MSE / variance.

    >>> r_squared(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0]))
    1.0
    """
    if not varies(y):
        return float("nan")
    return explained(sum_of((y - predicted) ** 2, pairs), sum_of((y - mean_of(y, pairs)) ** 2, pairs))


def deviances(y: Array, rate: Array) -> Array:
    """The Poisson deviance of each count from its predicted rate: 0 where they are equal. Rates below 0 count as 0.

    >>> deviances(np.array([0.0, 4.0]), np.array([2.0, 4.0]))
    array([4., 0.])
    """
    rate = np.maximum(rate, 1e-12)
    logs = np.log(np.divide(y, rate, out=np.ones_like(rate), where=y > 0))
    return np.asarray(2 * (y * logs - (y - rate)))


def deviance_explained(y: Array, rate: Array, pairs: Array | None = None) -> float:
    """The fraction of the deviance from the mean count that predicted rates explain.

    >>> deviance_explained(np.array([0.0, 4.0]), np.array([2.0, 2.0]))
    0.0
    """
    if not varies(y):
        return float("nan")
    constant = np.full(y.shape, mean_of(y, pairs))
    return explained(sum_of(deviances(y, rate), pairs), sum_of(deviances(y, constant), pairs))


class ErrorMetric(Metric):
    """An error of numbers: 0 is perfect."""

    kinds: tuple[str, ...] = ("count", "real")
    direction = "lower"
    perfect: float = 0.0
    bounds = (0.0, np.inf)
    order = 30


class RelativeMetric(ErrorMetric):
    """Errors against those of a constant prediction, which need test values that differ."""

    def missing(self, predictions: Predictions) -> str:
        """All test values are equal."""
        return no_variance(predictions.y)


class ExplainedMetric(RelativeMetric):
    """The fraction of a constant prediction's error that is explained."""

    direction = "higher"
    perfect = 1.0
    constant = 0.0
    bounds = (-np.inf, 1.0)
    quantity = "share"


@METRICS.register
class MeanSquaredError(ErrorMetric):
    """Mean of (y − ŷ)²."""

    name = "mse"
    label = "MSE"
    help = "Mean squared error, in the unit of the data squared: 0 is perfect"

    def compute(self, predictions: Predictions) -> float:
        """The mean squared error."""
        return mean_of((predictions.y - predictions.predicted) ** 2, predictions.pairs)

    def constant_score(self, y: Array, pairs: Array | None = None) -> float:
        """The variance."""
        return float(y.var()) if pairs is None else mean_of((y - mean_of(y, pairs)) ** 2, pairs)


@METRICS.register
class RootMeanSquaredError(MeanSquaredError):
    """√MSE."""

    name = "rmse"
    label = "RMSE"
    help = "Root of the mean squared error, in the unit of the data: 0 is perfect"
    quantity = "unit"

    def compute(self, predictions: Predictions) -> float:
        """The root of the mean squared error."""
        return float(np.sqrt(super().compute(predictions)))

    def constant_score(self, y: Array, pairs: Array | None = None) -> float:
        """The standard deviation."""
        return float(np.sqrt(super().constant_score(y, pairs)))


@METRICS.register
class NormalizedError(RelativeMetric):
    """MSE / variance of the test values: the paper's MSE. It has no unit, so that means over relations make sense."""

    name = "nmse"
    label = "MSE ÷ variance"
    help = (
        "Mean squared error over the variance of the test values: 0 is perfect, above 1 is worse than predicting the "
        "mean for every pair. A few large values decide it"
    )
    constant = 1.0
    main_for = ("count", "real")

    def compute(self, predictions: Predictions) -> float:
        """1 − R²."""
        return 1 - r_squared(predictions.y, predictions.predicted, predictions.pairs)

    def influence(self, predictions: Predictions) -> Array:
        """Both are sums over the entries. The mean in the variance does not matter: the variance is least there."""
        y, pairs = predictions.y, predictions.pairs
        return ratio_influence((predictions.predicted - y) ** 2, (y - mean_of(y, pairs)) ** 2, pairs)


@METRICS.register
class VarianceExplained(ExplainedMetric):
    """R² = 1 − MSE / variance of the test values."""

    name = "r2"
    label = "variance explained"
    help = "Fraction of the variance of the test values that is explained: 1 is perfect, 0 no better than their mean"
    selects_for = ("real",)

    def compute(self, predictions: Predictions) -> float:
        """R²."""
        return r_squared(predictions.y, predictions.predicted, predictions.pairs)


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
