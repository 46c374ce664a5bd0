"""Import of runs: complete ones are imported, and forged or damaged files are refused without leaving anything."""

import io
import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mrwtd
from mrwtd.runs import Workspace, run, store
from tests.stored_runs import DISK_FULL, changed, save, signed_files


def test_export_and_import_with_the_uploaded_data(space: Workspace, data: mrwtd.RelationalData, tmp_path: Path) -> None:
    space.save_dataset(data, {"file": "ties.csv", "how": {}})
    run = save(space, data)
    other = Workspace(tmp_path / "other")
    imported = other.import_run(io.BytesIO(space.export(run.id)))
    assert (imported.id, imported.name, imported.spec) == (run.id, run.name, run.spec)
    assert other.data(run.digest) == data
    assert other.datasets() == {run.digest: {"file": "ties.csv", "how": {}}}
    other.save_dataset(data, {"file": "mine.csv"})
    again = other.import_run(io.BytesIO(space.export(run.id)))
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
def test_files_that_are_not_a_run_are_refused_and_leave_nothing(space: Workspace, file: io.BytesIO) -> None:
    with pytest.raises(mrwtd.DataError, match="a run exported by mrwtd"):
        space.import_run(file)
    assert not list((space.folder / "runs").iterdir())


def test_a_missing_file_is_reported_without_the_folder(
    space: Workspace, data: mrwtd.RelationalData, tmp_path: Path
) -> None:
    original = zipfile.ZipFile(io.BytesIO(space.export(save(space, data).id)))
    files = {name: original.read(name) for name in original.namelist() if name != "scores.csv"}
    with pytest.raises(mrwtd.DataError, match=r"scores\.csv is missing") as refused:
        Workspace(tmp_path / "other").import_run(packed(**files))
    assert str(tmp_path) not in str(refused.value)


def test_an_import_cannot_write_outside_its_folder(
    space: Workspace, data: mrwtd.RelationalData, tmp_path: Path
) -> None:
    content = zipfile.ZipFile(io.BytesIO(space.export(save(space, data).id)))
    spec = json.loads(content.read("run.json"))["spec"]
    climbed = {"spec": spec | {"data": spec["data"] | {"digest": "../../climbed"}}}
    listed = {"files": {"../../climbed": {"bytes": 1, "sha256": ""}}}
    for changes in ({"id": "../../climbed"}, climbed, listed):
        about = changed(content.read("run.json"), changes)
        files = {name: content.read(name) for name in content.namelist()} | {"run.json": about}
        with pytest.raises(mrwtd.DataError):
            Workspace(tmp_path / "other").import_run(packed(**files))
    assert not list(tmp_path.rglob("climbed*"))


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of an exported run, with its data."""
    space, data = Workspace(tmp_path_factory.mktemp("from")), mrwtd.load_dataset("florentine")
    space.save_dataset(data, {"file": "ties.csv", "how": {}})
    original = zipfile.ZipFile(io.BytesIO(space.export(save(space, data).id)))
    return {name: original.read(name) for name in original.namelist()}


def refused(space: Workspace, files: dict[str, bytes], folder: Path | None = None) -> str:
    """The reason for which a file is refused without leaving anything; with a folder, its checksums are made valid."""
    files = files if folder is None else signed_files(files, folder)
    with pytest.raises(mrwtd.DataError) as error:
        space.import_run(packed(**files))
    assert [*(space.folder / "runs").iterdir(), *space.datasets(), *space.damaged_data()] == []
    assert str(space.folder) not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    "bad",
    [
        {"created": "yesterday"},
        {"created": "0001-01-01T00:00:00+23:59"},
        {"created": 5},
        {"summary": {"MrWTD": "much"}},
        {"summary": [1]},
        {"seconds": "long"},
        {"seconds": 10**400},
        {"id": ""},
        {"id": 5},
        {"name": 5},
        {"name": "\ud800"},
        {"code": ["a"]},
        {"files": ["scores.csv"]},
        {"files": {"scores.csv": 5}},
        {"files": {"/etc/passwd": {"bytes": 1, "sha256": ""}}},
        {"methods": "MrWTD"},
        {"methods": ["MrWTD", "MrWTD"]},
        {"spec": {"split": {}}},
        {"spec": {"split": {"train": 2, "seed": 0, "by": "auto", "stratify": False}}},
        {"spec": {"split": {"train": 0.5, "seed": 0, "by": "row", "stratify": False}}},
        {"spec": {"methods": []}},
        {"spec": {"methods": [{"label": "CP", "method": "CP", "parameters": 5}]}},
        {"spec": {"data": {"name": 5}}},
        {"state": "lost"},
    ],
)
def test_a_run_that_cannot_be_listed_is_refused(
    space: Workspace, exported: dict[str, bytes], bad: dict[str, object]
) -> None:
    about = changed(exported["run.json"], bad)
    assert "a run exported by mrwtd" in refused(space, exported | {"run.json": about})


def test_a_run_of_another_format_is_refused_with_what_to_do(space: Workspace, exported: dict[str, bytes]) -> None:
    for changes in ({"format": 1}, {"format": 99}):
        text = refused(space, exported | {"run.json": changed(exported["run.json"], changes)})
        assert "another version of mrwtd: train it again" in text


@pytest.mark.parametrize(
    "scores",
    [
        b"",
        b"\0" * 100,
        b"a,b\n1,2\n",
        b"method,relation,kind,metric,value,seconds\nMrWTD,marriage,binary,auprc,0.5,long\n",
        b"method,relation,kind,metric,value\nMrWTD,marriage,binary,auprc,much\n",
        b"method,relation,kind,metric,value\nMrWTD,marriage,binary,beauty,0.5\n",
        b"method,relation,kind,metric,value\nMrWTD,marriage,odd,auprc,0.5\n",
        b"method,relation,kind,metric,value\nMrWTD,\xff\xfe,binary,auprc,0.5\n",
    ],
)
def test_invalid_scores_are_refused(
    space: Workspace, exported: dict[str, bytes], scores: bytes, tmp_path: Path
) -> None:
    assert "scores.csv" in refused(space, exported | {"scores.csv": scores}, tmp_path / "forged")


def with_header(model: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """A stored model with a changed header."""
    with np.load(io.BytesIO(model)) as stored:
        arrays = {name: stored[name] for name in stored.files}
    header = json.loads(arrays["mrwtd"].tobytes())
    change(header)
    arrays["mrwtd"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def learned(name: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(header: dict[str, Any]) -> None:
        entries = [entry for entry in header["learned"]["dict"] if entry[0] != name]
        header["learned"] = {"dict": [*entries, [name, value]]}

    return change


def facts(**changes: object) -> dict[str, Any]:
    """A tuple of one diagnostic, as in model files, with changed fields."""
    original = {"code": "collapsed", "relation": None, "values": {"lam": 1.0, "cause": "lambda"}}
    return {"tuple": [{"diagnostic": original | changes}]}


@pytest.mark.parametrize(
    ("name", "value"),
    [("diagnostics_", 5), ("diagnostics_", {"tuple": [1]}), ("messages_", {"tuple": []}), ("predict", 5),
     ("__class__", 5), ("decision_function", 1), ("objects_", 5), ("trace_", 5), ("losses_", 5), ("lam_", "x"),
     ("diagnostics_", facts(code="unknown")), ("diagnostics_", facts(values={})),
     ("diagnostics_", facts(values={"lam": "x", "cause": "lambda"})), ("diagnostics_", facts(relation="\ud800")),
     ("diagnostics_", facts(relation=3))],
)  # fmt: skip
def test_models_with_invalid_values_are_refused(
    space: Workspace, exported: dict[str, bytes], name: str, value: object, tmp_path: Path
) -> None:
    model = with_header(exported["models/0.npz"], learned(name, value))
    assert "model" in refused(space, exported | {"models/0.npz": model}, tmp_path / "forged")


def test_a_model_above_the_memory_limit_is_refused(
    space: Workspace, exported: dict[str, bytes], tmp_path: Path
) -> None:
    header = io.BytesIO()
    shape = {"descr": "<f8", "fortran_order": False, "shape": (10**7, 10**7)}
    np.lib.format.write_array_header_1_0(header, shape)
    model = packed(**{"mrwtd.npy": header.getvalue()}).getvalue()
    refused(space, exported | {"models/0.npz": model}, tmp_path / "forged")


def test_a_model_that_expands_beyond_the_limit_is_refused(
    space: Workspace, exported: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(store, "EXPANDED", replace(store.EXPANDED, base=1_000_000))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mrwtd.npy", bytes(10_000_001))  # in ten thousand bytes
    assert "expands" in refused(space, exported | {"models/0.npz": buffer.getvalue()}, tmp_path / "forged")


@pytest.mark.parametrize("error", [MemoryError(), RecursionError(), OverflowError()])
def test_any_exception_of_a_forged_file_is_an_input_error(
    space: Workspace, exported: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(run, "read", fail)
    refused(space, exported)


@pytest.mark.parametrize(
    "about",
    [
        b"",
        b"[]",
        b"{}",
        b'{"file": 3}',
        b'{"file": "a.csv", "how": 1}',
        b'{"file": "a.csv", "notes": 1}',
        b'{"file": "a.csv", "notes": [1]}',
        b'{"file": "a.csv", "called": {"a": 1}}',
        b'{"file": "a.csv", "files": 5}',
        b'{"file": "a.csv", "files": []}',
        b'{"file": "a.csv", "kept": "x"}',
        b'{"file": "a.csv", "size": 5}',
        b'{"file": "a.csv", "dataset": 5}',
        b'{"file": "a.csv", "how": {"kinds": [{"a": 1}]}}',
        b'{"file": "\\ud800"}',
        b"[" * 100_000,
    ],
)
def test_data_without_a_description_is_refused(
    space: Workspace, data: mrwtd.RelationalData, tmp_path: Path, about: bytes
) -> None:
    space.save_dataset(data, {"file": "ties.csv", "how": {}})
    original = zipfile.ZipFile(io.BytesIO(space.export(save(space, data).id)))
    files = {name: original.read(name) for name in original.namelist()} | {"data.json": about}
    files = signed_files(files, tmp_path / "forged")
    other = Workspace(tmp_path / "other")
    with pytest.raises(mrwtd.DataError, match="description of its data"):
        other.import_run(packed(**files))
    assert (other.runs(), other.datasets()) == ([], {})


def test_an_import_with_other_data_is_refused(space: Workspace, data: mrwtd.RelationalData, tmp_path: Path) -> None:
    space.save_dataset(data, {"file": "ties.csv", "how": {}})
    original = zipfile.ZipFile(io.BytesIO(space.export(save(space, data).id)))
    forged = tmp_path / "forged.parquet"
    mrwtd.write(mrwtd.load_dataset("bankwiring"), forged)
    files = {name: original.read(name) for name in original.namelist()} | {"data.parquet": forged.read_bytes()}
    files = signed_files(files, tmp_path / "signed")
    with pytest.raises(mrwtd.DataError, match="data that differs from that of the run"):
        Workspace(tmp_path / "other").import_run(packed(**files))


def test_a_zip_with_a_folder_around_the_run_and_other_files_is_imported(
    space: Workspace, exported: dict[str, bytes]
) -> None:
    files = {f"my run/{name}": content for name, content in exported.items()}
    more = {"my run/model.npz": b"x", "my run/predictions.csv": b"y", "notes.txt": b"z"}
    run = space.import_run(packed(**files, **more))
    assert sorted(run.models()) == ["A/B", "MrWTD"]
    assert {file.name for file in (space.folder / "runs" / run.id).iterdir()} == {"run.json", "scores.csv", "models"}


def test_a_folder_is_imported_like_its_zip(space: Workspace, exported: dict[str, bytes], tmp_path: Path) -> None:
    files = signed_files(exported, tmp_path / "folder")
    (tmp_path / "folder" / "model.npz").write_bytes(b"x")
    run, again = space.import_run(tmp_path / "folder"), space.import_run(packed(**files))
    assert (run.spec, run.summary) == (again.spec, again.summary)
    assert len(space.datasets()) == 1


def test_a_full_disk_is_reported_without_the_folder(
    space: Workspace, data: mrwtd.RelationalData, exported: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise DISK_FULL

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", fail)
        assert "no space left" in refused(space, exported)
    monkeypatch.setattr(store, "write", fail)
    with pytest.raises(mrwtd.DataError, match="no space left") as full:
        space.save_dataset(data, {"file": "ties.csv"})
    assert "/" not in str(full.value)
    assert not list((space.folder / "runs").iterdir())
