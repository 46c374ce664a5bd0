"""Many runs: several methods on the same splits, here, in processes or on a cluster; finished ones are stored."""

from .compare import compare
from .jobs import Job, jobs, run_job
from .processes import run_jobs
from .result_cache import Finished, OtherVersionError

__all__ = ["Finished", "Job", "OtherVersionError", "compare", "jobs", "run_job", "run_jobs"]
