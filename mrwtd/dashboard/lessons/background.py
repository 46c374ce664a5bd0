"""Work of a lesson that goes on while the visitor reads: done once, by one thread, for all visitors."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from threadpoolctl import threadpool_limits

EVERY = 0.5
"""Seconds between two looks at what has come."""

log = logging.getLogger(__name__)


@dataclass
class Pieces:
    """What some work has brought so far.

    Attributes:
        found: one after the other, in the order of the work.
        done: whether there is no more to come.
        failed: whether it ended with an error; the server's log has it.
    """

    found: list[Any] = field(default_factory=list)
    done: bool = False
    failed: bool = False


class Background:
    """Pieces of work by key, worked off one after the other.

    >>> work = Background()
    >>> pieces = work.gather("squares", lambda: (n * n for n in range(3)))
    >>> work.wait("squares")
    >>> pieces.found, pieces.done
    ([0, 1, 4], True)
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="mrwtd-lesson")
        self._begun: dict[str, Pieces] = {}
        self._ended: dict[str, threading.Event] = {}
        self._lock = threading.Lock()

    def gather(self, key: str, work: Callable[[], Iterable[Any]]) -> Pieces:
        """What the work of that key has brought so far; the first call begins it."""
        with self._lock:
            if key not in self._begun:
                self._begun[key], self._ended[key] = Pieces(), threading.Event()
                self._pool.submit(self._run, key, work)
            return self._begun[key]

    def wait(self, key: str, seconds: float = 60.0) -> None:
        """Return when the work has ended, or after so many seconds."""
        self._ended[key].wait(seconds)

    def _run(self, key: str, work: Callable[[], Iterable[Any]]) -> None:
        pieces = self._begun[key]
        try:
            with threadpool_limits(1, "blas"):
                for piece in work():
                    pieces.found.append(piece)
        except Exception:
            log.exception("%s failed", key)
            pieces.failed = True
        pieces.done = True
        self._ended[key].set()


@st.cache_resource(show_spinner=False)
def shared() -> Background:
    """The background of this server."""
    return Background()
