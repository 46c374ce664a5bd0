"""Damaged runs and data sets, from a bad disk or a forged import: no page fails, each is named and can be deleted."""

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import train
from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.pages import network
from mrwtd.dashboard.pages.data import overview
from mrwtd.dashboard.shell import history
from mrwtd.dashboard.state import current_run, current_user, experiment_records, keys
from mrwtd.dashboard.state.experiment_records import ExperimentRecord
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX, Settings
from mrwtd.dashboard.widgets.formatting import escape_markdown
from mrwtd.runs import Workspace
from tests.dashboard.pages.open_pages import QUICK, open_page
from tests.stored_runs import sign

PAGES = [page.path for page in pages().values()]
LATER = "2999-01-01T00:00:00+00:00"


def says(**changes: object) -> Callable[[Path], None]:
    """Change what run.json or data.json says."""

    def damage(folder: Path) -> None:
        file = next(file for file in (folder / "run.json", folder / "data.json") if file.exists())
        if file.name == "run.json":
            sign(folder, **changes)
        else:
            file.write_text(json.dumps(json.loads(file.read_text()) | changes))

    return damage


def cut(name: str, keep: float) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: int(keep * len(content))])

    return damage


def zeros(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(bytes((folder / name).stat().st_size)) and None


def gone(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def flipped(name: str) -> Callable[[Path], None]:
    """Change one bit in the middle of a file."""

    def damage(folder: Path) -> None:
        content = bytearray((folder / name).read_bytes())
        content[len(content) // 2] ^= 1
        (folder / name).write_bytes(content)

    return damage


def scores(change: Callable[[pd.DataFrame], pd.DataFrame]) -> Callable[[Path], None]:
    """Change the table of scores."""

    def damage(folder: Path) -> None:
        table = pd.read_csv(folder / "scores.csv", dtype="str", keep_default_na=False)
        change(table).to_csv(folder / "scores.csv", index=False)
        sign(folder)

    return damage


def model(change: Callable[[dict[str, Any], dict[str, np.ndarray]], object], number: int = 0) -> Callable[[Path], None]:
    """Change the header of a stored model, or its arrays."""

    def damage(folder: Path) -> None:
        file = folder / "models" / f"{number}.npz"
        with np.load(file) as stored:
            arrays = {name: stored[name] for name in stored.files}
        header = json.loads(arrays["mrwtd"].tobytes())
        change(header, arrays)
        arrays["mrwtd"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
        np.savez(file, **arrays)
        sign(folder)

    return damage


def has(part: str, name: str, value: object) -> Callable[[Path], None]:
    """Replace a parameter or a learned attribute of a stored model."""

    def change(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        header[part]["dict"] = [[key, value if key == name else old] for key, old in header[part]["dict"]]

    return model(change)


def nan_in_factors(header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
    place = dict(header["learned"]["dict"])["A_"]["array"]
    arrays[place][0, 0] = np.nan


def frame(**columns: list[object]) -> dict[str, object]:
    """A table as stored models have it."""
    return {"frame": {"dict": [[name, values] for name, values in columns.items()]}}


RUNS = {
    "about-cut": cut("run.json", 0.5),
    "about-empty": cut("run.json", 0),
    "about-gone": gone("run.json"),
    "created-before-time": says(created="0001-01-01T00:00:00+23:59"),
    "created-number": says(created=5),
    "name-half-a-character": says(name="\ud800"),
    "summary-text": says(summary={"MrWTD": "much"}),
    "spec-empty": says(spec={"split": {}}),
    "spec-text": says(spec={"split": {"train": "x", "seed": 0, "by": "auto", "stratify": False}}),
    "version": says(format=99),
    "byte-in-about": flipped("run.json"),
    "byte-in-scores": flipped("scores.csv"),
    "scores-empty": cut("scores.csv", 0),
    "scores-zeros": zeros("scores.csv"),
    "scores-gone": gone("scores.csv"),
    "model-cut": cut("models/0.npz", 0.5),
    "model-gone": gone("models/1.npz"),
}
OPENED = {
    "scores-without-entries": scores(lambda table: table.assign(entries="")),
    "scores-without-a-column": scores(lambda table: table.drop(columns="entries")),
    "scores-of-part-of-an-entry": scores(lambda table: table.assign(entries="1.5")),
    "scores-with-text": scores(lambda table: table.assign(test_entries="many")),
    "scores-with-negative-time": scores(lambda table: table.assign(seconds="-1")),
    "scores-infinite": scores(lambda table: table.assign(value="inf")),
    "scores-of-another-kind": scores(lambda table: table.assign(kind="real")),
    "scores-twice": scores(lambda table: pd.concat([table, table])),
    "scores-without-positives": scores(lambda table: table.assign(positives="")),
    "relation": scores(lambda table: table.replace("marriage", "money")),
    "method": scores(lambda table: table.replace("MrWTD", "another")),
    "nothing-scored": scores(lambda table: table.assign(entries="0", positives="0")),
    "no-time": scores(lambda table: table.assign(seconds="")),
    "labels": says(methods=["RESCAL", "MrWTD", "Degree"]),
    "factors": model(nan_in_factors),
    "trace-empty": has("learned", "trace_", frame(iteration=[], objective=[], score=[])),
    "trace-columns": has("learned", "trace_", frame(iteration=[1, 2], score=[0.1, 0.2])),
    "trace-nan": has("learned", "trace_", frame(iteration=[1, 2], objective=[float("nan")] * 2, score=[0.1, 0.2])),
    "path-columns": has("learned", "lam_path_", frame(strength=[1.0, 2.0])),
    "path-values": has("learned", "lam_path_", frame(lam=[-1.0, 0.0], score=[0.1, 0.2], collapsed=[False, False])),
    "path-text": has("learned", "lam_path_", frame(lam=["x"], score=["y"], collapsed=["z"])),
    "rank": has("parameters", "rank", "three"),
    "seed": has("parameters", "seed", [0]),
    "ensemble": has("parameters", "ensemble", None),
    "members": has("learned", "members_", {"tuple": []}),
    "other-data": has("learned", "objects_", {"tuple": ["a", "b"]}),
}
"""Damage that is detected only when a run is opened."""

SETS = {
    "about-cut": cut("data.json", 0.5),
    "about-empty": cut("data.json", 0),
    "about-gone": gone("data.json"),
    "called-mapping": says(called={"a": 1}),
    "files-number": says(files=5),
    "kept-text": says(kept="x"),
    "data-cut": cut("data.parquet", 0.5),
    "data-gone": gone("data.parquet"),
    "data-zeros": zeros("data.parquet"),
}


def workspace(user: str) -> Workspace:
    """The workspace of a user who has one run and one upload."""
    space, data = current_user.workspace_of(user), mrwtd.load_dataset("florentine")
    if not space.runs():
        work = train(Settings("florentine", **QUICK), data, "Florence", space, name="the good run")
        assert work(Job("training", "train", user, work)) is not None
        space.save_dataset(data, {"file": "good.csv"})
    return space


def copied(folder: Path, name: str, damage: Callable[[Path], None]) -> Path:
    place = folder.with_name(name)
    shutil.copytree(folder, place)
    if (place / "run.json").exists():
        says(id=name, created=LATER)(place)
    damage(place)
    return place


@pytest.fixture(scope="module")
def user() -> str:
    """A user with a good run and a good upload, and newer damaged ones of every kind."""
    user = "a-user-with-damaged-files"
    space = workspace(user)
    (run,) = space.runs()
    for name, damage in RUNS.items():
        copied(run.folder, f"run-{name}", damage)
    (digest,) = space.datasets()
    for name, damage in SETS.items():
        copied(space.folder / "data" / digest, f"set-{name}", damage)
    return user


def failures(app: AppTest) -> list[str]:
    return [*(str(error.value) for error in app.exception), *(str(error.value) for error in app.error)]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_names_what_is_damaged_and_offers_to_delete_it(user: str, page: str) -> None:
    app = open_page(page, user, data="florentine")
    assert failures(app) == []
    offered = {str(button.key) for button in app.sidebar.button if button.label == "Delete"}
    assert offered >= {f"damaged-run-{name}" for name in RUNS}
    assert offered >= {f"damaged-{UPLOAD_PREFIX}set-{name}" for name in SETS}
    listed = [str(text.value) for text in app.sidebar.caption]
    assert sum(text.startswith("**Damaged") for text in listed) == len(RUNS) + len(SETS) - 1
    assert sum(text.startswith("**Run of another version") for text in listed) == 1
    assert not any("Nothing has been trained" in str(info.value) for info in app.info)  # the good run is shown


OPENING = [page for page in PAGES if page.split("_")[-1] in ("Train.py", "Compare.py", "Predict.py", "Learn.py")]


@pytest.mark.parametrize("page", [*OPENING, "pages/4_Embedding.py", "pages/5_Network.py", "app.py"])
def test_every_page_falls_back_to_the_intact_run(page: str) -> None:
    """Starting with the newest run, each one that cannot be opened is named, and the previous one is shown."""
    user = f"a-user-with-altered-runs-{PAGES.index(page)}-of-nine"
    space = workspace(user)
    (run,) = space.runs()
    for name, damage in OPENED.items():
        copied(run.folder, f"altered-{name}", damage)
    app = open_page(page, user, data="florentine")
    assert failures(app) == []
    if page != "app.py":  # which does not open models
        assert {f"damaged-altered-{name}" for name in OPENED} <= {str(button.key) for button in app.sidebar.button}
        assert not any("Nothing has been trained" in str(info.value) for info in app.info)
    assert len(space.runs()) == len(OPENED) + 1  # nothing is deleted without a click


@pytest.mark.parametrize("kind", [*RUNS, *OPENED])
def test_no_altered_run_is_imported(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (run,) = workspace("a-user-who-exports-a-run").runs()
    taking = Workspace(tmp_path / "taking")
    monkeypatch.setattr(current_user, "workspace", lambda: taking)
    folder = shutil.copytree(run.folder, tmp_path / "whole")
    assert current_run.import_run(zipped(folder)).name == "the good run"
    (RUNS | OPENED)[kind](folder)
    with pytest.raises(mrwtd.DataError):
        current_run.import_run(zipped(folder))
    assert len(taking.runs()) == len([*(taking.folder / "runs").iterdir()]) == 1


def zipped(folder: Path) -> io.BytesIO:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for part in folder.rglob("*.*"):
            archive.write(part, part.relative_to(folder))
    return file


def test_a_run_without_regularisation_strengths_is_intact() -> None:
    user = "a-user-with-a-run-without-lambda"
    space = workspace(user)
    (run,) = space.runs()
    copied(run.folder, "no-lam", scores(lambda table: table.drop(columns="lam")))
    app = open_page("pages/3_Compare.py", user, data="florentine", run="no-lam")
    assert failures(app) == []
    assert app.session_state[keys.SETTINGS].run == "no-lam"


def test_the_data_page_lists_damaged_data_sets(user: str) -> None:
    app = open_page("pages/1_Data.py", user, data="florentine")
    assert {f"remove-{UPLOAD_PREFIX}set-{name}" for name in SETS} <= {str(button.key) for button in app.main.button}


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
    space = workspace(user)
    (run,) = space.runs()
    broken = copied(run.folder, "run-flipped", says(name="the broken run"))
    flipped("models/0.npz")(broken)
    app = open_page(page, user, data="florentine", run="run-flipped")
    assert failures(app) == []
    if page != "app.py":  # which does not open models
        assert "damaged-run-flipped" in {str(button.key) for button in app.sidebar.button}
        assert any("the broken run" in str(warning.value) for warning in app.warning)
        assert "run" not in app.query_params or app.query_params["run"] != ["run-flipped"]


@pytest.mark.parametrize("page", ["app.py", "pages/1_Data.py", "pages/5_Network.py"])
def test_data_with_hidden_damage_is_replaced_by_a_sample(page: str) -> None:
    user = f"a-user-with-damaged-data-{PAGES.index(page)}-of-nine"
    space = workspace(user)
    (digest,) = space.datasets()
    # Another name than its digest: tests of other pages may have opened that.
    place = copied(space.folder / "data" / digest, f"flipped-{PAGES.index(page)}", says(called="the broken set"))
    content = (place / "data.parquet").read_bytes()
    (place / "data.parquet").write_bytes(b"PAR1" + bytes(len(content) - 8) + b"PAR1")
    app = open_page(page, user, data=UPLOAD_PREFIX + place.name)
    assert failures(app) == []
    assert any("the broken set" in str(warning.value) for warning in app.warning)
    assert app.session_state[keys.SETTINGS].data == Settings.data
    app.button(key=f"damaged-{UPLOAD_PREFIX}{place.name}").click().run()
    assert failures(app) == []
    assert place.name not in [*space.datasets(), *(item.id for item in space.damaged_data())]


NAME = "**bad** [run](http://x.invalid)"


def failing(*_: object, **__: object) -> None:
    raise RuntimeError("a bug")


def with_bad_run(user: str) -> Path:
    """A user with a good run, and a later intact one that a page fails to show."""
    (run,) = workspace(user).runs()
    return copied(run.folder, "run-bad", says(name=NAME))


@pytest.mark.parametrize("click", ["leave-run-bad", "delete-failed-run-bad"])
def test_a_failing_page_names_the_current_run_and_continues_without_it(
    click: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = f"a-user-on-a-page-that-fails-and-{click}"
    folder = with_bad_run(user)
    with monkeypatch.context() as patched:
        patched.setattr(network, "render", failing)
        app = open_page("pages/5_Network.py", user, data="florentine")
    assert len(app.error) == 1
    assert any(escape_markdown(NAME) in str(text.value) for text in app.main.markdown)
    assert not any(NAME in str(text.value) for text in app.main.markdown)
    assert folder.exists()
    app.button(key=click).click().run()
    assert failures(app) == []
    assert folder.exists() == click.startswith("leave")
    assert ("damaged-run-bad" in {str(button.key) for button in app.sidebar.button}) == folder.exists()


@pytest.mark.parametrize("click", ["leave", "delete-failed"])
def test_a_failing_page_names_the_current_data_and_continues_without_it(
    click: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = f"a-user-whose-data-fails-and-{click}"
    (digest,) = workspace(user).datasets()
    with monkeypatch.context() as patched:
        patched.setattr(overview, "render", failing)
        app = open_page("pages/1_Data.py", user, data=UPLOAD_PREFIX + digest)
    assert len(app.error) == 1
    assert any("good.csv" in str(text.value) for text in app.main.markdown)
    app.button(key=f"{click}-{UPLOAD_PREFIX}{digest}").click().run()
    assert failures(app) == []
    assert app.session_state[keys.SETTINGS].data == Settings.data
    assert (digest in current_user.workspace_of(user).datasets()) == (click == "leave")
    assert (f"damaged-{UPLOAD_PREFIX}{digest}" in {str(button.key) for button in app.sidebar.button}) == (
        click == "leave"
    )


def test_a_failing_page_without_a_run_offers_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "render", failing)
    app = open_page("pages/1_Data.py", "a-user-without-uploads", data="florentine")
    assert len(app.error) == 1
    assert not [button for button in app.main.button if str(button.key).startswith(("leave-", "delete-failed-"))]


def test_a_run_that_cannot_be_listed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    user = "a-user-with-a-run-that-cannot-be-listed"
    with_bad_run(user)
    summary = history._summary
    monkeypatch.setattr(history, "_summary", lambda run: failing() if run.id == "run-bad" else summary(run))
    app = open_page("pages/1_Data.py", user, data="florentine")
    app.session_state[keys.EXPANDERS] = {"history": True}
    app.run()
    assert failures(app) == []
    assert "damaged-run-bad" in {str(button.key) for button in app.sidebar.button}


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
    space = workspace("a-user-who-uploads-a-damaged-set-again")
    (digest,) = space.datasets()
    flipped("data.parquet")(space.folder / "data" / digest)
    data = mrwtd.load_dataset("florentine")
    assert space.save_dataset(data, {"file": "again.csv"}) == digest
    assert space.data(digest) == data
