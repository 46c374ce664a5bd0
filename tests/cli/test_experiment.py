"""`mrwtd experiment` on a file and on a sample."""

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

import mrwtd
from mrwtd.__main__ import main


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["experiment", *map(str, words)])


@pytest.fixture
def ties(tmp_path: Path) -> Path:
    file = tmp_path / "ties.csv"
    mrwtd.write(mrwtd.load_dataset("florentine"), file)
    return file


def test_a_learning_curve_of_a_file_resumes(ties: Path, tmp_path: Path) -> None:
    words = ["learning-curve", ties, "--methods", "Degree", "--train", "0.3,0.6", "--jobs", 1, "--out", tmp_path]
    first = run(*words, "--runs", 1)
    assert first.exit_code == 0, first.output
    assert "Degree" in first.stdout
    more = json.loads(run(*words, "--runs", 2, "--json").stdout)
    assert [row["n"] for row in more["summary"]] == [2, 2]
    assert len(list((tmp_path / "finished").glob("*.json"))) == 4
    assert pd.read_csv(tmp_path / "learning-curve.csv")["train"].tolist() == [0.3, 0.6]
    again = CliRunner().invoke(main, [*more["command"].split()[3:], "--jobs", "1", "--out", str(tmp_path)])
    assert again.exit_code == 0, again.output


def test_the_report_names_the_sampled_pairs(tmp_path: Path) -> None:
    ties = mrwtd.load_dataset("florentine")
    file = tmp_path / "ties.csv"
    file.write_text(ties.subset(ties.y > 0).to_frame()[["source", "relation", "target"]].to_csv(index=False))
    words = ["learning-curve", file, "--absent", 2, "--methods", "Degree", "--train", "0.5", "--runs", 1, "--jobs", 1]
    done = run(*words, "--out", tmp_path)
    assert done.exit_code == 0, done.output
    texts = (done.output, *((tmp_path / f"learning-curve.{ending}").read_text() for ending in ("md", "html")))
    numbers = {int(number) for text in texts for number in re.findall(r"estimated from (\d+) sampled pairs", text)}
    assert all("sampled pairs" in text for text in texts)
    assert len(numbers) == 1
    assert 0 < min(numbers) < 2 * (ties.y > 0).sum()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["lambdas", "florentine", "--methods", "Degree"], "no λ"),
        (["ranks", "florentine", "--train", "0.2,0.4"], "one value"),
        (["times", "nowhere.csv"], "neither a file nor a data set"),
    ],
)
def test_bad_options_are_refused(words: list[str], message: str, tmp_path: Path) -> None:
    refused = run(*words, "--out", tmp_path)
    assert refused.exit_code == 1
    assert message in refused.output
