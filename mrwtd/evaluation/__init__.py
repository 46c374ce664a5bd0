"""Scores of models, and which differences are significant."""

from .curves import calibration_bins, precision_recall_curve
from .evaluate import average, evaluate
from .prediction_table import prediction_table, top_predictions
from .ranking import evaluate_ranking
from .significance import summarize
from .standings import standings_over_splits

__all__ = [
    "average",
    "calibration_bins",
    "evaluate",
    "evaluate_ranking",
    "precision_recall_curve",
    "prediction_table",
    "standings_over_splits",
    "summarize",
    "top_predictions",
]
