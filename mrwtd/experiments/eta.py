"""How long the rest of an experiment takes, told from what is finished.

Methods differ a hundredfold in their cost, so fits that are left are taken to cost what like ones have cost: of the
same method, data, rank and training size, or as near to that as there is.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

MIN_FITS = 4
"""After so many fits, what they have taken on the clock tells more than the number of processes."""


class RemainingTime:
    """The fits of an experiment, and the time that those which are left will take.

    >>> from mrwtd.comparison import Job
    >>> pace, rows = RemainingTime(n_jobs=2), pd.DataFrame({"seconds": [3.0]})
    >>> for run, found in enumerate([rows, None, None]):
    ...     pace.plan("Kinship", Job("CP", "CP", 0.1, run), found)
    >>> pace.done, pace.total, pace.left()
    (1, 3, 3.0)
    """

    def __init__(self, n_jobs: int = 1):
        self.done = self.total = 0
        self._workers = n_jobs if n_jobs > 0 else os.cpu_count() or 1
        self._spent: dict[tuple[Any, ...], list[float]] = defaultdict(list)
        self._waiting: dict[tuple[str, str], Any] = {}
        self._began, self._ran, self._worth = time.monotonic(), 0, 0.0

    def plan(self, data: str, job: Any, rows: pd.DataFrame | None) -> None:
        """A fit that is asked for, with its rows where it is done already."""
        self.total += 1
        if rows is None:
            self._waiting[data, job.key] = job
        else:
            self.done += 1
            self._learn(data, job, rows)

    def start(self) -> None:
        """The clock starts."""
        self._began = time.monotonic()

    def step(self, data: str, job: Any, rows: pd.DataFrame) -> None:
        """A fit was finished just now."""
        self._worth += self._learn(data, job, rows)
        del self._waiting[data, job.key]
        self.done += 1
        self._ran += 1

    def left(self) -> float:
        """Seconds; NaN while nothing has been finished that would tell."""
        if not self._waiting:
            return 0.0
        expected = sum(self._expected(data, job) for (data, _), job in self._waiting.items())
        if self._ran >= MIN_FITS and self._worth > 0:
            return float(expected * (time.monotonic() - self._began) / self._worth)
        return float(expected / min(self._workers, len(self._waiting)))

    def _learn(self, data: str, job: Any, rows: pd.DataFrame) -> float:
        seconds = float(rows["seconds"].iloc[0])
        if not np.isfinite(seconds):
            return 0.0
        for kin in _likeness(data, job):
            self._spent[kin].append(seconds / getattr(job, "effort", 1.0))
        return seconds

    def _expected(self, data: str, job: Any) -> float:
        known = next((self._spent[kin] for kin in _likeness(data, job) if kin in self._spent), None)
        return float(np.mean(known)) * getattr(job, "effort", 1.0) if known else float("nan")


def _likeness(data: str, job: Any) -> Iterator[tuple[Any, ...]]:
    """What a fit may be told by, the most alike first."""
    yield data, job.label, job.rank, job.train
    yield data, job.label
    yield (job.label,)
    yield ()
