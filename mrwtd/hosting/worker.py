"""The other side of `isolated.Process`: a process that loads the package once and forks a worker per request.

`main` listens on a socket for requests to fork. Each worker has its own connection, on which it receives calls, and
sends messages and results. It ends when that connection is closed, so no worker survives the server. It also ends when
no call comes for a while.
"""

import os
import queue
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from ..errors import DataError
from ..model.cancellation import Cancelled

SERVER_GOES_LAST = "500"
"""What is added to the score of a worker when the system is out of memory and ends a process: a third to a half."""

IDLE_SECONDS = 120.0
"""A worker ends after this many seconds without a call, to free its memory."""


@dataclass(frozen=True)
class Call:
    """A function to call in a worker, with a limit of memory in bytes beyond what an idle worker has."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    memory: int | None = None
    nice: int = 0


@dataclass(frozen=True)
class Reply:
    """A message or the end of a call.

    Attributes:
        kind: "started", "message", "result" or "error".
        value: the process id, the message, the result or the exception.
        details: the traceback of an unexpected exception.
    """

    kind: str
    value: Any = None
    details: str = ""


class Channel:
    """The connection of a worker to its server."""

    def __init__(self, connection: Connection):
        self._connection, self._calls = connection, queue.SimpleQueue[Call]()
        self.reason = ""
        """Why the call should stop, such as "stopped"; empty if it should not."""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        try:
            while True:
                item = self._connection.recv()
                if isinstance(item, Call):
                    self._calls.put(item)
                else:
                    self.reason = item
        except (EOFError, OSError, MemoryError):
            os._exit(1)  # the server is gone or does not need this worker any more, or a call has left no memory

    def next_call(self) -> Call:
        """The next call. Without one for a while, the process ends."""
        try:
            return self._calls.get(timeout=IDLE_SECONDS)
        except queue.Empty:
            os._exit(0)

    def send(self, reply: Reply) -> None:
        """Send a message or a result."""
        self._connection.send(reply)


_channel: Channel | None = None


def send_message(message: Any) -> None:
    """Send a message to the server from within a call; without a server nothing happens.

    >>> send_message("half done")
    """
    if _channel is not None:
        _channel.send(Reply("message", message))


def cancelled() -> str:
    """Why the current call should stop; empty if it should not.

    >>> cancelled()
    ''
    """
    return "" if _channel is None else _channel.reason


def _serve(connection: Connection) -> None:
    """Run one call after another until the server closes the connection."""
    global _channel
    idle = _address_space()
    with suppress(OSError):  # not on Linux
        Path("/proc/self/oom_score_adj").write_text(SERVER_GOES_LAST, encoding="ascii")
    _channel = channel = Channel(connection)
    channel.send(Reply("started", os.getpid()))
    while True:
        reply = _run(channel.next_call(), idle)
        try:
            channel.send(reply)
        except OSError:
            raise
        except MemoryError as error:  # for a copy of the result
            channel.send(Reply("error", error))
        except Exception as error:  # a result that cannot be sent
            channel.send(_failure(error))


def _run(call: Call, idle: int) -> Reply:
    _limit(call, idle)
    try:
        return Reply("result", call.function(*call.arguments))
    except (DataError, Cancelled, MemoryError) as error:
        return Reply("error", error)
    except Exception as error:
        return _failure(error)


def _failure(error: Exception) -> Reply:
    text = f"{type(error).__name__}: {error}"
    return Reply("error", RuntimeError(text), "".join(traceback.format_exception(error)))


def _limit(call: Call, idle: int) -> None:
    if call.nice:
        os.nice(max(call.nice - os.nice(0), 0))
    if call.memory is not None and sys.platform == "linux":
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (idle + call.memory, hard))


def _address_space() -> int:
    """The bytes of memory that this process has reserved; 0 where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _preload() -> None:
    """Load what calls need, once for all workers: readers, methods, metrics and compiled code."""
    from .. import plugins
    from ..baselines import METHODS
    from ..data import readers  # noqa: F401
    from ..metrics import METRICS
    from ..model.diagnostics import without_warnings
    from ..runs.execute import warm_up
    from ..version import results_version

    for name in ("networkx", "openpyxl", "pyarrow.csv", "pyarrow.parquet"):  # what readers import when they need it
        import_module(name)
    plugins.load_named()
    list(METHODS), list(METRICS)  # registries load their modules when they are read
    results_version()  # which reads all sources
    with without_warnings():
        warm_up(10)


def main(handle: int) -> None:
    """Fork a worker for each request on a socket, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes the socket
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system removes workers that have ended
    control = socket.socket(fileno=handle)
    _preload()
    while True:
        request, handles, _, _ = socket.recv_fds(control, 1, 1)
        if not request:
            return
        if os.fork() == 0:
            control.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            with suppress(OSError):  # the server may be gone already
                _serve(Connection(handles[0]))
            os._exit(0)
        os.close(handles[0])
