"""Runs on disk: whole or not there, and nobody else's files touched."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.runs import Run, Workspace


@pytest.fixture
def data() -> mrwtd.RelationalData:
    return mrwtd.load_dataset("florentine")


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "space")


def keep(space: Workspace, data: mrwtd.RelationalData, name: str = "first", **more: object) -> Run:
    train, test = data.split(train=0.5, seed=0)
    models = {
        "MrWTD": mrwtd.MrWTD(rank=2, lam=1.0, snapshots=3).fit(train),
        "A/B": mrwtd.make_method("Degree").fit(train),
    }
    scores = pd.concat([mrwtd.evaluate(model, test).assign(method=name) for name, model in models.items()])
    about = {"title": "Florence", "settings": {"rank": "2"}, "digest": data.digest(), "seconds": 0.1}
    return space.keep(models, scores, name=name, **(about | more))


def test_a_run_comes_back_whole(space: Workspace, data: mrwtd.RelationalData) -> None:
    kept = keep(space, data)
    found = Workspace(space.folder).run(kept.id)
    assert found == kept
    _, test = data.split(train=0.5, seed=0)
    models = found.models()
    assert list(models) == ["MrWTD", "A/B"]
    scores = found.scores
    auprc = mrwtd.evaluate(models["MrWTD"], test).query("metric == 'auprc'")["value"]
    stored = scores.query("metric == 'auprc' and method == 'MrWTD'")["value"]
    np.testing.assert_allclose(stored, auprc)
    assert len(models["MrWTD"].snapshots_) == 3
    assert len(models["MrWTD"].trace_)


def test_the_newest_comes_first_and_half_a_run_is_not_seen(space: Workspace, data: mrwtd.RelationalData) -> None:
    first, second = keep(space, data), keep(space, data, "second")
    (space.folder / "runs" / "half").mkdir()
    (space.folder / "runs" / "half" / "run.json").write_text("{")
    assert [run.id for run in space.runs()] == [second.id, first.id]


def test_rename_and_delete(space: Workspace, data: mrwtd.RelationalData) -> None:
    run = keep(space, data)
    space.rename(run.id, "  my   <b>run</b> ")
    assert space.run(run.id).name == "my <b>run</b>"
    space.rename(run.id, "   ")
    assert space.run(run.id).name == "my <b>run</b>"
    space.delete(run.id)
    assert space.runs() == []
    assert not list((space.folder / "runs").iterdir())


@pytest.mark.parametrize("name", ["", "..", "../../etc", "a/b", ".draft-1", "x" * 300])
def test_ids_that_are_none(space: Workspace, name: str) -> None:
    assert space.run(name) is None
    space.delete(name)
    assert space.data(name) is None
    with pytest.raises(mrwtd.DataError):
        space.export(name)


def test_export_and_import_with_the_uploaded_data(space: Workspace, data: mrwtd.RelationalData, tmp_path: Path) -> None:
    space.keep_data(data, {"file": "ties.csv", "how": {}})
    run = keep(space, data)
    other = Workspace(tmp_path / "other")
    taken = other.take_in(io.BytesIO(space.export(run.id)))
    assert (taken.id, taken.name, taken.settings) == (run.id, run.name, run.settings)
    assert other.data(run.digest) == data
    assert other.datasets() == {run.digest: {"file": "ties.csv", "how": {}}}
    other.keep_data(data, {"file": "mine.csv"})
    again = other.take_in(io.BytesIO(space.export(run.id)))
    assert other.datasets() == {run.digest: {"file": "mine.csv"}}
    assert again.id != run.id
    assert len(other.runs()) == 2


def packed(**files: bytes) -> io.BytesIO:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer


@pytest.mark.parametrize(
    "file",
    [
        io.BytesIO(b""),
        io.BytesIO(b"no zip at all"),
        packed(other=b"x"),
        packed(**{"run.json": b"{}"}),
        packed(**{"run.json": b"[1]", "scores.csv": b"a"}),
        packed(**{"../run.json": b"{}", "/etc/x": b"y"}),
    ],
)
def test_files_that_are_no_run_are_refused_and_leave_nothing(space: Workspace, file: io.BytesIO) -> None:
    with pytest.raises(mrwtd.DataError, match="a run that was exported"):
        space.take_in(file)
    assert not list((space.folder / "runs").iterdir())


def test_a_part_that_is_missing_is_told_without_naming_a_folder(
    space: Workspace, data: mrwtd.RelationalData, tmp_path: Path
) -> None:
    whole = zipfile.ZipFile(io.BytesIO(space.export(keep(space, data).id)))
    files = {name: whole.read(name) for name in whole.namelist() if name != "scores.csv"}
    with pytest.raises(mrwtd.DataError, match="a part is missing") as refused:
        Workspace(tmp_path / "other").take_in(packed(**files))
    assert str(tmp_path) not in str(refused.value)


def test_an_import_cannot_name_a_place_outside(space: Workspace, data: mrwtd.RelationalData, tmp_path: Path) -> None:
    content = zipfile.ZipFile(io.BytesIO(space.export(keep(space, data).id)))
    for field in ("id", "digest"):
        about = json.loads(content.read("run.json")) | {field: "../../climbed"}
        files = {name: content.read(name) for name in content.namelist()} | {"run.json": json.dumps(about).encode()}
        with pytest.raises(mrwtd.DataError):
            Workspace(tmp_path / "other").take_in(packed(**files))
    assert not list(tmp_path.rglob("climbed*"))


@pytest.mark.parametrize(
    "bad", [{"created": "yesterday"}, {"summary": {"MrWTD": "much"}}, {"summary": [1]}, {"seconds": "long"}]
)
def test_a_run_that_lists_could_not_show_is_refused(
    space: Workspace, data: mrwtd.RelationalData, tmp_path: Path, bad: dict[str, object]
) -> None:
    whole = zipfile.ZipFile(io.BytesIO(space.export(keep(space, data).id)))
    about = json.loads(whole.read("run.json")) | bad
    files = {name: whole.read(name) for name in whole.namelist()} | {"run.json": json.dumps(about).encode()}
    with pytest.raises(mrwtd.DataError, match="a run that was exported"):
        Workspace(tmp_path / "other").take_in(packed(**files))


@pytest.mark.parametrize(
    "about", [b"[]", b"{}", b'{"file": 3}', b'{"file": "a.csv", "how": 1}', b'{"file": "a.csv", "notes": 1}']
)
def test_data_that_does_not_say_what_it_is_is_refused(
    space: Workspace, data: mrwtd.RelationalData, tmp_path: Path, about: bytes
) -> None:
    space.keep_data(data, {"file": "ties.csv", "how": {}})
    whole = zipfile.ZipFile(io.BytesIO(space.export(keep(space, data).id)))
    files = {name: whole.read(name) for name in whole.namelist()} | {"data.json": about}
    other = Workspace(tmp_path / "other")
    with pytest.raises(mrwtd.DataError, match="what its data is"):
        other.take_in(packed(**files))
    assert (other.runs(), other.datasets()) == ([], {})


def test_an_import_with_other_data_is_refused(space: Workspace, data: mrwtd.RelationalData, tmp_path: Path) -> None:
    space.keep_data(data, {"file": "ties.csv", "how": {}})
    whole = zipfile.ZipFile(io.BytesIO(space.export(keep(space, data).id)))
    forged = tmp_path / "forged.parquet"
    mrwtd.write(mrwtd.load_dataset("bankwiring"), forged)
    files = {name: whole.read(name) for name in whole.namelist()} | {"data.parquet": forged.read_bytes()}
    with pytest.raises(mrwtd.DataError, match="not that of the run"):
        Workspace(tmp_path / "other").take_in(packed(**files))


def test_uploads_newest_first_and_forgotten(space: Workspace, data: mrwtd.RelationalData) -> None:
    first = space.keep_data(data, {"file": "a.csv"})
    second = space.keep_data(mrwtd.load_dataset("bankwiring"), {"file": "b.csv"})
    assert list(space.datasets()) == [second, first]
    space.keep_data(data, {"file": "a.csv"})
    assert list(space.datasets()) == [first, second]
    space.keep_data(data, {"file": "c.csv"})
    assert space.datasets()[first] == {"file": "c.csv"}
    assert space.data(first) == data
    space.forget_data(first)
    assert list(space.datasets()) == [second]
    assert space.data(first) is None
