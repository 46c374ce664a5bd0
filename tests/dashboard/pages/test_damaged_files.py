"""Damaged runs and data sets, from a bad disk or a forged import: no page fails, each is named and can be deleted."""

import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
import streamlit as st

import mrwtd
from mrwtd.dashboard.state import current_run, current_user, experiment_records, keys
from mrwtd.dashboard.state.experiment_records import ExperimentRecord
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from mrwtd.runs import Workspace
from tests.dashboard.pages.damaged_files import (
    DAMAGED_DATA_SETS,
    DAMAGED_RUNS,
    PAGES,
    RUNS_DAMAGED_INSIDE,
    change_fields,
    change_scores,
    damaged_copy,
    failures,
    flip_bit,
    workspace_with_run,
)
from tests.dashboard.pages.open_pages import open_page


@pytest.fixture(scope="module")
def user() -> str:
    """A user with a good run and a good upload, and newer damaged ones of every kind."""
    user = "a-user-with-damaged-files"
    space = workspace_with_run(user)
    (run,) = space.runs()
    for name, damage in DAMAGED_RUNS.items():
        damaged_copy(run.folder, f"run-{name}", damage)
    (digest,) = space.datasets()
    for name, damage in DAMAGED_DATA_SETS.items():
        damaged_copy(space.folder / "data" / digest, f"set-{name}", damage)
    return user


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_names_what_is_damaged_and_offers_to_delete_it(user: str, page: str) -> None:
    app = open_page(page, user, data="florentine")
    assert failures(app) == []
    offered = {str(button.key) for button in app.sidebar.button if button.label == "Delete"}
    assert offered >= {f"damaged-run-{name}" for name in DAMAGED_RUNS}
    assert offered >= {f"damaged-{UPLOAD_PREFIX}set-{name}" for name in DAMAGED_DATA_SETS}
    listed = [str(text.value) for text in app.sidebar.caption]
    assert sum(text.startswith("**Damaged") for text in listed) == len(DAMAGED_RUNS) + len(DAMAGED_DATA_SETS) - 1
    assert sum(text.startswith("**Run of another version") for text in listed) == 1
    assert not any("Nothing has been trained" in str(info.value) for info in app.info)  # the good run is shown


OPENING = [page for page in PAGES if page.split("_")[-1] in ("Train.py", "Compare.py", "Predict.py", "Learn.py")]


@pytest.mark.parametrize("page", [*OPENING, "pages/4_Embedding.py", "pages/5_Network.py", "app.py"])
def test_every_page_falls_back_to_the_intact_run(page: str) -> None:
    """Starting with the newest run, each one that cannot be opened is named, and the previous one is shown."""
    user = f"a-user-with-altered-runs-{PAGES.index(page)}-of-nine"
    space = workspace_with_run(user)
    (run,) = space.runs()
    for name, damage in RUNS_DAMAGED_INSIDE.items():
        damaged_copy(run.folder, f"altered-{name}", damage)
    app = open_page(page, user, data="florentine")
    assert failures(app) == []
    if page != "app.py":  # which does not open models
        assert {f"damaged-altered-{name}" for name in RUNS_DAMAGED_INSIDE} <= {
            str(button.key) for button in app.sidebar.button
        }
        assert not any("Nothing has been trained" in str(info.value) for info in app.info)
    assert len(space.runs()) == len(RUNS_DAMAGED_INSIDE) + 1  # nothing is deleted without a click


@pytest.mark.parametrize("kind", [*DAMAGED_RUNS, *RUNS_DAMAGED_INSIDE])
def test_no_altered_run_is_imported(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (run,) = workspace_with_run("a-user-who-exports-a-run").runs()
    taking = Workspace(tmp_path / "taking")
    monkeypatch.setattr(current_user, "workspace", lambda: taking)
    folder = shutil.copytree(run.folder, tmp_path / "whole")
    assert current_run.import_run(zipped(folder)).name == "the good run"
    (DAMAGED_RUNS | RUNS_DAMAGED_INSIDE)[kind](folder)
    with pytest.raises(mrwtd.DataError):
        current_run.import_run(zipped(folder))
    assert len(taking.runs()) == len([*(taking.folder / "runs").iterdir()]) == 1


def zipped(folder: Path) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for part in folder.rglob("*.*"):
            archive.write(part, part.relative_to(folder))
    return file


def test_a_run_without_regularization_strengths_is_intact() -> None:
    user = "a-user-with-a-run-without-lambda"
    space = workspace_with_run(user)
    (run,) = space.runs()
    damaged_copy(run.folder, "no-lam", change_scores(lambda table: table.drop(columns="lam")))
    app = open_page("pages/3_Compare.py", user, data="florentine", run="no-lam")
    assert failures(app) == []
    assert app.session_state[keys.SETTINGS].run == "no-lam"


def test_the_data_page_lists_damaged_data_sets(user: str) -> None:
    app = open_page("pages/1_Data.py", user, data="florentine")
    assert {f"remove-{UPLOAD_PREFIX}set-{name}" for name in DAMAGED_DATA_SETS} <= {
        str(button.key) for button in app.main.button
    }


def test_damaged_runs_and_data_sets_can_be_deleted(user: str) -> None:
    app = open_page("pages/8_Learn.py", user, data="florentine")
    app.button(key="damaged-run-about-gone").click().run()
    app.button(key=f"damaged-{UPLOAD_PREFIX}set-about-empty").click().run()
    assert failures(app) == []
    space = current_user.workspace_of(user)
    assert "run-about-gone" not in [item.id for item in space.damaged_runs()]
    assert "set-about-empty" not in [item.id for item in space.damaged_data()]
    assert "the good run" in [run.name for run in space.runs()]
    assert len(space.datasets()) == 1


@pytest.mark.parametrize("page", ["app.py", "pages/2_Train.py", "pages/3_Compare.py", "pages/8_Learn.py"])
def test_a_run_with_hidden_damage_is_replaced_by_the_previous_one(page: str) -> None:
    user = f"a-user-with-a-damaged-model-{PAGES.index(page)}-of-nine"
    space = workspace_with_run(user)
    (run,) = space.runs()
    broken = damaged_copy(run.folder, "run-flipped", change_fields(name="the broken run"))
    flip_bit("models/0.npz")(broken)
    app = open_page(page, user, data="florentine", run="run-flipped")
    assert failures(app) == []
    if page != "app.py":  # which does not open models
        assert "damaged-run-flipped" in {str(button.key) for button in app.sidebar.button}
        assert any("the broken run" in str(warning.value) for warning in app.warning)
        assert "run" not in app.query_params or app.query_params["run"] != ["run-flipped"]


@pytest.mark.parametrize("page", ["app.py", "pages/1_Data.py", "pages/5_Network.py"])
def test_data_with_hidden_damage_is_replaced_by_a_sample(page: str) -> None:
    user = f"a-user-with-damaged-data-{PAGES.index(page)}-of-nine"
    space = workspace_with_run(user)
    (digest,) = space.datasets()
    # Another name than its digest: tests of other pages may have opened that.
    place = damaged_copy(
        space.folder / "data" / digest, f"flipped-{PAGES.index(page)}", change_fields(called="the broken set")
    )
    content = (place / "data.parquet").read_bytes()
    (place / "data.parquet").write_bytes(b"PAR1" + bytes(len(content) - 8) + b"PAR1")
    app = open_page(page, user, data=UPLOAD_PREFIX + place.name)
    assert failures(app) == []
    assert any("the broken set" in str(warning.value) for warning in app.warning)
    assert app.session_state[keys.SETTINGS].data == Settings.data
    app.button(key=f"damaged-{UPLOAD_PREFIX}{place.name}").click().run()
    assert failures(app) == []
    assert place.name not in [*space.datasets(), *(item.id for item in space.damaged_data())]


@pytest.mark.parametrize("bad", [{"created": "0001-01-01T00:00:00+23:59"}, {"done": "x"}, {"settings": 5}, {"name": 1}])
def test_a_damaged_experiment_is_not_listed(tmp_path: Path, bad: dict[str, object]) -> None:
    experiment_records.save(tmp_path, ExperimentRecord("rank", "quick", {}, total=8))
    (file,) = tmp_path.glob("*.json")
    assert len(experiment_records.load_all(tmp_path)) == 1
    file.write_text(json.dumps(json.loads(file.read_text()) | bad))
    assert experiment_records.load_all(tmp_path) == []
    assert [item.id for item in experiment_records.damaged(tmp_path)] == [file.stem]


def test_a_damaged_experiment_is_named_and_can_be_deleted() -> None:
    user = "a-user-with-a-damaged-experiment"
    folder = current_user.workspace_of(user).folder / "experiments" / "asked"
    folder.mkdir(parents=True)
    (folder / "broken.json").write_text("{")
    app = open_page("app.py", user)
    app.button(key="damaged-broken").click().run()
    assert not list(folder.iterdir())
    assert "damaged-broken" not in {str(button.key) for button in app.sidebar.button}


def test_an_upload_replaces_its_damaged_copy() -> None:
    space = workspace_with_run("a-user-who-uploads-a-damaged-set-again")
    (digest,) = space.datasets()
    flip_bit("data.parquet")(space.folder / "data" / digest)
    data = mrwtd.load_dataset("florentine")
    assert space.save_dataset(data, {"file": "again.csv"}) == digest
    assert space.data(digest) == data


def test_a_damaged_example_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "example"
    shutil.copytree(current_run.EXAMPLE, folder)
    flip_bit("models/0.npz")(folder)
    monkeypatch.setattr(current_run, "EXAMPLE", folder)
    st.cache_resource.clear()  # other tests have opened the example
    app = open_page("pages/2_Train.py", data="aucs")  # it would be drawn again and again
    assert not app.exception
    assert any("damaged" in message.value for message in app.warning)
