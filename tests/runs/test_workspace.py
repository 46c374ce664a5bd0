"""Workspaces on disk: runs are complete or absent, and other files are not touched."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

import mrwtd
from mrwtd.runs import Workspace, drafts, execute, store
from mrwtd.runs.quota import Quota, Usage
from mrwtd.runs.storage_error import StorageError
from tests.stored_runs import DISK_FULL, save, sign, spec_of


def test_a_saved_run_is_restored(space: Workspace, data: mrwtd.RelationalData) -> None:
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


def test_runs_are_listed_newest_first_without_incomplete_ones(space: Workspace, data: mrwtd.RelationalData) -> None:
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
def test_invalid_ids_are_refused(space: Workspace, name: str) -> None:
    assert space.run(name) is None
    space.delete(name)
    assert space.data(name) is None
    with pytest.raises(mrwtd.DataError):
        space.export(name)


def test_missing_or_damaged_data_is_reported_without_the_folder(space: Workspace, data: mrwtd.RelationalData) -> None:
    digest = space.save_dataset(data, {"file": "ties.csv"})
    file = space.folder / "data" / digest / "data.parquet"
    for change in (lambda: file.write_bytes(b"PAR1" + bytes(50) + b"PAR1"), file.unlink):
        change()
        with pytest.raises(mrwtd.DataError) as missing:
            space.data(digest)
        assert str(space.folder) not in str(missing.value)


def test_relations_have_the_same_names_in_scores_and_data(space: Workspace, data: mrwtd.RelationalData) -> None:
    run = save(space, data)
    run.scores.replace({"relation": {"marriage": "01"}}).to_csv(run.folder / "scores.csv", index=False)
    sign(run.folder)
    assert set(space.run(run.id).scores["relation"]) == {"business", "01"}


def test_uploads_are_listed_newest_first_and_can_be_deleted(space: Workspace, data: mrwtd.RelationalData) -> None:
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


@pytest.mark.parametrize("name", ["run.json", "scores.csv", "models/0.npz", "models/1.npz"])
def test_one_changed_byte_in_any_file_is_detected(space: Workspace, data: mrwtd.RelationalData, name: str) -> None:
    run = save(space, data)
    file = run.folder / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    if name.startswith("models"):  # its checksum is not verified before it is opened
        with pytest.raises(mrwtd.DataError, match=f"{name} is damaged"):
            space.run(run.id).models()
    else:
        assert (space.runs(), [item.id for item in space.damaged_runs()]) == ([], [run.id])
    with pytest.raises(mrwtd.DataError):
        Workspace(space.folder.with_name("other")).import_run(run.folder)
    space.delete(run.id)
    assert (space.runs(), space.damaged_runs()) == ([], [])


def test_a_changed_number_in_the_run_is_detected(space: Workspace, data: mrwtd.RelationalData) -> None:
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
    assert "train it again" in item.reason
    space.delete(item.id)
    assert space.damaged_runs() == []


def test_changed_data_is_refused(space: Workspace, data: mrwtd.RelationalData) -> None:
    digest = space.save_dataset(data, {"file": "ties.csv"})
    with (space.folder / "data" / digest / "data.parquet").open("wb") as file:
        mrwtd.write(mrwtd.load_dataset("bankwiring"), file, format="parquet")
    with pytest.raises(mrwtd.DataError, match="changed since it was stored"):
        space.data(digest)


def test_files_of_killed_processes_are_removed(space: Workspace, data: mrwtd.RelationalData) -> None:
    save(space, data)
    for folder in ("runs", "data"):
        for name in (".draft-1", ".gone-1"):
            (space.folder / folder / name).mkdir(parents=True)
    with drafts.draft(space.folder / "runs") as live:
        again = Workspace(space.folder)
        assert (len(again.runs()), again.damaged_runs(), again.datasets()) == (1, [], {})
        assert [*space.folder.glob("*/.*")] == [live]


def test_a_workspace_that_cannot_be_written_is_empty_and_raises_an_error(
    tmp_path: Path, data: mrwtd.RelationalData
) -> None:
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


def test_an_unused_workspace_has_no_folder(space: Workspace) -> None:
    space.runs(), space.datasets(), space.delete("a"), space.usage()
    assert not space.folder.exists()


def test_a_full_disk_leaves_a_run_in_memory(
    space: Workspace, data: mrwtd.RelationalData, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise DISK_FULL

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


def test_the_quota_counts_a_run_that_is_written_and_linked_once(tmp_path: Path, data: mrwtd.RelationalData) -> None:
    size = save(Workspace(tmp_path / "first"), data) and Workspace(tmp_path / "first").usage().bytes
    space = Workspace(tmp_path / "second", Quota(max_bytes=1.5 * size))
    with space.draft() as folder:
        run = store.write_run(folder, execute(spec_of(data), data))
        space.adopt(run, name="adopted")
    assert [run.name for run in space.runs()] == ["adopted"]


def test_the_quota_counts_users(tmp_path: Path, data: mrwtd.RelationalData) -> None:
    quota = Quota(max_users=1)
    save(Workspace(tmp_path / "one", quota), data)
    save(Workspace(tmp_path / "one", quota), data)
    with pytest.raises(StorageError, match=r"1 workspace.*max_users"):
        save(Workspace(tmp_path / "two", quota), data)
    assert not (tmp_path / "two").exists()
    (tmp_path / "two" / "pending").mkdir(parents=True)  # a training that waits
    with pytest.raises(StorageError), Workspace(tmp_path / "two", quota).draft():
        pass


def test_data_stored_by_another_server_at_the_same_time_is_kept(
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
