"""The log of jobs: one line for each job of a user, without personal data."""

import json

import pytest

from mrwtd.dashboard.jobs import Job, Queue
from mrwtd.errors import DataError, Problem
from mrwtd.hosting import job_log


def refuse(job: Job) -> None:
    raise DataError(Problem("a secret name", "another one"))


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that are logged."""
    logged: list[str] = []
    monkeypatch.setattr(job_log._logger(), "info", logged.append)
    return logged


def test_each_job_of_a_user_is_one_line_without_personal_data(lines: list[str]) -> None:
    queue = Queue()
    for work in (lambda job: 1, refuse):
        job = queue.submit("secret user", "secret title", work, subject="secret file", request="secret", key="secret")
        queue.wait(job)
    queue.wait(queue.run_once("of the server", lambda job: 1))
    events = [json.loads(line) for line in lines]
    assert [event["state"] for event in events] == ["finished", "failed"]
    assert {"time", "event", "kind", "waited", "seconds", "estimate", "users"} < set(events[0])
    assert "secret" not in "".join(lines)
    assert job.id not in "".join(lines)
