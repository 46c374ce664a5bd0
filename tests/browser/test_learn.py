"""The lessons in a real browser: a click on an entry, λ dragged to the collapse, a guess before the answer."""

import re
from collections.abc import Callable
from itertools import cycle

from playwright.sync_api import Locator, Page, expect

from mrwtd.dashboard.pages.learn import LESSONS
from mrwtd.dashboard.pages.learn.learn_texts import LESSON_TITLES
from tests.browser import page_checks


def open_lesson(page: Page, server: str, lesson: str, data: str = "florentine") -> None:
    """Open a lesson and wait until its jobs are done."""
    page.goto(f"{server}/Learn?data={data}&learn.lesson={lesson}")
    expect(page.get_by_role("heading", level=1)).to_have_text("Learn")
    expect(page.get_by_role("button", name="Try it")).to_be_visible()
    wait_until_drawn(page)


def wait_until_drawn(page: Page) -> None:
    expect(page.get_by_text(re.compile("being computed|are coming|Fitting"))).to_have_count(0)
    page_checks.wait_until_drawn(page)


def click_entry(page: Page, chart: Locator, across: float, down: float) -> None:
    """Click into the plot area of a chart, at fractions of its width and height."""
    chart.scroll_into_view_if_needed()
    box = chart.locator(".nsewdrag").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"])
    page.mouse.click(box["x"] + across * box["width"], box["y"] + down * box["height"])


def test_the_lessons_end_to_end(page: Page, server: str) -> None:
    open_lesson(page, server, "decomposition")
    entry = page.get_by_role("combobox", name="Row i"), page.get_by_role("combobox", name="Column j")
    before = [box.input_value() for box in entry]
    click_entry(page, page.locator(".js-plotly-plot").first, across=0.85, down=0.92)
    expect(entry[0]).not_to_have_value(before[0])
    chosen = [box.input_value() for box in entry]
    assert chosen[0] == chosen[1]  # the lowest entry on the right
    expect(page).to_have_url(re.compile(r"learn\.source=" + chosen[0]))
    wait_until_drawn(page)
    expect(page.get_by_text(re.compile(rf"times factor \d of {chosen[1]}: one term"))).to_be_visible()

    page.get_by_role("radio", name=LESSON_TITLES["regularisation"]).click()
    wait_until_drawn(page)
    lam = page.get_by_role("slider", name="λ")
    expect(lam).to_be_visible()
    lam.press("End")
    expect(page.get_by_text("Collapse.")).to_be_visible()
    expect(page).to_have_url(re.compile(r"learn\.lam=100"))

    page.get_by_role("radio", name=LESSON_TITLES["reveal"]).click()
    expect(page.get_by_text("Which of the two has a tie with")).to_be_visible()
    wait_until_drawn(page)
    expect(page.get_by_text(re.compile("The model predicts"))).to_have_count(0)
    page.locator(".st-key-guess-0 button").first.click()
    expect(page.get_by_text(re.compile("The model predicts"))).to_be_visible()
    expect(page.get_by_text("1 of 1").or_(page.get_by_text("0 of 1")).first).to_be_visible()

    page.get_by_role("radio", name=LESSON_TITLES["regularisation"]).click()
    expect(page.get_by_role("slider", name="λ")).to_be_visible()
    wait_until_drawn(page)
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Train")
    expect(page).to_have_url(re.compile(r"[?&]lam=100(&|$)"))


def test_every_lesson_is_readable(new_page: Callable[..., Page], server: str) -> None:
    page = new_page(390, 844)
    *others, last = LESSONS
    open_lesson(page, server, last)
    violations_by_lesson = {}
    for lesson, colours in zip((last, *others), cycle(["light", "dark"]), strict=False):
        page.emulate_media(color_scheme=colours)
        if lesson != last:
            button = page.get_by_role("radio", name=LESSON_TITLES[lesson])
            button.click()
            expect(button).to_be_checked()
        expect(page.get_by_role("button", name="Try it")).to_be_visible()
        wait_until_drawn(page)
        page_checks.wait_until_fits(page)
        violations_by_lesson[lesson] = page_checks.accessibility_violations(page)
    assert {lesson: violations for lesson, violations in violations_by_lesson.items() if violations} == {}
