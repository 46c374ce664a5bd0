"""A job: a piece of work and its progress."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Hashable, Iterator
from dataclasses import InitVar, dataclass, field
from typing import Any

from ...errors import DataError
from ...hosting.config import config
from ...hosting.isolated import ProcessDiedError
from ...hosting.job_log import log_job
from ...model.cancellation import Cancelled, cancel_when
from ...runs import new_id

ORPHAN_TIMEOUT = 60.0 * config().jobs.away_minutes
"""Seconds after the last visit of its owners until a job is stopped."""

log = logging.getLogger(__name__)

FINAL_STATES = ("finished", "stopped", "interrupted", "failed")


@dataclass
class Job:
    """A piece of work and its progress.

    Attributes:
        title: the title for users.
        kind: the page that shows it in detail, such as "train".
        owners: ids of the users who wait for it; empty for jobs of the server.
        work: a function of the job, which checks `cancelled` often and calls `report`. A generator yields `pieces`.
        subject: what it is about, such as the name of a data set.
        id: also the id of the run that it creates, so that a URL is valid before, during and after the work.
        state: "queued", "running", or one of `FINAL_STATES`.
        progress: between 0 and 1.
        status: the current step, in a few words.
        detail: data for the page of its kind, owned by the work.
        pieces: the items that a generator has yielded so far.
        result: the return value of the work; for a generator, all pieces at its end.
        problem: a message that explains a failure.
        eta: remaining seconds, if the work can tell.
        request: the settings of the job, to recognize a repeated request.
        key: identifies the result, so that equal requests of several users are computed once.
        estimate: the estimated duration in seconds.
        limit: seconds after which it is stopped.
        turn: its place in the order of the queue; see `Turns`.
        submitted, started: the times at which it was submitted and started.
        last_seen: the time of the last visit of an owner.
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
    key: Hashable = None
    estimate: float = 0.0
    limit: float = math.inf
    turn: float = 0.0
    submitted: float = field(default_factory=time.monotonic)
    started: float = 0.0
    last_seen: float = field(default_factory=time.monotonic)
    owners: set[str] = field(init=False)
    _cancelled_as: str = field(default="", repr=False)
    _at_end: list[Callable[[], None]] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self, owner: str) -> None:
        self.owners = {owner} if owner else set()

    @property
    def cancelled(self) -> bool:
        """Whether the work should stop: an owner cancelled it, all have left, or it took too long. It stays true."""
        if self.is_orphaned or self.seconds > self.limit:
            self.abandon()
        return bool(self._cancelled_as)

    @property
    def stopping(self) -> bool:
        """Whether an owner cancelled it and it has not ended yet."""
        return self._cancelled_as == "stopped" and not self.done

    @property
    def is_orphaned(self) -> bool:
        """Whether it has owners, and their last visit is long ago."""
        return bool(self.owners) and time.monotonic() - self.last_seen > ORPHAN_TIMEOUT

    @property
    def done(self) -> bool:
        """Whether it has ended, successfully or not."""
        return self.state in FINAL_STATES

    @property
    def seconds(self) -> float:
        """Seconds since its start."""
        return time.monotonic() - self.started if self.started else 0.0

    @property
    def remaining(self) -> float | None:
        """Estimated seconds until its end, or None if it is too early to tell."""
        if self.state != "running":
            return None
        if self.eta is None and (self.progress < 0.02 or self.seconds < 0.5):
            return None
        return self.seconds * (1 - self.progress) / self.progress if self.eta is None else self.eta

    def start(self) -> None:
        """Mark it as running."""
        self.state, self.started = "running", time.monotonic()

    def end(self, state: str) -> None:
        """Set the final state, log it, and call the functions of `at_end`."""
        seconds, self.state, self.work = self.seconds, state, lambda _: None  # frees the data that the work refers to
        waited = (self.started or time.monotonic()) - self.submitted
        if self.owners:
            log_job(
                kind=self.kind, state=state, waited=round(waited, 2), seconds=round(seconds, 2),
                estimate=round(self.estimate, 2), users=len(self.owners),
            )  # fmt: skip
        while self._at_end:
            self._at_end.pop()()

    def at_end(self, function: Callable[[], None]) -> None:
        """Call a function when the job has ended."""
        self._at_end.append(function)
        if self.done and function in self._at_end:  # it has ended just now
            self._at_end.remove(function)
            function()

    def execute(self) -> Any:
        """Run the work. Fits in it stop between two iterations when the job is cancelled, and raise `Cancelled`."""
        with cancel_when(lambda: self.cancelled):
            result = self.work(self)
            return self._collect(result) if isinstance(result, Iterator) else result

    def run(self) -> str:
        """Run the work and return the final state."""
        try:
            self.result = self.execute()
        except Cancelled:
            pass
        except DataError as error:
            self.problem = str(error)
        except (MemoryError, ProcessDiedError):  # the system ends a process that takes too much memory
            self.problem = "There is not enough memory. Choose a smaller rank, fewer methods or less data."
        except Exception:
            if not self.cancelled:  # a cancelled job may fail because a pool of processes is closed under it
                log.exception("%s failed", self.title)
                self.problem = "Something went wrong. The server's log has the details."
        return "failed" if self.problem else self.final_state()

    def _collect(self, pieces: Iterator[Any]) -> list[Any] | None:
        for piece in pieces:
            self.pieces.append(piece)
            if self.cancelled:
                return None
        return self.pieces

    def report(self, progress: float, status: str) -> bool:
        """Update the progress. Returns whether the work should stop."""
        self.progress, self.status = min(max(progress, 0.0), 1.0), status
        return self.cancelled

    def cancel(self) -> None:
        """Stop the work for its owner. It saves the best so far."""
        self._cancelled_as = "stopped"

    def abandon(self) -> None:
        """Stop the work because its owners or the server are gone. It saves the best so far, as interrupted."""
        self._cancelled_as = self._cancelled_as or "interrupted"

    @property
    def cancel_reason(self) -> str:
        """The state in which cancelled work ends; empty if it is not cancelled."""
        return (self._cancelled_as or "stopped") if self.cancelled else ""

    def final_state(self) -> str:
        """The state of work that ends now without an error."""
        return self._cancelled_as or "finished"
