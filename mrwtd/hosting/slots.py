"""How many files of users are read at once, and whose file is next.

A reader of files holds a slot while its worker process exists, so the processes of all users together have a bound on
their memory. Between two calls a process keeps the rows of its file; if another file waits, it ends after a moment, and
is started again when it is needed. Files that wait have fair turns, and one slot is for small files only.
"""

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from weakref import WeakSet

from .config import config
from .isolated import POLL_SECONDS, Process
from .turns import Turns

SMALL = 10_000_000
"""A file with at most this many bytes is small."""

BYTES_PER_SECOND = 5_000_000
"""Bytes of a list that are read in a second, roughly."""

KEPT_SECONDS = 0.5
"""A process without a call stays this long although others wait: pages make several calls one after the other."""


@dataclass(eq=False)
class Slot:
    """The slot of a reader, which has a process from time to time.

    Attributes:
        user: who reads; a user reads one file at a time. Empty: nobody in particular.
        size: the bytes of the file.
        process: the process of the reader, if there is one.
        is_busy: whether it works on a call.
        idle_since: the time of the end of its last call.
        turn: its place in the order of those that wait; see `Turns`.
    """

    user: str = ""
    size: int = 0
    process: Process | None = None
    is_busy: bool = False
    idle_since: float = 0.0
    turn: float = 0.0

    @property
    def is_large(self) -> bool:
        """Whether the file is too large for the slot of small ones."""
        return self.size > SMALL

    @property
    def seconds(self) -> float:
        """About how long it takes to read the file: its weight in the order of turns."""
        return self.size / BYTES_PER_SECOND

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process = None


class Slots:
    """A number of slots for the processes that read files.

    >>> slots, slot = Slots(2), Slot("ann")
    >>> with slots.use(slot):
    ...     slot.is_busy
    True

    Args:
        count: the number of processes at once. With two or more, one of them reads small files only.
        clock: the time in seconds.
    """

    def __init__(self, count: float, clock: Callable[[], float] = time.monotonic):
        self._count, self._clock = count, clock
        self._turns, self._waiting = Turns(), list[Slot]()
        self._known = WeakSet[Slot]()  # a reader that is not used any more frees its slot
        self._changed = threading.Condition()

    @contextmanager
    def use(self, slot: Slot, check: Callable[[int], None] = lambda _: None) -> Iterator[None]:
        """Wait until a slot may have a process, which it can keep afterwards until another file needs its place.

        `check` is called often meanwhile, with the number of files before this one. It may raise an exception, which
        ends the wait.
        """
        with self._changed:
            slot.is_busy = slot.process is not None  # it was not ended meanwhile
        if not slot.is_busy:
            self._wait(slot, check)
        try:
            yield
        finally:
            with self._changed:
                slot.is_busy, slot.idle_since = False, self._clock()
                self._changed.notify_all()

    def _wait(self, slot: Slot, check: Callable[[int], None]) -> None:
        with self._changed:
            slot.turn = self._turns.assign(slot.user, slot.seconds)
            self._waiting.append(slot)
        try:
            while not self._start(slot):
                check(self.ahead(slot))
                with self._changed:
                    self._changed.wait(POLL_SECONDS)
        except BaseException:
            with self._changed:
                self._waiting.remove(slot)
                self._turns.give_back(slot.user, slot.seconds)
            raise

    def ahead(self, slot: Slot) -> int:
        """The number of files that are read now or start before this one."""
        with self._changed:
            return self._in_order().index(slot) + sum(other.is_busy for other in self._known)

    def _start(self, slot: Slot) -> bool:
        """Whether it is the turn of a slot, which is busy then."""
        with self._changed:
            if next(filter(self._may_start, self._in_order()), None) is not slot:
                return False
            if len(self._held()) >= self._count:
                min(self._idle(), key=lambda other: other.idle_since).close()
            self._waiting.remove(slot)
            self._turns.begin(slot.turn)
            self._known.add(slot)
            slot.is_busy = True
            self._changed.notify_all()
            return True

    def _may_start(self, slot: Slot) -> bool:
        busy = [other for other in self._known if other.is_busy]
        if slot.user and any(other.user == slot.user for other in busy):
            return False
        if slot.is_large and sum(other.is_large for other in busy) >= max(self._count - 1, 1):
            return False
        return len(self._held()) < self._count or bool(self._idle())

    def _in_order(self) -> list[Slot]:
        """The slots that wait, the next one first."""
        return sorted(self._waiting, key=lambda slot: (slot.turn, slot.seconds))

    def _held(self) -> list[Slot]:
        return [other for other in self._known if other.is_busy or other.process is not None]

    def _idle(self) -> list[Slot]:
        """The slots whose processes can be ended for another file."""
        latest = self._clock() - KEPT_SECONDS
        return [other for other in self._held() if not other.is_busy and other.idle_since <= latest]


@cache
def slots() -> Slots:
    """The slots of this server."""
    return Slots(config().uploads.processes or math.inf)
