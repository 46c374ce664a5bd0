"""Runs and data sets that a disk or a forged import has damaged: no page fails, each is named and can be deleted."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard import keys, studies, visitor
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.menu import pages
from mrwtd.dashboard.settings import OWN, Settings
from mrwtd.dashboard.studies import Study
from mrwtd.dashboard.training import train
from mrwtd.data.location import site_folder
from mrwtd.runs import Workspace
from tests.pages.opening import QUICK, open_page

PAGES = [page.path for page in pages(site_folder())]
LATER = "2999-01-01T00:00:00+00:00"


def says(**changes: object) -> Callable[[Path], None]:
    """Change what run.json or data.json says."""

    def damage(folder: Path) -> None:
        file = next(file for file in (folder / "run.json", folder / "data.json") if file.exists())
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


RUNS = {
    "about-cut": cut("run.json", 0.5),
    "about-empty": cut("run.json", 0),
    "about-gone": gone("run.json"),
    "created-before-time": says(created="0001-01-01T00:00:00+23:59"),
    "created-number": says(created=5),
    "name-half-a-character": says(name="\ud800"),
    "summary-text": says(summary={"MrWTD": "much"}),
    "settings-empty": says(settings={}),
    "settings-text": says(settings={"data": "florentine", "train": "x", "seed": "0"}),
    "version": says(version=99),
    "scores-empty": cut("scores.csv", 0),
    "scores-zeros": zeros("scores.csv"),
    "scores-gone": gone("scores.csv"),
    "model-cut": cut("models/0.npz", 0.5),
    "model-gone": gone("models/1.npz"),
}
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


def workspace(own: str) -> Workspace:
    """The workspace of a user who has one run and one upload."""
    space, data = visitor.workspace_of(own), mrwtd.load_dataset("florentine")
    if not space.runs():
        work = train(Settings("florentine", **QUICK), data, "Florence", space, name="the good run")
        assert work(Job("training", "train", own, work)) is not None
        space.keep_data(data, {"file": "good.csv"})
    return space


def copied(folder: Path, name: str, damage: Callable[[Path], None]) -> Path:
    place = folder.with_name(name)
    shutil.copytree(folder, place)
    if (place / "run.json").exists():
        says(id=name, created=LATER)(place)
    damage(place)
    return place


@pytest.fixture(scope="module")
def own() -> str:
    """A user who has a good run and a good upload, and every kind of damaged ones, which are newer."""
    own = "a-user-with-damaged-files"
    space = workspace(own)
    (run,) = space.runs()
    for name, damage in RUNS.items():
        copied(run.folder, f"run-{name}", damage)
    (digest,) = space.datasets()
    for name, damage in SETS.items():
        copied(space.folder / "data" / digest, f"set-{name}", damage)
    return own


def failures(at: AppTest) -> list[str]:
    return [*(str(one.value) for one in at.exception), *(str(one.value) for one in at.error)]


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens_names_what_is_damaged_and_offers_to_delete_it(own: str, page: str) -> None:
    at = open_page(page, own, data="florentine")
    assert failures(at) == []
    offered = {str(button.key) for button in at.sidebar.button if button.label == "Delete"}
    assert offered >= {f"damaged-run-{name}" for name in RUNS}
    assert offered >= {f"damaged-{OWN}set-{name}" for name in SETS}
    assert sum(str(text.value).startswith("**Damaged") for text in at.sidebar.caption) == len(RUNS) + len(SETS)
    assert not any("Nothing has been trained" in str(one.value) for one in at.info)  # the good run is shown


def test_the_data_page_lists_damaged_data_sets(own: str) -> None:
    at = open_page("pages/1_Data.py", own, data="florentine")
    assert {f"remove-{OWN}set-{name}" for name in SETS} <= {str(button.key) for button in at.main.button}


def test_what_is_damaged_can_be_deleted(own: str) -> None:
    at = open_page("pages/8_Learn.py", own, data="florentine")
    at.button(key="damaged-run-about-gone").click().run()
    at.button(key=f"damaged-{OWN}set-about-empty").click().run()
    assert failures(at) == []
    space = visitor.workspace_of(own)
    assert "run-about-gone" not in [item.id for item in space.damaged_runs()]
    assert "set-about-empty" not in [item.id for item in space.damaged_data()]
    assert "the good run" in [run.name for run in space.runs()]
    assert len(space.datasets()) == 1


def flipped(file: Path) -> None:
    """Change bytes in the middle of a file whose beginning and end look whole."""
    content = bytearray(file.read_bytes())
    middle = slice(len(content) // 3, len(content) // 2)
    content[middle] = bytes(np.bitwise_xor(np.frombuffer(content[middle], dtype=np.uint8), 0x5A))
    file.write_bytes(content)


@pytest.mark.parametrize("page", ["app.py", "pages/2_Train.py", "pages/3_Compare.py", "pages/8_Learn.py"])
def test_a_run_that_only_looks_whole_is_left_for_the_one_before_it(page: str) -> None:
    own = f"a-user-with-a-damaged-model-{PAGES.index(page)}-of-nine"
    space = workspace(own)
    (run,) = space.runs()
    broken = copied(run.folder, "run-flipped", says(name="the broken run"))
    flipped(broken / "models" / "0.npz")
    at = open_page(page, own, data="florentine", run="run-flipped")
    assert failures(at) == []
    if page != "app.py":  # which does not open models
        assert "damaged-run-flipped" in {str(button.key) for button in at.sidebar.button}
        assert any("the broken run" in str(one.value) for one in at.warning)
        assert "run" not in at.query_params or at.query_params["run"] != ["run-flipped"]


@pytest.mark.parametrize("page", ["app.py", "pages/1_Data.py", "pages/5_Network.py"])
def test_data_that_only_looks_whole_is_left_for_a_sample(page: str) -> None:
    own = f"a-user-with-damaged-data-{PAGES.index(page)}-of-nine"
    space = workspace(own)
    (digest,) = space.datasets()
    # By another name than its digest, which tests of other pages may have opened.
    place = copied(space.folder / "data" / digest, f"flipped-{PAGES.index(page)}", says(called="the broken set"))
    content = (place / "data.parquet").read_bytes()
    (place / "data.parquet").write_bytes(b"PAR1" + bytes(len(content) - 8) + b"PAR1")
    at = open_page(page, own, data=OWN + place.name)
    assert failures(at) == []
    assert any("the broken set" in str(one.value) for one in at.warning)
    assert at.session_state[keys.SETTINGS].data == Settings.data
    at.button(key=f"damaged-{OWN}{place.name}").click().run()
    assert failures(at) == []
    assert place.name not in [*space.datasets(), *(item.id for item in space.damaged_data())]


@pytest.mark.parametrize("bad", [{"created": "0001-01-01T00:00:00+23:59"}, {"done": "x"}, {"settings": 5}, {"name": 1}])
def test_a_damaged_experiment_is_not_listed(tmp_path: Path, bad: dict[str, object]) -> None:
    studies.keep(tmp_path, Study("rank", "quick", {}, total=8))
    (file,) = tmp_path.glob("*.json")
    assert len(studies.listed(tmp_path)) == 1
    file.write_text(json.dumps(json.loads(file.read_text()) | bad))
    assert studies.listed(tmp_path) == []


def test_an_upload_takes_the_place_of_its_damaged_copy() -> None:
    space = workspace("a-user-who-uploads-a-damaged-set-again")
    (digest,) = space.datasets()
    flipped(space.folder / "data" / digest / "data.parquet")
    data = mrwtd.load_dataset("florentine")
    assert space.keep_data(data, {"file": "again.csv"}) == digest
    assert space.data(digest) == data
