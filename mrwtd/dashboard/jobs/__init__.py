"""Work that takes longer than drawing a page: jobs, and the queue that runs them."""

from .job import Job
from .queue import Queue

__all__ = ["Job", "Queue"]
