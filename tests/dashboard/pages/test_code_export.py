"""The exported code of a run: in Python and on the command line it reads the same data and gives the same scores."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import mrwtd
from mrwtd.__main__ import main
from mrwtd.dashboard.jobs import training
from mrwtd.dashboard.pages.train import code_export
from mrwtd.dashboard.state.settings import Settings
from mrwtd.data.splitting import split_units
from tests.dashboard.jobs.training_runs import SETTINGS, run_of


def values(scores: pd.DataFrame) -> pd.Series:
    keyed = scores[scores["metric"] != ""].set_index(["relation", "metric"])["value"]
    return keyed.astype(float).sort_index()


def test_the_code_on_the_page_gives_the_scores_of_the_run(tmp_path: Path) -> None:
    data = mrwtd.load_dataset("bankwiring")
    run = run_of(SETTINGS, data, tmp_path)
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(SETTINGS, data)), names)
    assert list(names["scores"]) == list(run.methods)
    for method, scores in names["scores"].items():
        stored = run.scores[run.scores["method"] == method]
        pd.testing.assert_series_equal(values(scores), values(stored))


def test_the_command_line_gives_the_scores_of_the_run(tmp_path: Path) -> None:
    data = mrwtd.load_dataset("bankwiring")
    run = run_of(SETTINGS, data, tmp_path)
    line = code_export.on_command_line(training.spec_of(SETTINGS, data)).splitlines()[0]
    words = [*shlex.split(line)[1:], "--out", str(tmp_path / "out")]
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    written = pd.read_csv(tmp_path / "out" / "metrics.csv", keep_default_na=False, na_values={"value": [""]})
    pd.testing.assert_series_equal(values(written), values(run.scores.query("method == 'MrWTD'")), rtol=1e-9)


@pytest.mark.parametrize("by", ["auto", "entry", "pair"])
def test_the_code_holds_out_what_the_run_held_out(tmp_path: Path, by: str) -> None:
    data = mrwtd.load_dataset("airports")
    settings = Settings("airports", train=0.5, seed=1, by=by, methods=("Degree",))
    run = run_of(settings, data, tmp_path)
    assert run.spec.split.by == by
    stored = run.scores.drop_duplicates("relation").set_index("relation")["held_out"]
    assert stored.to_dict() == split_units(data, by)
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data)), names)
    pd.testing.assert_series_equal(values(names["scores"]["Degree"]), values(run.scores))
    words = [
        *shlex.split(code_export.on_command_line(training.spec_of(settings, data)))[3:],
        "--out",
        str(tmp_path / "out"),
    ]
    assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
    written = pd.read_csv(tmp_path / "out" / "metrics.csv", keep_default_na=False, na_values={"value": [""]})
    pd.testing.assert_series_equal(values(written), values(run.scores), rtol=1e-9)


def test_an_upload_is_read_again_identically(tmp_path: Path) -> None:
    file = tmp_path / "my ties.csv"
    mrwtd.write(mrwtd.load_dataset("bankwiring"), file)
    how = {"absent": "unobserved", "kinds": {"job_trading": "real"}, "directed": {"help": True}}
    data = mrwtd.read(file, **how)
    info = {"file": str(file), "how": how}
    settings = Settings("own-1", rank=2, lam=1.0, methods=("MrWTD",))
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data), info), names)
    assert names["data"] == data
    words = shlex.split(code_export.on_command_line(training.spec_of(settings, data), info))
    assert str(file) in words
    assert words[words.index("--kinds") + 1] == "job_trading=real"
    assert words[words.index("--direction") + 1] == "help=directed"


def test_several_files_with_different_options_are_read_again_identically(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {**os.environ, "PYTHONPATH": os.fspath(Path(mrwtd.__file__).parents[1])}
    monkeypatch.chdir(tmp_path)
    for name, ties in (("friends.csv", "ann,bob\nbob,eve\neve,dan"), ("advice.csv", "bob,ann\ndan,ann\neve,bob")):
        Path(name).write_text(f"source,target\n{ties}\n")
    how = {"absent": {"friends": "negative"}}
    data = mrwtd.read(["friends.csv", "advice.csv"], **how)
    info = {"file": "files.zip", "files": ["friends.csv", "advice.csv"], "how": how}
    settings = Settings("own-1", rank=1, lam=1.0, methods=("Degree",), train=0.5)
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data), info), names)
    assert names["data"] == data
    for line in code_export.on_command_line(training.spec_of(settings, data), info).splitlines():
        words = shlex.split(line)[1:]
        done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_periods_are_read_again_identically(tmp_path: Path) -> None:
    file = tmp_path / "school.txt"
    file.write_text("20 7 8\n20 8 9\n40 7 8\n60 7 9\n")
    data, info = mrwtd.read(file, periods=2), {"file": str(file), "how": {"periods": 2}}
    settings = Settings("own-1", rank=1, lam=1.0, methods=("Degree",), train=0.5)
    assert f"mrwtd.read({str(file)!r}, periods=2)" in code_export.in_python(training.spec_of(settings, data), info)
    words = shlex.split(code_export.on_command_line(training.spec_of(settings, data), info))[3:]
    assert words[words.index("--periods") + 1] == "2"
    assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0


@pytest.mark.parametrize(
    ("how", "option"),
    [
        ({"self_pairs": "keep"}, "--self-pairs keep"),
        ({"two_mode": True}, "--two-mode"),
        ({"two_mode": False}, "--one-mode"),
    ],
)
def test_pairs_are_read_again_identically(tmp_path: Path, how: dict[str, object], option: str) -> None:
    file = tmp_path / "visits.csv"
    rows = [f"w{i},e{j},{(i * j) % 2}" for i in range(4) for j in range(3)] + ["w0,w0,1"] * ("self_pairs" in how)
    file.write_text("\n".join(["source,target,value", *rows, ""]))
    data, info = mrwtd.read(file, **how), {"file": str(file), "how": how}
    settings = Settings("own-1", rank=1, lam=1.0, methods=("Degree",), train=0.5)
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data), info), names)
    assert names["data"] == data
    line, out = code_export.on_command_line(training.spec_of(settings, data), info), tmp_path / "run"
    assert option in line
    words = [*shlex.split(line)[3:], "--out", str(out)]
    assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0
    assert mrwtd.load_run(out).spec.data.digest == data.digest()


def test_chosen_columns_are_read_again_identically(tmp_path: Path) -> None:
    file = tmp_path / "ties.edges"
    file.write_text("1 7 8 30 x\n1 8 9 40 y\n2 7 8 50 x\n2 9 7 60 z\n")
    columns = {"relation": 0, "source": 1, "target": 2, "value": 3, "source_attributes": [4], "header": False}
    data, info = mrwtd.read(file, columns=columns), {"file": str(file), "how": {"columns": columns}}
    settings = Settings("own-1", rank=1, lam=1.0, methods=("Degree",), train=0.5)
    spec = training.spec_of(settings, data)
    assert f"mrwtd.read({str(file)!r}, columns={columns!r})" in code_export.in_python(spec, info)
    words = shlex.split(code_export.on_command_line(spec, info))[3:]
    assert "relation=0,source=1,target=2,value=3,source_attributes=4,header=no" in words
    out = tmp_path / "run"
    assert CliRunner().invoke(main, [*words, "--out", str(out)], catch_exceptions=False).exit_code == 0
    assert mrwtd.load_run(out).spec.data.digest == data.digest()


@pytest.mark.parametrize(
    "how",
    [{"format": "long"}, {"duplicates": "max"}, {"format": "long", "duplicates": "last", "kinds": {"calls": "real"}}],
)
def test_format_and_duplicates_are_read_again_identically(
    tmp_path: Path, how: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "ties.csv"
    again = "" if how == {"format": "long"} else "ann,calls,bob,4\n"
    file.write_text(f"source,relation,target,value\nann,calls,bob,12\nbob,calls,cat,3\ncat,calls,ann,50\n{again}")
    data, info = mrwtd.read(file, **how), {"file": str(file), "how": how}
    settings = Settings("own-1", rank=1, lam=1.0, methods=("Degree",), train=0.5)
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data), info), names)
    assert names["data"] == data
    printed = capsys.readouterr().out
    assert printed.startswith("Degree\n")
    assert "calls" in printed
    words = shlex.split(code_export.on_command_line(training.spec_of(settings, data), info))[3:]
    assert CliRunner().invoke(main, words, catch_exceptions=False).exit_code == 0


def test_an_mit_data_set_is_loaded_again_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "RelationshipsFromSurveys.csv"
    file.write_text("id.A,id.B,relationship\n1,2,CloseFriend\n3,1,CloseFriend\n2,3,CloseFriend\n")
    data, info = mrwtd.load_dataset("social-evolution", folder=file), {"file": str(file), "dataset": "social-evolution"}
    settings = Settings("own-1", rank=1, lam=1.0, methods=("Degree",), train=0.5)
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data), info), names)
    assert names["data"] == data
    words = shlex.split(code_export.on_command_line(training.spec_of(settings, data), info))[3:]
    assert words[:4] == ["fit", "social-evolution", "--data", str(file)]
    done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert "84 objects" in done.output


@pytest.mark.parametrize(
    "how", [{"absent": 2}, {"absent": 2, "seed": 3}, {"rename": {"ties": "a=b"}, "absent": "negative"}]
)
def test_the_command_line_reads_the_same_negatives_and_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: dict[str, object]
) -> None:
    """The seed of the fit, 3, is also that of the negatives that `mrwtd fit` samples; the page samples with 0."""
    monkeypatch.chdir(tmp_path)
    Path("ties.csv").write_text("source,target\n" + "".join(f"o{i},o{i * i % 7}\n" for i in range(2, 12)))
    data, info = mrwtd.read("ties.csv", **how), {"file": "ties.csv", "how": how}
    spec = training.spec_of(Settings("own-1", rank=1, lam=1.0, seed=3, methods=("Degree",), train=0.5), data)
    *first, last = map(shlex.split, code_export.on_command_line(spec, info).splitlines())
    for words in first:
        assert words[:2] == ["python", "-c"]
        exec(words[2])
    assert CliRunner().invoke(main, [*last[3:], "--out", "run"], catch_exceptions=False).exit_code == 0
    assert mrwtd.load_run("run").spec.data.digest == data.digest()


def test_published_data_can_be_learned_from_completely(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rows = [f"o{i},o{j},{'test' if i == 1 else 'train'}" for i in range(5) for j in range(5) if (i + j) % 3 == 1]
    (tmp_path / "ties.csv").write_text("\n".join(["source,target,split", *rows]))
    info = {"file": str(tmp_path / "ties.csv"), "how": {"absent": "negative"}}
    data = mrwtd.read(info["file"], absent="negative")
    settings = Settings("own-1", rank=1, lam=1.0, methods=("MrWTD",), train=1.0, by="published")
    names: dict[str, object] = {}
    exec(code_export.in_python(training.spec_of(settings, data), info), names)
    assert len(names["train"]) == len(data)
    assert "MrWTD" in capsys.readouterr().out
