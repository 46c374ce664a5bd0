"""A bounded queue of jobs, run by threads of the server.

A user's job goes on whatever page they look at. When they have not been here for `ORPHAN_TIMEOUT` seconds, or the
server ends, it is stopped, and what it has by then is kept as interrupted. Jobs of the server's own, such as those of
lessons, have a thread to themselves: they neither wait for a user's training nor take a place in its queue.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from ...errors import DataError, Problem
from .job import Job

T = TypeVar("T")

RETENTION = 6 * 3600.0
"""Seconds for which the end of a job waits to be seen by its user."""

MOST_WAITING = 8

MOST_KEPT = 32
"""Results of `run_once` that are kept."""

CLOSING = 8.0
"""Seconds that a server waits for its jobs when it is stopped: after ten it would be killed."""


class Queue:
    """Jobs in the order in which they came, run by a few threads.

    >>> queue = Queue()
    >>> job = queue.submit("me", "a sum", lambda job: 1 + 1)
    >>> queue.wait(job)
    >>> job.state, job.result
    ('finished', 2)
    """

    def __init__(self, workers: int = 1, most: int = MOST_WAITING, kept: int = MOST_KEPT):
        self._most, self._most_kept = most, kept
        self._jobs: list[Job] = []
        self._once: OrderedDict[Hashable, Job] = OrderedDict()
        self._without_result: deque[str] = deque(maxlen=1_000)
        self._changed = threading.Condition()
        for number in range(workers + 1):  # the last is for the server's own
            threading.Thread(
                target=self._work, args=(number < workers,), name=f"mrwtd-job-{number}", daemon=True
            ).start()

    def submit(
        self,
        owner: str,
        title: str,
        work: Callable[[Job], Any],
        kind: str = "train",
        subject: str = "",
        request: Any = None,
    ) -> Job:
        """Put a job at the end of the queue, or refuse it where too many wait: of one user, half as many."""
        return self._add(Job(title, kind, owner, work, subject, request=request))

    def run_once(self, key: Hashable, work: Callable[[Job], Any], owner: str = "", title: str = "") -> Job:
        """The job of a key: the one that waits, runs or has given a result, else a new one.

        Work that failed or gave None is not kept. A user who asks for a job of another's becomes one of its owners:
        it goes on until the last of them cancels it. Without an owner it is the server's own.

        >>> queue = Queue()
        >>> job = queue.run_once("squares", lambda job: (n * n for n in range(3)))
        >>> queue.wait(job)
        >>> job.pieces, queue.run_once("squares", lambda job: iter(())) is job
        ([0, 1, 4], True)
        """
        with self._changed:
            job = self.find(key)
            if job is None or job.stopping:
                job = self._once[key] = self._add(Job(title or str(key), "once", owner, work))
            elif owner and not job.done:
                job.owners.add(owner)
            return job

    def run_now(self, key: Hashable, work: Callable[[Job], T]) -> T:
        """The result of `run_once` for short work, which this thread does itself; what fails is raised.

        >>> queue = Queue()
        >>> [queue.run_now("number", lambda job, number=number: number) for number in (1, 2)]
        [1, 1]
        """
        with self._changed:
            other = self.find(key)
            if other is None:
                job = self._once[key] = Job(str(key), "once", "", work)
                job.start()
        if other is not None:
            self.wait(other, threading.TIMEOUT_MAX)
            result: T = self.run_now(key, work) if other.state == "failed" else other.result
            return result
        state = "failed"
        try:
            job.result = result = job.execute()
            state = job.final_state()
        finally:
            self._end(job, state)
        return result

    def find(self, key: Hashable) -> Job | None:
        """The job of a key that waits, runs, or has given a result."""
        with self._changed:
            job = self._once.get(key)
            if job is not None and job.done and job.result is None:
                self.discard(key)
                return None
            if job is not None:
                self._once.move_to_end(key)
            return job

    def discard(self, key: Hashable) -> None:
        """Let go of the result of a key, so that its work can be run again."""
        with self._changed:
            self._once.pop(key, None)

    def jobs_of(self, owner: str) -> list[Job]:
        """The jobs of a user, oldest first; to ask for them is the sign that the user is here."""
        with self._changed:
            self._sweep()
            jobs = [job for job in self._jobs if owner in job.owners]
            for job in jobs:
                job.last_seen = time.monotonic()
            return jobs

    def position(self, job: Job) -> int:
        """How many jobs of users are before this one, those that run included."""
        with self._changed:
            before = self._jobs[: self._jobs.index(job)] if job in self._jobs else []
            return sum(bool(other.owners) and not other.done for other in before)

    def cancel(self, job: Job, owner: str = "") -> None:
        """Stop a job; one that waits ends at once. Where others wait for it, it goes on for them."""
        with self._changed:
            if owner in job.owners and len(job.owners) > 1:
                job.owners.remove(owner)
                return
            job.cancel()
            if job.state == "queued":
                job.state = "stopped"
            self._changed.notify_all()

    def remove(self, job: Job, owner: str = "") -> None:
        """Drop a job that has ended, once all of its owners have seen that."""
        with self._changed:
            job.owners -= {owner} if owner and job.done else set()
            if job.done and job in self._jobs and not (owner and job.owners):
                self._jobs.remove(job)
                if job.result is None:
                    self._without_result.append(job.id)

    def ended_without_result(self, id: str) -> bool:
        """Whether a job of this id has ended with nothing to show, and its user has seen that."""
        return id in self._without_result

    def wait(self, job: Job, seconds: float = 60.0) -> None:
        """Return when the job has ended, or after that many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: job.done, seconds)

    def abandon(self) -> None:
        """Stop all jobs, as when the server ends: what they have by then is kept."""
        with self._changed:
            for job in self._jobs:
                job.abandon()
                if job.state == "queued":
                    job.state = "interrupted"

    def close(self, seconds: float = CLOSING) -> None:
        """Stop all jobs and wait for the ends of those of users: the server's own have nothing to keep."""
        self.abandon()
        with self._changed:
            self._changed.wait_for(lambda: all(job.done or not job.owners for job in self._jobs), seconds)

    def _add(self, job: Job) -> Job:
        with self._changed:
            self._sweep()
            waiting = [other for other in self._jobs if other.state == "queued" and other.owners]
            same = sum(not job.owners.isdisjoint(other.owners) for other in waiting)
            if same >= max(self._most // 2, 1):
                raise DataError(Problem(f"{same} jobs of yours that wait already", "fewer: let one end, or cancel one"))
            if job.owners and len(waiting) >= self._most:
                raise DataError(Problem(f"{len(waiting)} jobs that wait already", "a free place: try again later"))
            self._jobs.append(job)
            self._changed.notify_all()
        return job

    def _sweep(self) -> None:
        """End what waits for a user who is gone, and forget what ended long ago."""
        for job in list(self._jobs):
            if job.state == "queued" and job.is_orphaned:
                job.state = "interrupted"
            if job.done and time.monotonic() - job.last_seen > RETENTION:
                self._jobs.remove(job)

    def _next(self, owned: bool) -> Job | None:
        return next((job for job in self._jobs if job.state == "queued" and bool(job.owners) == owned), None)

    def _work(self, owned: bool) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._next(owned) is not None)
                job = self._next(owned)
                assert job is not None
                job.start()
            # The server's own work leaves the cores to the trainings of users.
            with nullcontext() if owned else threadpool_limits(1, "blas"):
                state = job.run()
            self._end(job, state)

    def _end(self, job: Job, state: str) -> None:
        with self._changed:
            job.state, job.work = state, lambda _: None  # which lets go of the data
            if not job.owners and job in self._jobs:
                self._jobs.remove(job)
            kept = [key for key, other in self._once.items() if other.done]
            for key in kept[: max(len(kept) - self._most_kept, 0)]:
                del self._once[key]
            self._changed.notify_all()
