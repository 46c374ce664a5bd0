"""Many runs: several methods on the same splits, here, in processes or on a cluster; finished ones are stored."""

from .compare import compare
from .jobs import Job, make_jobs, run_job
from .processes import run_jobs
from .result_cache import OtherVersionError, ResultCache

__all__ = ["Job", "OtherVersionError", "ResultCache", "compare", "make_jobs", "run_job", "run_jobs"]
