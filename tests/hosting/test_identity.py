"""Ids of users: only those that the server has issued are valid, also after a restart."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from mrwtd.hosting.identity import Identities


def test_an_issued_id_is_valid_after_a_restart_and_on_a_second_server(tmp_path: Path) -> None:
    user = Identities(tmp_path / "home").issue()
    assert Identities(tmp_path / "home").is_valid(user)


@pytest.mark.parametrize(
    "forge",
    [
        lambda user: "",
        lambda user: "attacker-chosen-id-000",
        lambda user: user.partition(".")[0],
        lambda user: user.partition(".")[0] + ".",
        lambda user: user[:-1],
        lambda user: user + "A",
        lambda user: user + "\n",
        lambda user: ("0" if user[0] != "0" else "1") + user[1:],
        lambda user: user.upper(),
        lambda user: user.replace(".", ".."),
        lambda user: "../" + user,
        lambda user: user + "\ud800é",
        lambda user: "." + user.partition(".")[2],
    ],
)
def test_an_id_that_the_server_did_not_issue_is_refused(tmp_path: Path, forge: Callable[[str], str]) -> None:
    identities = Identities(tmp_path)
    assert not identities.is_valid(forge(identities.issue()))


def test_the_ids_and_the_cookie_of_another_installation_are_others(tmp_path: Path) -> None:
    here, there = Identities(tmp_path / "here"), Identities(tmp_path / "there")
    assert not here.is_valid(there.issue())
    assert here.cookie_name != there.cookie_name


def test_ids_differ(tmp_path: Path) -> None:
    identities = Identities(tmp_path)
    assert len({identities.issue() for _ in range(100)}) == 100


def test_the_key_can_be_read_by_nobody_else(tmp_path: Path) -> None:
    Identities(tmp_path).issue()
    (file,) = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.chmod(0o644)
    user = Identities(tmp_path).issue()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert Identities(tmp_path).is_valid(user)


@pytest.mark.parametrize("content", [b"", b"short"])
def test_a_damaged_key_is_replaced(tmp_path: Path, content: bytes) -> None:
    Identities(tmp_path).issue()
    (file,) = tmp_path.iterdir()
    file.write_bytes(content)
    user = Identities(tmp_path).issue()
    assert Identities(tmp_path).is_valid(user)


def test_without_a_writable_folder_ids_are_valid_until_the_server_stops(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    identities = Identities(tmp_path / "file" / "home")
    user, other = identities.issue(), identities.issue()
    assert identities.is_valid(user)
    assert not Identities(tmp_path / "file" / "home").is_valid(user)
    identities.forget(user)
    assert not identities.is_valid(user)
    assert identities.is_valid(other)


def test_a_forgotten_id_is_refused_by_all_servers_on_the_folder(tmp_path: Path) -> None:
    servers = [Identities(tmp_path) for _ in range(2)]
    user, other = servers[0].issue(), servers[0].issue()
    assert servers[1].is_valid(user)
    servers[0].forget(user)
    assert not servers[1].is_valid(user)
    assert servers[1].is_valid(other)
