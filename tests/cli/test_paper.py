import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from mrwtd.__main__ import main
from mrwtd.experiments.experiment import EXPERIMENTS
from mrwtd.version import results_version
from tests import interrupts

TOP = Path(__file__).resolve().parents[2]
TINY = ["--methods", "Degree", "--train", "0.9", "--rank", "20", "--jobs", "1"]


def run(*words: str | Path | int) -> Result:
    return CliRunner().invoke(main, ["paper", *map(str, words)])


def test_output_equals_the_library(tmp_path):
    result = run("real", *TINY, "--runs", 1, "--json", "--out", tmp_path / "one")
    assert result.exit_code == 0, result.output
    output = json.loads(result.stdout)
    assert output["command"] == "python -m mrwtd paper real --methods Degree --train 0.9 --runs 1"
    real = EXPERIMENTS["real"]
    options = real.presets["full"].change(methods=("Degree",), train=(0.9,), runs=1)
    table = real.table(real.gather(options, tmp_path / "one").scores)
    assert [row["mean"] for row in output["summary"]] == table.summary["mean"].tolist()
    names = [Path(file).name for file in output["files"]]
    assert names == ["real.csv", "real-runs.csv", "real.md", "real.html"]
    assert all(Path(file).is_file() for file in output["files"])
    page = (tmp_path / "one" / "real.md").read_text(encoding="utf-8")
    assert output["command"] in page
    text = run("real", *TINY, "--runs", 1, "--out", tmp_path / "one")
    assert table.markdown in text.stdout
    assert "Reality Mining and Social Evolution" in text.stdout


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_a_killed_experiment_resumes_and_repeats_no_fit(tmp_path, how):
    runs = 15
    words = ["paper", "real", *TINY, "--runs", str(runs), "--out", str(tmp_path)]
    command = [sys.executable, "-m", "mrwtd", *words]

    def finished() -> dict[str, tuple[int, int]]:
        files = [(file.name, file.stat()) for file in (tmp_path / "finished").glob("*.json")]
        return {name: (status.st_mtime_ns, status.st_ino) for name, status in files}

    with subprocess.Popen(
        command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        preexec_fn=interrupts.accept_interrupts,
    ) as running:  # fmt: skip
        while len(finished()) < 2:
            with pytest.raises(subprocess.TimeoutExpired):
                running.wait(0.02)
        os.killpg(running.pid, getattr(signal, how))
        out, errors = running.communicate()
    assert running.returncode == (130 if how == "SIGINT" else -signal.SIGKILL)
    assert out == ""
    assert errors == ("Interrupted.\n" if how == "SIGINT" else "")
    before = finished()
    assert 2 <= len(before) < runs
    assert not (tmp_path / "real.csv").exists()
    again = CliRunner().invoke(main, words)
    assert again.exit_code == 0, again.output
    after = finished()
    assert len(after) == runs
    assert {name: after[name] for name in before} == before, "finished fits are unchanged"
    assert pd.read_csv(tmp_path / "real-runs.csv")["run"].tolist() == list(range(runs))


def test_fits_of_another_version_are_refused_until_restart(tmp_path, monkeypatch):
    words = ["real", *TINY, "--runs", 1, "--out", tmp_path]
    with monkeypatch.context() as before:
        before.setattr("mrwtd.comparison.result_cache.results_version", lambda: "0.0.9+0123456789")
        before.setattr("mrwtd.experiments.reports.results_version", lambda: "0.0.9+0123456789")
        assert run(*words).exit_code == 0
    before_restart = {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()}
    refused = run(*words)
    assert refused.exit_code == 1
    for word in ("0.0.9+0123456789", results_version(), "--restart", str(tmp_path / "finished")):
        assert word in refused.stderr
    assert {file: file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()} == before_restart
    again = run(*words, "--restart", "--json")
    assert again.exit_code == 0, again.output
    assert json.loads(again.stdout)["version"] == results_version()
    page = (tmp_path / "real.md").read_text(encoding="utf-8")
    assert f"mrwtd {results_version()}" in page
    assert "0.0.9" not in page
    assert run(*words).exit_code == 0


def test_quick_is_the_quick_preset_with_the_given_options(monkeypatch, tmp_path):
    calls = []
    real = EXPERIMENTS["real"]

    def stop(self, options, folder, progress):
        calls.append(options)
        raise KeyboardInterrupt

    monkeypatch.setattr(type(real), "run", stop)
    result = run("real", "--quick", "--seed", 4, "--methods", "CP,BPTF", "--methods", "RESCAL", "--out", tmp_path)
    assert result.exit_code == 130
    (options,) = calls
    quick = real.presets["quick"]
    assert options == quick.change(seed=4, methods=("CP", "BPTF", "RESCAL"))


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["alchemy"], 2, "alchemy"),
        (["real", "--methods", "Oracle"], 2, "'Oracle' is not one of MrWTD, MrWTD-Q"),
        (["real", "--train", "five"], 2, "'five' is not one of fractions"),
        (["real", "--train", "25"], 1, "train = 25.0"),
        (["real", "--rank", "5,10"], 1, "this experiment varies the train"),
        (["real", "--rank", "0"], 1, "rank = 0"),
        (["real", "--runs", "0"], 2, "--runs"),
        (["real", "--jobs", "0"], 1, "n_jobs = 0"),
        (["real", "--sizes", "100"], 2, "--sizes has no meaning for 'real'"),
        (["synth", "--data", "folder"], 2, "--data has no meaning for 'synth'"),
        (["real", "--data", "no such folder"], 1, "no such folder: found none of the files"),
        (["timing", "--sizes", "3"], 1, "sizes = 3"),
        (["timing", "--scheduler", "tcp://127.0.0.1:1"], 2, "--scheduler has no meaning for 'timing'"),
    ],
)
def test_errors_are_one_line(words, status, message, tmp_path):
    result = run(*words, "--out", tmp_path)
    assert result.exit_code == status
    assert message in result.stderr
    last = result.stderr.splitlines()[-1]
    assert last.startswith("Error: ")
    assert "Traceback" not in result.stderr


def test_every_experiment_is_a_choice_and_examples_name_options_that_exist():
    help_text = run("--help").output
    assert "|".join(EXPERIMENTS) in help_text
    examples = help_text.partition("Examples:")[2].splitlines()
    used = {word for line in examples if line.strip().startswith("mrwtd") for word in line.split() if word[:2] == "--"}
    assert used <= {
        word for line in help_text.partition("Examples:")[0].splitlines() for word in line.replace(",", " ").split()
    }


def test_it_is_an_error_if_every_fit_fails(tmp_path, monkeypatch):
    def explode(*_):
        raise MemoryError("too much")

    monkeypatch.setattr("mrwtd.baselines.heuristics.Degree._fit", explode)
    result = run("real", *TINY, "--runs", 1, "--out", tmp_path)
    assert result.exit_code == 1
    assert "too much" in result.stderr
    assert len(result.stderr.splitlines()) == 1
