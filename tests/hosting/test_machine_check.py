"""The check of a machine finds what prevents a server from working."""

import errno
import socket

import pytest
from numba.core.caching import NullCache

from mrwtd.hosting import machine_check
from mrwtd.hosting.config import HOME, Config, Workspaces
from mrwtd.hosting.machine_check import Finding, check_machine
from mrwtd.model import compiled

SESSION_ONLY = Config(workspaces=Workspaces(session_only=True))


def findings(config: Config = SESSION_ONLY, memory: float | None = 8e9, port: int | None = None) -> dict[str, Finding]:
    listed = list(check_machine(config, memory, "127.0.0.1", port))
    assert len({finding.name for finding in listed}) == len(listed)
    return {finding.name: finding for finding in listed}


def test_this_machine_is_suitable(tmp_path, monkeypatch):
    monkeypatch.setenv(HOME, str(tmp_path / "new" / "home"))
    listed = findings(Config())
    assert not [str(finding) for finding in listed.values() if finding.status == "problem"]
    assert {"packages", "cores", "memory", "workspaces", "Numba", "processes", "port"} <= listed.keys()
    assert list(tmp_path.iterdir()) == [], "a check leaves nothing behind"


@pytest.mark.parametrize(("memory", "status"), [(8e9, "ok"), (1.5e9, "warning"), (0.5e9, "problem"), (None, "warning")])
def test_memory(memory, status):
    assert findings(memory=memory)["memory"].status == status


def test_packages_of_another_version_and_missing_ones(monkeypatch):
    monkeypatch.setattr(machine_check, "_requirements", lambda: ["click>=8", "numpy>=99", "no-such-package>=1"])
    finding = findings()["packages"]
    assert finding.status == "problem"
    assert "numpy>=99" in finding.found
    assert "no-such-package>=1" in finding.found
    assert "click" not in finding.found


def test_a_workspace_folder_that_cannot_be_made(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(HOME, str(tmp_path / "file" / "home"))
    finding = findings(Config())["workspaces"]
    assert finding.status == "problem"
    assert HOME in finding.advice


def test_a_home_folder_that_cannot_be_written_is_needed_only_for_workspaces(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("HOME", str(tmp_path / "file"))
    monkeypatch.delenv(HOME)
    assert findings(Config())["home"].status == "warning"
    assert findings(Config())["workspaces"].status == "problem"
    assert findings()["home"].status == "ok"
    monkeypatch.setenv(HOME, str(tmp_path))
    assert findings(Config())["home"].status == "ok"


def test_disk_space(tmp_path, monkeypatch):
    monkeypatch.setenv(HOME, str(tmp_path))
    usage = machine_check.disk_usage(tmp_path)
    monkeypatch.setattr(machine_check, "disk_usage", lambda path: usage._replace(free=10**6))
    listed = findings(Config())
    assert listed["disk"].status == listed["temporary"].status == "problem"


def test_a_port_in_use_is_a_problem_only_if_it_was_asked_for(monkeypatch):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        assert findings(port=port)["port"].status == "problem"
        monkeypatch.setattr(machine_check, "DEFAULT_PORT", port)
        assert findings()["port"].status == "warning"
    assert findings(port=port)["port"].status == "ok"


def test_processes_that_cannot_be_started(monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(machine_check, "Process", refuse)
    found = findings()["processes"]
    assert found.status == "problem"
    assert "not permitted" in found.found
    monkeypatch.setattr(machine_check, "HAS_FORK", False)
    assert findings()["processes"].status == "warning"


def test_a_compiler_that_can_store_nothing(monkeypatch):
    monkeypatch.setattr(compiled.add_products, "_cache", NullCache())
    finding = findings()["Numba"]
    assert finding.status == "warning"
    assert "NUMBA_CACHE_DIR" in finding.advice
    monkeypatch.setenv("MRWTD_NUMBA", "0")
    assert findings()["Numba"].status == "warning"
