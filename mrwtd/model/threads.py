"""Thread limits: a single fit divides its work among threads; one of several parallel fits does not.

How the work is divided depends on its size alone, never on the number of cores or the limit set here, so sums are
rounded alike on every machine.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TypeVar

from .context import temporarily

Item = TypeVar("Item")
Result = TypeVar("Result")
ShouldStop = Callable[[], bool]
"""Called from time to time during long work, which ends when it returns True."""

SERIAL_BELOW = 600_000
"""With fewer entries than this, a second thread costs more than it saves (measured by benchmarks/evaluation.py)."""

_limit: ContextVar[int] = ContextVar("limit", default=sys.maxsize)


def effective_threads(requested: int) -> int:
    """The number of threads that may run at once, at most the requested number.

    >>> effective_threads(4)
    4
    """
    return min(requested, _limit.get())


def limit_threads(threads: int) -> AbstractContextManager[None]:
    """Limit the fits inside to this number of threads.

    >>> with limit_threads(1):
    ...     effective_threads(4)
    1
    """
    return temporarily(_limit, threads)


def threads_for(entries: int) -> int:
    """The number of threads that is worth its cost for this many entries.

    >>> threads_for(1000)
    1
    """
    return 1 if entries < SERIAL_BELOW else effective_threads(os.cpu_count() or 1)


def thread_map(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int, should_stop: ShouldStop | None = None
) -> list[Result]:
    """The results of a function for each item, in order. Once `should_stop` returns True, the rest is dropped.

    >>> thread_map(abs, [-1, -2], threads=2)
    [1, 2]
    >>> thread_map(abs, [-1, -2], threads=1, should_stop=lambda: True)
    [1]
    """
    if threads == 1:
        return _collect(map(function, items), should_stop)
    with ThreadPoolExecutor(threads, thread_name_prefix="mrwtd") as pool:
        # `should_stop` runs in this thread: a callback may touch what no other thread should.
        results = _collect(pool.map(function, items), should_stop)
        pool.shutdown(cancel_futures=True)
        return results


def _collect(results: Iterator[Result], should_stop: ShouldStop | None) -> list[Result]:
    collected = []
    for result in results:
        collected.append(result)
        if should_stop is not None and should_stop():
            break
    return collected
