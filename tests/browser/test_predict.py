"""The Predict page in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

RUN = "data=florentine&relation=marriage&methods=MrWTD,Degree&rank=2&lam=1&train=0.6"


def at_rest(page: Page) -> None:
    expect(page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]')).to_be_visible()


def open_trained(page: Page, server: str, more: str = "") -> None:
    page.goto(f"{server}/Predict?{RUN}{more}")
    page.get_by_role("button", name="Train with the usual settings").click()
    expect(page.get_by_text("What do you want to know?")).to_be_visible(timeout=60_000)
    at_rest(page)


def choose(page: Page, menu: str, option: str) -> None:
    at_rest(page)
    page.get_by_role("combobox", name=menu, exact=True).click()
    page.get_by_role("option", name=option, exact=True).click()


def test_from_two_objects_to_the_best_pairs_to_somebody_new(page: Page, server: str) -> None:
    open_trained(page, server)
    choose(page, "From", "Medici")
    expect(page).to_have_url(re.compile(r"predict\.source=Medici"))
    expect(page.get_by_text(re.compile("Why .*Medici.* in marriage"))).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    at_rest(page)
    page.get_by_test_id("stButtonGroup").get_by_text("Best unknown pairs").click()
    expect(page.get_by_text("Click a column to sort")).to_be_visible()
    at_rest(page)
    page.get_by_test_id("stButtonGroup").get_by_text("A new object").click()
    expect(page.get_by_text("Most alike:")).to_be_visible()
    expect(page.locator(".js-plotly-plot .scatterlayer").first).to_be_visible()
    page.reload()
    expect(page.get_by_text("Most alike:")).to_be_visible()


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("view", ["Two objects", "A new object"])
def test_everybody_can_read_it_on_a_telephone_too(
    new_page: Callable[..., Page], server: str, colours: str, view: str
) -> None:
    page = new_page(390, 844, color_scheme=colours)
    open_trained(page, server, f"&predict.view={view}")
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    for scroller in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        assert page.evaluate(f"{scroller}.scrollWidth <= {scroller}.clientWidth")
    grave = [found for found in Axe().run(page).response["violations"] if found["impact"] in ("serious", "critical")]
    assert [(found["id"], [node["html"] for node in found["nodes"]]) for found in grave] == []
