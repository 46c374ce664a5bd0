"""Fair turns: users go round, short jobs have a lane, and equal requests are computed once."""

import threading
from collections.abc import Iterator

import pytest

from mrwtd.dashboard.jobs import Job, Queue
from mrwtd.hosting.config import Jobs

HOUR = 3600.0


@pytest.fixture
def free() -> Iterator[threading.Event]:
    """Long jobs run until this event is set."""
    event = threading.Event()
    yield event
    event.set()


def test_a_short_job_does_not_wait_for_the_long_ones_of_others(free: threading.Event) -> None:
    queue = Queue(workers=2, limits=Jobs(max_waiting_per_user=5))
    started = threading.Event()
    long = [
        queue.submit(user, "long", lambda job: (started.set(), free.wait(60)), seconds=HOUR)
        for user in ("ann", "bob") * 4
    ]
    assert started.wait(60)
    short = queue.submit("cat", "short", lambda job: "done", seconds=1.0)
    queue.wait(short)
    assert short.result == "done"
    assert sum(job.state == "running" for job in long) == 1  # the other lane is for short jobs


def test_turns_go_round_by_user(free: threading.Event) -> None:
    queue, order = Queue(), []
    first = queue.submit("zoe", "first", lambda job: free.wait(60))
    jobs = [
        queue.submit(user, f"{user}{number}", lambda job: order.append(job.title), seconds=10.0)
        for user in ("ann", "bob", "cat")
        for number in range(3)
    ]
    assert [queue.position(job) for job in jobs[:4]] == [1, 4, 7, 2]
    free.set()
    for job in (first, *jobs):
        queue.wait(job)
    assert order == [f"{user}{number}" for number in range(3) for user in ("ann", "bob", "cat")]


def test_among_equal_turns_the_shortest_job_is_first_and_a_long_one_is_not_passed_for_ever(
    free: threading.Event,
) -> None:
    queue, order = Queue(limits=Jobs(max_waiting_per_user=9)), []
    first = queue.submit("zoe", "first", lambda job: free.wait(60))
    jobs = [queue.submit("ann", "long", lambda job: order.append(job.title), seconds=HOUR)]
    jobs += [queue.submit("bob", f"short{n}", lambda job: order.append(job.title), seconds=5.0) for n in range(5)]
    free.set()
    for job in (first, *jobs):
        queue.wait(job)
    assert order == ["short0", "short1", "long", "short2", "short3", "short4"]


def test_a_job_that_more_users_wait_for_is_earlier(free: threading.Event) -> None:
    queue = Queue()
    queue.submit("zoe", "first", lambda job: free.wait(60))
    alone = queue.submit("ann", "alone", lambda job: None, seconds=4.0)
    shared = queue.submit("bob", "shared", lambda job: None, seconds=6.0, key="same")
    assert (queue.position(alone), queue.position(shared)) == (1, 2)
    assert queue.submit("cat", "shared", lambda job: None, seconds=6.0, key="same") is shared
    assert (queue.position(alone), queue.position(shared)) == (2, 1)


def test_a_job_that_never_started_does_not_count(free: threading.Event) -> None:
    queue = Queue()
    queue.submit("zoe", "first", lambda job: free.wait(60))
    queue.cancel(queue.submit("ann", "long", lambda job: None, seconds=HOUR), "ann")
    own = queue.submit("ann", "short", lambda job: None, seconds=1.0)
    other = queue.submit("bob", "short", lambda job: None, seconds=2.0)
    assert (queue.position(own), queue.position(other)) == (1, 2)


def test_equal_requests_are_computed_once_and_all_users_wait_for_the_same_job(free: threading.Event) -> None:
    calls: list[str] = []

    def work(job: Job) -> int:
        calls.append(job.title)
        free.wait(60)
        return 1

    queue = Queue(workers=2)
    first = queue.submit("ann", "of ann", work, key="same")
    assert queue.submit("bob", "of bob", work, key="same") is first
    assert queue.submit("cat", "another", lambda job: 2, key="other") is not first
    queue.cancel(first, "ann")
    assert not first.cancelled
    free.set()
    queue.wait(first)
    assert (first.result, calls, queue.jobs_of("bob")) == (1, ["of ann"], [first])
    assert queue.submit("dan", "later", lambda job: 3, key="same") is not first


def test_a_job_that_refuses_company_is_not_shared(free: threading.Event) -> None:
    queue = Queue(workers=2)
    first = queue.submit("ann", "a", lambda job: free.wait(60), key="same")
    second = queue.submit("bob", "b", lambda job: 2, key="same", join=lambda job: False)
    queue.wait(second)
    assert second is not first
