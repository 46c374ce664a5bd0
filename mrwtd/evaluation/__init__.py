"""Evaluate models, and tell which differences are more than chance."""

from .curves import calibration_bins, precision_recall_curve, roc_curve
from .evaluate import average, evaluate
from .prediction_table import likeliest, predictions
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
    "one_split",
    "precision_recall_curve",
    "predictions",
    "roc_curve",
    "several_splits",
    "summarize",
]
