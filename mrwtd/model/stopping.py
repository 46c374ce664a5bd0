"""Stopping a fit that has nothing to keep: on large data a start takes seconds, in which no callback is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_asked: ContextVar[Callable[[], bool] | None] = ContextVar("asked to stop", default=None)


class Stopped(Exception):  # noqa: N818 - what was asked for, not an error
    """Raised out of a fit that was stopped before there was anything to keep."""


def check() -> None:
    """Leave the fit where it is to be stopped; called between the steps of a start.

    >>> check()
    """
    asked = _asked.get()
    if asked is not None and asked():
        raise Stopped


def leave() -> None:
    """Leave a fit that was stopped with nothing to keep, where whoever began it wants no model of nothing.

    >>> leave()
    """
    if _asked.get() is not None:
        raise Stopped


@contextmanager
def stopping_when(asked: Callable[[], bool]) -> Iterator[None]:
    """Fits within raise `Stopped` out of their start once `asked` says so, or out of a search that has found nothing.

    >>> from mrwtd import MrWTD, load_dataset
    >>> with stopping_when(lambda: True):
    ...     MrWTD(rank=2, lam=1.0).fit(load_dataset("florentine"))
    Traceback (most recent call last):
    mrwtd.model.stopping.Stopped
    """
    token = _asked.set(asked)
    try:
        yield
    finally:
        _asked.reset(token)
