"""`mrwtd dashboard` starts Streamlit with the options and the configuration, or checks the machine."""

import os
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from mrwtd.__main__ import main
from mrwtd.hosting.config import HOME, SESSION_ONLY, VARIABLE, config

pytestmark = pytest.mark.skipif(os.name != "posix", reason="on other systems the server is a child process")


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that replace this process."""
    commands: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, command: commands.append(command) or sys.exit(0))
    for name in (VARIABLE, SESSION_ONLY):
        monkeypatch.setenv(name, "")  # so that it is removed in the end
    yield commands
    monkeypatch.undo()
    config.cache_clear()


@pytest.fixture
def server_toml(tmp_path: Path) -> Path:
    file = tmp_path / "server.toml"
    file.write_text("[uploads]\nmax_mb = 7\n")
    return file


@pytest.mark.parametrize("port", ["0", "70000", "http"])
def test_an_invalid_port_is_refused(port: str) -> None:
    result = CliRunner().invoke(main, ["dashboard", "--port", port])
    assert result.exit_code == 2
    assert "--port" in result.output


def test_it_starts_streamlit_with_app_py(started):
    assert CliRunner().invoke(main, ["dashboard", "--port", "8600"]).exit_code == 0
    (command,) = started
    assert command[1:4] == ["-m", "streamlit", "run"]
    assert command[4].endswith("app.py")
    assert command[5:] == ["--server.port=8600", f"--server.maxUploadSize={config().uploads.max_mb}"]


def test_a_configuration_is_passed_to_the_server(started, server_toml):
    result = CliRunner().invoke(main, ["dashboard", "--config", str(server_toml), "--session-only"])
    assert result.exit_code == 0, result.output
    assert "--server.maxUploadSize=7" in started[0]
    assert os.environ[VARIABLE] == str(server_toml.resolve())
    config.cache_clear()  # as in the server
    assert config().uploads.max_mb == 7
    assert config().workspaces.session_only


@pytest.mark.parametrize("path", ["mrwtd", "/mrwtd/"])
def test_a_base_path_may_have_slashes(started, path):
    assert CliRunner().invoke(main, ["dashboard", "--base-path", path]).exit_code == 0
    assert "--server.baseUrlPath=mrwtd" in started[0]


def test_a_wrong_configuration_starts_no_server(started, server_toml):
    server_toml.write_text("[uploads]\nmax_gb = 1\n")
    result = CliRunner().invoke(main, ["dashboard", "--config", str(server_toml)])
    assert result.exit_code == 1
    assert "uploads.max_gb" in result.output
    assert not started


def test_the_check_lists_findings_and_starts_no_server(started, server_toml):
    result = CliRunner().invoke(main, ["dashboard", "--check", "--config", str(server_toml)])
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert all(line.split()[0] in ("ok", "warning") for line in lines[:-1])
    assert "server.toml" in lines[0]
    assert not started


def test_the_check_fails_if_there_is_a_problem(started, server_toml, tmp_path, monkeypatch):
    server_toml.write_text("[uploads]\nmax_gb = 1\n")
    monkeypatch.setenv(HOME, str(server_toml / "workspaces"))
    result = CliRunner().invoke(main, ["dashboard", "--check", "--config", str(server_toml)])
    assert result.exit_code == 1
    problems = [line.split()[1] for line in result.output.splitlines() if line.startswith("problem ")]
    assert problems == ["config", "workspaces"]
    assert not started
