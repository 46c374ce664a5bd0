"""Calls in separate processes, with limits on time and memory.

The server never parses the bytes of a user and never fits a model itself. A worker process does, and one that takes too
long, takes too much memory, or crashes, affects nobody else. Workers are forked from one process that has loaded the
package, so a new one costs some milliseconds.

Where the system has no `fork`, as on Windows, the calling thread runs the function, without limits.
"""

import atexit
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self, TypeVar

from ..errors import DataError
from ..model.cancellation import Cancelled
from ..version import PACKAGE
from .worker import Call, Reply

T = TypeVar("T")

log = logging.getLogger(__name__)

HAS_FORK = hasattr(os, "fork") and hasattr(socket, "send_fds")

POLL_SECONDS = 0.05
"""Seconds between two checks for cancellation while a call runs."""

WAITING = 10.0
"""On a busy machine, a call may take this many times its limit of processor time."""

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""A process with threads cannot be forked safely, and threads of linear algebra make small fits slower."""


class TimeLimitError(Exception):
    """A call took longer than it was allowed to."""


class ProcessDiedError(Exception):
    """The process of a call ended before there was a result: killed for its memory, or crashed."""


class Process:
    """A process that runs functions for this one. Use it with `with`, or call `close`.

    >>> with Process() as process:
    ...     process.call(sum, [1, 2])
    3

    Args:
        memory: bytes that all calls together may allocate, None for no limit. Beyond it, calls raise `MemoryError`.
        nice: how far other processes go first, from 0 to 19.
    """

    def __init__(self, memory: int | None = None, nice: int = 0):
        self._memory, self._nice = memory, nice
        self._sending = threading.Lock()
        self._connection: Connection | None = None
        self.pid: int | None = None
        if HAS_FORK:
            self._connection = _parent.fork()

    def call(
        self,
        function: Callable[..., T],
        *arguments: Any,
        seconds: float | None = None,
        check: Callable[[], str] = lambda: "",
        on_message: Callable[[Any], None] = lambda _: None,
    ) -> T:
        """The result of a function, which must be importable by its name. Its errors are raised here.

        Args:
            function: called in the process, which can use `worker.send_message` and `worker.cancelled`.
            arguments: sent to the process as they are.
            seconds: the longest processor time, and a tenth of the longest time; then the process is killed and
                `TimeLimitError` is raised.
            check: called often; a text asks the function to stop, and is what `worker.cancelled` returns there.
            on_message: receives the messages of the function.
        """
        if self._connection is None:
            return function(*arguments)
        try:
            self._wait_for_start()
            self._send(Call(function, arguments, self._memory, self._nice))
            result: T = self._result(seconds, check, on_message)
        except (MemoryError, DataError, Cancelled):
            raise  # the process can take other calls
        except BaseException:
            self.kill()
            raise
        return result

    def _result(self, seconds: float | None, check: Callable[[], str], on_message: Callable[[Any], None]) -> Any:
        stopwatch, reason = _Stopwatch(self.pid), ""
        while seconds is None or not stopwatch.is_over(seconds):
            reply = self._receive()
            if reply is not None and reply.kind == "result":
                return reply.value
            if reply is not None and reply.kind == "message":
                on_message(reply.value)
            elif reply is not None:
                if reply.details:
                    log.error("A call in another process failed.\n%s", reply.details)
                raise reply.value
            if not reason and (reason := check()):
                self._send(reason)
        raise TimeLimitError

    def _wait_for_start(self) -> None:
        """Wait for the id of the process; the first one of a server takes some seconds."""
        while self.pid is None:
            reply = self._receive()
            self.pid = None if reply is None else reply.value

    def _receive(self) -> Reply | None:
        assert self._connection is not None
        try:
            return self._connection.recv() if self._connection.poll(POLL_SECONDS) else None
        except (EOFError, OSError):
            raise ProcessDiedError from None

    def _send(self, item: Any) -> None:
        assert self._connection is not None
        with self._sending, suppress(BrokenPipeError):  # reading notices it too
            self._connection.send(item)

    def kill(self) -> None:
        """End the process at once, whatever it does."""
        if self.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        self.close()

    def close(self) -> None:
        """Close the connection, which ends the process."""
        if self._connection is not None and not self._connection.closed:
            self._connection.close()
        self.pid = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.kill()

    def __del__(self) -> None:
        self.kill()


class _Stopwatch:
    """The processor time of a process. Time in which it waits for the processor does not count, within reason."""

    def __init__(self, pid: int | None):
        self._pid = pid
        self._started, self._used = time.monotonic(), self._processor_seconds()

    def is_over(self, seconds: float) -> bool:
        """Whether the process has worked for so long, or was given ten times as long."""
        elapsed = time.monotonic() - self._started
        if elapsed < seconds:
            return False
        used = self._processor_seconds()
        return used is None or self._used is None or used - self._used >= seconds or elapsed >= WAITING * seconds

    def _processor_seconds(self) -> float | None:
        """None if the system does not tell, or the process has ended."""
        try:
            fields = Path(f"/proc/{self._pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2]
        except OSError:
            return None
        user, system = map(int, fields.split()[11:13])
        return (user + system) / os.sysconf("SC_CLK_TCK")


class _Parent:
    """The process that all others are forked from. It is started when it is first needed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None

    def fork(self) -> Connection:
        """A connection to a new process."""
        ours, theirs = socket.socketpair()
        with theirs:
            for attempt in (1, 2):  # it may have been killed, for instance for lack of memory
                with self._lock:
                    self._start()
                    assert self._control is not None
                    try:
                        socket.send_fds(self._control, [b"f"], [theirs.fileno()])
                        break
                    except OSError:
                        self._forget()
                        if attempt == 2:
                            raise
        return Connection(ours.detach())

    def close(self) -> None:
        """End the process. Workers end by themselves, as their connections are closed too."""
        with self._lock:
            self._forget()

    def _forget(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
            self._process.wait()

    def _start(self) -> None:
        if self._control is not None:
            return
        self._control, theirs = socket.socketpair()
        code = f"from mrwtd.hosting.worker import main; main({theirs.fileno()})"
        path = os.pathsep.join([str(PACKAGE.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = os.environ | ONE_THREAD | {"PYTHONPATH": path}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code], pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env=environment
            )


_parent = _Parent()
atexit.register(_parent.close)


def start() -> None:
    """Start the process that others are forked from, so that the first call need not wait for it."""
    if HAS_FORK:
        Process().close()
