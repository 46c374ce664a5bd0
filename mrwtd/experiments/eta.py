"""The remaining time of an experiment, estimated from its finished fits.

Methods differ a hundredfold in cost, so a remaining fit is expected to cost as much as similar finished fits: of the
same method, data, rank and training fraction, or as close to that as there is.
"""

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

MIN_FITS = 4
"""From this many finished fits on, elapsed time is a better measure than the number of processes."""


class RemainingTime:
    """The fits of an experiment, and the time that the remaining ones will take.

    >>> from mrwtd.comparison import Job
    >>> eta, rows = RemainingTime(n_jobs=2), pd.DataFrame({"seconds": [3.0]})
    >>> for run, finished in enumerate([rows, None, None]):
    ...     eta.add("Kinship", Job("CP", "CP", 0.1, run), finished)
    >>> eta.done, eta.total, eta.seconds()
    (1, 3, 3.0)
    """

    def __init__(self, n_jobs: int = 1):
        self.done = self.total = 0
        self._workers = n_jobs if n_jobs > 0 else os.cpu_count() or 1
        self._costs: dict[tuple[Any, ...], list[float]] = defaultdict(list)
        self._waiting: dict[tuple[str, str], Any] = {}
        self._started, self._ran, self._cost_of_ran = time.monotonic(), 0, 0.0

    def add(self, data: str, job: Any, rows: pd.DataFrame | None) -> None:
        """Add a fit, with its rows if it is finished already."""
        self.total += 1
        if rows is None:
            self._waiting[data, job.key] = job
        else:
            self.done += 1
            self._learn(data, job, rows)

    def update(self, data: str, job: Any, rows: pd.DataFrame) -> None:
        """Record a fit that has just finished."""
        self._cost_of_ran += self._learn(data, job, rows)
        del self._waiting[data, job.key]
        self.done += 1
        self._ran += 1

    def seconds(self) -> float:
        """The remaining seconds; NaN until a fit has finished."""
        if not self._waiting:
            return 0.0
        expected = sum(self._expected(data, job) for (data, _), job in self._waiting.items())
        if self._ran >= MIN_FITS and self._cost_of_ran > 0:
            return float(expected * (time.monotonic() - self._started) / self._cost_of_ran)
        return float(expected / min(self._workers, len(self._waiting)))

    def _learn(self, data: str, job: Any, rows: pd.DataFrame) -> float:
        seconds = float(rows["seconds"].iloc[0])
        if not np.isfinite(seconds):
            return 0.0
        for key in _similarity_keys(data, job):
            self._costs[key].append(seconds / getattr(job, "effort", 1.0))
        return seconds

    def _expected(self, data: str, job: Any) -> float:
        costs = next((self._costs[key] for key in _similarity_keys(data, job) if key in self._costs), None)
        return float(np.mean(costs)) * getattr(job, "effort", 1.0) if costs else float("nan")


def _similarity_keys(data: str, job: Any) -> Iterator[tuple[Any, ...]]:
    """Keys of similar fits, the most similar first."""
    yield data, job.label, job.rank, job.train
    yield data, job.label
    yield (job.label,)
    yield ()
