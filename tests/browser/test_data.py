"""The Data page in a real browser: what AppTest cannot see."""

import os
import re
import select
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from mrwtd import plugins
from tests.browser.conftest import PATIENCE, start_server
from tests.browser.page_checks import wait_until_drawn
from tests.hosting.test_isolated import wait_until_ended

PICTURE = ".js-plotly-plot .heatmaplayer image"


def choose(page: Page, menu: str, option: str) -> None:
    """Wait until the page is drawn, because drawing closes menus; then open a menu and choose an option."""
    wait_until_drawn(page)
    page.get_by_role("combobox", name=menu).click()
    page.get_by_role("option", name=option, exact=True).click()


def test_the_chart_is_visible_without_scrolling(page: Page, server: str) -> None:
    page.goto(f"{server}/Data")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    picture = page.locator(PICTURE).first
    expect(picture).to_be_visible()
    box = picture.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 768
    assert min(box["width"], box["height"]) > 250
    expect(page.get_by_role("button", name="Data (CSV)")).to_be_in_viewport()


def test_a_cold_deep_link_is_followed(cold_server: str, page: Page) -> None:
    page.goto(f"{cold_server}/Data?data=monastery&relation=esteem&order=listed")
    expect(page.locator(PICTURE).first).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Sampson's monastery")
    assert page.url.endswith("?data=monastery&relation=esteem&order=listed")
    expect(page.get_by_role("combobox", name="Relation")).to_have_value("esteem")
    expect(page.get_by_role("combobox", name="Objects")).to_have_value("as listed")


def test_a_bad_link_shows_the_default_and_a_message(page: Page, server: str) -> None:
    page.goto(f"{server}/Data?data=<b>nope</b>")
    expect(page.get_by_test_id("stAlert")).to_contain_text("'<b>nope</b>', which is not here")
    expect(page.locator(PICTURE).first).to_be_visible()
    expect(page).to_have_url(re.compile(r"\?data=aucs$"))


def test_a_setting_is_in_the_url_and_is_restored(page: Page, server: str) -> None:
    page.goto(f"{server}/Data")
    expect(page.locator(PICTURE).first).to_be_visible()
    choose(page, "Data set", "Florentine families")
    expect(page).to_have_url(re.compile(r"\?data=florentine$"))
    expect(page.get_by_role("combobox", name="Relation")).to_have_value("marriage")
    choose(page, "Relation", "business")
    expect(page).to_have_url(re.compile(r"\?data=florentine&relation=business$"))
    page.reload()
    expect(page.get_by_role("combobox", name="Data set")).to_have_value("Florentine families")
    expect(page.get_by_role("combobox", name="Relation")).to_have_value("business")
    expect(page).to_have_url(re.compile(r"\?data=florentine&relation=business$"))
    page.go_back()
    expect(page).to_have_url(re.compile(r"\?data=florentine$"))
    expect(page.get_by_role("combobox", name="Relation")).to_have_value("marriage")


def upload(page: Page, text: str) -> None:
    """Choose a file and wait until the server has it: an earlier click would use the previous file."""
    file = page.get_by_test_id("stFileUploader").first.locator("input")
    with page.expect_response(lambda answer: "/upload_file/" in answer.url and answer.request.method == "PUT"):
        file.set_input_files({"name": "ties.csv", "mimeType": "text/csv", "buffer": text.encode()})


def test_a_bad_file_keeps_the_data_and_a_corrected_one_replaces_it(page: Page, server: str) -> None:
    page.goto(f"{server}/Data?data=florentine")
    page.get_by_text("Upload your data").click()
    bad = "source,relation,target,value\nann,likes,bob,1\nann,likes,cat,many\n"
    upload(page, bad)
    expect(page.get_by_test_id("stAlert")).to_contain_text("line 3")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Florentine families")
    upload(page, bad.replace("many", "0"))
    page.get_by_role("button", name="Use this data").click()
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Your file: ties.csv")
    expect(page.locator(PICTURE).first).to_be_visible()


def test_a_second_upload_is_previewed_without_the_first(page: Page, server: str) -> None:
    page.goto(f"{server}/Data?data=florentine")
    page.get_by_text("Upload your data").click()
    ties = "source,relation,target,value\na,likes,b,1\na,likes,c,0\n"
    upload(page, ties)
    page.get_by_role("button", name="Use this data").click()
    expect(page.get_by_test_id("stAlert")).to_contain_text("In use now: ties.csv")
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Your file: ties.csv")
    wait_until_drawn(page)
    page.get_by_text("Upload your data").click()
    wait_until_drawn(page)
    upload(page, ties.replace("likes", "trusts"))
    expect(page.get_by_role("button", name="Use this data")).to_be_visible()
    expect(page.get_by_text("1 relation, 2 rows")).to_be_visible()


SLOW_READER = """
import os, signal, sys
from mrwtd.hosting import upload_worker

def never_ends(*options):
    with open({pipe!r}, "w") as pipe:
        pipe.write(str(os.getpid()) + " ")
    signal.pause()

upload_worker.preview = never_ends
"""
"""A plugin whose reader never ends, and writes the id of its process to a pipe."""


@pytest.fixture
def slow_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    """The URL of a server that reads files for ever, and a pipe that tells the id of the process."""
    plugin, path = tmp_path / "plugin.py", tmp_path / "pipe"
    os.mkfifo(path)
    pipe = os.open(path, os.O_RDWR)
    plugin.write_text(SLOW_READER.format(pipe=str(path)))
    monkeypatch.setenv(plugins.VARIABLE, str(plugin))
    process, address = start_server(tmp_path / "log", home=tmp_path / "home")
    yield address, pipe
    process.terminate()
    process.wait(timeout=20)
    os.close(pipe)


def test_the_process_of_a_file_ends_when_its_user_leaves(
    slow_server: tuple[str, int], new_page: Callable[..., Page]
) -> None:
    server, pipe = slow_server

    def open_another_page(page: Page) -> None:
        page.get_by_role("link", name="Train", exact=True).click()

    def remove_the_file(page: Page) -> None:
        page.get_by_test_id("stFileChipDeleteBtn").get_by_role("button").click()

    for leave in (open_another_page, remove_the_file, Page.close):
        page = new_page()
        page.goto(f"{server}/Data?data=florentine&data.upload=1")
        wait_until_drawn(page)
        upload(page, "source,relation,target,value\na,likes,b,1\na,likes,c,0\n")
        expect(page.get_by_text(re.compile("^Reading"))).to_be_visible()
        ready, _, _ = select.select([pipe], [], [], PATIENCE / 1000)
        assert ready
        pids = os.read(pipe, 100).split()  # a second one if the page ran again meanwhile
        leave(page)
        for pid in pids:
            wait_until_ended(int(pid))
