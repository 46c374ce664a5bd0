"""Estimates of the memory and time of a training, from the sizes alone. No Streamlit here."""

import math
import os
from dataclasses import dataclass
from pathlib import Path

from ...data.relational import RelationalData
from ...errors import DataError, Problem
from ...hosting.config import Jobs, config
from ...model.parameters import AUTO, default_rank
from ..state.settings import Settings
from ..widgets.formatting import format_bytes, format_duration
from .training import method_costs

BYTES_PER_ENTRY = 120
"""Indices, values, their sorted copies and the parts of the split: measured peak at 10 million entries, rounded up."""


@dataclass(frozen=True)
class Estimate:
    """The estimated cost of a training.

    Attributes:
        memory: bytes at its peak.
        seconds: on one core of an ordinary machine, within a factor of about three.
    """

    memory: float
    seconds: float


def estimate(settings: Settings, data: RelationalData) -> Estimate:
    """Memory and time of all methods in the settings, one after another.

    >>> import mrwtd
    >>> cost = estimate(Settings("florentine"), mrwtd.load_dataset("florentine"))
    >>> cost.memory < 1e8, cost.seconds < 10
    (True, True)
    """
    costs = method_costs(settings, data)
    memory = BYTES_PER_ENTRY * len(data) + max(cost.memory for cost in costs)
    return Estimate(memory, sum(cost.seconds for cost in costs))


def available() -> float | None:
    """Bytes of free memory, or None if the system does not report it."""
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
        free = next(int(line.split()[1]) * 1024.0 for line in text.splitlines() if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError):
        try:
            return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES"))
        except (ValueError, OSError, AttributeError):
            return None
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        used = float(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii"))
        return free if limit == "max" else min(free, float(limit) - used)
    except (OSError, ValueError):
        return free


def check(settings: Settings, data: RelationalData, limits: Jobs | None = None) -> Estimate:
    """The estimate of a training, or `DataError` if it takes too much time or memory, with what to change.

    >>> import mrwtd
    >>> check(Settings("florentine", ensemble=50), mrwtd.load_dataset("florentine"), Jobs(max_minutes=0.0001))
    Traceback (most recent call last):
    mrwtd.errors.DataError: found a training of about ...; expected at most 1 s on this server: choose a smaller ...
    """
    limits, cost = limits or config().jobs, estimate(settings, data)
    if cost.seconds > 60 * limits.max_minutes:
        most = format_duration(60 * limits.max_minutes)
        expected = f"at most {most} on this server: choose a smaller rank, fewer methods, no ensemble, or less data"
        raise DataError(Problem(f"a training of about {format_duration(cost.seconds)}", expected))
    free = available()
    allowed = min(0.9 * free if free is not None else math.inf, 1e6 * limits.max_memory_mb or math.inf)
    if cost.memory > allowed:
        change = _what_fits(settings, data, allowed)
        expected = f"at most {format_bytes(allowed)} on this server: choose {change}"
        raise DataError(Problem(f"a training that needs about {format_bytes(cost.memory)} of memory", expected))
    return cost


def _what_fits(settings: Settings, data: RelationalData, limit: float) -> str:
    """What to change so that a training needs at most `limit` bytes."""
    settings = settings.resolved(data)
    for ensemble in dict.fromkeys((settings.ensemble, 1)):
        largest = default_rank(data.n_objects) if settings.rank == AUTO else settings.rank
        for rank in range(largest, 0, -1):
            if estimate(settings.change(ensemble=ensemble, rank=rank), data).memory <= limit:
                smaller = [f"a rank of {rank} or less"] if settings.rank == AUTO or rank < settings.rank else []
                return " and ".join([*smaller, *(["no ensemble"] if ensemble < settings.ensemble else [])])
    return "less data: the entries alone take more, whatever the rank"
