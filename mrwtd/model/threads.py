"""Who may use the cores: a fit alone shares its work among threads, one of several at the same time does not.

How the work is divided depends on its size alone, never on the number of cores nor on the limit that is set here, so
that sums are rounded alike on every machine.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")
Asked = Callable[[], bool]
"""Asked now and then in long work: True ends it."""

SERIAL_BELOW = 600_000
"""Entries below which a second thread costs more than it saves (measured by benchmarks/evaluation.py)."""

_most: ContextVar[int] = ContextVar("most threads", default=sys.maxsize)


def allowed(wanted: int) -> int:
    """How many of the threads that a fit wants it may run at once.

    >>> allowed(4)
    4
    """
    return min(wanted, _most.get())


@contextmanager
def at_most(threads: int) -> Iterator[None]:
    """Fits within run so many threads at once, and no more.

    >>> with at_most(1):
    ...     allowed(4)
    1
    """
    token = _most.set(threads)
    try:
        yield
    finally:
        _most.reset(token)


def threads_for(entries: int) -> int:
    """How many threads pay for so many entries.

    >>> threads_for(1000)
    1
    """
    return 1 if entries < SERIAL_BELOW else allowed(os.cpu_count() or 1)


def in_threads(
    work: Callable[[Given], Made], given: Iterable[Given], threads: int, ended: Asked | None = None
) -> list[Made]:
    """The work done on each of the given, in order, by so many threads; what is left is dropped once `ended` says so.

    >>> in_threads(abs, [-1, -2], threads=2)
    [1, 2]
    >>> in_threads(abs, [-1, -2], threads=1, ended=lambda: True)
    [1]
    """
    if threads == 1:
        return _until(map(work, given), ended)
    with ThreadPoolExecutor(threads, thread_name_prefix="mrwtd") as pool:
        made = _until(pool.map(work, given), ended)  # asked by this thread: a callback may touch what only it should
        pool.shutdown(cancel_futures=True)
        return made


def _until(results: Iterator[Made], ended: Asked | None) -> list[Made]:
    made = []
    for one in results:
        made.append(one)
        if ended is not None and ended():
            break
    return made
