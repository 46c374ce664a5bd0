"""The Embedding page in a real browser: a click, a lasso selection, and the replay."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, FloatRect, Page, StorageState, expect
from playwright.sync_api import TimeoutError as TooLate

from tests.browser.page_checks import wait_until_drawn, wait_until_fits

RUN = "data=florentine&relation=marriage&methods=MrWTD,RESCAL&rank=3&lam=0.3&train=0.6"
POINT = ".js-plotly-plot .scatterlayer .point"
PIXELS = """() => {
  const layout = document.querySelector('.js-plotly-plot')._fullLayout;
  return [layout.xaxis, layout.yaxis].map((axis) => axis._length / (axis.range[1] - axis.range[0]));
}"""
"""Pixels of a unit along the two axes of the points."""


@pytest.fixture(scope="module")
def trained_user(browser: Browser, server: str) -> StorageState:
    """The cookies of a user who has trained."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{server}/Embedding?{RUN}")
    page.get_by_role("button", name="Train with these settings").click()
    expect(page.locator(POINT).first).to_be_visible()
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def opened(new_page: Callable[..., Page], server: str, trained_user: StorageState) -> Callable[..., Page]:
    """Opens the page of that user, with its picture drawn."""

    def make(more: str = "", *size: int) -> Page:
        page = new_page(*size, storage_state=trained_user)
        page.goto(f"{server}/Embedding?{RUN}{more}")
        expect(page.locator(POINT).first).to_be_visible()
        wait_until_drawn(page)
        return page

    return make


def box_of(page: Page, selector: str) -> FloatRect:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box


def click_point(page: Page, leads_to: re.Pattern[str]) -> None:
    """Click the first point, again if the chart was still being drawn."""
    for _ in range(4):
        box = box_of(page, POINT)
        page.mouse.move(box["x"] - 5, box["y"] - 5)
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
        expect(page.locator(".hoverlayer .hovertext").first).to_be_visible()  # Plotly ignores clicks before this
        page.mouse.down()
        page.mouse.up()
        try:
            page.wait_for_url(leads_to, timeout=15_000)
        except TooLate:
            continue
        return
    expect(page).to_have_url(leads_to)


def test_a_click_on_a_point_describes_its_object(opened: Callable[..., Page]) -> None:
    page = opened()
    map_, table = box_of(page, ".js-plotly-plot"), page.get_by_test_id("stDataFrame")
    assert map_["y"] + map_["height"] <= 768
    expect(table).to_have_count(0)
    click_point(page, re.compile(r"embedding\.object=\w+"))
    name = re.search(r"embedding\.object=(\w+)", page.url).group(1)
    expect(page.get_by_role("heading", name=name)).to_be_visible()
    expect(page.get_by_role("combobox", name="Object")).to_have_value(name)
    expect(table.first).to_be_visible()
    page.get_by_role("tab", name="Factors").click()
    expect(page.locator(".js-plotly-plot .barlayer")).to_be_visible()


def test_a_lasso_selection_is_sent_to_the_network(opened: Callable[..., Page]) -> None:
    page = opened("&embedding.pick=group")
    area = box_of(page, ".js-plotly-plot .nsewdrag")
    corners = ((0.02, 0.02), (0.6, 0.02), (0.6, 0.98), (0.02, 0.98), (0.02, 0.03))
    spots = [(area["x"] + x * area["width"], area["y"] + y * area["height"]) for x, y in corners]
    page.mouse.move(*spots[0])
    page.mouse.down()
    for spot in spots[1:]:
        page.mouse.move(*spot, steps=5)
    page.mouse.up()
    heading = page.get_by_role("heading", name=re.compile(r"^\d+ objects"))
    expect(heading).to_be_visible()
    count = int(heading.inner_text().split()[0])
    assert 1 < count < 15
    expect(page.get_by_text("What distinguishes them")).to_be_visible()
    wait_until_drawn(page)
    page.get_by_role("button", name="Show in Network").click()
    expect(page).to_have_url(re.compile(r"/Network\?.*network\.group=\w+(%7C\w+)+"))
    expect(page.get_by_text(f"A group of {count}")).to_be_visible()


def moves(page: Page) -> list[object]:
    """How high the first points of every trace are: objects, the curves, the objective and the dot on it."""
    return page.evaluate(
        "document.querySelector('.js-plotly-plot').calcdata.map(all => [all.length, ...all.slice(0, 9).map(p => p.y)])"
    )


def test_the_slider_moves_points_curve_and_objective_together(opened: Callable[..., Page]) -> None:
    page = opened("&embedding.view=Replay")
    expect(page.locator(".slider-label", has_text=re.compile("Iteration 0 of")).first).to_be_visible()
    across, up = page.evaluate(PIXELS)
    assert across == pytest.approx(up, rel=0.01)
    before = moves(page)
    rail = box_of(page, ".slider-rail-touch-rect")
    page.mouse.click(rail["x"] + rail["width"] - 4, rail["y"] + rail["height"] / 2)
    page.wait_for_function("document.querySelector('.js-plotly-plot').data.at(-1).x[0] > 1")
    after = moves(page)
    clouds, (still, curve, course, dot) = slice(0, -4), range(-4, 0)
    assert all(old != new for old, new in zip(before[clouds], after[clouds], strict=True))
    assert before[still] == after[still]
    assert before[course] == after[course]
    assert before[curve] != after[curve]
    assert before[dot] != after[dot]
    page.locator(".updatemenu-button").first.click()
    expect(page.locator(".slider-label", has_text=re.compile(r"Iteration [2-9]")).first).to_be_visible()


def test_slow_work_needs_a_click_and_survives_a_reload(opened: Callable[..., Page]) -> None:
    page = opened()
    wait_until_drawn(page)
    page.get_by_role("combobox", name="Projection").click()
    page.get_by_role("option", name="MDS").click()
    page.get_by_role("button", name="Compute MDS").click()
    expect(page.get_by_text("MDS 1", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_text("MDS 1", exact=True)).to_be_visible()


def test_a_mobile_page_does_not_scroll_sideways(opened: Callable[..., Page]) -> None:
    page = opened("&embedding.object=Medici", 390, 844)
    for view in ("Map", "Factors", "Methods", "Replay"):
        page.get_by_role("radio", name=view).click()
        wait_until_drawn(page)
        expect(page.locator(".js-plotly-plot").first).to_be_visible()
        wait_until_fits(page)
