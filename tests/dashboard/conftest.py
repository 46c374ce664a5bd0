"""Fixtures for jobs and pages."""

import pytest

from mrwtd.dashboard.jobs import recent_runs, training, training_process


class SameProcess:
    """Runs the calls of a training in this process, so that a test can cancel it at a given iteration."""

    def __init__(self, nice: int = 0):
        pass

    def __enter__(self) -> "SameProcess":
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def call(self, function, *arguments, check, on_message):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(training_process, "send_message", on_message)
            patch.setattr(training_process, "cancelled", check)
            patch.setattr(training_process, "REPORT_SECONDS", 0.0)
            return function(*arguments)


@pytest.fixture
def _same_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "Process", SameProcess)


@pytest.fixture(autouse=True)
def _no_recent_runs() -> None:
    """Forget the trainings of other tests: an equal one would not run again."""
    recent_runs._folders.clear()
