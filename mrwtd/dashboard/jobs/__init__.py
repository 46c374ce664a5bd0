"""Work that takes longer than a page: a job, and the queue that runs it. No Streamlit in it."""

from .job import Job
from .queue import Queue

__all__ = ["Job", "Queue"]
