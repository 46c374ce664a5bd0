"""Runs on disk: one format for all writers and readers."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import mrwtd
from mrwtd.__main__ import main
from mrwtd.runs import Workspace, execute, write_run
from tests.stored_runs import spec_of


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    data = mrwtd.load_dataset("florentine")
    write_run(tmp_path / "run", execute(spec_of(data), data))
    return tmp_path / "run"


def fitted(*words: str | Path) -> dict[str, object]:
    result = CliRunner().invoke(main, ["fit", *map(str, words), "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_folder_and_its_zip_are_the_same_run(stored: Path) -> None:
    for root in (stored, stored.parent):  # without and with the folder around it
        shutil.make_archive(str(stored.parent / root.name), "zip", root, None if root is stored else "run")
        from_folder, from_zip = mrwtd.load_run(stored), mrwtd.load_run(stored.parent / f"{root.name}.zip")
        assert from_folder == from_zip
        pd.testing.assert_frame_equal(from_folder.scores, from_zip.scores)
        assert from_folder.diagnostics.keys() == from_zip.diagnostics.keys() == {"MrWTD", "A/B"}
        assert from_folder.data() == from_zip.data()


def test_scores_are_stored_to_the_last_digit(stored: Path) -> None:
    data = mrwtd.load_dataset("florentine")
    run = execute(spec_of(data), data)
    again = mrwtd.load_run(stored)
    assert again.scores["value"].equals(run.scores["value"])
    assert again.spec == run.spec


@pytest.mark.parametrize("name", ["nowhere", "some.zip", "some.txt", "empty"])
def test_anything_but_a_run_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    shutil.make_archive(str(tmp_path / "some"), "zip", tmp_path / "empty")
    (tmp_path / "some.txt").write_text("x")
    with pytest.raises(mrwtd.DataError, match=f"{name}: found no run"):
        mrwtd.load_run(tmp_path / name)


def test_an_incomplete_run_is_refused(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted while it is overwritten, the folder is not read as the old run."""
    data = mrwtd.load_dataset("florentine")
    monkeypatch.setattr(mrwtd.MrWTD, "save", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        write_run(stored, execute(spec_of(data), data))
    with pytest.raises(mrwtd.DataError, match=r"run\.json is missing"):
        mrwtd.load_run(stored)


def test_the_command_line_writes_a_run_of_a_sample(tmp_path: Path) -> None:
    output = fitted("florentine", "--rank", 2, "--lam", 1, "--out", tmp_path / "run")
    run = mrwtd.load_run(tmp_path / "run")
    values = [None if pd.isna(value) else value for value in run.scores["value"]]
    assert values == [row["value"] for row in output["metrics"]]
    assert run.data() == mrwtd.load_dataset("florentine")
    assert not (tmp_path / "run" / "data.parquet").exists(), "its name is enough"
    model = tmp_path / "run" / "model.npz"
    assert model.samefile(tmp_path / "run" / "models" / "0.npz"), "it is stored once"
    assert mrwtd.load_model(model).get_params() == run.models()["MrWTD"].get_params()
    assert fitted("florentine", "--rank", 2, "--lam", 1, "--out", tmp_path / "run")["metrics"] == output["metrics"]
    assert mrwtd.load_run(tmp_path / "run").models()


@pytest.mark.parametrize(
    "words",
    [("ties.csv", "--absent", "2", "--seed", "3", "--undirected"), ("kinship", "--symmetric", "--method", "Degree")],
)
def test_the_command_line_stores_the_data_of_a_file(
    tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ties = [f"p{a},knows,p{(a * a + 3) % 11},1" for a in range(11)]
    Path("ties.csv").write_text("\n".join(["source,relation,target,value", *ties]))
    fitted(*words, "--rank", 2, "--lam", 1, "--out", "run")
    run = mrwtd.load_run("run")
    data = run.data()
    assert data.digest() == run.digest
    Path("ties.csv").unlink()
    imported = Workspace(tmp_path / "space").import_run(Path("run"))
    assert Workspace(tmp_path / "space").data(imported.digest) == data


def test_a_run_on_all_entries_is_stored(tmp_path: Path) -> None:
    fitted("monastery", "--rank", 2, "--lam", 1, "--train", 1, "--out", tmp_path)
    run = mrwtd.load_run(tmp_path)
    assert (run.spec.split.train, list(run.models())) == (1, ["MrWTD"])
    assert run.scores["value"].isna().all()
    assert (run.scores["entries"] == 0).all()


def test_a_fit_of_a_comparison_is_a_run_without_models(tmp_path: Path) -> None:
    words = ["compare", "florentine", "--method", "RESCAL", "--train", "0.5", "--rank", "2", "--runs", "1"]
    result = CliRunner().invoke(main, [*words, "--jobs", "1", "--out", str(tmp_path), "--json"], catch_exceptions=False)
    (file,) = (tmp_path / "finished").iterdir()
    run = mrwtd.load_run(file)
    assert run.spec.methods[0].method == "RESCAL"
    assert run.spec.data.digest == mrwtd.load_dataset("florentine").digest()
    printed = [row["value"] for row in json.loads(result.stdout)["scores"]]
    assert [None if pd.isna(value) else value for value in run.scores["value"]] == printed
    assert run.models() == {}
    file.write_text(file.read_text().replace("RESCAL", "RESCAU"))
    with pytest.raises(mrwtd.DataError, match="damaged"):
        mrwtd.load_run(file)
