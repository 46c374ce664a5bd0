"""The Compare page in a real browser, with the run that comes with the package."""

import re
from collections.abc import Callable
from itertools import pairwise

from playwright.sync_api import Page, expect

from mrwtd.dashboard.pages.compare import SECTIONS
from tests.browser.page_checks import accessibility_violations, wait_until_drawn, wait_until_fits

BOXES = "all => all.map(one => one.getBoundingClientRect().toJSON())"
CURVE = ".js-plotly-plot .scatterlayer .trace path.js-line"


def visit(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.get_by_role("heading", name="Compare", level=1)).to_be_visible()
    wait_until_drawn(page)


def test_a_cold_deep_link_shows_the_curves_without_scrolling(cold_server: str, page: Page) -> None:
    visit(page, f"{cold_server}/Compare?data=aucs&relation=lunch&compare.section=curves&compare.view=one")
    expect(page.get_by_role("combobox", name="Relation")).to_have_value("lunch")
    picture = page.locator(".js-plotly-plot").first
    expect(page.locator(CURVE).first).to_be_visible()
    box = picture.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 768


def test_the_threshold_moves_the_point_and_is_restored_by_the_link(page: Page, server: str) -> None:
    visit(page, f"{server}/Compare?data=aucs&compare.section=curves&compare.view=one")
    recall = page.get_by_test_id("stMetric").filter(has_text="Recall").get_by_test_id("stMetricValue")
    page.get_by_role("slider").focus()
    page.keyboard.press("Home")
    expect(recall).to_have_text("1.000")
    expect(page).to_have_url(re.compile(r"compare\.threshold=-"))
    page.reload()
    expect(recall).to_have_text("1.000")


def test_sections_are_chosen_by_a_click(page: Page, server: str) -> None:
    visit(page, f"{server}/Compare?data=aucs")
    page.get_by_role("radio", name="Loss lab").click()
    expect(page.locator(".js-plotly-plot")).to_have_count(3)
    expect(page).to_have_url(re.compile(r"compare\.section=losses"))
    page.get_by_role("radio", name="Table").click()
    expect(page.get_by_text("● best")).to_be_visible()


def test_calibration_and_errors_are_accessible(page: Page, server: str) -> None:
    visit(page, f"{server}/Compare?data=aucs&compare.section=trust")
    for colours in ("light", "dark"):
        page.emulate_media(color_scheme=colours)
        wait_until_drawn(page)
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
        assert accessibility_violations(page) == []


def test_titles_of_panels_do_not_overlap_in_a_narrow_window(new_page: Callable[..., Page], server: str) -> None:
    page = new_page(390, 844)
    visit(page, f"{server}/Compare?data=umls&methods=Degree&rank=2&lam=1&train=0.1")
    page.get_by_role("button", name="Train with these settings").click()
    titles = page.locator(".js-plotly-plot .textpoint text")
    expect(titles).to_have_count(46)
    boxes = sorted((box["y"], box["x"], box["width"]) for box in titles.evaluate_all(BOXES))
    for (y, x, width), (next_y, next_x, _) in pairwise(boxes):
        assert next_y > y or next_x > x + width
    wait_until_fits(page)


def test_a_mobile_page_does_not_scroll_sideways(new_page: Callable[..., Page], server: str) -> None:
    page = new_page(390, 844)
    *others, last = SECTIONS
    visit(page, f"{server}/Compare?data=aucs&compare.section={last}")
    wait_until_fits(page)
    for section in others:
        button = page.get_by_role("radio", name=SECTIONS[section][0])
        button.click()
        expect(button).to_be_checked()
        wait_until_drawn(page)
        wait_until_fits(page)
