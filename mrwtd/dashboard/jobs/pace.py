"""The pace of trainings: whether the pages have time for the results of more of them.

One Python process draws the pages of all users. In a class, trainings in other processes can end faster than it draws
their results, and then every page waits for it. So further trainings wait while it is busy: in the queue, and for a few
seconds at most.
"""

import time
from collections import deque
from collections.abc import Callable

MOST = 0.75
"""The most seconds of processor time per second at which pages are still fast."""

WINDOW = 1.0
"""Seconds over which the processor time is measured."""

PATIENCE = 2.0
"""The longest time between two starts of waiting trainings, however busy the pages are."""

CLASS = 3
"""With fewer waiting trainings than this, pages are never that busy."""


class Pace:
    """Measures how busy this process is.

    >>> seconds, used = iter([0.0, 0.5, 1.0]), iter([0.0, 0.1, 0.9])
    >>> pace = Pace(lambda: next(seconds), lambda: next(used))
    >>> [pace.is_fast(waiting=10) for _ in range(3)]
    [True, True, False]

    Args:
        clock: the time in seconds.
        used: seconds of processor time of all threads so far.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, used: Callable[[], float] = time.process_time):
        self._clock, self._used = clock, used
        self._samples: deque[tuple[float, float]] = deque()
        self._started: float | None = None

    def is_fast(self, waiting: int) -> bool:
        """Whether another training may start, if this many wait."""
        now, used = self._clock(), self._used()
        self._started = now if self._started is None else self._started
        while len(self._samples) > 1 and now - self._samples[1][0] >= WINDOW:
            self._samples.popleft()
        self._samples.append((now, used))
        first, used_before = self._samples[0]
        busy = used - used_before > MOST * (now - first)
        return waiting < CLASS or not busy or now - self._started >= PATIENCE

    def start(self) -> None:
        """A training starts."""
        self._started = self._clock()
