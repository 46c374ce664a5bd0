import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import mrwtd
from mrwtd.__main__ import main
from mrwtd.cli.compare import as_text
from mrwtd.data.splitting import describe_split

TOP = Path(__file__).resolve().parents[2]
SMALL = ["--method", "MrWTD-L", "--method", "Degree", "--rank", "2", "--lam", "1", "--train", "0.5", "--jobs", "1"]


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["compare", "florentine", *map(str, words)])


def test_output_equals_the_library(tmp_path):
    result = run(*SMALL, "--runs", 3, "--json", "--correction", "holm", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    output = json.loads(result.stdout)
    data = mrwtd.load_dataset("florentine")
    scores = mrwtd.compare(data, ["MrWTD-L", "Degree"], [0.5], rank=2, runs=3, lam=1.0, n_jobs=1)
    summary = mrwtd.summarize(scores, correction="holm")
    assert [row["value"] for row in output["scores"] if row["value"] is not None] == scores["value"].dropna().tolist()
    assert [row["tied_with_best"] for row in output["summary"]] == summary["tied_with_best"].tolist()
    assert pd.read_csv(tmp_path / "scores.csv")["value"].tolist() == pytest.approx(
        scores["value"].tolist(), nan_ok=True
    )
    assert pd.read_csv(tmp_path / "summary.csv")["method"].tolist() == summary["method"].tolist()


def test_a_single_run_has_neither_a_deviation_nor_a_test():
    result = run(*SMALL, "--runs", 1)
    assert result.exit_code == 0
    assert "nan" not in result.stdout
    assert "t-test" not in result.stdout
    assert result.stdout.count("(–)*") == 1


def test_text_output_is_a_table_with_ties_marked():
    result = run(*SMALL, "--quick")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "auprc of binary relations, mean (standard deviation)"
    assert lines[1].split() == ["method", "train", "0.5"]
    assert [line.split()[0] for line in lines[2:4]] == ["MrWTD-L", "Degree"]
    assert any(line.endswith("*") for line in lines[2:4])
    each = run(*SMALL, "--quick", "--per-relation").stdout
    assert "auprc of business" in each
    assert "auprc of marriage" in each


def test_an_interrupted_comparison_resumes(tmp_path, monkeypatch):
    assert run(*SMALL, "--runs", 1, "--out", tmp_path).exit_code == 0
    fitted: list[int] = []
    split = mrwtd.RelationalData.split
    monkeypatch.setattr(mrwtd.RelationalData, "split", lambda *a, **k: fitted.append(k["seed"]) or split(*a, **k))
    assert run(*SMALL, "--runs", 2, "--out", tmp_path).exit_code == 0
    assert fitted == [1, 1], "only the two methods on the second split"
    assert pd.read_csv(tmp_path / "scores.csv")["run"].nunique() == 2


def test_stored_fits_of_another_version_are_refused_until_restart(tmp_path, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr("mrwtd.comparison.result_cache.results_version", lambda: "0.0.9+0123456789")
        assert run(*SMALL, "--runs", 1, "--out", tmp_path).exit_code == 0
    refused = run(*SMALL, "--runs", 2, "--out", tmp_path)
    assert refused.exit_code == 1
    assert "found 2 fits of 0.0.9+0123456789" in refused.stderr
    assert run(*SMALL, "--runs", 2, "--out", tmp_path, "--restart").exit_code == 0
    assert run(*SMALL, "--runs", 2, "--out", tmp_path).exit_code == 0
    without = run(*SMALL, "--restart")
    assert without.exit_code == 2
    assert "--out" in without.stderr


def test_a_failing_method_is_named_and_the_others_run():
    words = ["--method", "MrWTD", "--method", "Degree", "--loss", "poisson", "--train", "0.5", "--runs", "2"]
    result = run(*words, "--jobs", 1)
    assert result.exit_code == 0
    assert "MrWTD failed in 2 fits: found the loss 'poisson'" in result.stdout
    table = [line.split() for line in result.stdout.splitlines()]
    assert ["MrWTD", "failed"] in table


def test_it_is_an_error_if_every_method_fails():
    result = run("--method", "MrWTD", "--loss", "poisson", "--train", "0.5", "--runs", "1", "--jobs", 1)
    assert result.exit_code == 1
    assert "poisson" in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--method", "Oracle"], 2, "--method"),
        (["--train", "1"], 2, "--train"),
        (["--method", "RESCAL", "--loss", "logistic"], 2, "--loss is for the method MrWTD"),
        (["--method", "Degree", "--jobs", "0"], 1, "n_jobs = 0"),
        (["--method", "Degree", "--lam", "-3"], 1, "lam = -3.0"),
    ],
)
def test_wrong_options_are_reported(words, status, message):
    result = run(*words)
    assert result.exit_code == status
    assert message in result.stderr


def test_the_command_line_with_several_processes():
    words = ["compare", "florentine", *SMALL[:-1], "2", "--runs", "2", "--json"]
    completed = subprocess.run(
        [sys.executable, "-m", "mrwtd", *words], cwd=TOP, capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0, completed.stderr
    assert completed.stderr == ""
    output = json.loads(completed.stdout)
    assert {row["method"] for row in output["summary"]} == {"MrWTD-L", "Degree"}
    assert len(output["scores"]) == 2 * 2 * 2 * 7, "methods × runs × relations × metrics"


def test_by_chooses_what_is_held_out_and_the_output_describes_it():
    words = ["--method", "Degree", "--train", "0.5", "--runs", "1", "--jobs", "1"]
    data = mrwtd.load_dataset("airports")
    for more, by in (([], "auto"), (["--by", "entry"], "entry"), (["--by", "pair"], "pair")):
        result = CliRunner().invoke(main, ["compare", "airports", *words, *more, "--json"])
        assert result.exit_code == 0, result.output
        scores = mrwtd.compare(data, ["Degree"], [0.5], runs=1, n_jobs=1, by=by)
        output = json.loads(result.stdout)
        assert [row["held_out"] for row in output["scores"]] == scores["held_out"].tolist()
        values = [row["value"] for row in output["scores"] if row["value"] is not None]
        assert values == pytest.approx(scores["value"].dropna().tolist())
        assert output["held_out"] == describe_split(data, by)
        text = CliRunner().invoke(main, ["compare", "airports", *words, *more])
        assert describe_split(data, by) in text.stdout


def test_counts_have_both_metrics():
    result = CliRunner().invoke(main, ["compare", "airports", *SMALL, "--quick"])
    assert result.exit_code == 0, result.output
    titles = [line for line in result.stdout.splitlines() if "of count relations" in line]
    assert [title.split()[0] for title in titles] == ["nmse", "deviance_explained"]


def test_huge_scores_are_short():
    row = {"kind": "count", "train": 0.1, "method": "CP", "n": 2, "tied_with_best": True}
    summary = pd.DataFrame(
        [
            row | {"metric": "nmse", "mean": 90_261_385_262.172, "sd": 1e11},
            row | {"metric": "deviance_explained", "mean": -3e9, "sd": 0.5},
        ]
    )
    text = as_text(summary)
    assert "9.026e+10 (1e+11)*" in text
    assert "-3e+09 (0.5000)*" in text


def test_folds_instead_of_random_splits(tmp_path):
    words = [
        "compare",
        "florentine",
        "--method",
        "Degree",
        "--method",
        "CP",
        "--rank",
        "2",
        "--lam",
        "1",
        "--jobs",
        "1",
    ]
    result = CliRunner().invoke(main, [*words, "--folds", "3", "--out", str(tmp_path)])
    assert result.exit_code == 0
    assert "3 folds" in result.stdout
    assert "corrected" in result.stdout
    scores = pd.read_csv(tmp_path / "scores.csv")
    assert scores["run"].nunique() == 3
    assert len(list((tmp_path / "finished").glob("*.json"))) == 6
    for other in (["--train", "0.5"], ["--runs", "2"], ["--quick"]):
        refused = CliRunner().invoke(main, [*words, "--folds", "3", *other])
        assert refused.exit_code == 2
        assert "--folds" in refused.output
