"""Options that say how to read the pairs of a file."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import mrwtd
from mrwtd.__main__ import main

MATRIX = ",ann,bob,cat\nann,1,1,0\nbob,0,1,1\ncat,1,0,1\n"
VISITS = "source,target,value\n" + "".join(f"w{i},e{j},{(i * j) % 2}\n" for i in range(4) for j in range(3))


def described(file: Path, *words: str) -> dict:
    """What `mrwtd fit` says of the data and their split."""
    command = ["fit", str(file), "--rank", "1", "--lam", "1", "--json", *words]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    output = json.loads(result.stdout)
    return output["data"] | {"split": output["train"] + output["test"]}


@pytest.mark.parametrize(
    ("words", "entries"),
    [((), 6), (("--self-pairs", "auto"), 6), (("--self-pairs", "keep"), 9), (("--self-pairs", "drop"), 6)],
)
def test_self_pairs(tmp_path, words, entries):
    file = tmp_path / "likes.csv"
    file.write_text(MATRIX)
    assert described(file, *words)["split"] == entries


def test_unknown_ways_to_read_self_pairs_are_refused(tmp_path):
    file = tmp_path / "likes.csv"
    file.write_text(MATRIX)
    result = CliRunner().invoke(main, ["fit", str(file), "--self-pairs", "some"])
    assert result.exit_code == 2
    assert "'auto'" in result.output


@pytest.mark.parametrize(("words", "two_mode"), [((), None), (("--two-mode",), True), (("--one-mode",), False)])
def test_two_mode(tmp_path, words, two_mode):
    file, out = tmp_path / "visits.csv", tmp_path / "run"
    file.write_text(VISITS)
    described(file, "--out", str(out), *words)
    data = mrwtd.read(file, two_mode=two_mode)
    assert (data.object_types is not None) == (two_mode is True)
    assert mrwtd.load_run(out).spec.data.digest == data.digest()


def test_an_object_of_both_types_is_refused_with_its_name(tmp_path):
    file = tmp_path / "ties.csv"
    file.write_text("source,target,value\na,b,1\nb,c,0\n")
    result = CliRunner().invoke(main, ["fit", str(file), "--two-mode"])
    assert result.exit_code != 0
    assert "both as source and as target: 'b'" in result.output
