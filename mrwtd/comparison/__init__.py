"""Comparisons: several methods on the same splits, in this process, in others or on a cluster, with a result cache."""

from .compare import compare
from .jobs import FitJob, Job, make_jobs, run_job
from .processes import run_jobs
from .result_cache import OtherVersionError, ResultCache

__all__ = ["FitJob", "Job", "OtherVersionError", "ResultCache", "compare", "make_jobs", "run_job", "run_jobs"]
