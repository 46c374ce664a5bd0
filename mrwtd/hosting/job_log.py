"""The log of jobs: one line of JSON per job on the standard error stream. It has no titles, users or file names."""

import json
import logging
import sys
from datetime import UTC, datetime
from functools import cache


def log_job(**facts: object) -> None:
    """Write a line about a job that has ended.

    >>> log_job(kind="train", state="finished", seconds=1.5)
    """
    time = datetime.now(UTC).isoformat(timespec="milliseconds")
    _logger().info(json.dumps({"time": time, "event": "job", **facts}))


@cache
def _logger() -> logging.Logger:
    """A logger with its own format, as the one of Streamlit has a time and a level in front of each line."""
    logger, handler = logging.getLogger("mrwtd.jobs"), logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    return logger
