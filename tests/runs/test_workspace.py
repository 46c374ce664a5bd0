"""Runs on disk: whole or not there, and nobody else's files touched."""

import errno
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mrwtd
from mrwtd.runs import Workspace, drafts, execute, run, store
from mrwtd.runs.quota import Quota, Usage
from mrwtd.runs.storage_error import StorageError
from tests.stored_runs import changed, save, sign, signed_files, spec_of


@pytest.fixture
def data() -> mrwtd.RelationalData:
    return mrwtd.load_dataset("florentine")


@pytest.fixture
def space(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "space")


def test_a_run_comes_back_whole(space: Workspace, data: mrwtd.RelationalData) -> None:
    saved = save(space, data)
    summaries = Workspace(space.folder).run(saved.id)
    assert summaries == saved
    _, test = data.split(train=0.5, seed=0)
    models = summaries.models()
    assert list(models) == ["MrWTD", "A/B"]
    scores = summaries.scores
    auprc = mrwtd.evaluate(models["MrWTD"], test).query("metric == 'auprc'")["value"]
    stored = scores.query("metric == 'auprc' and method == 'MrWTD'")["value"]
    np.testing.assert_allclose(stored, auprc)
    assert len(models["MrWTD"].snapshots_) == 3
    assert len(models["MrWTD"].trace_)


def test_the_newest_comes_first_and_half_a_run_is_not_seen(space: Workspace, data: mrwtd.RelationalData) -> None:
    first, second = save(space, data), save(space, data, "second")
    (space.folder / "runs" / "half").mkdir()
    (space.folder / "runs" / "half" / "run.json").write_text("{")
    assert [run.id for run in space.runs()] == [second.id, first.id]


def test_rename_and_delete(space: Workspace, data: mrwtd.RelationalData) -> None:
    run = save(space, data)
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
def test_files_that_are_no_run_are_refused_and_leave_nothing(space: Workspace, file: io.BytesIO) -> None:
    with pytest.raises(mrwtd.DataError, match="a run that was exported"):
        space.import_run(file)
    assert not list((space.folder / "runs").iterdir())


def test_a_missing_part_is_reported_without_the_folder(
    space: Workspace, data: mrwtd.RelationalData, tmp_path: Path
) -> None:
    original = zipfile.ZipFile(io.BytesIO(space.export(save(space, data).id)))
    files = {name: original.read(name) for name in original.namelist() if name != "scores.csv"}
    with pytest.raises(mrwtd.DataError, match=r"scores\.csv is missing") as refused:
        Workspace(tmp_path / "other").import_run(packed(**files))
    assert str(tmp_path) not in str(refused.value)


def test_an_import_cannot_name_a_place_outside(space: Workspace, data: mrwtd.RelationalData, tmp_path: Path) -> None:
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
    """Why a file is refused, of which nothing is left; with a folder to work in, its checksums are made right."""
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
def test_a_run_that_lists_could_not_show_is_refused(
    space: Workspace, exported: dict[str, bytes], bad: dict[str, object]
) -> None:
    about = changed(exported["run.json"], bad)
    assert "a run that was exported" in refused(space, exported | {"run.json": about})


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
def test_scores_that_are_none_are_refused(
    space: Workspace, exported: dict[str, bytes], scores: bytes, tmp_path: Path
) -> None:
    assert "scores.csv" in refused(space, exported | {"scores.csv": scores}, tmp_path / "forged")


def with_header(model: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """A stored model whose header says something else."""
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
    """A tuple of one diagnostic, as model files have it, with something in it changed."""
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
def test_models_with_other_values_than_fits_give_are_refused(
    space: Workspace, exported: dict[str, bytes], name: str, value: object, tmp_path: Path
) -> None:
    model = with_header(exported["models/0.npz"], learned(name, value))
    assert "model" in refused(space, exported | {"models/0.npz": model}, tmp_path / "forged")


def test_a_model_that_would_take_all_memory_is_refused(
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
    monkeypatch.setattr(store, "IMPORT_LIMIT", 10_000_000)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mrwtd.npy", bytes(10_000_001))
    assert "expands" in refused(space, exported | {"models/0.npz": buffer.getvalue()}, tmp_path / "forged")


@pytest.mark.parametrize("error", [MemoryError(), RecursionError(), OverflowError()])
def test_whatever_a_forged_file_brings_about_is_bad_input(
    space: Workspace, exported: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(run, "read", fail)
    refused(space, exported)


FULL = OSError(errno.ENOSPC, "No space left on device", "/srv/somewhere/data.parquet")


def test_a_full_disk_is_reported_without_the_folder(
    space: Workspace, data: mrwtd.RelationalData, exported: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise FULL

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", fail)
        assert "no space left" in refused(space, exported)
    monkeypatch.setattr(store, "write", fail)
    with pytest.raises(mrwtd.DataError, match="no space left") as full:
        space.save_dataset(data, {"file": "ties.csv"})
    assert "/" not in str(full.value)
    assert not list((space.folder / "runs").iterdir())


def test_missing_or_damaged_data_is_reported_without_the_folder(space: Workspace, data: mrwtd.RelationalData) -> None:
    digest = space.save_dataset(data, {"file": "ties.csv"})
    file = space.folder / "data" / digest / "data.parquet"
    for change in (lambda: file.write_bytes(b"PAR1" + bytes(50) + b"PAR1"), file.unlink):
        change()
        with pytest.raises(mrwtd.DataError) as missing:
            space.data(digest)
        assert str(space.folder) not in str(missing.value)


def test_relations_are_called_in_scores_as_they_are_in_data(space: Workspace, data: mrwtd.RelationalData) -> None:
    run = save(space, data)
    run.scores.replace({"relation": {"marriage": "01"}}).to_csv(run.folder / "scores.csv", index=False)
    sign(run.folder)
    assert set(space.run(run.id).scores["relation"]) == {"business", "01"}


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
def test_data_that_does_not_say_what_it_is_is_refused(
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
    with pytest.raises(mrwtd.DataError, match="other data than that of the run"):
        Workspace(tmp_path / "other").import_run(packed(**files))


def test_uploads_newest_first_and_forgotten(space: Workspace, data: mrwtd.RelationalData) -> None:
    first = space.save_dataset(data, {"file": "a.csv"})
    second = space.save_dataset(mrwtd.load_dataset("bankwiring"), {"file": "b.csv"})
    assert list(space.datasets()) == [second, first]
    space.save_dataset(data, {"file": "a.csv"})
    assert list(space.datasets()) == [first, second]
    space.save_dataset(data, {"file": "c.csv"})
    assert space.datasets()[first] == {"file": "c.csv"}
    assert space.data(first) == data
    space.delete_dataset(first)
    assert list(space.datasets()) == [second]
    assert space.data(first) is None


def test_a_zip_with_a_folder_around_the_run_and_other_files_is_imported(
    space: Workspace, exported: dict[str, bytes]
) -> None:
    files = {f"my run/{name}": content for name, content in exported.items()}
    more = {"my run/model.npz": b"x", "my run/predictions.csv": b"y", "notes.txt": b"z"}
    run = space.import_run(packed(**files, **more))
    assert sorted(run.models()) == ["A/B", "MrWTD"]
    assert {file.name for file in (space.folder / "runs" / run.id).iterdir()} == {"run.json", "scores.csv", "models"}


def test_a_folder_is_imported_as_a_zip_of_it_is(space: Workspace, exported: dict[str, bytes], tmp_path: Path) -> None:
    files = signed_files(exported, tmp_path / "folder")
    (tmp_path / "folder" / "model.npz").write_bytes(b"x")
    run, again = space.import_run(tmp_path / "folder"), space.import_run(packed(**files))
    assert (run.spec, run.summary) == (again.spec, again.summary)
    assert len(space.datasets()) == 1


@pytest.mark.parametrize("name", ["run.json", "scores.csv", "models/0.npz", "models/1.npz"])
def test_one_other_byte_in_any_file_is_damage(space: Workspace, data: mrwtd.RelationalData, name: str) -> None:
    run = save(space, data)
    file = run.folder / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    if name.startswith("models"):  # not compared with its checksum before it is opened
        with pytest.raises(mrwtd.DataError, match=f"{name} is damaged"):
            space.run(run.id).models()
    else:
        assert (space.runs(), [item.id for item in space.damaged_runs()]) == ([], [run.id])
    with pytest.raises(mrwtd.DataError):
        Workspace(space.folder.with_name("other")).import_run(run.folder)
    space.delete(run.id)
    assert (space.runs(), space.damaged_runs()) == ([], [])


def test_a_number_that_was_changed_in_the_run_is_damage(space: Workspace, data: mrwtd.RelationalData) -> None:
    run = save(space, data)
    about = json.loads((run.folder / "run.json").read_text())
    (run.folder / "run.json").write_text(json.dumps(about | {"summary": {"MrWTD": 0.999}}))
    (item,) = space.damaged_runs()
    assert (item.name, item.reason, item.other_version) == ("first", "run.json is damaged", False)


def test_a_run_of_another_version_is_listed_as_such_and_can_be_deleted(
    space: Workspace, data: mrwtd.RelationalData
) -> None:
    run = save(space, data)
    (run.folder / "run.json").write_text(json.dumps({"version": 1, "id": run.id, "name": "old", "settings": {}}))
    (item,) = space.damaged_runs()
    assert (item.name, item.other_version) == ("old", True)
    assert "train it again, or open it with that version" in item.reason
    space.delete(item.id)
    assert space.damaged_runs() == []


def test_data_that_is_not_what_was_stored_is_refused(space: Workspace, data: mrwtd.RelationalData) -> None:
    digest = space.save_dataset(data, {"file": "ties.csv"})
    with (space.folder / "data" / digest / "data.parquet").open("wb") as file:
        mrwtd.write(mrwtd.load_dataset("bankwiring"), file, format="parquet")
    with pytest.raises(mrwtd.DataError, match="other data"):
        space.data(digest)


def test_what_killed_processes_have_left_behind_is_removed_at_once(
    space: Workspace, data: mrwtd.RelationalData
) -> None:
    save(space, data)
    for folder in ("runs", "data"):
        for name in (".draft-1", ".gone-1"):
            (space.folder / folder / name).mkdir(parents=True)
    with drafts.draft(space.folder / "runs") as live:
        again = Workspace(space.folder)
        assert (len(again.runs()), again.damaged_runs(), again.datasets()) == (1, [], {})
        assert [*space.folder.glob("*/.*")] == [live]


def test_a_workspace_that_cannot_be_written_is_empty_and_says_so(tmp_path: Path, data: mrwtd.RelationalData) -> None:
    (tmp_path / "file").touch()
    space = Workspace(tmp_path / "file" / "space")  # below a file, where not even root can write
    assert (space.runs(), space.damaged_runs(), space.datasets(), space.damaged_data()) == ([], [], {}, [])
    assert (space.run("a"), space.data("a"), space.usage()) == (None, None, Usage())
    space.delete("a")
    with pytest.raises(StorageError) as saving:
        save(space, data)
    with pytest.raises(StorageError) as storing:
        space.save_dataset(data, {"file": "ties.csv"})
    for error in (saving, storing):
        assert str(tmp_path) not in str(error.value)
        assert "administrator" in str(error.value)


def test_a_workspace_that_nobody_stores_in_has_no_folder(space: Workspace) -> None:
    space.runs(), space.datasets(), space.delete("a"), space.usage()
    assert not space.folder.exists()


def test_a_full_disk_leaves_a_run_in_memory(
    space: Workspace, data: mrwtd.RelationalData, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise FULL

    first = save(space, data)
    executed = execute(spec_of(data), data)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", fail)  # the first model
        with pytest.raises(StorageError, match="no space left"):
            space.save_run(executed)
    assert [run.id for run in space.runs()] == [first.id]
    assert not [*space.folder.glob("*/.*")]
    assert space.save_run(executed).methods == executed.methods


def test_the_quota_counts_runs_and_bytes(tmp_path: Path, data: mrwtd.RelationalData) -> None:
    space = Workspace(tmp_path / "space", Quota(max_runs=1))
    run = save(space, data)
    exported = io.BytesIO(space.export(run.id))
    for attempt in (lambda: save(space, data), lambda: space.import_run(exported)):
        with pytest.raises(StorageError, match=r"1 stored run.*fewer than 1.*max_runs"):
            attempt()
    space.delete(run.id)
    run = save(space, data)
    small = Workspace(space.folder, Quota(max_bytes=space.usage().bytes + 100))
    for attempt in (lambda: save(small, data), lambda: small.save_dataset(data, {"file": "ties.csv"})):
        with pytest.raises(StorageError, match=r"MB.*at most.*max_mb"):
            attempt()
    assert [item.id for item in small.runs()] == [run.id]
    assert not [*small.folder.glob("*/.*"), *small.folder.glob("data/*")]


def test_the_quota_counts_users(tmp_path: Path, data: mrwtd.RelationalData) -> None:
    quota = Quota(max_users=1)
    save(Workspace(tmp_path / "one", quota), data)
    save(Workspace(tmp_path / "one", quota), data)
    with pytest.raises(StorageError, match=r"1 workspace.*max_users"):
        save(Workspace(tmp_path / "two", quota), data)
    assert not (tmp_path / "two").exists()


def test_the_same_data_stored_by_another_server_meanwhile(
    space: Workspace, data: mrwtd.RelationalData, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def rename_later(path: Path, target: Path) -> Path:
        monkeypatch.setattr(Path, "rename", rename)
        Workspace(space.folder).save_dataset(data, {"file": "theirs.csv"})
        return rename(path, target)

    def rename_complete(path: Path, target: Path) -> Path:
        return rename_later(path, target) if path.name == "complete" else rename(path, target)

    monkeypatch.setattr(Path, "rename", rename_complete)
    digest = space.save_dataset(data, {"file": "mine.csv"})
    assert space.datasets() == {digest: {"file": "theirs.csv"}}
    assert space.data(digest) == data
