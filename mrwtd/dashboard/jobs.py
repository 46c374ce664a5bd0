"""Work that takes longer than a page: a bounded queue, worked off by threads of the server. No Streamlit in it.

A visitor owns his jobs by the id of his workspace. A job goes on whatever page he looks at; when he has not been seen
for `ALONE` seconds, or the server ends, it is stopped, and what it has by then is kept as interrupted.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import DataError, Problem
from ..model.stopping import Stopped, stopping_when
from ..runs import new_id

ALONE = 600.0
"""Seconds after which a job is stopped that no visitor has asked for."""

FORGOTTEN = 6 * 3600.0
"""Seconds after which nobody is told any more how a job has ended."""

MOST_WAITING = 8

CLOSING = 8.0
"""Seconds that a server which is told to end waits for its jobs: who tells it waits ten, and then makes it."""

log = logging.getLogger(__name__)

ENDED = ("finished", "stopped", "interrupted", "failed")


@dataclass
class Job:
    """A piece of work, and how far it is.

    Attributes:
        title: for people.
        kind: which page shows it in detail, such as "train".
        owner: the workspace that it belongs to.
        id: also that of the run that it makes: an address that asks for it holds before, while and after it works.
        subject: what it is about, such as the name of a data set: titles may be those of several.
        work: called with the job; it asks `cancelled` often, and sets `share`, `what` and `detail` as it goes.
        state: "queued", "running", or one of `ENDED`.
        share: how much of it is done, between 0 and 1.
        what: what is done now, in a few words.
        detail: what the page of its kind shows; the work owns it.
        result: what the work gave back.
        problem: why it failed, in plain words.
        reckoned: seconds to go, where the work itself can tell.
        asked: what was asked for, where that tells it from others.
    """

    title: str
    kind: str
    owner: str
    work: Callable[[Job], Any] = field(repr=False)
    subject: str = ""
    id: str = field(default_factory=new_id)
    state: str = "queued"
    share: float = 0.0
    what: str = ""
    detail: Any = None
    result: Any = None
    problem: str = ""
    reckoned: float | None = None
    asked: Any = None
    began: float = 0.0
    seen: float = field(default_factory=time.monotonic)
    taken: bool = False
    _cancel: threading.Event = field(default_factory=threading.Event, repr=False)
    _left: threading.Event = field(default_factory=threading.Event, repr=False)

    @property
    def cancelled(self) -> bool:
        """Whether the work should stop: its visitor says so, or has been gone for long. It never stops being so."""
        if self.alone:
            self._left.set()
        return self._cancel.is_set() or self._left.is_set()

    @property
    def stopping(self) -> bool:
        """Whether its visitor has asked it to stop, and it has not ended yet."""
        return self._cancel.is_set() and not self.over

    @property
    def alone(self) -> bool:
        """Whether nobody has asked for it for long."""
        return time.monotonic() - self.seen > ALONE

    @property
    def over(self) -> bool:
        """Whether it has ended, in whatever way."""
        return self.state in ENDED

    @property
    def seconds(self) -> float:
        """How long it has been running."""
        return time.monotonic() - self.began if self.began else 0.0

    @property
    def left(self) -> float | None:
        """Seconds to go, once there is something to reckon from."""
        if self.reckoned is not None and self.state == "running":
            return self.reckoned
        if self.state != "running" or self.share < 0.02 or self.seconds < 0.5:
            return None
        return self.seconds * (1 - self.share) / self.share

    def do(self) -> Any:
        """The work; fits in it also stop between two iterations, and raise `Stopped` where there is nothing to keep."""
        with stopping_when(lambda: self.cancelled):
            return self.work(self)

    def cancel(self) -> None:
        """Ask the work to stop; it keeps the best that it has."""
        self._cancel.set()

    def abandon(self) -> None:
        """Stop the work as if its visitor had left; it keeps the best that it has, as interrupted."""
        self._left.set()

    def ending(self) -> str:
        """How work that has come to its end by now has ended."""
        return "stopped" if self._cancel.is_set() else "interrupted" if self._left.is_set() else "finished"


class Queue:
    """Jobs in the order in which they came, worked off by a few threads.

    >>> queue = Queue()
    >>> job = queue.submit("me", "a sum", lambda job: 1 + 1)
    >>> queue.wait(job)
    >>> job.state, job.result
    ('finished', 2)
    """

    def __init__(self, workers: int = 1, most: int = MOST_WAITING):
        self._most = most
        self._jobs: list[Job] = []
        self._empty: deque[str] = deque(maxlen=1_000)
        self._changed = threading.Condition()
        for number in range(workers):
            threading.Thread(target=self._work, name=f"mrwtd-job-{number}", daemon=True).start()

    def submit(
        self,
        owner: str,
        title: str,
        work: Callable[[Job], Any],
        kind: str = "train",
        subject: str = "",
        asked: Any = None,
    ) -> Job:
        """Put a job at the end of the queue, or refuse it where too many wait: of one visitor, half as many."""
        job = Job(title, kind, owner, work, subject, asked=asked)
        with self._changed:
            self._sweep()
            waiting = [one for one in self._jobs if one.state == "queued"]
            own = sum(one.owner == owner for one in waiting)
            if own >= max(self._most // 2, 1):
                raise DataError(Problem(f"{own} jobs of yours that wait already", "fewer: let one end, or cancel one"))
            if len(waiting) >= self._most:
                raise DataError(Problem(f"{len(waiting)} jobs that wait already", "a free place: try again later"))
            self._jobs.append(job)
            self._changed.notify_all()
        return job

    def of(self, owner: str) -> list[Job]:
        """The jobs of a visitor, oldest first; asking is the sign that he is there."""
        with self._changed:
            self._sweep()
            own = [job for job in self._jobs if job.owner == owner]
            for job in own:
                job.seen = time.monotonic()
            return own

    def position(self, job: Job) -> int:
        """How many jobs are before this one, those that run included."""
        with self._changed:
            before = self._jobs[: self._jobs.index(job)] if job in self._jobs else []
            return sum(not one.over for one in before)

    def cancel(self, job: Job) -> None:
        """Stop a job; one that waits ends at once."""
        with self._changed:
            job.cancel()
            if job.state == "queued":
                job.state = "stopped"
            self._changed.notify_all()

    def forget(self, job: Job) -> None:
        """Drop a job that has ended."""
        with self._changed:
            if job.over and job in self._jobs:
                self._jobs.remove(job)
                if job.result is None:
                    self._empty.append(job.id)

    def brought_nothing(self, id: str) -> bool:  # noqa: A002 - the word that addresses use
        """Whether a job of this id has ended, and its visitor knows that there is nothing of it."""
        return id in self._empty

    def wait(self, job: Job, seconds: float = 60.0) -> None:
        """Return when the job has ended, or after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: job.over, seconds)

    def abandon(self) -> None:
        """Stop all jobs, as when the server ends: what they have by then is kept."""
        with self._changed:
            for job in self._jobs:
                job.abandon()
                if job.state == "queued":
                    job.state = "interrupted"

    def close(self, seconds: float = CLOSING) -> None:
        """Stop all jobs and wait for their ends."""
        self.abandon()
        with self._changed:
            self._changed.wait_for(lambda: all(job.over for job in self._jobs), seconds)

    def _sweep(self) -> None:
        """End what waits for a visitor who is gone, and forget what ended long ago."""
        for job in list(self._jobs):
            if job.state == "queued" and job.alone:
                job.state = "interrupted"
            if job.over and time.monotonic() - job.seen > FORGOTTEN:
                self._jobs.remove(job)

    def _next(self) -> Job | None:
        return next((job for job in self._jobs if job.state == "queued"), None)

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._next() is not None)
                job = self._next()
                assert job is not None
                job.state, job.began = "running", time.monotonic()
            ended = self._run(job)
            with self._changed:
                job.state, job.work = ended, _nothing  # which lets go of the data
                self._changed.notify_all()

    def _run(self, job: Job) -> str:
        try:
            job.result = job.do()
        except Stopped:
            return job.ending()
        except DataError as error:
            job.problem = str(error)
        except MemoryError:
            job.problem = "There was not enough memory. Take a smaller rank, fewer methods or less data."
        except Exception:
            if job.cancelled:  # a pool of processes that is shut under its work, as when the server ends
                return job.ending()
            log.exception("%s failed", job.title)
            job.problem = "Something went wrong, and it is not your doing; the server's log says what happened."
        else:
            return job.ending()
        return "failed"


def _nothing(job: Job) -> None:
    """The work of a job that has ended."""
