from __future__ import annotations

import json
import os
import sys

import pytest
from click.testing import CliRunner

import mrwtd
from mrwtd import __main__ as command_line
from mrwtd.__main__ import main
from mrwtd.data.errors import Problem


def test_datasets_are_listed_a_line_each() -> None:
    result = CliRunner().invoke(main, ["datasets"])
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == mrwtd.list_datasets()


def test_datasets_as_json() -> None:
    result = CliRunner().invoke(main, ["datasets", "--json"])
    rows = json.loads(result.output)
    assert [row["name"] for row in rows] == mrwtd.list_datasets()
    assert rows[0]["n_objects"] == 104


@pytest.mark.parametrize(
    "failure", [mrwtd.DataError(Problem("a cat", "a dog"), file="pets.csv"), PermissionError(13, "Permission denied")]
)
def test_bad_input_is_one_line_and_no_traceback(monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
    def fail() -> list[str]:
        raise failure

    monkeypatch.setattr(command_line, "list_datasets", fail)
    result = CliRunner().invoke(main, ["datasets"])
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")
    assert len(result.output.splitlines()) == 1


def test_an_unknown_command_is_refused() -> None:
    result = CliRunner().invoke(main, ["dance"])
    assert result.exit_code == 2
    assert "No such command 'dance'" in result.output


@pytest.mark.parametrize("port", ["0", "70000", "http"])
def test_a_port_that_cannot_be_is_refused(port: str) -> None:
    result = CliRunner().invoke(main, ["dashboard", "--port", port])
    assert result.exit_code == 2
    assert "--port" in result.output


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the server is a process of its own")
def test_the_dashboard_is_streamlit_on_our_page(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []
    monkeypatch.setattr(os, "execv", lambda program, command: started.append(command) or sys.exit(0))
    assert CliRunner().invoke(main, ["dashboard", "--port", "8600"]).exit_code == 0
    (command,) = started
    assert command[1:4] == ["-m", "streamlit", "run"]
    assert command[4].endswith("app.py")
    assert command[5:] == ["--server.port=8600"]


def test_the_version_is_the_packages() -> None:
    assert mrwtd.__version__ in CliRunner().invoke(main, ["--version"]).output
