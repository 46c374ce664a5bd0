"""Evaluate models, and tell which differences are more than chance."""

from .curves import calibration_bins, precision_recall_curve, roc_curve
from .evaluate import average, evaluate
from .prediction_table import prediction_table, top_predictions
from .significance import summarize
from .standings import standings_on_split, standings_over_splits
from .thresholds import Confusion, confusion

__all__ = [
    "Confusion",
    "average",
    "calibration_bins",
    "confusion",
    "evaluate",
    "precision_recall_curve",
    "prediction_table",
    "roc_curve",
    "standings_on_split",
    "standings_over_splits",
    "summarize",
    "top_predictions",
]
