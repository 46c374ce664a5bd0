"""Cooperative cancellation of a fit between two calls of its callback: on large data the start alone takes seconds."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from contextvars import ContextVar

from .context import temporarily

_should_cancel: ContextVar[Callable[[], bool]] = ContextVar("should_cancel", default=lambda: False)
_deferred: ContextVar[bool] = ContextVar("deferred", default=False)


class Cancelled(Exception):  # noqa: N818 - requested by the user, not an error
    """Raised inside a fit that is cancelled; it leaves `fit` if there is no result yet."""


def is_cancelled() -> bool:
    """Whether the fit is cancelled.

    >>> is_cancelled()
    False
    """
    return _should_cancel.get()()


def raise_if_cancelled() -> None:
    """Raise `Cancelled` if the fit is cancelled; called between the steps of an initialization.

    >>> raise_if_cancelled()
    """
    if is_cancelled() and not _deferred.get():
        raise Cancelled


def cancel_when(should_cancel: Callable[[], bool]) -> AbstractContextManager[None]:
    """Cancel the fits inside once `should_cancel` returns True. A fit without a result yet raises `Cancelled`.

    >>> from mrwtd import MrWTD, load_dataset
    >>> with cancel_when(lambda: True):
    ...     MrWTD(rank=2, lam=1.0).fit(load_dataset("florentine"))
    Traceback (most recent call last):
    mrwtd.model.cancellation.Cancelled
    """
    return temporarily(_should_cancel, should_cancel)


def defer_cancellation() -> AbstractContextManager[None]:
    """Let only callbacks stop the fits inside, after an iteration: there are results that must not be lost.

    >>> from mrwtd import MrWTD, load_dataset
    >>> with cancel_when(lambda: True), defer_cancellation():
    ...     len(MrWTD(rank=2, lam=1.0).fit(load_dataset("florentine"), callback=lambda iteration: True).trace_)
    1
    """
    return temporarily(_deferred, True)
