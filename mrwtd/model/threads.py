"""Who may use the cores: a fit alone shares its work among threads, one of several at the same time does not.

How the work is divided depends on its size and on the machine, never on the limit that is set here, so that sums are
rounded alike with and without it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

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
