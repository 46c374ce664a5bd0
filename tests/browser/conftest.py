"""A server and a Chromium for the tests of this folder."""

import os
import re
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    Request,
    StorageState,
    expect,
    sync_playwright,
)

from tests.browser import chromium

TOP = Path(__file__).resolve().parents[2]
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--enable-unsafe-swiftshader")

PATIENCE = 90_000
"""Milliseconds: long enough for a busy machine, so that only a page that never loads exceeds it."""

RUN = "data=florentine&relation=marriage&methods=MrWTD,Degree&rank=2&lam=1&train=0.6"
"""Settings of a quick training, for pages that show a run."""

# Streamlit requests these relative to the page first, and then at their real URL.
KNOWN_404 = re.compile(r"/_stcore/(health|host-config)$")


@pytest.fixture(scope="package", autouse=True)
def patience() -> None:
    """For all fixtures too, whatever their scope."""
    expect.set_options(timeout=PATIENCE)


def start_server(
    log: Path, home: Path | None = None, port: int = 0, app: Path | None = None, options: Sequence[str] = ()
) -> tuple[subprocess.Popen[bytes], str]:
    """Start the dashboard or another app, by default on a free port, with output to `log` and runs in `home`."""
    if not port:
        with socket.socket() as free:
            free.bind(("localhost", 0))
            port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        str(app or TOP / "app.py"),
        f"--server.port={port}",
        "--server.fileWatcherType=none",
        *options,
    ]
    environment = os.environ | ({"MRWTD_HOME": str(home)} if home else {})
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, cwd=app.parent if app else TOP, env=environment
        )
    address = f"http://localhost:{port}"
    pause = threading.Event()
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return process, address
        except (urllib.error.URLError, OSError):
            pass
        if process.poll() is not None:
            break
        pause.wait(0.1)
    process.kill()
    process.wait()
    pytest.fail(f"the server did not start:\n{log.read_text()}")


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that all tests share."""
    process, address = start_server(tmp_path_factory.mktemp("server") / "log")
    yield address
    process.terminate()
    process.wait(timeout=20)


@pytest.fixture
def cold_server(tmp_path: Path) -> Iterator[str]:
    """The URL of a server that has not served any request."""
    process, address = start_server(tmp_path / "log")
    yield address
    process.terminate()
    process.wait(timeout=20)


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Make pages in separate contexts; at the end, no page has logged an error or requested another host."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def check_message(message: ConsoleMessage) -> None:
        where = message.location.get("url", "")
        if message.type == "error" and not ("404" in message.text and KNOWN_404.search(where)):
            complaints.append(f"console: {message.text} ({where})")

    def check_request(request: Request) -> None:
        if not re.match(r"(https?|wss?)://localhost:|data:|blob:", request.url):
            complaints.append(f"request to another host: {request.url}")

    def make(width: int = 1366, height: int = 768, **options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", check_message)
        page.on("pageerror", lambda error: complaints.append(f"page: {error}"))
        page.on("request", check_request)
        return page

    yield make
    for context in contexts:
        context.close()
    assert not complaints


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


@pytest.fixture(scope="package")
def trained(browser: Browser, server: str) -> StorageState:
    """The cookies of a user who has trained the settings of `RUN`."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(f"{server}/Predict?{RUN}")
    page.get_by_role("button", name="Train with these settings").click()
    expect(page.get_by_text("What do you want to know?")).to_be_visible(timeout=PATIENCE)
    state = context.storage_state()
    context.close()
    return state
