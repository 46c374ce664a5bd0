"""Login in the browser, at a provider that the test starts."""

import json
import socket
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import mrwtd
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX
from mrwtd.hosting.home import WORKSPACES
from mrwtd.hosting.identity import folder_name, login_id
from mrwtd.runs import Workspace
from tests.browser.conftest import PATIENCE, start_server
from tests.browser.oidc_provider import CLIENT, SECRET, Provider, running_provider
from tests.browser.page_checks import wait_until_drawn


def secrets(provider: Provider, address: str) -> str:
    """Streamlit's secrets for a login."""
    values = {
        "redirect_uri": f"{address}/oauth2callback", "cookie_secret": "a secret of the test", "client_id": CLIENT,
        "client_secret": SECRET, "server_metadata_url": f"{provider.issuer}/.well-known/openid-configuration",
    }  # fmt: skip
    return "\n".join(["[auth]", *(f"{name} = {json.dumps(value)}" for name, value in values.items())])


def log_in(page: Page, user: str) -> None:
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name=user).click()
    expect(page.get_by_test_id("stSidebar").get_by_role("button", name="Log out")).to_be_visible()
    wait_until_drawn(page)


def test_pages_need_a_login_and_each_user_has_a_workspace(browser: Browser, tmp_path: Path) -> None:
    pytest.importorskip("authlib")
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    with running_provider() as provider:
        (tmp_path / "secrets.toml").write_text(secrets(provider, f"http://localhost:{port}"))
        space = Workspace(tmp_path / "home" / WORKSPACES / folder_name(login_id(provider.issuer, "ann")))
        data = UPLOAD_PREFIX + space.save_dataset(mrwtd.load_dataset("florentine"), {"file": "of-ann.csv"})
        process, address = start_server(
            tmp_path / "log", tmp_path / "home", port, options=[f"--secrets.files={tmp_path / 'secrets.toml'}"]
        )
        context = browser.new_context()
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        try:
            page.goto(f"{address}/Data?data={data}")
            expect(page.get_by_role("button", name="Log in")).to_be_visible()
            wait_until_drawn(page)
            expect(page.get_by_test_id("stSidebar")).to_have_count(0)
            expect(page.get_by_text("of-ann.csv")).to_have_count(0)
            log_in(page, "ann")
            page.goto(f"{address}/Data?data={data}")
            expect(page.get_by_test_id("stSidebar")).to_contain_text("of-ann.csv")
            assert not [cookie for cookie in context.cookies() if cookie["name"].startswith("mrwtd")]
            page.get_by_role("button", name="Log out").click()
            log_in(page, "bob")
            page.goto(f"{address}/Data?data={data}")
            expect(page.get_by_role("button", name="Log out")).to_be_visible()
            wait_until_drawn(page)
            expect(page.get_by_test_id("stSidebar")).not_to_contain_text("of-ann.csv")
        finally:
            context.close()
            process.terminate()
            process.wait(timeout=20)
