"""Links to runs: who can find them, and when they end."""

import json
from pathlib import Path

import pytest

from mrwtd.hosting.config import Workspaces
from mrwtd.hosting.publications import FOLDER, Publications
from mrwtd.hosting.workspaces import clean, list_workspaces
from mrwtd.runs.quota import RUNS

OWNER, RUN = "5e88", "18f-2a"


def with_run(folder: Path, workspace: str = OWNER, run: str = RUN) -> Publications:
    (folder / workspace / RUNS / run).mkdir(parents=True)
    return Publications(folder)


def files(folder: Path) -> list[Path]:
    return sorted((folder / FOLDER).iterdir())


def test_each_run_has_one_secret_link(tmp_path: Path) -> None:
    links = with_run(tmp_path)
    first, other = links.publish(OWNER, RUN), links.publish(OWNER, "18f-3b")
    assert first.token != other.token
    assert links.publish(OWNER, RUN, with_data=True).token == first.token
    assert Publications(tmp_path).find(first.token).with_data, "another server on the folder finds it"
    assert not any(first.token in file.name for file in files(tmp_path))
    assert [workspace.id for workspace in list_workspaces(tmp_path)] == [OWNER]


def test_a_revoked_link_does_not_return_when_the_run_is_shared_again(tmp_path: Path) -> None:
    links = with_run(tmp_path)
    old, kept = links.publish(OWNER, RUN).token, links.publish("7d70", RUN).token
    links.revoke(OWNER, RUN)
    assert links.publish(OWNER, RUN).token != old
    assert links.find(old) is None
    assert links.find(kept), "the run of another user with the same id"


@pytest.mark.parametrize(
    "token", ["", "x", "../" * 8 + "etc", "A" * 32, "A" * 31 + "\n", "é" * 32, "A" * 10_000, "\0" * 32]
)
def test_a_token_that_was_not_issued_finds_nothing(token: str, tmp_path: Path) -> None:
    links = with_run(tmp_path)
    links.publish(OWNER, RUN)
    assert links.find(token) is None


def test_the_name_of_a_file_is_no_token(tmp_path: Path) -> None:
    links = with_run(tmp_path)
    links.publish(OWNER, RUN)
    (file,) = files(tmp_path)
    assert links.find(file.stem) is None
    assert links.find(file.stem[:32]) is None


@pytest.mark.parametrize(
    "change",
    [
        {"workspace": ".."},
        {"workspace": "../other"},
        {"run": "../../7d70/runs/1"},
        {"run": 3},
        {"with_data": "yes"},
        {"token": "A" * 32},
        {"token": None},
    ],
)
def test_a_file_that_was_tampered_with_is_ignored(change: dict[str, object], tmp_path: Path) -> None:
    links = with_run(tmp_path)
    token = links.publish(OWNER, RUN).token
    (file,) = files(tmp_path)
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    assert links.find(token) is None


def test_a_truncated_file_is_ignored_and_other_links_work(tmp_path: Path) -> None:
    links = with_run(tmp_path)
    links.publish(OWNER, RUN)
    (file,) = files(tmp_path)
    token = links.publish("7d70", RUN).token
    file.write_text(file.read_text()[:20])
    assert links.of_workspace(OWNER) == {}
    assert links.find(token)


@pytest.mark.parametrize("names", [("..", RUN), (OWNER, "../x"), ("a/b", RUN), ("", RUN)])
def test_only_names_of_folders_are_published(names: tuple[str, str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="workspace"):
        Publications(tmp_path).publish(*names)


def test_cleaning_removes_links_to_deleted_runs(tmp_path: Path) -> None:
    links = with_run(tmp_path)
    kept, gone = links.publish(OWNER, RUN), links.publish(OWNER, "18f-3b")
    clean(tmp_path, Workspaces())
    assert links.find(kept.token)
    assert links.find(gone.token) is None
