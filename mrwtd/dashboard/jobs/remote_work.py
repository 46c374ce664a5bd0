"""Work of a job in a worker process, so that pages stay responsive."""

from collections.abc import Callable
from typing import Any, TypeVar

from ...hosting.isolated import Process
from ...hosting.worker import cancelled, send_message
from ...model.cancellation import cancel_when
from . import Job

T = TypeVar("T")

NICE = 10
"""How far worker processes leave the processor to the pages."""


def in_process(work: Callable[[Job], T | None]) -> Callable[[Job], T | None]:
    """The same work in a worker process. It may be a closure; of its job it can use `report`, `eta` and `cancelled`.

    >>> in_process(lambda job: 1 + 1)(Job("a sum", "once", "me", print))
    2
    """

    def run(job: Job) -> T | None:
        import cloudpickle

        def report(message: tuple[float, str, float | None]) -> None:
            progress, status, job.eta = message
            job.report(progress, status)

        with Process(nice=NICE) as process:
            content = cloudpickle.dumps(work)
            result: T | None = process.call(_run, content, check=lambda: job.cancel_reason, on_message=report)
            return result

    return run


class _RemoteJob(Job):
    """The job in the worker process: progress is sent to the server."""

    @property
    def cancelled(self) -> bool:
        return bool(cancelled())

    def report(self, progress: float, status: str) -> bool:
        send_message((progress, status, self.eta))
        return self.cancelled


def _run(content: bytes) -> Any:
    import cloudpickle

    work: Callable[[Job], Any] = cloudpickle.loads(content)
    with cancel_when(lambda: bool(cancelled())):
        return work(_RemoteJob("", "once", "", work))
