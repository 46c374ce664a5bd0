"""The pace of trainings: further ones wait while pages are slow, but not for long, and only in a class."""

import threading

from mrwtd.dashboard.jobs import Job, Queue
from mrwtd.dashboard.jobs.pace import CLASS, MOST, PATIENCE, Pace


class Machine:
    """A clock and the processor time of a server, both set by a test."""

    def __init__(self) -> None:
        self.now = self.used = 0.0

    def pass_time(self, seconds: float, load: float) -> None:
        self.now += seconds
        self.used += load * seconds


def pace_of(machine: Machine) -> Pace:
    return Pace(lambda: machine.now, lambda: machine.used)


def test_a_busy_server_starts_no_training_of_a_class() -> None:
    machine = Machine()
    pace = pace_of(machine)
    assert pace.is_fast(CLASS)
    machine.pass_time(1.0, MOST + 0.2)
    assert not pace.is_fast(CLASS)
    assert pace.is_fast(CLASS - 1)
    machine.pass_time(1.0, MOST - 0.2)
    assert pace.is_fast(CLASS)


def test_a_training_starts_after_a_while_however_busy_the_server_is() -> None:
    machine = Machine()
    pace = pace_of(machine)
    pace.is_fast(CLASS)
    machine.pass_time(PATIENCE, 1.0)
    assert pace.is_fast(CLASS)
    pace.start()
    machine.pass_time(PATIENCE / 2, 1.0)
    assert not pace.is_fast(CLASS)
    machine.pass_time(PATIENCE / 2, 1.0)
    assert pace.is_fast(CLASS)


class Gate(Pace):
    """A pace that a test opens."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.is_open = threading.Event(), False

    def is_fast(self, waiting: int) -> bool:
        self.asked.set()
        return self.is_open


def test_jobs_of_users_wait_for_the_pages_and_those_of_the_server_do_not() -> None:
    gate = Gate()
    queue = Queue(pace=gate)
    job = queue.submit("ann", "a training", lambda job: 1)
    of_server = queue.run_once("warm-up", lambda job: 2)
    queue.wait(of_server)
    assert of_server.result == 2
    assert gate.asked.wait(10)
    assert job.state == "queued"
    gate.is_open = True
    queue.wait(job)
    assert job.result == 1


def test_a_job_that_waits_for_the_pages_can_be_cancelled() -> None:
    gate = Gate()
    queue = Queue(pace=gate)
    job: Job = queue.submit("ann", "a training", lambda job: 1)
    assert gate.asked.wait(10)
    queue.cancel(job)
    assert job.state == "stopped"
