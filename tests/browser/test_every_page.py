"""Every page of the menu: cold deep links, contrast, and layout on mobile."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from mrwtd.dashboard.navigation import pages
from tests.browser.conftest import start_server
from tests.browser.page_checks import accessibility_violations, wait_until_drawn, wait_until_fits

PATHS = {page.title: "" if page.path == "app.py" else page.title for page in pages().values()}


@pytest.fixture(scope="module")
def cold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that has served no page before the first test."""
    folder: Path = tmp_path_factory.mktemp("cold")
    process, address = start_server(folder / "log")
    yield address
    process.terminate()
    process.wait(timeout=20)


@pytest.mark.parametrize("title", PATHS)
def test_a_deep_link_opens_an_accessible_page(page: Page, cold: str, title: str) -> None:
    page.goto(f"{cold}/{PATHS[title]}?data=aucs&rank=7&relation=work")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    wait_until_drawn(page)
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Aarhus")
    assert "rank=7" in page.url
    assert "relation=work" in page.url
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.locator(".js-plotly-plot:not(:has([data-title^='Download plot']))")).to_have_count(0)
    assert accessibility_violations(page) == []
    page.emulate_media(color_scheme="dark")
    wait_until_drawn(page)
    assert accessibility_violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    wait_until_drawn(page)
    wait_until_fits(page)


def test_a_page_without_its_sidebar_names_data_split_and_run(page: Page, server: str) -> None:
    page.goto(f"{server}/Learn?data=aucs")
    wait_until_drawn(page)
    line = page.locator(".st-key-without-sidebar")
    expect(line).to_be_hidden()
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    expect(line).to_be_visible()
    expect(line).to_contain_text(re.compile(r"Aarhus.*Split: 80%.*Run: stored example"))
    page.set_viewport_size({"width": 390, "height": 844})
    expect(line).to_be_visible()


def test_other_charts_than_plotly_can_be_downloaded_with_their_data(page: Page, server: str) -> None:
    page.goto(server)
    wait_until_drawn(page)
    for picture, header in (("decomposition", b"table,"), ("scores", b"method,")):
        below = page.locator(f".st-key-below-{picture}")
        for label, begins in (("Picture (SVG)", b"<svg"), ("Data (CSV)", header)):
            with page.expect_download() as download:
                below.get_by_role("button", name=label).click()
            assert download.value.path().read_bytes().startswith(begins)


def test_help_is_shown_by_mouse_keyboard_and_touch(new_page: Callable[..., Page], server: str) -> None:
    page = new_page(has_touch=True)
    page.goto(server)
    wait_until_drawn(page)
    size = page.locator(".tooltip", has_text="3,060 entries")
    shown = "one => getComputedStyle(one, '::after').display"
    assert size.evaluate(shown) == "none"
    size.hover()
    assert size.evaluate(shown) == "block"
    page.mouse.move(0, 0)
    assert size.evaluate(shown) == "none"
    below = page.locator(".st-key-finished-result .tooltip")
    below.hover()
    drawn_over = "one => { const at = one.getBoundingClientRect(); const got = document.elementFromPoint(at.left + 20, \
        at.bottom + 20); return getComputedStyle(one.parentElement).opacity === '1' && one.contains(got) }"
    assert below.evaluate(drawn_over.replace("\\\n", ""))
    page.locator(".st-key-card-kinship button").focus()  # what comes next is the second card
    page.keyboard.press("Tab")
    assert size.evaluate(shown) == "block"
    split = page.get_by_test_id("stSidebar").locator(".tooltip", has_text="Split:")
    split.tap()
    assert split.evaluate(shown) == "block"
    assert size.evaluate(shown) == "none"


def test_on_mobile_the_menu_closes_when_a_page_is_chosen(new_page: Callable[..., Page], server: str) -> None:
    page = new_page(width=390, height=844, user_agent="Mozilla/5.0 (Linux; Android 15) Chrome/140 Mobile Safari/537.36")
    page.goto(f"{server}/?data=florentine")
    wait_until_drawn(page)
    menu = page.get_by_test_id("stSidebar")
    for name in ("Data", "Learn"):
        page.get_by_test_id("stExpandSidebarButton").click()
        expect(menu).to_have_attribute("data-collapsed", "false")
        menu.get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
        expect(menu).to_have_attribute("data-collapsed", "true")
