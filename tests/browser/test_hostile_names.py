"""Names, files and imported runs that try to be markup: no page renders them, links to another host or requests it."""

import re
from collections.abc import Callable
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from mrwtd.dashboard.navigation import pages
from mrwtd.dashboard.pages.data import data_texts
from mrwtd.hosting.identity import identities
from tests.browser.page_checks import wait_until_drawn
from tests.hostile_names import HOST, MARK, TEXTS, hostile, hostile_columns, hostile_ties, hostile_two_mode

PATHS = {page.title: "" if page.path == "app.py" else page.title for page in pages().values()}
RENDERED = """([mark, host]) => [
  ...[...document.querySelectorAll("body *")].filter((one) => one.textContent === mark && !one.children.length),
  ...[...document.querySelectorAll(".katex")].filter((one) => one.textContent.includes(mark)),
  ...[...document.querySelectorAll("[data-testid=stIconMaterial]")].filter((one) => one.textContent === "skull"),
  ...[...document.querySelectorAll("a, img, iframe, object, embed, link, script, use, image")].filter((one) =>
    ["href", "src", "xlink:href", "data"].map((name) => one.getAttribute(name)).filter((value) => value)
      .some((value) => new URL(value, document.baseURI).host === host || value.startsWith("mailto:"))),
  ...(document.body.innerText.includes("👻") ? [document.body] : []),
].map((one) => one.outerHTML.slice(0, 200))"""


def rendered(page: Page) -> list[str]:
    """The elements that names have become."""
    return page.evaluate(RENDERED, [MARK, HOST])


@pytest.mark.parametrize(
    "markup",
    [
        f"a <b>{MARK}</b>",
        f"<a href='http://{HOST}'>b</a>",
        f"<svg><text>{MARK}</text></svg>",
        "👻",
        "<a href=mailto:a>c</a>",
    ],
)
def test_markup_is_noticed(page: Page, markup: str) -> None:
    page.set_content(f"<p>some {MARK} text</p><p>{markup}</p>")
    assert rendered(page) != []


def test_no_name_is_rendered_or_requests_another_host(new_page: Callable[..., Page], server: str) -> None:
    user = hostile()
    page = new_page()  # whose requests to other hosts fail the test
    page.context.add_cookies([{"name": identities().cookie_name, "value": user.user, "url": server}])
    shown: dict[str, list[str]] = {}
    for title, path in PATHS.items():
        page.goto(f"{server}/{path}?{urlencode(user.query)}")
        wait_until_drawn(page)
        expect(page.get_by_test_id("stSidebar")).to_contain_text(MARK)
        shown[title] = rendered(page)
        for part in page.get_by_test_id("stMain").get_by_test_id("stButtonGroup").get_by_role("radio").all():
            if part.is_visible() and part.is_enabled() and part.get_attribute("aria-checked") != "true":
                part.click()
                wait_until_drawn(page)
                shown[title] += rendered(page)
    page.get_by_test_id("stSidebar").locator("summary").last.click()
    expect(page.get_by_test_id("stSidebar").get_by_role("button", name="Import a run")).to_be_visible()
    shown["History"] = rendered(page)
    assert {title: elements for title, elements in shown.items() if elements} == {}


def test_no_name_of_a_type_a_file_or_a_column_is_rendered(new_page: Callable[..., Page], server: str) -> None:
    user = hostile_two_mode()
    page = new_page()
    page.context.add_cookies([{"name": identities().cookie_name, "value": user.user, "url": server}])
    for path in ("Predict?predict.view=A+new+object&", "Network?", "Data?data.upload=1&"):
        page.goto(f"{server}/{path}{urlencode(user.query)}")
        wait_until_drawn(page)
        expect(page.get_by_test_id("stSidebar")).to_contain_text(MARK)
        assert rendered(page) == []
    chooser, fields = page.get_by_text(data_texts.CHOOSE_COLUMNS), page.get_by_test_id("stFileUploader")
    for name, content in ((TEXTS[2], hostile_columns()), (TEXTS[6], hostile_ties())):
        file = {"name": f"{name.replace('/', ':')}.csv", "mimeType": "text/csv", "buffer": content}
        fields.first.locator("input").set_input_files(file)
        expect(chooser).to_be_visible()
        wait_until_drawn(page)
        assert rendered(page) == []
        fields.first.get_by_role("button", name=re.compile("Remove")).first.click()
        expect(chooser).to_have_count(0)
