"""Every page of the menu: a cold deep link, letters that can be read, and nothing that runs off a telephone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from mrwtd.dashboard.menu import pages
from mrwtd.data.location import site_folder
from tests.browser.conftest import start_server

PATHS = {page.title: "" if page.path == "app.py" else page.title for page in pages(site_folder())}


@pytest.fixture(scope="module")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server whose first visitor follows the link of the first test."""
    folder: Path = tmp_path_factory.mktemp("cold")
    process, address = start_server(folder / "log")
    yield address
    process.terminate()
    process.wait(timeout=20)


def drawn(page: Page, address: str) -> None:
    """Open a page and wait until it stands."""
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


@pytest.mark.parametrize("title", PATHS)
def test_a_deep_link_with_parameters_is_followed(page: Page, cold: str, title: str) -> None:
    drawn(page, f"{cold}/{PATHS[title]}?data=aucs&rank=7&relation=work")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Aarhus")
    assert "rank=7" in page.url
    assert "relation=work" in page.url
    expect(page.get_by_test_id("stException")).to_have_count(0)


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("title", PATHS)
def test_everybody_can_read_it(new_page: Callable[..., Page], server: str, title: str, colours: str) -> None:
    page = new_page(color_scheme=colours)
    drawn(page, f"{server}/{PATHS[title]}?data=aucs")
    grave = [found for found in Axe().run(page).response["violations"] if found["impact"] in ("serious", "critical")]
    assert [(found["id"], [node["html"] for node in found["nodes"]]) for found in grave] == []


@pytest.mark.parametrize("title", PATHS)
def test_a_telephone_scrolls_down_and_not_sideways(new_page: Callable[..., Page], server: str, title: str) -> None:
    page = new_page(390, 844)
    drawn(page, f"{server}/{PATHS[title]}?data=aucs")
    for scroller in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        assert page.evaluate(f"{scroller}.scrollWidth <= {scroller}.clientWidth")
