"""Evaluate models, and tell which differences are more than chance."""

from .curves import calibration_bins, precision_recall_curve, roc_curve
from .differences import scores_apart, settings_apart
from .evaluate import average, evaluate
from .mistakes import most_wrong
from .predictions import likeliest, predictions
from .significance import summarize
from .standings import one_split, several_splits
from .thresholds import Confusion, confusion

__all__ = [
    "Confusion",
    "average",
    "calibration_bins",
    "confusion",
    "evaluate",
    "likeliest",
    "most_wrong",
    "one_split",
    "precision_recall_curve",
    "predictions",
    "roc_curve",
    "scores_apart",
    "settings_apart",
    "several_splits",
    "summarize",
]
