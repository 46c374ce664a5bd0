"""Stopping a fit where no callback is asked: on large data a start takes seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_asked: ContextVar[Callable[[], bool] | None] = ContextVar("asked to stop", default=None)
_patient: ContextVar[bool] = ContextVar("stopped by callbacks only", default=False)


class Stopped(Exception):  # noqa: N818 - what was asked for, not an error
    """Raised where a fit is to be stopped; out of it where there is nothing yet to keep."""


def asked() -> bool:
    """Whether the fit is to be stopped.

    >>> asked()
    False
    """
    ask = _asked.get()
    return ask is not None and ask()


def check() -> None:
    """Leave what is being made where the fit is to be stopped; called between the steps of a start.

    >>> check()
    """
    if asked() and not _patient.get():
        raise Stopped


@contextmanager
def stopping_when(ask: Callable[[], bool]) -> Iterator[None]:
    """Fits within are also stopped between two callbacks, once `ask` says so, and raise `Stopped` if that is early.

    >>> from mrwtd import MrWTD, load_dataset
    >>> with stopping_when(lambda: True):
    ...     MrWTD(rank=2, lam=1.0).fit(load_dataset("florentine"))
    Traceback (most recent call last):
    mrwtd.model.cancellation.Stopped
    """
    token = _asked.set(ask)
    try:
        yield
    finally:
        _asked.reset(token)


@contextmanager
def by_callback_only() -> Iterator[None]:
    """Fits within are stopped by their callbacks alone, after an iteration: there is something that must not be lost.

    >>> from mrwtd import MrWTD, load_dataset
    >>> with stopping_when(lambda: True), by_callback_only():
    ...     len(MrWTD(rank=2, lam=1.0).fit(load_dataset("florentine"), callback=lambda seen: True).trace_)
    1
    """
    token = _patient.set(True)
    try:
        yield
    finally:
        _patient.reset(token)
