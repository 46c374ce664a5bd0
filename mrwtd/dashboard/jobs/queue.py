"""A bounded queue of jobs with fair turns.

Users take turns; see `Turns`. One lane takes short jobs only, so that a short training never waits for long ones.
A lane is a thread; trainings run in worker processes that it starts. While pages are slow, jobs start less often; see
`Pace`.

The job of a user continues on whatever page the user is. It is stopped when the user has been away for
`ORPHAN_TIMEOUT` seconds or when the server ends, and its best result so far is saved as interrupted. Jobs of the
server, such as those of lessons, have their own thread: they neither wait for trainings nor take a place in the queue.
"""

import math
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from contextlib import nullcontext
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from ...errors import DataError, Problem
from ...hosting.config import Jobs
from ...hosting.turns import Turns
from .job import Job
from .pace import Pace

T = TypeVar("T")

RETENTION = 6 * 3600.0
"""Seconds for which an ended job waits for a visit of its owner."""

MAX_RESULTS = 32
"""The number of results of `run_once` that are stored."""

PAUSE = 0.1
"""Seconds until a job that could start looks again whether the pages have time for it."""

CLOSING_SECONDS = 8.0
"""Seconds that a stopping server waits for its jobs. After ten it would be killed."""


class Queue:
    """Jobs of all users, run in fair turns by a few threads.

    >>> queue = Queue()
    >>> job = queue.submit("me", "a sum", lambda job: 1 + 1)
    >>> queue.wait(job)
    >>> job.state, job.result
    ('finished', 2)

    Args:
        workers: the number of jobs that run at once. With two or more, one of them takes short jobs only.
        limits: the length of the queue, and which jobs are short.
        max_results: the number of results of `run_once` that are stored.
        pace: measures whether pages are fast enough for the next job of a user.
    """

    def __init__(
        self, workers: int = 1, limits: Jobs | None = None, max_results: int = MAX_RESULTS, pace: Pace | None = None
    ):
        self._limits, self._max_results = limits or Jobs(), max_results
        self._jobs: list[Job] = []
        self._turns, self._pace = Turns(), pace or Pace()
        self._once: OrderedDict[Hashable, Job] = OrderedDict()
        self._without_result: deque[str] = deque(maxlen=1_000)
        self._changed = threading.Condition()
        lanes = [self._any, *[self._any] * (workers - 2), *[self._short] * (workers > 1), self._of_server]
        for number, lane in enumerate(lanes):
            threading.Thread(target=self._work, args=(lane,), name=f"mrwtd-job-{number}", daemon=True).start()

    def submit(
        self,
        owner: str,
        title: str,
        work: Callable[[Job], Any],
        kind: str = "train",
        subject: str = "",
        request: Any = None,
        key: Hashable = None,
        seconds: float = 0.0,
        join: Callable[[Job], bool] = lambda _: True,
    ) -> Job:
        """Add a job, or raise `DataError` if too many wait.

        If another job with the same key waits or runs, and `join` of it returns True, the user waits for that one.
        """
        with self._changed:
            for job in self._jobs:
                if key is not None and job.key == key and not (job.done or job.stopping) and join(job):
                    job.owners.add(owner)
                    if job.state == "queued":
                        job.turn = min(job.turn, self._turns.assign(owner, seconds))
                    return job
            return self._add(Job(title, kind, owner, work, subject, request=request, key=key, estimate=seconds))

    def run_once(
        self, key: Hashable, work: Callable[[Job], Any], owner: str = "", title: str = "", seconds: float = 0.0
    ) -> Job:
        """The job of a key: the one that waits, runs or has a result, or else a new one.

        Work that failed or returned None is not stored. Users who request the job of another user become owners of it:
        it continues until the last of them cancels it. Without an owner it is a job of the server.

        >>> queue = Queue()
        >>> job = queue.run_once("squares", lambda job: (n * n for n in range(3)))
        >>> queue.wait(job)
        >>> job.pieces, queue.run_once("squares", lambda job: iter(())) is job
        ([0, 1, 4], True)
        """
        with self._changed:
            job = self.find(key)
            if job is None or job.stopping:
                job = self._once[key] = self._add(Job(title or str(key), "once", owner, work, estimate=seconds))
            elif owner and not job.done:
                job.owners.add(owner)
            return job

    def run_now(self, key: Hashable, work: Callable[[Job], T], limit: float = math.inf) -> T:
        """The result of `run_once` for short work, which the calling thread runs itself. Errors are raised.

        Work that takes more than `limit` seconds is stopped like a cancelled job.

        >>> queue = Queue()
        >>> [queue.run_now("number", lambda job, number=number: number) for number in (1, 2)]
        [1, 1]
        """
        with self._changed:
            other = self.find(key)
            if other is None:
                job = self._once[key] = Job(str(key), "once", "", work, limit=limit)
                job.start()
        if other is not None:
            self.wait(other, threading.TIMEOUT_MAX)
            result: T = self.run_now(key, work, limit) if other.state == "failed" else other.result
            return result
        state = "failed"
        try:
            job.result = result = job.execute()
            state = job.final_state()
        finally:
            self._end(job, state)
        return result

    def find(self, key: Hashable) -> Job | None:
        """The job of a key if it waits, runs or has a result."""
        with self._changed:
            job = self._once.get(key)
            if job is not None and job.done and job.result is None:
                del self._once[key]
                return None
            if job is not None:
                self._once.move_to_end(key)
            return job

    def discard(self, key: Hashable) -> None:
        """Drop the result of a key, so that its work can run again."""
        with self._changed:
            self._once.pop(key, None)

    def jobs_of(self, owner: str) -> list[Job]:
        """The jobs of a user, oldest first. The call counts as a visit of the user."""
        with self._changed:
            self._sweep()
            jobs = [job for job in self._jobs if owner in job.owners]
            for job in jobs:
                job.last_seen = time.monotonic()
            return jobs

    def position(self, job: Job) -> int:
        """The number of jobs of users that run or start before this one."""
        with self._changed:
            waiting = self._waiting()
            ahead = waiting.index(job) if job in waiting else 0
            return ahead + sum(bool(other.owners) and other.state == "running" for other in self._jobs)

    def cancel(self, job: Job, owner: str = "") -> None:
        """Stop a job; one that waits ends at once. If it has other owners, it continues for them."""
        with self._changed:
            if owner in job.owners and len(job.owners) > 1:
                job.owners.remove(owner)
                self._without_result.append(job.id)  # for this user
                return
            job.cancel()
            if job.state == "queued":
                self._drop(job, "stopped")
            self._changed.notify_all()

    def remove(self, job: Job, owner: str = "") -> None:
        """Remove an ended job once all of its owners have seen its end."""
        with self._changed:
            job.owners -= {owner} if owner and job.done else set()
            if job.done and job in self._jobs and not (owner and job.owners):
                self._jobs.remove(job)
                if job.result is None:
                    self._without_result.append(job.id)

    def ended_without_result(self, id: str) -> bool:
        """Whether a job has ended without a result, and its owner has seen that."""
        return id in self._without_result

    def wait(self, job: Job, seconds: float = 60.0) -> None:
        """Wait until a job has ended, for at most this many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: job.done, seconds)

    def abandon(self) -> None:
        """Stop all jobs because the server ends. They save their best results so far."""
        with self._changed:
            for job in self._jobs:
                job.abandon()
                if job.state == "queued":
                    self._drop(job, "interrupted")

    def close(self, seconds: float = CLOSING_SECONDS) -> None:
        """Stop all jobs and wait for those of users. Jobs of the server have nothing to save."""
        self.abandon()
        with self._changed:
            self._changed.wait_for(lambda: all(job.done or not job.owners for job in self._jobs), seconds)

    def _add(self, job: Job) -> Job:
        with self._changed:
            self._sweep()
            waiting, limits = self._waiting(), self._limits
            same = sum(not job.owners.isdisjoint(other.owners) for other in waiting)
            if same >= limits.max_waiting_per_user:
                expected = f"fewer than {limits.max_waiting_per_user}: wait until one starts, or cancel one"
                raise DataError(Problem(f"{same} waiting jobs of yours", expected))
            if job.owners and len(waiting) >= limits.max_waiting:
                expected = f"fewer than {limits.max_waiting}: try again in a few minutes"
                raise DataError(Problem(f"{len(waiting)} waiting jobs on this server", expected))
            for owner in job.owners:
                job.turn = self._turns.assign(owner, job.estimate)
            self._jobs.append(job)
            self._changed.notify_all()
        return job

    def _sweep(self) -> None:
        """End waiting jobs whose owners are gone, and remove jobs that ended long ago."""
        for job in list(self._jobs):
            if job.state == "queued" and job.is_orphaned:
                self._drop(job, "interrupted")
            if job.done and time.monotonic() - job.last_seen > RETENTION:
                self._jobs.remove(job)

    def _drop(self, job: Job, state: str) -> None:
        """End a job that has not started."""
        job.end(state)
        for owner in job.owners:
            self._turns.give_back(owner, job.estimate)

    def _waiting(self) -> list[Job]:
        """The waiting jobs of users, the next one first."""
        waiting = [job for job in self._jobs if job.state == "queued" and job.owners]
        return sorted(waiting, key=lambda job: (self._end_of_turn(job), job.turn))

    def _end_of_turn(self, job: Job) -> float:
        """The time at which a job would end if every user had an equal part of the machine; see `Turns`.

        Users who wait for the same job share its time. A long job counts as much as the longest short one: it is not
        passed for ever.
        """
        return job.turn + min(job.estimate, self._limits.short_seconds) / len(job.owners)

    def _any(self) -> Job | None:
        return next(iter(self._waiting()), None)

    def _short(self) -> Job | None:
        return next((job for job in self._waiting() if job.estimate <= self._limits.short_seconds), None)

    def _of_server(self) -> Job | None:
        return next((job for job in self._jobs if job.state == "queued" and not job.owners), None)

    def _has_time(self, job: Job) -> bool:
        """Whether the pages have time for another job of a user."""
        if job.owners:
            if not self._pace.is_fast(len(self._waiting())):
                return False
            self._pace.start()
        return True

    def _work(self, lane: Callable[[], Job | None]) -> None:
        while True:
            with self._changed:
                while (job := lane()) is None or not self._has_time(job):
                    self._changed.wait(None if job is None else PAUSE)
                job.start()
                self._turns.begin(job.turn)
            # Jobs of the server leave the cores to the trainings of users.
            with nullcontext() if job.owners else threadpool_limits(1, "blas"):
                state = job.run()
            self._end(job, state)

    def _end(self, job: Job, state: str) -> None:
        with self._changed:
            job.end(state)
            if not job.owners and job in self._jobs:
                self._jobs.remove(job)
            ended = [key for key, other in self._once.items() if other.done]
            for key in ended[: max(len(ended) - self._max_results, 0)]:
                del self._once[key]
            self._changed.notify_all()
