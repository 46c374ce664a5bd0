"""Evaluate one model, compare many, and tell which differences are more than chance."""

from .compare import compare
from .curves import calibration_bins, precision_recall_curve, roc_curve
from .evaluate import average, evaluate
from .finished import Finished
from .jobs import Job, jobs, run_job
from .measures import MEASURES
from .predictions import likeliest, predictions
from .running import run_jobs
from .significance import summarize

__all__ = [
    "MEASURES",
    "Finished",
    "Job",
    "average",
    "calibration_bins",
    "compare",
    "evaluate",
    "jobs",
    "likeliest",
    "precision_recall_curve",
    "predictions",
    "roc_curve",
    "run_job",
    "run_jobs",
    "summarize",
]
