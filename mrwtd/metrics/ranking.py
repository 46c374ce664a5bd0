"""Metrics of binary relations: how well scores rank the ties before the other pairs."""

import numpy as np

from ..typing import Array, Int64Array
from .jackknife import average_precision_influence
from .metric import METRICS, Metric
from .predictions import Predictions, mean_of, one_class
from .ranking_curve import average_precisions


class BinaryMetric(Metric):
    """A number between 0 and 1 that needs both classes among the test entries."""

    kinds = ("binary",)
    direction = "higher"
    perfect: float | None = 1.0
    bounds = (0.0, 1.0)
    constant_predictor = "guessing"
    order = 10

    def missing(self, predictions: Predictions) -> str:
        """All test entries are of one class."""
        return one_class(predictions.y)


@METRICS.register
class AveragePrecision(BinaryMetric):
    """Σ (R_t − R_{t−1}) P_t over the thresholds t, P the precision and R the recall."""

    name = "auprc"
    label = "AUPRC"
    help = "Area under the precision-recall curve: 1 is perfect, the fraction of ties among the pairs is guessing"
    main_for = selects_for = ("binary",)

    def compute(self, predictions: Predictions) -> float:
        """The average precision."""
        return predictions.ranking.average_precision

    def values(self, kind: str, y: Array, given: Array, bounds: Int64Array, pairs: Array | None = None) -> Array:
        """Of several relations, of which small ones are ranked together if all entries count the same."""
        if pairs is not None:
            return super().values(kind, y, given, bounds, pairs)
        return average_precisions(y, given, bounds)

    def influence(self, predictions: Predictions) -> Array:
        """Derivatives of the average precision."""
        return average_precision_influence(predictions.y, predictions.x, predictions.pairs)

    def constant_score(self, y: Array, pairs: Array | None = None) -> float:
        """The fraction of ties."""
        return mean_of(y > 0, pairs)


@METRICS.register
class RocAuc(BinaryMetric):
    """P(a positive scores above a negative), where equal scores count half."""

    name = "roc_auc"
    label = "ROC AUC"
    help = "Area under the ROC curve, the chance that a tie scores above another pair: 1 is perfect, 0.5 is guessing"
    constant = 0.5

    def compute(self, predictions: Predictions) -> float:
        """The area under the curve."""
        return predictions.ranking.roc_auc


@METRICS.register
class Brier(BinaryMetric):
    """Mean of (p − [y > 0])²."""

    name = "brier"
    label = "Brier score"
    help = "Mean squared error of the probability: 0 is perfect"
    direction = "lower"
    perfect = 0.0

    def missing(self, predictions: Predictions) -> str:
        """One class, or no probabilities."""
        p = predictions.probability
        known = p is not None and np.isfinite(p).all()
        return super().missing(predictions) or ("" if known else "the method gives no probability")

    def compute(self, predictions: Predictions) -> float:
        """The mean squared error."""
        assert predictions.probability is not None
        return mean_of((predictions.probability - (predictions.y > 0)) ** 2, predictions.pairs)

    def constant_score(self, y: Array, pairs: Array | None = None) -> float:
        """The variance of the classes."""
        positives = mean_of(y > 0, pairs)
        return float(np.var(y > 0)) if pairs is None else positives * (1 - positives)


@METRICS.register
class BestF1(BinaryMetric):
    """max_t 2 P_t R_t / (P_t + R_t)."""

    name = "best_f1"
    label = "best F1"
    help = "The highest F1 of all thresholds, chosen with hindsight: 1 is perfect"

    def compute(self, predictions: Predictions) -> float:
        """The highest F1."""
        return float(predictions.ranking.f1.max())

    def constant_score(self, y: Array, pairs: Array | None = None) -> float:
        """Every pair is called a tie: precision is the fraction of ties, recall is 1."""
        positives = mean_of(y > 0, pairs)
        return 2 * positives / (1 + positives)


@METRICS.register
class Precision(BinaryMetric):
    """P_t at the threshold t of the highest F1."""

    name = "precision"
    label = "precision at best F1"
    help = "The fraction of ties among the pairs that reach the threshold of the highest F1"

    def compute(self, predictions: Predictions) -> float:
        """The precision there."""
        return float(predictions.ranking.precision[predictions.ranking.best])

    def constant_score(self, y: Array, pairs: Array | None = None) -> float:
        """The fraction of ties."""
        return mean_of(y > 0, pairs)


@METRICS.register
class Recall(BinaryMetric):
    """R_t at the threshold t of the highest F1."""

    name = "recall"
    label = "recall at best F1"
    help = "The fraction of the ties that reach the threshold of the highest F1"
    constant = 1.0

    def compute(self, predictions: Predictions) -> float:
        """The recall there."""
        return float(predictions.ranking.hits[predictions.ranking.best] / predictions.ranking.hits[-1])


@METRICS.register
class Threshold(BinaryMetric):
    """The score x from which on a pair is called a tie, for the highest F1."""

    name = "threshold"
    label = "threshold of best F1"
    help = "The score from which on a pair is called a tie, for the highest F1"
    direction = ""
    perfect = None
    bounds = Metric.bounds

    def compute(self, predictions: Predictions) -> float:
        """The threshold."""
        return float(predictions.ranking.threshold[predictions.ranking.best])
