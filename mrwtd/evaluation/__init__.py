"""Evaluate one model, compare many, and tell which differences are more than chance."""

from .compare import compare
from .curves import calibration_bins, precision_recall_curve, roc_curve
from .differences import scores_apart, settings_apart
from .evaluate import average, evaluate
from .finished import Finished, OtherVersionError
from .jobs import Job, jobs, run_job
from .mistakes import most_wrong
from .predictions import likeliest, predictions
from .running import run_jobs
from .significance import summarize
from .standings import one_split, several_splits
from .thresholds import Confusion, confusion
from .version import results_version

__all__ = [
    "Confusion",
    "Finished",
    "Job",
    "OtherVersionError",
    "average",
    "calibration_bins",
    "compare",
    "confusion",
    "evaluate",
    "jobs",
    "likeliest",
    "most_wrong",
    "one_split",
    "precision_recall_curve",
    "predictions",
    "results_version",
    "roc_curve",
    "run_job",
    "run_jobs",
    "scores_apart",
    "settings_apart",
    "several_splits",
    "summarize",
]
