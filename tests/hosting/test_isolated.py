"""Calls in other processes: results, errors, limits, and an end in any case."""

import os
import re
import select
import signal
import time
from pathlib import Path

import pytest

import mrwtd
from mrwtd.errors import DataError
from mrwtd.hosting import isolated, worker
from mrwtd.hosting.isolated import Process, ProcessDiedError, TimeLimitError
from mrwtd.model.cancellation import Cancelled


def wait_until_ended(pid: int) -> None:
    """Wait for the end of a process, which is another's child, and fail if it does not come."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    ended, _, _ = select.select([handle], [], [], 60)
    os.close(handle)
    assert ended


def test_a_process_answers_several_calls_and_keeps_what_it_has_loaded() -> None:
    with Process() as process:
        assert process.call(os.getpid) == process.call(os.getpid) == process.pid != os.getpid()


def test_errors_are_raised_here_and_the_process_goes_on() -> None:
    with Process() as process:
        with pytest.raises(DataError, match="no such file"):
            process.call(mrwtd.plugins.load, ["no such file.py"])
        assert process.call(abs, -1) == 1


def test_an_unexpected_error_is_logged_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    with Process() as process, pytest.raises(RuntimeError, match="ValueError"):
        process.call(int, "x")
    assert "Traceback" in caplog.text


def test_too_much_memory_is_an_error_and_no_more() -> None:
    with Process(memory=200_000_000) as process:
        with pytest.raises(MemoryError):
            process.call(bytes, 10**9)
        assert len(process.call(bytes, 10**7)) == 10**7


kept = []


def keep(size: int) -> int:
    kept.append(bytes(size))
    return len(kept)


def test_calls_share_their_memory() -> None:
    with Process(memory=300_000_000) as process:
        assert process.call(keep, 150_000_000) == 1
        with pytest.raises(MemoryError):
            process.call(keep, 150_000_000)


class TooLarge:
    """What has no place in memory when it is sent."""

    def __reduce__(self) -> object:
        return bytes, (bytes(10**9),)


def test_a_result_without_memory_for_its_copy_is_too_much_memory() -> None:
    with Process(memory=200_000_000) as process, pytest.raises(MemoryError):
        process.call(TooLarge)


def test_waiting_for_the_processor_is_no_work_within_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolated, "WAITING", 1e6)
    with Process() as process:
        assert process.call(time.sleep, 0.2, seconds=0.01) is None
    monkeypatch.setattr(isolated, "WAITING", 2)
    with Process() as process, pytest.raises(TimeLimitError):
        process.call(time.sleep, 60, seconds=0.01)


def test_the_system_ends_a_process_before_its_server_when_it_has_no_memory() -> None:
    score = Path("/proc/self/oom_score_adj")
    with Process() as process:
        assert int(process.call(score.read_text)) == int(worker.SERVER_GOES_LAST) > int(score.read_text())


def test_a_regular_expression_that_backtracks_is_ended_by_the_clock() -> None:
    with Process() as process:
        process.call(abs, 1)
        pid = process.pid
        with pytest.raises(TimeLimitError):
            process.call(re.match, "(a+)+b", "a" * 40, seconds=0.3)  # which holds the lock of the interpreter
    wait_until_ended(pid)


def test_a_process_that_is_killed_is_noticed() -> None:
    with Process() as process:
        process.call(abs, 1)
        os.kill(process.pid, signal.SIGKILL)
        with pytest.raises(ProcessDiedError):
            process.call(abs, 1)


def test_a_closed_process_ends() -> None:
    process = Process()
    process.call(abs, 1)
    pid = process.pid
    process.close()
    wait_until_ended(pid)


def test_a_new_parent_is_started_if_it_was_killed() -> None:
    with Process() as process:
        process.call(abs, 1)
    isolated._parent._process.kill()
    isolated._parent._process.wait()
    with Process() as process:
        assert process.call(abs, -2) == 2


def report(number: int) -> str:
    for step in range(number):
        worker.send_message(step)
        while not worker.cancelled():
            os.sched_yield()
    return worker.cancelled()


def test_messages_arrive_in_order_and_a_reason_to_stop_is_known_there() -> None:
    messages: list[int] = []
    with Process() as process:
        reason = process.call(report, 3, check=lambda: "stopped" if messages else "", on_message=messages.append)
    assert (messages, reason) == ([0, 1, 2], "stopped")


def test_an_exception_of_the_check_ends_the_process() -> None:
    class LeaveError(Exception):
        pass

    def leave() -> str:
        raise LeaveError

    with Process() as process:
        process.call(abs, 1)
        pid = process.pid
        with pytest.raises(LeaveError):
            process.call(time.sleep, 60, check=leave)
    wait_until_ended(pid)


def raise_cancelled() -> None:
    raise Cancelled


def test_cancelled_work_raises_cancelled() -> None:
    with Process() as process, pytest.raises(Cancelled):
        process.call(raise_cancelled)
