"""Servers that need a login: no page opens before it, and the workspace is that of issuer and subject."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.state import login
from mrwtd.hosting.identity import login_id
from tests.dashboard.pages.open_pages import TOP

ONE = {"client_id": "mrwtd", "redirect_uri": "https://example.org/oauth2callback"}
TWO = {"cookie_secret": "x", "school": {"client_id": "mrwtd"}, "university": {"client_id": "mrwtd"}}


def open_start(user: dict[str, object]) -> AppTest:
    app = AppTest.from_file(str(TOP / "app.py"), default_timeout=60)
    app.user = user
    return app.run()


def labels(app: AppTest) -> list[str]:
    return [button.label for button in app.button]


@pytest.fixture
def needs_login(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "_section", lambda: ONE)


@pytest.mark.usefixtures("needs_login")
@pytest.mark.parametrize("page", pages())
def test_no_page_opens_without_a_login(page: str) -> None:
    app = open_start({"is_logged_in": False} if page == "start" else {})
    app = app if page == "start" else app.switch_page(str(TOP / pages()[page].path)).run()
    assert not app.exception
    assert labels(app) == ["Log in"]
    assert not app.sidebar.button


def test_there_is_a_button_for_each_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "_section", lambda: TWO)
    assert labels(open_start({})) == ["Log in with school", "Log in with university"]


@pytest.mark.usefixtures("needs_login")
def test_a_user_who_has_logged_in_can_log_out() -> None:
    app = open_start({"is_logged_in": True, "iss": "https://example.org", "sub": "ann", "name": "**Ann**"})
    assert not app.exception
    (button,) = (button for button in app.sidebar.button if button.label == "Log out")
    assert button.help == "You are logged in as \\*\\*Ann\\*\\*."
    assert labels(button.click().run()) == ["Log in"]


@pytest.mark.usefixtures("needs_login")
def test_a_provider_that_names_nobody_opens_no_workspace() -> None:
    app = open_start({"is_logged_in": True, "iss": "https://example.org"})
    assert not app.exception
    assert not app.title
    assert "iss and sub" in app.error[0].value


def test_users_differ_by_issuer_and_subject() -> None:
    logins = [("https://a.org", "ann"), ("https://a.org", "bob"), ("https://b.org", "ann"), ("https://a.org ann", "")]
    assert len({login_id(*pair) for pair in logins}) == len(logins)


def test_secrets_that_cannot_be_read_close_the_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secrets.toml"
    file.write_text("[auth\n")
    monkeypatch.setattr(login, "files", lambda: (file,))
    assert login.is_configured()
    app = open_start({})
    assert "file of secrets" in app.error[0].value
    assert not labels(app)
