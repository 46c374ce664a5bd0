"""The cookie of users, as the server sets it."""

import asyncio
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import pytest

from mrwtd.hosting import cookie as cookies
from mrwtd.hosting.config import Config, Workspaces
from mrwtd.hosting.cookie import FINGERPRINT, HEALTH, IdentityCookie
from mrwtd.hosting.identity import Identities


@pytest.fixture
def identities(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Identities:
    identities = Identities(tmp_path)
    monkeypatch.setattr(cookies, "identities", lambda: identities)
    return identities


def answer(path: str = HEALTH, cookie: str = "", forwarded: str = "http", scheme: str = "http", **options: Any) -> Any:
    """The headers that the middleware adds to a response."""
    sent: list[Any] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"cookie", cookie.encode()), (b"x-forwarded-proto", forwarded.encode())]
    scope = {"type": "http", "path": path, "scheme": scheme, "headers": headers}
    asyncio.run(IdentityCookie(application, **options)(scope, None, send))
    return {name.decode(): value.decode() for name, value in sent[0]["headers"]}


def stored(headers: dict[str, str], identities: Identities) -> Any:
    return SimpleCookie(headers["set-cookie"])[identities.cookie_name]


def test_a_new_user_gets_a_strict_cookie(identities: Identities) -> None:
    headers = answer()
    cookie = stored(headers, identities)
    assert identities.is_valid(cookie.value)
    assert (cookie["httponly"], cookie["samesite"], cookie["path"]) == (True, "Strict", "/")
    assert not cookie["secure"]
    assert FINGERPRINT.decode() not in headers


def test_a_known_user_keeps_the_id_and_the_cookie_is_renewed(identities: Identities) -> None:
    user = identities.issue()
    headers = answer(cookie=f'odd={{"a": [1]}}; {identities.cookie_name}={user}; other="x y"')
    assert stored(headers, identities).value == user
    assert headers[FINGERPRINT.decode()] == identities.fingerprint(user)
    assert headers[FINGERPRINT.decode()] not in user


@pytest.mark.parametrize("state", ["made up", "forgotten"])
def test_an_invalid_id_is_replaced(identities: Identities, state: str) -> None:
    user = identities.issue() if state == "forgotten" else "attacker-chosen-id-000"
    identities.forget(user)
    headers = answer(cookie=f"{identities.cookie_name}={user}")
    assert identities.is_valid(stored(headers, identities).value)
    assert FINGERPRINT.decode() not in headers


@pytest.mark.parametrize("how", [{"scheme": "https"}, {"forwarded": "https"}])
def test_the_cookie_is_secure_under_https(identities: Identities, how: dict[str, str]) -> None:
    assert stored(answer(**how), identities)["secure"]


def test_the_cookie_is_limited_to_the_base_path(identities: Identities) -> None:
    assert stored(answer("/mrwtd" + HEALTH, base_path="/mrwtd"), identities)["path"] == "/mrwtd"
    assert answer(HEALTH, base_path="/mrwtd") == {}


@pytest.mark.parametrize(("days", "expected"), [(7, 7), (0, 400), (10_000, 400)])
def test_the_cookie_lives_as_long_as_an_idle_workspace(
    identities: Identities, monkeypatch: pytest.MonkeyPatch, days: int, expected: int
) -> None:
    monkeypatch.setattr(cookies, "config", lambda: Config(workspaces=Workspaces(idle_days=days)))
    assert int(stored(answer(), identities)["max-age"]) == expected * 86_400


def test_no_cookie_is_set_with_pages_or_where_none_is_used(identities: Identities) -> None:
    assert answer("/") == {}
    assert answer("/Train") == {}
    assert answer(enabled=lambda: False) == {}
