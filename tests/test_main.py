import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd import plugins
from mrwtd.__main__ import COMMANDS, main
from mrwtd.cli import datasets as datasets_command
from mrwtd.errors import Problem
from mrwtd.model import LOSSES
from tests import interrupts

TOP = Path(__file__).resolve().parents[1]

LOSS = """
from mrwtd.model import register
from mrwtd.model.losses import Quadratic

@register
class Mine(Quadratic):
    name = "mine"
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file that registers the loss "mine", unregistered afterwards."""
    file = tmp_path / "my loss.py"
    file.write_text(LOSS)
    monkeypatch.setattr(plugins, "_loaded", [])
    monkeypatch.setenv(plugins.VARIABLE, "")
    yield file
    LOSSES.unregister("mine")


def fails(monkeypatch: pytest.MonkeyPatch, failure: BaseException) -> None:
    def fail() -> list[str]:
        raise failure

    monkeypatch.setattr(datasets_command, "list_datasets", fail)


def test_datasets_are_listed_one_per_line() -> None:
    result = CliRunner().invoke(main, ["datasets"])
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.output.splitlines()] == mrwtd.list_datasets()


def test_datasets_as_json() -> None:
    result = CliRunner().invoke(main, ["datasets", "--json"])
    rows = json.loads(result.output)
    assert [row["name"] for row in rows] == mrwtd.list_datasets()
    assert rows[0]["n_objects"] == 104


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (mrwtd.DataError(Problem("a cat", "a dog"), file="pets.csv"), "pets.csv: found a cat; expected a dog"),
        (
            mrwtd.DataError([Problem("a", "b", line=3), Problem("c", "d", line=4)]),
            "line 3: found a; expected b (and 1 mo",
        ),
        (PermissionError(13, "Permission denied", "run"), "Permission denied: 'run'"),
        (MemoryError(), "not enough memory"),
        (RuntimeError("two\nlines"), "RuntimeError: two lines (a bug in mrwtd"),
    ],
)
def test_errors_are_one_line_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, failure: Exception, words: str
) -> None:
    fails(monkeypatch, failure)
    result = CliRunner().invoke(main, ["datasets"])
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_verbose_lists_every_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    fails(monkeypatch, mrwtd.DataError([Problem("a", "b", line=3), Problem("c", "d", line=4)]))
    assert "line 4: found c" in CliRunner().invoke(main, ["--verbose", "datasets"]).stderr


def test_an_interrupt_is_one_line_and_status_130(monkeypatch: pytest.MonkeyPatch) -> None:
    fails(monkeypatch, KeyboardInterrupt())
    result = CliRunner().invoke(main, ["datasets"])
    assert result.exit_code == 130
    assert result.stderr == "Interrupted.\n"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupt_of_a_running_comparison_leaves_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mrwtd", "compare", "kinship", "--out", str(tmp_path), "--rank", "40"]
    with subprocess.Popen(
        command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=interrupts.accept_interrupts,
    ) as running:  # fmt: skip
        while not (tmp_path / "finished").exists():  # the folder is created when the fits start
            with pytest.raises(subprocess.TimeoutExpired):
                running.wait(0.05)
        os.killpg(running.pid, signal.SIGINT)
        out, errors = running.communicate()
    assert running.returncode == 130
    assert out == ""
    assert errors == "Interrupted.\n"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_an_interrupt_inside_generated_code_has_the_same_status(tmp_path: Path) -> None:
    plugin = tmp_path / "plugin.py"
    plugin.write_text('exec("raise KeyboardInterrupt")', encoding="utf-8")
    command = [sys.executable, "-m", "mrwtd", "--plugin", str(plugin), "datasets"]
    ended = subprocess.run(command, cwd=TOP, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "Interrupted.\n")


def test_a_closed_pipe_is_no_error() -> None:
    pipe = f"{shlex.quote(sys.executable)} -m mrwtd datasets | head -n 1"
    done = subprocess.run(["sh", "-c", pipe], cwd=TOP, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("kinship")
    assert done.stderr == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    result = CliRunner().invoke(main, [command, "--help"])
    assert result.exit_code == 0
    assert "Usage: main " + command in result.output
    assert command in CliRunner().invoke(main, ["--help"]).output


@pytest.mark.parametrize("command", [(), ("fit",), ("compare",)])
def test_help_has_examples_that_name_options_that_exist(command: tuple[str, ...]) -> None:
    examples = CliRunner().invoke(main, [*command, "--help"]).output.partition("Examples:")[2]
    lines = [line.partition("  (")[0].split() for line in examples.splitlines() if line.strip().startswith("mrwtd ")]
    assert lines
    for words in lines:
        known = CliRunner().invoke(main, ["--help"]).output
        known += "".join(CliRunner().invoke(main, [word, "--help"]).output for word in words if word in COMMANDS)
        assert [word for word in words if word.startswith("--") and word not in known] == []


def test_a_plugin_registers_a_loss(plugin: Path) -> None:
    words = ["fit", "florentine", "--rank", "2", "--lam", "1", "--loss", "mine", "--json"]
    assert CliRunner().invoke(main, words).exit_code == 1
    result = CliRunner().invoke(main, ["--plugin", str(plugin), *words])
    assert json.loads(result.stdout)["losses"] == {"business": "mine", "marriage": "mine"}
    assert os.environ[plugins.VARIABLE] == str(plugin.resolve()), "child processes find it too"


def test_the_environment_names_plugins(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(plugins.VARIABLE, os.pathsep.join([str(plugin), str(plugin)]))
    result = CliRunner().invoke(main, ["fit", "florentine", "--rank", "2", "--lam", "1", "--loss", "business=mine"])
    assert result.exit_code == 0, result.output
    assert plugins.loaded() == (plugin.resolve(),)


def test_the_dashboard_loads_the_plugins_of_the_environment(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(plugins.VARIABLE, str(plugin))
    page = AppTest.from_file(str(TOP / "app.py"), default_timeout=60).run()
    assert not page.exception
    assert "mine" in LOSSES


def test_a_plugin_is_loaded_in_the_processes_of_a_comparison(plugin: Path) -> None:
    words = "compare florentine --method MrWTD --loss mine --rank 2 --lam 1 --train 0.5 --runs 2 --jobs 2 --json"
    result = CliRunner().invoke(main, ["--plugin", str(plugin), *words.split()])
    assert result.exit_code == 0, result.output
    assert all(row["n"] == 2 for row in json.loads(result.stdout)["summary"] if row["metric"] == "auprc")


@pytest.mark.parametrize(
    ("content", "words"),
    [(None, "no such file"), ("def (", "line 1: found SyntaxError"), ("\n1 / 0", "line 2: found ZeroDivisionError")],
)
def test_a_bad_plugin_is_one_line(plugin: Path, content: str | None, words: str) -> None:
    plugin.unlink() if content is None else plugin.write_text(content)
    result = CliRunner().invoke(main, ["--plugin", str(plugin), "datasets"])
    assert result.exit_code == 1
    assert words in result.stderr
    assert "my loss.py" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_unknown_command_is_refused() -> None:
    result = CliRunner().invoke(main, ["dance"])
    assert result.exit_code == 2
    assert "No such command 'dance'" in result.output


def test_the_version_is_that_of_the_package() -> None:
    assert mrwtd.__version__ in CliRunner().invoke(main, ["--version"]).output
