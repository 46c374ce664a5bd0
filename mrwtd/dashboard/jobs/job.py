"""A piece of work, and how far it is."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import InitVar, dataclass, field
from typing import Any

from ...errors import DataError
from ...model.cancellation import Cancelled, cancel_when
from ...runs import new_id

ORPHAN_TIMEOUT = 600.0
"""Seconds without a sign of its users after which a job is stopped."""

log = logging.getLogger(__name__)

ENDED = ("finished", "stopped", "interrupted", "failed")


@dataclass
class Job:
    """A piece of work, and how far it is.

    Attributes:
        title: for people.
        kind: which page shows it in detail, such as "train".
        owners: the ids of the users who wait for it, by their workspaces; nobody where it is the server's own.
        work: called with the job; it checks `cancelled` often and calls `report`. A generator gives `pieces`.
        subject: what it is about, such as the name of a data set: titles may be those of several.
        id: also that of the run that it makes, so that a URL with it is valid before, during and after the work.
        state: "queued", "running", or one of `ENDED`.
        progress: the fraction that is done, between 0 and 1.
        status: what is done now, in a few words.
        detail: what the page of its kind shows; the work owns it.
        pieces: what a generator has given so far.
        result: what the work has returned; of a generator all pieces, once it has ended.
        problem: why it failed, in plain words.
        eta: seconds to go, where the work itself can tell.
        request: what was asked for, where that tells it from others.
        started: when it started to run.
        last_seen: when one of its owners last looked at it.
    """

    title: str
    kind: str
    owner: InitVar[str]
    work: Callable[[Job], Any] = field(repr=False)
    subject: str = ""
    id: str = field(default_factory=new_id)
    state: str = "queued"
    progress: float = 0.0
    status: str = ""
    detail: Any = None
    pieces: list[Any] = field(default_factory=list, repr=False)
    result: Any = None
    problem: str = ""
    eta: float | None = None
    request: Any = None
    started: float = 0.0
    last_seen: float = field(default_factory=time.monotonic)
    owners: set[str] = field(init=False)
    _cancel: threading.Event = field(default_factory=threading.Event, repr=False)
    _left: threading.Event = field(default_factory=threading.Event, repr=False)

    def __post_init__(self, owner: str) -> None:
        self.owners = {owner} if owner else set()

    @property
    def cancelled(self) -> bool:
        """Whether the work should stop: its users say so, or have been gone for long. It never stops being so."""
        if self.is_orphaned:
            self._left.set()
        return self._cancel.is_set() or self._left.is_set()

    @property
    def stopping(self) -> bool:
        """Whether it was cancelled, and has not ended yet."""
        return self._cancel.is_set() and not self.done

    @property
    def is_orphaned(self) -> bool:
        """Whether it has owners, and none of them has been here for long."""
        return bool(self.owners) and time.monotonic() - self.last_seen > ORPHAN_TIMEOUT

    @property
    def done(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state in ENDED

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.started if self.started else 0.0

    @property
    def remaining(self) -> float | None:
        """Seconds to go, as soon as they can be estimated."""
        if self.eta is not None and self.state == "running":
            return self.eta
        if self.state != "running" or self.progress < 0.02 or self.seconds < 0.5:
            return None
        return self.seconds * (1 - self.progress) / self.progress

    def start(self) -> None:
        """Mark it as running."""
        self.state, self.started = "running", time.monotonic()

    def execute(self) -> Any:
        """Run the work; fits in it also stop between two iterations, and raise `Stopped` with nothing to keep."""
        with cancel_when(lambda: self.cancelled):
            result = self.work(self)
            return self._collect(result) if isinstance(result, Iterator) else result

    def run(self) -> str:
        """Run the work, and give the state that it ends in."""
        try:
            self.result = self.execute()
        except Cancelled:
            return self.final_state()
        except DataError as error:
            self.problem = str(error)
        except MemoryError:
            self.problem = "There was not enough memory. Take a smaller rank, fewer methods or less data."
        except Exception:
            if self.cancelled:  # a pool of processes that is shut under its work, as when the server ends
                return self.final_state()
            log.exception("%s failed", self.title)
            self.problem = "Something went wrong, and it is not your doing; the server's log says what happened."
        else:
            return self.final_state()
        return "failed"

    def _collect(self, pieces: Iterator[Any]) -> list[Any] | None:
        for piece in pieces:
            self.pieces.append(piece)
            if self.cancelled:
                return None
        return self.pieces

    def report(self, progress: float, status: str) -> bool:
        """Record how far the work is; the answer is whether it should stop."""
        self.progress, self.status = min(max(progress, 0.0), 1.0), status
        return self.cancelled

    def cancel(self) -> None:
        """Ask the work to stop; it keeps the best that it has."""
        self._cancel.set()

    def abandon(self) -> None:
        """Stop the work as if its users had left; it keeps the best that it has, as interrupted."""
        self._left.set()

    def final_state(self) -> str:
        """The state of work that comes to its end now."""
        return "stopped" if self._cancel.is_set() else "interrupted" if self._left.is_set() else "finished"
