"""Values of context variables: settings of the fits inside a `with` block."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Value = TypeVar("Value")


@contextmanager
def temporarily(variable: ContextVar[Value], value: Value) -> Iterator[None]:
    """Give a variable this value inside, and its previous one afterwards.

    >>> limit = ContextVar("limit", default=2)
    >>> with temporarily(limit, 1):
    ...     limit.get()
    1
    >>> limit.get()
    2
    """
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)
