"""Many runs: several methods on the same splits, here, in processes or on a cluster; finished ones are stored."""

from .compare import compare
from .finished import Finished, OtherVersionError
from .jobs import Job, jobs, run_job
from .running import run_jobs

__all__ = ["Finished", "Job", "OtherVersionError", "compare", "jobs", "run_job", "run_jobs"]
