"""A run of the command line in the dashboard and in Python: the same numbers everywhere."""

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

import mrwtd
from mrwtd.__main__ import main
from mrwtd.dashboard.pages.train.results_panel import PARTS
from mrwtd.dashboard.state import current_run, current_user, keys
from mrwtd.dashboard.widgets import figures
from mrwtd.evaluation.standings import MEAN
from mrwtd.runs import Workspace
from tests.dashboard.pages.open_pages import TOP, open_page

TRAIN, COMPARE = "pages/2_Train.py", "pages/3_Compare.py"
WORDS = ("--rank", "2", "--lam", "1", "--train", "0.6", "--seed", "3", "--loss", "quadratic", "--positive-weight", "2")


def fitted(folder: Path, *data: str) -> dict[str, object]:
    words = ["fit", *data, *WORDS, "--out", str(folder), "--json"]
    result = CliRunner().invoke(main, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def ties(folder: Path) -> str:
    rows = [f"p{a},likes,p{b},{int((a * b) % 3 == 0)}" for a in range(9) for b in range(9) if a != b]
    (folder / "ties.csv").write_text("\n".join(["source,relation,target,value", *rows]))
    return str(folder / "ties.csv")


@pytest.mark.parametrize("data", ["florentine", "ties.csv"])
def test_command_line_python_train_and_compare_agree(
    data: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, pd.DataFrame]
) -> None:
    output = fitted(tmp_path / "run", data if data == "florentine" else ties(tmp_path))
    index = ["relation", "metric"]
    printed = pd.DataFrame(output["metrics"]).set_index(index)["value"].astype(float)
    in_python = mrwtd.load_run(tmp_path / "run")
    pd.testing.assert_series_equal(in_python.scores.set_index(index)["value"], printed, check_index_type=False)
    monkeypatch.setenv(current_run.STARTUP_RUN, str(tmp_path / "run"))
    monkeypatch.setattr(figures, "show_bars", lambda _, name, scores: files.update({name: scores}))
    user = f"a-user-who-opens-a-run-of-{data}"
    app = open_page("app.py", user)
    assert not app.exception
    settings = app.session_state[keys.SETTINGS]
    assert settings.run == in_python.id
    assert (settings.rank, settings.train, settings.seed, settings.methods) == (2, 0.6, 3, ("MrWTD",))
    assert set(settings.loss.values()) == {"quadratic"}
    assert set(settings.weight.values()) == {2.0}
    app = open_page(TRAIN, user, data=settings.data, run=in_python.id)
    assert not app.exception
    assert not app.error
    on_train = files["scores"].set_index(index)["value"]
    pd.testing.assert_series_equal(on_train, printed, check_index_type=False)
    open_page(COMPARE, user, data=settings.data, run=in_python.id, **{"compare.section": "table"})
    on_compare = files["relation-by-method"]
    on_compare = on_compare[on_compare["relation"] != MEAN].set_index(index)["value"]
    assert on_compare.notna().any()
    pd.testing.assert_series_equal(on_compare, printed.reindex(on_compare.index), check_index_type=False)
    assert len(current_user.workspace_of(user).runs()) == 1, "the run is imported once"
    part = next(name for name in PARTS if "command line" in name)
    line = app.button_group(key=keys.PICK + "train.part").set_value(part).run().code[0].value
    assert "--loss quadratic --positive-weight 2.0" in line
    assert f" {data} " in line


@pytest.mark.parametrize("words", [("--rank", "600", "--lam", "5000"), ("--lam", "0"), ("--init", "random")])
def test_train_shows_a_run_whose_parameters_no_form_offers(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ["fit", "florentine", "--rank", "2", "--lam", "1", *words, "--out", str(tmp_path / "run"), "--json"]
    assert CliRunner().invoke(main, command, catch_exceptions=False).exit_code == 0
    monkeypatch.setenv(current_run.STARTUP_RUN, str(tmp_path / "run"))
    user = f"a-user-who-opens-a-run-with-{'-'.join(words)}"
    settings = open_page("app.py", user).session_state[keys.SETTINGS]
    app = open_page(TRAIN, user, data="florentine", run=settings.run)
    assert not app.exception
    assert not app.error
    if words[0] == "--init":
        assert settings.get("start") == "random"
        part = next(name for name in PARTS if "command line" in name)
        line = app.button_group(key=keys.PICK + "train.part").set_value(part).run().code[0].value
        assert "--init random" in line


def test_parameters_of_a_variant_that_no_form_offers_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["fit", "florentine", "--method", "MrWTD-H", "--rank", "2", "--lam", "1", "--init", "random"]
    command += ["--out", str(tmp_path / "run"), "--json"]
    assert CliRunner().invoke(main, command, catch_exceptions=False).exit_code == 0
    monkeypatch.setenv(current_run.STARTUP_RUN, str(tmp_path / "run"))
    app = open_page("app.py", "a-user-who-opens-a-run-of-a-variant")
    assert any("init = random" in sentence for sentence in app.session_state[keys.MESSAGES])


def test_a_link_to_the_run_shows_it_and_other_links_still_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted(tmp_path / "run", ties(tmp_path))
    shutil.make_archive(str(tmp_path / "zipped"), "zip", tmp_path, "run")
    run = mrwtd.load_run(tmp_path / "zipped.zip")
    monkeypatch.setenv(current_run.STARTUP_RUN, str(tmp_path / "zipped.zip"))
    app = open_page(TRAIN, "a-user-with-a-link-to-a-run", data=f"own-{run.digest}", run=run.id)
    assert not app.exception
    assert not any("link" in warning.value for warning in app.warning)
    assert app.session_state[keys.SETTINGS].run == run.id
    app = open_page("app.py", "a-user-with-another-link", data="bankwiring")
    assert app.session_state[keys.SETTINGS].data == "bankwiring"


def test_a_run_that_cannot_be_shown_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted(tmp_path / "run", "florentine")
    (tmp_path / "run" / "scores.csv").write_text("")
    monkeypatch.setenv(current_run.STARTUP_RUN, str(tmp_path / "run"))
    app = open_page("app.py", "a-user-of-a-server-with-a-damaged-run")
    assert not app.exception
    assert any("scores.csv is damaged" in warning.value.replace("\\", "") for warning in app.warning)


def test_a_zip_of_the_folder_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted(tmp_path / "run", ties(tmp_path))
    shutil.make_archive(str(tmp_path / "zipped"), "zip", tmp_path, "run")
    space = Workspace(tmp_path / "space")
    monkeypatch.setattr(current_user, "workspace", lambda: space)
    with (tmp_path / "zipped.zip").open("rb") as file:
        run = current_run.import_run(file)
    assert run.display_name == "MrWTD · 60% · rank 2"
    assert run.scores.equals(mrwtd.load_run(tmp_path / "run").scores)
    assert [about["file"] for about in space.datasets().values()] == ["ties.csv"]


def test_a_run_without_test_entries_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    CliRunner().invoke(main, ["fit", "florentine", "--rank", "2", "--lam", "1", "--train", "1", "--out", str(tmp_path)])
    space = Workspace(tmp_path / "space")
    monkeypatch.setattr(current_user, "workspace", lambda: space)
    run = current_run.import_run(tmp_path)
    assert [kept.id for kept in space.runs()] == [run.id]
    assert not current_run.open_run(run).is_tested


def test_the_dashboard_starts_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted(tmp_path / "run", "florentine")
    started: list[list[str]] = []
    monkeypatch.setattr("os.execv", lambda program, words: started.append(words))
    monkeypatch.setattr("subprocess.run", lambda *_, **__: type("Done", (), {"returncode": 0}))
    monkeypatch.setenv(current_run.STARTUP_RUN, "")
    result = CliRunner().invoke(main, ["dashboard", "--open", str(tmp_path / "run"), "--port", "8600"])
    run = mrwtd.load_run(tmp_path / "run")
    assert f"http://localhost:8600/Train?data=florentine&run={run.id}" in result.output
    assert str(TOP / "app.py") in started[0]
    assert "--server.port=8600" in started[0]
