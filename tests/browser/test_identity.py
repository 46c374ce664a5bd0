"""How a browser is recognized: the cookie, links from other sites, forgetting, and servers that store nothing."""

import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

import mrwtd
from mrwtd.dashboard.state import current_user
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX
from mrwtd.hosting.config import SESSION_ONLY
from mrwtd.hosting.cookie import FINGERPRINT
from mrwtd.hosting.identity import identities
from mrwtd.hosting.session_folders import PREFIX
from tests.browser.conftest import PATIENCE, start_server
from tests.browser.page_checks import wait_until_drawn

FORGET = "Forget me on this computer"


def user_with_upload() -> tuple[str, str]:
    """The id of a user of the shared server with an upload, and the name of the upload."""
    user = identities().issue()
    digest = current_user.workspace_of(user).save_dataset(mrwtd.load_dataset("florentine"), {"file": "ties.csv"})
    return user, UPLOAD_PREFIX + digest


def set_cookie(context: BrowserContext, user: str, server: str) -> None:
    context.add_cookies([{"name": identities().cookie_name, "value": user, "url": server, "sameSite": "Strict"}])


def users(context: BrowserContext) -> list[str]:
    """The ids that the browser has."""
    return [cookie["value"] for cookie in context.cookies() if cookie["name"].startswith("mrwtd")]


def visit(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    wait_until_drawn(page)


@pytest.fixture
def other_site() -> Iterator[Callable[[str], str]]:
    """Makes the address of a page on another site, with a link."""
    links: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f'<a href="{links[-1]}">the link</a>'.encode())

        def log_message(self, *args: object) -> None:
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=site.serve_forever)
    thread.start()

    def linking(address: str) -> str:
        links.append(address)
        return f"http://127.0.0.1:{site.server_port}/"

    yield linking
    site.shutdown()
    thread.join()
    site.server_close()


def test_a_new_user_gets_a_strict_cookie_and_a_made_up_one_is_replaced(page: Page, server: str) -> None:
    set_cookie(page.context, "attacker-chosen-id-000", server)
    visit(page, server)
    (cookie,) = (cookie for cookie in page.context.cookies() if cookie["name"] == identities().cookie_name)
    assert identities().is_valid(cookie["value"])
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, "Strict", "/")
    expect(page.get_by_text("refuses cookies", exact=False)).to_have_count(0)
    page.reload()
    wait_until_drawn(page)
    assert users(page.context) == [cookie["value"]]


def test_a_link_from_another_site_finds_the_workspace(
    browser: Browser, server: str, other_site: Callable[[str], str]
) -> None:
    (user, data), context = user_with_upload(), browser.new_context()
    set_cookie(context, user, server)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(other_site(f"{server}/Data?data={data}"))
    page.get_by_role("link", name="the link").click()
    expect(page.get_by_test_id("stSidebar")).to_contain_text("ties.csv")
    assert users(context) == [user]
    context.close()


def test_forgetting_starts_all_tabs_with_a_new_id(page: Page, server: str) -> None:
    (user, data), tab = user_with_upload(), page.context.new_page()
    set_cookie(page.context, user, server)
    for opened in (tab, page):
        opened.set_default_timeout(PATIENCE)
        visit(opened, f"{server}/Data?data={data}")
        expect(opened.get_by_test_id("stSidebar")).to_contain_text("ties.csv")
    page.get_by_role("button", name=FORGET).click()
    expect(page.get_by_role("dialog")).to_contain_text("1 upload")
    page.get_by_role("button", name="Delete everything").click()
    expect(page).not_to_have_url(re.compile(data))
    expect(page.get_by_test_id("stSidebar")).not_to_contain_text("ties.csv")
    expect(page.get_by_role("button", name=FORGET)).to_be_visible()
    (new,) = users(page.context)
    assert new != user
    assert identities().is_valid(new)
    assert not current_user.workspace_of(user).folder.exists()
    tab.get_by_test_id("stSidebar").get_by_role("link", name="Train").click()
    expect(tab.get_by_role("heading", name="Train", level=1)).to_be_visible()
    expect(tab.get_by_role("button", name=FORGET)).to_be_visible()
    expect(tab.get_by_test_id("stSidebar")).not_to_contain_text("ties.csv")
    assert users(page.context) == [new]


def test_a_tab_with_another_id_than_the_cookie_is_reloaded(page: Page, server: str) -> None:
    answered: list[str] = []

    def answer(route: Route) -> None:
        answered.append(route.request.url)
        route.fulfill(status=200, headers={FINGERPRINT.decode(): "another"} if len(answered) == 1 else {})

    page.route("**/_stcore/health?user", answer)
    with page.expect_event("load", lambda _: bool(answered)):
        page.goto(server)
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_a_server_that_stores_nothing(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "temporary").mkdir()
    for name, value in ((SESSION_ONLY, "1"), ("TMPDIR", str(tmp_path / "temporary"))):
        monkeypatch.setenv(name, value)
    process, address = start_server(
        tmp_path / "log",
        tmp_path / "home",
        options=["--server.disconnectedSessionTTL=1"],
    )
    monkeypatch.undo()
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    try:
        visit(page, f"{address}/Data")
        expect(page.get_by_test_id("stSidebar")).to_contain_text("stores nothing")
        assert users(context) == []
        (folder,) = (tmp_path / "temporary").glob(f"{PREFIX}*/*")
        page.close()
        pause = threading.Event()
        while folder.exists():
            pause.wait(0.1)
        visit(page := context.new_page(), f"{address}/Data")
        assert len(list((tmp_path / "temporary").glob(f"{PREFIX}*/*"))) == 1
        assert not list((tmp_path / "home").glob("workspaces/*"))
    finally:
        context.close()
        process.terminate()
        process.wait(timeout=20)
    assert not list((tmp_path / "temporary").glob(f"{PREFIX}*"))
