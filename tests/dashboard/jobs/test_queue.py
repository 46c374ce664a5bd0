"""The queue of jobs: order, bounds, cancelling, and users who leave."""

import threading

import pytest

import mrwtd
from mrwtd.dashboard.jobs import Job, Queue
from mrwtd.dashboard.jobs import job as job_module
from mrwtd.dashboard.jobs.queue import RETENTION
from mrwtd.hosting.config import Jobs


def until_cancelled(started: threading.Event):
    def work(job: Job) -> str:
        started.set()
        pause = threading.Event()
        while not job.cancelled:
            pause.wait(0.01)
        return "the best so far"

    return work


def test_jobs_wait_for_each_other_and_users_see_only_theirs() -> None:
    queue, started = Queue(), threading.Event()
    first = queue.submit("ann", "first", until_cancelled(started))
    second = queue.submit("bob", "second", lambda job: 2)
    assert started.wait(10)
    assert queue.jobs_of("ann") == [first]
    assert queue.jobs_of("bob") == [second]
    assert (first.state, second.state, queue.position(second)) == ("running", "queued", 1)
    queue.cancel(first)
    queue.wait(second)
    assert (first.state, first.result) == ("stopped", "the best so far")
    assert (second.state, second.result) == ("finished", 2)


def test_a_waiting_job_is_cancelled_at_once_and_never_runs() -> None:
    queue, started, ran = Queue(), threading.Event(), threading.Event()
    first = queue.submit("ann", "first", until_cancelled(started))
    second = queue.submit("ann", "second", lambda job: ran.set())
    queue.cancel(second)
    assert second.state == "stopped"
    queue.cancel(first)
    queue.wait(first)
    third = queue.submit("ann", "third", lambda job: 3)
    queue.wait(third)
    assert not ran.is_set()


def test_the_queue_is_bounded() -> None:
    queue, started = Queue(limits=Jobs(max_waiting=2, max_waiting_per_user=1)), threading.Event()
    first = queue.submit("ann", "first", until_cancelled(started))
    assert started.wait(10)
    queue.submit("ann", "second", lambda job: 2)
    with pytest.raises(mrwtd.DataError, match="1 waiting jobs of yours"):  # half of the places are reserved for others
        queue.submit("ann", "third", lambda job: 3)
    queue.submit("bob", "fourth", lambda job: 4)
    with pytest.raises(mrwtd.DataError, match="2 waiting jobs"):
        queue.submit("cat", "fifth", lambda job: 5)
    queue.cancel(first)


def test_a_job_without_a_user_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, started = Queue(), threading.Event()
    job = queue.submit("ann", "first", until_cancelled(started))
    waiting = queue.submit("ann", "second", lambda job: 2)
    assert started.wait(10)
    monkeypatch.setattr(job_module, "ORPHAN_TIMEOUT", -1.0)
    queue.wait(job)
    assert (job.state, job.result) == ("interrupted", "the best so far")
    assert queue.jobs_of("someone else") == []
    assert waiting.state in ("interrupted", "running", "finished")


def test_returning_users_see_that_a_waiting_job_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, started = Queue(), threading.Event()
    first = queue.submit("ann", "first", until_cancelled(started))
    assert started.wait(10)
    waiting = queue.submit("bob", "second", lambda job: 2)
    waiting.last_seen -= job_module.ORPHAN_TIMEOUT + 1
    assert queue.jobs_of("ann") == [first]
    assert queue.jobs_of("bob") == [waiting]
    assert waiting.state == "interrupted"
    waiting.last_seen -= RETENTION
    assert queue.jobs_of("bob") == []
    queue.cancel(first)


@pytest.mark.parametrize(
    ("error", "fragment"),
    [
        (mrwtd.DataError(mrwtd.errors.Problem("a", "b")), "found a; expected b"),
        (MemoryError(), "memory"),
        (ZeroDivisionError("secret"), "server's log"),
    ],
)
def test_a_failure_has_a_message_and_the_next_job_runs(error: Exception, fragment: str) -> None:
    def fails(job: Job) -> None:
        raise error

    queue = Queue()
    job = queue.submit("ann", "first", fails)
    queue.wait(job)
    assert job.state == "failed"
    assert fragment in job.problem
    assert "secret" not in job.problem
    after = queue.submit("ann", "second", lambda job: 2)
    queue.wait(after)
    assert after.state == "finished"
    queue.remove(job)
    assert queue.jobs_of("ann") == [after]


def test_time_left_is_estimated_from_the_progress() -> None:
    job = Job("a", "train", "ann", lambda job: None, state="running", progress=0.25)
    job.started = job_module.time.monotonic() - 10
    assert job.remaining == pytest.approx(30, rel=0.05)
    job.progress = 0.0
    assert job.remaining is None


def test_a_fit_without_a_callback_is_stopped_with_its_job() -> None:
    queue, started = Queue(), threading.Event()
    wait = until_cancelled(started)

    def work(job: Job) -> mrwtd.MrWTD:
        wait(job)
        return mrwtd.MrWTD(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))

    job = queue.submit("ann", "a fit", work)
    assert started.wait(10)
    queue.cancel(job)
    queue.wait(job)
    assert (job.state, job.result, job.problem) == ("stopped", None, "")


def test_a_job_without_a_result_is_remembered_after_its_end_was_shown() -> None:
    queue = Queue()
    jobs = [queue.submit("ann", "job", work) for work in (lambda job: None, lambda job: 1)]
    for job in jobs:
        queue.wait(job)
        queue.remove(job)
    assert [queue.ended_without_result(job.id) for job in jobs] == [True, False]


def test_an_error_caused_by_a_stop_counts_as_a_stop() -> None:
    def work(job: Job) -> None:
        job.abandon()
        raise RuntimeError("the pool is shut")

    queue = Queue()
    job = queue.submit("ann", "job", work)
    queue.wait(job)
    assert (job.state, job.problem) == ("interrupted", "")


def test_a_closed_queue_saves_the_results_so_far() -> None:
    queue, started, ran = Queue(), threading.Event(), threading.Event()
    first = queue.submit("ann", "first", until_cancelled(started))
    second = queue.submit("bob", "second", lambda job: ran.set())
    assert started.wait(10)
    queue.close()
    assert (first.state, first.result) == ("interrupted", "the best so far")
    assert second.state == "interrupted"
    assert not ran.is_set()
