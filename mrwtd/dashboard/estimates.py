"""What a training will need, before it starts: memory and time, from the sizes alone. No Streamlit in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ..data.relational import RelationalData
from ..errors import DataError, Problem
from .settings import Settings
from .words import size

BYTES_AN_ENTRY = 120
"""Indices, values, their sorted copies and the parts of the split: measured peak at 10 million entries, rounded up."""

FITS_OF_A_SEARCH = 6
"""A search for λ takes about as long as this many fits."""

BAYESIAN = ("BPTF", "BTF", "MrWTD-B")
FLOORS = ("Degree", "Common neighbours")
SWEEPS = 200
ITERATIONS = 120
NANOSECONDS = 1.5
"""For each entry and factor, one evaluation on one thread."""

A_STEP, OPERATIONS = 1e-4, 1e10
"""Seconds that any iteration takes, however little there is to do, and what a core does in one on large systems."""


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
    entries, n, m, r = len(data), data.n_objects, data.n_relations, settings.rank
    numbers = n * r + m * r * r
    learned = settings.train * entries
    memory: float = BYTES_AN_ENTRY * entries + 8 * numbers * (30 + 40 * settings.ensemble) + 8 * 64 * n * r
    seconds = 0.0
    for method in settings.methods:
        if method in FLOORS:
            seconds += 0.02 + 100e-9 * learned
            continue
        if method in BAYESIAN:
            sweep = (6 * NANOSECONDS * learned * r + 40 * n * r**2) * 1e-9 + 2e-3
            if method != "BPTF":  # R_k is drawn as a whole: a system of so many unknowns for each relation
                unknowns = r * r if any(relation.directed for relation in data.relations) else r * (r + 1) / 2
                sweep += unknowns**2 * (unknowns / 3 + n) * m / OPERATIONS
            seconds += SWEEPS * sweep
            memory += 8 * numbers * SWEEPS / 4
            continue
        fits = FITS_OF_A_SEARCH if settings.lam == "auto" else 0
        more = 1 + settings.ensemble if method.startswith("MrWTD") and settings.ensemble > 1 else 1
        turns = m if method in ("MMMF", "MMMF+") else 1  # each relation has iterations of its own
        one = ITERATIONS * ((NANOSECONDS * learned * r + 4 * m * n * r * r * 0.3) * 1e-9 + turns * A_STEP)
        seconds += (fits + more) * one * (0.15 if method == "RESCAL" else 1.0) + 0.05
    return Estimate(memory, seconds)


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
                f"{size(there)} of free memory",
                f"about {size(needs)}, which this training needs: take {_what_fits(settings, data, 0.9 * there)}",
            )
        )


def _what_fits(settings: Settings, data: RelationalData, most: float) -> str:
    """What to change for a training that needs no more than so many bytes."""
    for ensemble in dict.fromkeys((settings.ensemble, 1)):
        ranks = range(settings.rank, 0, -1)
        fits = (r for r in ranks if estimate(settings.change(ensemble=ensemble, rank=r), data).memory <= most)
        if (rank := next(fits, None)) is not None:
            smaller = [f"a rank of {rank} or less"] if rank < settings.rank else []
            return " and ".join([*smaller, *(["no ensemble"] if ensemble < settings.ensemble else [])])
    return "less data: whatever the rank, the entries alone take more"
