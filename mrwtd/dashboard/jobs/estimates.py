"""What a training will need, before it starts: memory and time, from the sizes alone. No Streamlit in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ...baselines import make_method
from ...data.relational import RelationalData
from ...errors import DataError, Problem
from ...model.cost import Size
from ..state.settings import Settings
from ..widgets.formatting import format_bytes
from .training import parameters

BYTES_PER_ENTRY = 120
"""Indices, values, their sorted copies and the parts of the split: measured peak at 10 million entries, rounded up."""


@dataclass(frozen=True)
class Estimate:
    """What a training needs.

    Attributes:
        memory: bytes at its peak.
        seconds: on one core of an ordinary machine, within a factor of about three.
    """

    memory: float
    seconds: float


def estimate(settings: Settings, data: RelationalData) -> Estimate:
    """Memory and time of all methods of the settings, one after another.

    >>> import mrwtd
    >>> found = estimate(Settings("florentine"), mrwtd.load_dataset("florentine"))
    >>> found.memory < 1e8, found.seconds < 10
    (True, True)
    """
    size = Size.of(data, settings.train)
    costs = [make_method(name, **parameters(name, settings, data)).cost(size) for name in settings.methods]
    memory = BYTES_PER_ENTRY * len(data) + max(cost.memory for cost in costs)
    return Estimate(memory, sum(cost.seconds for cost in costs))


def available() -> float | None:
    """Bytes of memory that are free for use, or None where the system does not tell."""
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


def check(settings: Settings, data: RelationalData) -> None:
    """Refuse what would not fit into memory, with the numbers and what to change."""
    needs, there = estimate(settings, data).memory, available()
    if there is not None and needs > 0.9 * there:
        raise DataError(
            Problem(
                f"{format_bytes(there)} of free memory",
                f"about {format_bytes(needs)}, which this training needs: take "
                f"{_what_fits(settings, data, 0.9 * there)}",
            )
        )


def _what_fits(settings: Settings, data: RelationalData, most: float) -> str:
    """What to change for a training that needs no more than so many bytes."""
    settings = settings.resolved(data.n_objects)
    for ensemble in dict.fromkeys((settings.ensemble, 1)):
        ranks = range(settings.rank, 0, -1)
        fits = (r for r in ranks if estimate(settings.change(ensemble=ensemble, rank=r), data).memory <= most)
        if (rank := next(fits, None)) is not None:
            smaller = [f"a rank of {rank} or less"] if rank < settings.rank else []
            return " and ".join([*smaller, *(["no ensemble"] if ensemble < settings.ensemble else [])])
    return "less data: whatever the rank, the entries alone take more"
