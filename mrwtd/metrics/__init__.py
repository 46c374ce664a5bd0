"""Metrics of the predictions for one relation: one `Metric` per number, all of them in `METRICS`."""

from .metric import METRICS, Metric, main_metric, metrics_of, selection_metric, shown_metrics
from .predictions import Predictions, one_class
from .selection import relation_scores, selection_score

__all__ = [
    "METRICS",
    "Metric",
    "Predictions",
    "main_metric",
    "metrics_of",
    "one_class",
    "relation_scores",
    "selection_metric",
    "selection_score",
    "shown_metrics",
]
