"""The Predict page in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, StorageState, expect

from tests.browser.conftest import RUN
from tests.browser.page_checks import accessibility_violations, wait_until_drawn, wait_until_fits


@pytest.fixture
def page(new_page: Callable[..., Page], trained: StorageState) -> Page:
    """A page of a user who has trained."""
    return new_page(storage_state=trained)


def open_trained(page: Page, server: str, more: str = "") -> None:
    page.goto(f"{server}/Predict?{RUN}{more}")
    expect(page.get_by_text("What do you want to know?")).to_be_visible()
    wait_until_drawn(page)


def choose(page: Page, menu: str, option: str) -> None:
    wait_until_drawn(page)
    page.get_by_role("combobox", name=menu, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def test_all_sections_from_two_objects_to_a_new_object(page: Page, server: str) -> None:
    open_trained(page, server)
    choose(page, "From", "Medici")
    expect(page).to_have_url(re.compile(r"predict\.source=Medici"))
    expect(page.get_by_text(re.compile("Why .*Medici.* in marriage"))).to_be_visible()
    expect(page.get_by_text("relation bias", exact=True)).to_be_visible()
    wait_until_drawn(page)
    page.get_by_test_id("stButtonGroup").get_by_text("Best unknown pairs").click()
    expect(page.get_by_text("Click a column to sort")).to_be_visible()
    wait_until_drawn(page)
    page.get_by_test_id("stButtonGroup").get_by_text("A new object").click()
    expect(page.get_by_text("Most similar:")).to_be_visible()
    expect(page.locator(".js-plotly-plot .scatterlayer").first).to_be_visible()
    page.reload()
    expect(page.get_by_text("Most similar:")).to_be_visible()


def test_all_sections_are_accessible_on_mobile(
    new_page: Callable[..., Page], server: str, trained: StorageState
) -> None:
    page = new_page(390, 844, storage_state=trained)
    open_trained(page, server)
    for view, text in (("Two objects", "Why "), ("A new object", "Most similar:")):
        if view != "Two objects":
            page.get_by_test_id("stButtonGroup").get_by_text(view).click()
        for colours in ("light", "dark"):
            page.emulate_media(color_scheme=colours)
            expect(page.get_by_text(text).first).to_be_visible()
            wait_until_drawn(page)
            wait_until_fits(page)
            assert accessibility_violations(page) == [], (view, colours)
