"""Estimates of the memory and time of a job, from the sizes alone, and their limits. No Streamlit here."""

import math
import os
from collections.abc import Iterable
from pathlib import Path

from ...data.relational import RelationalData
from ...errors import DataError, Problem
from ...hosting.config import Jobs, config
from ...model.cost import Cost
from ...model.parameters import AUTO, default_rank
from ..state.settings import Settings
from ..widgets.formatting import format_bytes, format_duration
from .training import method_costs

BYTES_PER_ENTRY = 120
"""Indices, values, their sorted copies and the parts of the split: measured peak at 10 million entries, rounded up."""

FASTER = "choose a smaller rank, fewer methods, no ensemble, or less data"
"""What makes a training shorter."""


def estimate(settings: Settings, data: RelationalData) -> Cost:
    """Memory and time of all methods in the settings, one after another.

    >>> import mrwtd
    >>> cost = estimate(Settings("florentine"), mrwtd.load_dataset("florentine"))
    >>> cost.memory < 1e8, cost.seconds < 10
    (True, True)
    """
    costs = method_costs(settings, data)
    return Cost(sum(cost.seconds for cost in costs), peak_memory(len(data), costs))


def peak_memory(entries: float, costs: Iterable[Cost]) -> float:
    """The largest number of bytes of fits to data with this many entries, one after another.

    >>> peak_memory(1_000_000, [Cost(1.0, 2e6), Cost(2.0, 3e6)])
    123000000.0
    """
    return BYTES_PER_ENTRY * entries + max(cost.memory for cost in costs)


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


def check(settings: Settings, data: RelationalData, limits: Jobs | None = None) -> Cost:
    """The estimate of a training, or `DataError` if it takes too much time or memory, with what to change.

    >>> import mrwtd
    >>> check(Settings("florentine", ensemble=50), mrwtd.load_dataset("florentine"), Jobs(max_minutes=0.0001))
    Traceback (most recent call last):
    mrwtd.errors.DataError: found a training of about ...; expected at most 1 s on this server: choose a smaller ...
    """
    limits, cost = limits or config().jobs, estimate(settings, data)
    check_seconds("a training", cost.seconds, limits.max_minutes, FASTER)
    if cost.memory > (allowed := _allowed_memory(limits)):
        check_memory("a training", cost.memory, _what_fits(settings, data, allowed), limits)
    return cost


def check_seconds(job: str, seconds: float, max_minutes: float, change: str) -> None:
    """Raise `DataError` if a job takes too much time, with what to change.

    >>> check_seconds("a comparison", 7200, 60, "choose fewer splits")
    Traceback (most recent call last):
    mrwtd.errors.DataError: found a comparison of about 2 h; expected at most 1 h on this server: choose fewer splits
    """
    if seconds > 60 * max_minutes:
        expected = f"at most {format_duration(60 * max_minutes)} on this server: {change}"
        raise DataError(Problem(f"{job} of about {format_duration(seconds)}", expected))


def check_memory(job: str, memory: float, change: str, limits: Jobs | None = None) -> None:
    """Raise `DataError` if a job needs too much memory, with what to choose instead.

    >>> check_memory("a comparison", 2e9, "fewer methods", Jobs(max_memory_mb=100))
    Traceback (most recent call last):
    mrwtd.errors.DataError: found a comparison that needs about ...; expected at most ... on this server: choose ...
    """
    allowed = _allowed_memory(limits or config().jobs)
    if memory > allowed:
        expected = f"at most {format_bytes(allowed)} on this server: choose {change}"
        raise DataError(Problem(f"{job} that needs about {format_bytes(memory)} of memory", expected))


def _allowed_memory(limits: Jobs) -> float:
    """The bytes that a job may need."""
    free = available()
    return min(0.9 * free if free is not None else math.inf, 1e6 * limits.max_memory_mb or math.inf)


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
