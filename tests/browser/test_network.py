"""The Network page in a real browser: clicks, the threshold, and files that other programs open."""

import re
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from playwright.sync_api import Locator, Page, StorageState, expect

import mrwtd
from mrwtd.plots.network_series import view_range
from mrwtd.plots.node_layout import node_positions, tie_matrix
from tests.browser.conftest import RUN
from tests.browser.page_checks import wait_until_drawn, wait_until_fits


@pytest.fixture
def page(new_page: Callable[..., Page], trained: StorageState) -> Page:
    """A page of a user who has trained."""
    return new_page(storage_state=trained)


def open_trained(page: Page, server: str, more: str = "") -> Locator:
    """The page of a user who has trained, and its picture."""
    page.goto(f"{server}/Network?{RUN}{more}")
    picture = page.get_by_test_id("stMain").locator("canvas").first
    expect(picture).to_be_visible()
    wait_until_drawn(page)
    return picture


def places() -> np.ndarray:
    return node_positions("spring", tie_matrix(mrwtd.load_dataset("florentine"), "marriage"))


def spot(picture: Locator, point: np.ndarray) -> tuple[float, float]:
    """Pixels of a position: the page fits all positions into the frame below the legend."""
    low, high = view_range(places(), named=True)
    box = picture.bounding_box()
    assert box is not None
    right, up = (point - low) / (high - low)
    return box["x"] + box["width"] * (0.005 + 0.99 * right), box["y"] + 30 + (box["height"] - 36) * (1 - up)


def recall(page: Page) -> float:
    """Pixels of the point on the curve."""
    return float(page.evaluate("document.querySelector('.js-plotly-plot').data.at(-1).x[0]"))


def test_the_threshold_moves_the_point_on_the_curve(page: Page, server: str) -> None:
    open_trained(page, server)
    expect(page.locator(".js-plotly-plot .scatterlayer").first).to_be_visible()
    before = recall(page)
    slider = page.get_by_role("slider", name="Threshold")
    slider.focus()
    page.keyboard.press("Home")
    expect(page.get_by_text("missed: 0")).to_be_visible()
    expect(page).to_have_url(re.compile(r"network\.threshold=-"))
    page.wait_for_function("document.querySelector('.js-plotly-plot').data.at(-1).x[0] === 1")
    assert before < 1


def test_a_click_on_a_node_shows_its_neighbourhood_and_on_an_edge_an_explanation(page: Page, server: str) -> None:
    picture = open_trained(page, server)
    positions, names = places(), mrwtd.load_dataset("florentine").objects
    ties = np.column_stack(tie_matrix(mrwtd.load_dataset("florentine"), "marriage").nonzero())
    middles = positions[ties].mean(axis=1)
    clear = np.linalg.norm(middles[:, None] - positions[None], axis=2).min(axis=1).argmax()
    page.mouse.click(*spot(picture, middles[clear]))
    expect(page.get_by_role("heading", name="Why ")).to_be_visible()
    expect(page).to_have_url(re.compile(r"network\.edge="))
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("heading", name="Why ")).not_to_be_attached()
    wait_until_drawn(page)
    page.mouse.click(*spot(picture, positions[names.index("Pazzi")]))
    expect(page.get_by_role("combobox", name="Neighbourhood of")).to_have_value("Pazzi")
    expect(page).to_have_url(re.compile(r"network\.object=Pazzi"))
    page.get_by_role("button", name="Whole network").click()
    expect(page.get_by_role("button", name="Whole network")).not_to_be_attached()


def test_networkx_opens_the_downloaded_files(page: Page, server: str, tmp_path: Path) -> None:
    open_trained(page, server)
    for label, opened in (("GraphML", nx.read_graphml), ("GEXF", lambda file: nx.read_gexf(file, version="1.3"))):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=label, exact=True).click()
        file = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(file)
        graph = opened(file)
        assert graph.number_of_nodes() == 15
        assert any(": known" in attributes["relation"] for _, _, attributes in graph.edges(data=True))
    with page.expect_download() as waiting:
        page.get_by_role("button", name="CSV", exact=True).click()
    assert waiting.value.suggested_filename == "florentine-marriage-MrWTD.csv"


def test_two_methods_on_mobile(new_page: Callable[..., Page], server: str, trained: StorageState) -> None:
    page = new_page(390, 844, storage_state=trained)
    picture = open_trained(page, server, "&network.second=Degree")
    for colours in ("light", "dark"):
        page.emulate_media(color_scheme=colours)
        wait_until_drawn(page)
        expect(page.get_by_text(re.compile(r"Degree\. Hits: \d+"))).to_be_visible()
        wait_until_fits(page)
        box = picture.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
