"""All workspaces of a server: lists, visits, deletion of idle ones, backups, and the command line."""

import io
import json
import os
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import mrwtd
from mrwtd.__main__ import main
from mrwtd.hosting import backup, workspaces
from mrwtd.hosting.config import Uploads, Workspaces, config
from mrwtd.hosting.identity import Identities, folder_name
from mrwtd.hosting.publications import Publications
from mrwtd.runs import Workspace
from mrwtd.runs.quota import Usage
from tests.stored_runs import save

FIRST, SECOND = "5e88", "7d70"


def age(folder: Path, days: float) -> None:
    for path in (folder, *folder.iterdir()):
        os.utime(path, (time.time() - days * workspaces.DAY,) * 2)


@pytest.fixture(scope="module")
def data() -> mrwtd.RelationalData:
    return mrwtd.load_dataset("florentine")


@pytest.fixture
def folder(tmp_path: Path, data: mrwtd.RelationalData, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of two workspaces: one with a run and an upload, and one that nobody has visited for 100 days."""
    folder = tmp_path / "home" / "workspaces"
    save(Workspace(folder / FIRST), data)
    Workspace(folder / FIRST).save_dataset(data, {"file": "ties.csv"})
    (folder / SECOND / "experiments" / "rank" / "finished").mkdir(parents=True)
    (folder / SECOND / "experiments" / "rank" / "finished" / "a.json").write_text("{}")
    age(folder / SECOND, 100)
    monkeypatch.setenv("MRWTD_HOME", str(tmp_path / "home"))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    names = [path for path in folder.rglob("*") if path.is_file() and path.name != workspaces.VISIT]
    return {str(path.relative_to(folder)): path.read_bytes() for path in names}


def test_workspaces_are_listed_with_what_they_store(folder: Path) -> None:
    first, second = workspaces.list_workspaces(folder)
    assert (first.id, first.usage.runs, first.usage.uploads) == (FIRST, 1, 1)
    assert first.usage.bytes == sum(map(len, files(folder / FIRST).values()))
    assert (second.id, second.usage) == (SECOND, Usage(bytes=2))
    assert round(second.idle_days) == 100
    assert workspaces.list_workspaces(folder / "none") == []


def test_a_visit_keeps_a_workspace_and_is_written_once_per_hour(folder: Path) -> None:
    workspaces.record_visit(folder / SECOND)
    marker = folder / SECOND / workspaces.VISIT
    times = [time.time() - 60, time.time() - 2 * workspaces.VISIT_SECONDS]
    written = []
    for earlier in times:
        os.utime(marker, (earlier, earlier))
        workspaces.record_visit(folder / SECOND)
        written.append(marker.stat().st_mtime > earlier + 1)
    assert written == [False, True]
    age(folder / FIRST, 100)
    workspaces.record_visit(folder / "none")
    assert workspaces.clean(folder, Workspaces(idle_days=90)) == [FIRST]
    assert [path.name for path in folder.iterdir()] == [SECOND]


def test_cleaning_removes_drafts_and_may_keep_idle_workspaces(folder: Path) -> None:
    left = folder / FIRST / "runs" / "abc" / ".draft-1"
    left.mkdir(parents=True)
    assert workspaces.clean(folder, Workspaces(idle_days=0)) == []
    assert not left.exists()
    assert {path.name for path in folder.iterdir()} == {FIRST, SECOND}


def test_a_data_set_that_is_too_large_is_refused_with_each_limit(data: mrwtd.RelationalData) -> None:
    workspaces.check_size(data, Uploads())
    workspaces.check_size(data, Uploads(max_objects=0))
    with pytest.raises(mrwtd.DataError) as refused:
        workspaces.check_size(data, Uploads(max_objects=14, max_relations=1, max_entries=10))
    for text in ("15 objects", "at most 14", "uploads.max_relations", "210 entries"):
        assert text in str(refused.value)


@pytest.mark.parametrize("name", ["all.tar", "all.tar.gz"])
def test_a_backup_restores_every_file(folder: Path, tmp_path: Path, name: str, data: mrwtd.RelationalData) -> None:
    (folder / FIRST / "runs" / ".draft-1").mkdir()
    before = files(folder)
    assert backup.back_up(folder.parent, tmp_path / name) == [FIRST, SECOND]
    other = tmp_path / "other" / "workspaces"
    assert backup.restore(other.parent, tmp_path / name, Workspaces()) == [FIRST, SECOND]
    assert files(other) == before
    space = Workspace(other / FIRST)
    assert [list(run.models()) for run in space.runs()] == [["MrWTD", "A/B"]]
    assert [space.data(digest) for digest in space.datasets()] == [data]
    assert all(item.idle_days < 1 for item in workspaces.list_workspaces(other))


def test_a_run_that_is_deleted_during_the_backup_is_not_in_it(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = backup._files

    def delete_after_listing(path: Path) -> list[Path]:
        names = listed(path)
        next((file for file in names if file.name == "run.json"), path / "none").unlink(missing_ok=True)
        return names

    monkeypatch.setattr(backup, "_files", delete_after_listing)
    backup.back_up(folder.parent, tmp_path / "all.tar")
    with tarfile.open(tmp_path / "all.tar") as archive:
        assert not [name for name in archive.getnames() if "/runs/" in name]
        assert [name for name in archive.getnames() if "/data/" in name]


def test_a_restore_replaces_only_on_request(folder: Path, tmp_path: Path) -> None:
    backup.back_up(folder.parent, tmp_path / "one.tar", [SECOND])
    (folder / SECOND / "experiments" / "rank" / "finished" / "a.json").write_text('{"newer": 1}')
    with pytest.raises(mrwtd.DataError, match="exist"):
        backup.restore(folder.parent, tmp_path / "one.tar", Workspaces())
    assert b"newer" in files(folder)[f"{SECOND}/experiments/rank/finished/a.json"]
    backup.restore(folder.parent, tmp_path / "one.tar", Workspaces(), replace=True)
    assert files(folder)[f"{SECOND}/experiments/rank/finished/a.json"] == b"{}"


def test_a_full_backup_has_the_key_by_which_users_are_recognized(folder: Path, tmp_path: Path) -> None:
    user = Identities(folder.parent).issue()
    backup.back_up(folder.parent, tmp_path / "all.tar")
    backup.back_up(folder.parent, tmp_path / "one.tar", [SECOND])
    assert (tmp_path / "all.tar").stat().st_mode & 0o077 == 0
    for name, known in (("all", True), ("one", False)):
        backup.restore(tmp_path / name, tmp_path / f"{name}.tar", Workspaces())
        assert Identities(tmp_path / name).is_valid(user) == known
    other = Identities(tmp_path / "other")
    other.issue()
    with pytest.raises(mrwtd.DataError, match="key of another server"):
        backup.restore(other.home, tmp_path / "all.tar", Workspaces())
    assert not Identities(other.home).is_valid(user)
    backup.restore(other.home, tmp_path / "all.tar", Workspaces(), replace=True)
    assert Identities(other.home).is_valid(user)


def test_a_full_backup_has_the_links_to_shared_runs(folder: Path, tmp_path: Path) -> None:
    (run,) = Workspace(folder / FIRST).runs()
    token = Publications(folder).publish(FIRST, run.id).token
    backup.back_up(folder.parent, tmp_path / "all.tar")
    assert backup.restore(tmp_path / "other", tmp_path / "all.tar", Workspaces()) == [FIRST, SECOND]
    publication = Publications(tmp_path / "other" / "workspaces").find(token)
    assert publication is not None
    assert publication.run == run.id


def test_forgotten_users_are_not_restored(folder: Path, tmp_path: Path) -> None:
    identities = Identities(folder.parent)
    user = identities.issue()
    (folder / SECOND).rename(folder / folder_name(user))
    backup.back_up(folder.parent, tmp_path / "all.tar")
    workspaces.delete_workspace(folder, folder_name(user))
    identities.forget(user)
    assert backup.restore(folder.parent, tmp_path / "all.tar", Workspaces(), replace=True) == [FIRST]
    assert [path.name for path in folder.iterdir()] == [FIRST]


def member(name: str, kind: bytes = tarfile.REGTYPE, link: str = "", size: int = 1) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, link, size if kind == tarfile.REGTYPE else 0
    return info


@pytest.mark.parametrize(
    ("info", "limits"),
    [
        (member("../outside"), Workspaces()),
        (member(f"{FIRST}/../../outside"), Workspaces()),
        (member("/outside"), Workspaces()),
        (member(".hidden/a"), Workspaces()),
        (member(".shared/../../a"), Workspaces()),
        (member(f"{FIRST}\\..\\a"), Workspaces()),
        (member(f"{FIRST}/a", tarfile.SYMTYPE, "/etc/passwd"), Workspaces()),
        (member(f"{FIRST}/a", tarfile.LNKTYPE, "/etc/passwd"), Workspaces()),
        (member(f"{FIRST}/a", tarfile.FIFOTYPE), Workspaces()),
        (member(f"{FIRST}/a", size=2_000_000), Workspaces(max_mb=1)),
        (member(f"{FIRST}/a", size=10**15), Workspaces(max_mb=0)),
        (member("third/a"), Workspaces(max_users=1)),
    ],
)
def test_an_archive_that_is_no_backup_or_too_large_changes_nothing(
    tmp_path: Path, info: tarfile.TarInfo, limits: Workspaces
) -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        archive.addfile(member(f"{FIRST}/good"), io.BytesIO(b"x"))
        archive.addfile(info, io.BytesIO(bytes(min(info.size, 2_000_000))) if info.size < 10**9 else None)
    (tmp_path / "bad.tar").write_bytes(buffer.getvalue())
    with pytest.raises(mrwtd.DataError, match=r"bad\.tar"):
        backup.restore(tmp_path / "home", tmp_path / "bad.tar", limits)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "bad.tar"]


@pytest.mark.parametrize("cut", [lambda content: b"no tar", lambda content: content[: len(content) // 2]])
def test_a_damaged_backup_changes_nothing(folder: Path, tmp_path: Path, cut: Callable[[bytes], bytes]) -> None:
    backup.back_up(folder.parent, tmp_path / "all.tar.gz")
    (tmp_path / "all.tar.gz").write_bytes(cut((tmp_path / "all.tar.gz").read_bytes()))
    with pytest.raises(mrwtd.DataError):
        backup.restore(tmp_path / "other", tmp_path / "all.tar.gz", Workspaces())
    assert not files(tmp_path / "other")


@pytest.fixture
def run(folder: Path) -> Callable[..., str]:
    def invoke(*arguments: str, status: int = 0) -> str:
        result = CliRunner().invoke(main, ["workspaces", *arguments])
        assert result.exit_code == status, result.output
        return result.output

    return invoke


def test_the_command_line_lists_backs_up_deletes_and_restores(
    run: Callable[..., str], folder: Path, tmp_path: Path
) -> None:
    assert [row["id"] for row in json.loads(run("list", "--json"))] == [FIRST, SECOND]
    assert FIRST in run("list")
    before = files(folder)
    run("backup", str(tmp_path / "all.tar.gz"))
    run("delete", FIRST, "--yes")
    assert "no workspace" in run("delete", FIRST, "--yes", status=1)
    assert SECOND in run("clean", "--days", "90", "--dry-run")
    assert SECOND in run("clean", "--days", "90")
    assert files(folder) == {}
    run("restore", str(tmp_path / "all.tar.gz"))
    assert files(folder) == before


def test_the_command_line_reads_a_configuration(
    run: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MRWTD_HOME")
    monkeypatch.setenv("MRWTD_CONFIG", "")
    (tmp_path / "server.toml").write_text(f'[workspaces]\nfolder = "{tmp_path / "elsewhere"}"\n')
    assert json.loads(run("--config", str(tmp_path / "server.toml"), "list", "--json")) == []
    config.cache_clear()
