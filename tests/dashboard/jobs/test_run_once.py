"""Work that runs once for all users who request it."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

import mrwtd
from mrwtd.dashboard.jobs import Job, Queue
from mrwtd.dashboard.jobs import job as job_module
from mrwtd.hosting.config import Jobs


class Counted:
    """Work that waits until it may end, and counts its calls."""

    def __init__(self) -> None:
        self.calls, self.started, self.free = 0, threading.Event(), threading.Event()

    def __call__(self, job: Job) -> str | None:
        self.calls += 1
        self.started.set()
        while not self.free.wait(0.01):
            if job.cancelled:
                return None
        return "result"


@pytest.mark.parametrize("in_request", [False, True])
def test_work_requested_by_two_threads_at_once_runs_once(in_request: bool) -> None:
    queue, work, both = Queue(), Counted(), threading.Barrier(2)

    def request(user: str) -> str:
        both.wait(10)
        if in_request:
            return queue.run_now("key", work)
        job = queue.run_once("key", work, user)
        queue.wait(job)
        return job.result

    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(request, user) for user in ("ann", "bob")]
        assert work.started.wait(10)
        work.free.set()
        assert [future.result(10) for future in futures] == ["result", "result"]
    assert work.calls == 1
    assert queue.run_now("key", work) == queue.run_once("key", work, "cat").result == "result"
    assert work.calls == 1


def test_another_key_is_other_work() -> None:
    queue = Queue()
    assert [queue.run_now(("run", user), lambda job, user=user: user) for user in ("ann", "bob")] == ["ann", "bob"]


def failing_once(error: Exception) -> Callable[[Job], str]:
    calls: list[Job] = []

    def work(job: Job) -> str:
        calls.append(job)
        if len(calls) == 1:
            raise error
        return "result"

    return work


def test_a_failure_is_not_stored() -> None:
    queue, work = Queue(), failing_once(ValueError("a bad day"))
    first = queue.run_once("key", work)
    queue.wait(first)
    assert (first.state, queue.find("key")) == ("failed", None)
    second = queue.run_once("key", work)
    queue.wait(second)
    assert (second.state, second.result) == ("finished", "result")
    assert queue.run_once("key", work) is second


def test_a_failure_of_short_work_is_raised_and_not_stored() -> None:
    queue, work = Queue(), failing_once(mrwtd.DataError(mrwtd.errors.Problem("a", "b")))
    with pytest.raises(mrwtd.DataError, match="found a"):
        queue.run_now("key", work)
    assert queue.run_now("key", work) == "result"


def test_if_short_work_of_another_thread_fails_the_waiting_thread_repeats_it() -> None:
    queue, started, free = Queue(), threading.Event(), threading.Event()

    def fails(job: Job) -> None:
        started.set()
        free.wait(10)
        raise ValueError("a bad day")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(queue.run_now, "key", fails)
        assert started.wait(10)
        second = pool.submit(queue.run_now, "key", lambda job: "result")
        free.set()
        assert second.result(10) == "result"
        assert isinstance(first.exception(10), ValueError)


def test_the_oldest_results_are_dropped_first() -> None:
    queue = Queue(max_results=2)
    for number in (1, 2):
        queue.run_now(number, lambda job, number=number: number)
    assert queue.run_now(1, lambda job: "again") == 1  # which makes it the latest
    queue.run_now(3, lambda job: 3)
    assert queue.find(2) is None
    assert [queue.find(key).result for key in (1, 3)] == [1, 3]
    queue.discard(3)
    assert queue.find(3) is None


def test_cancelled_work_without_a_result_can_be_requested_again() -> None:
    queue, work = Queue(), Counted()
    job = queue.run_once("key", work, "ann", "long work")
    assert work.started.wait(10)
    assert queue.jobs_of("ann") == [job]
    queue.cancel(job, "ann")
    assert queue.run_once("key", work, "ann") is not job  # not one that is about to stop
    queue.wait(job)
    work.free.set()
    assert (job.state, job.result) == ("stopped", None)
    again = queue.find("key")
    queue.wait(again)
    assert again.result == "result"


def test_a_shared_job_continues_until_the_last_user_cancels_it() -> None:
    queue, work = Queue(), Counted()
    job = queue.run_once("key", work, "ann")
    assert queue.run_once("key", work, "bob") is job
    assert work.started.wait(10)
    queue.cancel(job, "ann")
    assert (queue.jobs_of("ann"), queue.jobs_of("bob"), job.cancelled) == ([], [job], False)
    queue.cancel(job, "bob")
    queue.wait(job)
    assert job.state == "stopped"


def test_each_user_of_a_shared_job_sees_its_end() -> None:
    queue, work = Queue(), Counted()
    job = queue.run_once("key", work, "ann")
    queue.run_once("key", work, "bob")
    work.free.set()
    queue.wait(job)
    queue.remove(job, "ann")
    assert (queue.jobs_of("ann"), queue.jobs_of("bob")) == ([], [job])
    queue.remove(job, "bob")
    assert queue.jobs_of("bob") == []


def test_partial_results_can_be_read_while_the_job_runs() -> None:
    queue, first, more = Queue(), threading.Event(), threading.Event()

    def work(job: Job) -> Iterator[int]:
        yield 1
        job.report(0.5, "half of it")
        first.set()
        more.wait(10)
        yield 2

    job = queue.run_once("key", work)
    assert first.wait(10)
    assert (job.pieces, job.done, job.progress, job.status) == ([1], False, 0.5, "half of it")
    more.set()
    queue.wait(job)
    assert (job.pieces, job.state) == ([1, 2], "finished")


def test_work_of_the_server_does_not_wait_and_belongs_to_no_user(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, long, short = Queue(limits=Jobs(max_waiting=2, max_waiting_per_user=1)), Counted(), Counted()
    training = queue.submit("ann", "training", long)
    assert long.started.wait(10)
    lesson = queue.run_once("lesson", short)
    assert short.started.wait(10)
    waiting = queue.submit("bob", "training", lambda job: 1)
    assert queue.position(waiting) == 1  # the lesson takes no place
    monkeypatch.setattr(job_module, "ORPHAN_TIMEOUT", -1.0)
    assert (training.is_orphaned, lesson.is_orphaned) == (True, False)
    short.free.set()
    queue.wait(lesson)
    assert (lesson.state, lesson.result) == ("finished", "result")


def test_a_server_that_ends_stops_its_own_work_and_does_not_wait_for_it() -> None:
    queue, free = Queue(), threading.Event()
    job = queue.run_once("lesson", lambda job: free.wait(60))
    queue.close(seconds=30)
    assert job.cancelled
    free.set()
