"""Training in the browser: it continues during page changes and reloads, and other users do not see it."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import start_server
from tests.browser.page_checks import wait_until_drawn, wait_until_fits

LONG = "data=kinship&methods=MrWTD&rank=100&lam=1&ensemble=16&train=0.9"
LONG_TOO = LONG.replace("kinship", "umls")
"""Settings that take minutes. One such training runs at a time; the other lane of the queue is for short ones."""

SHORT = "data=florentine&methods=MrWTD,Degree&rank=2&lam=1"


def visit(page: Page, address: str) -> None:
    """Open a page and wait until it is drawn."""
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    wait_until_drawn(page)


def train_button(page: Page) -> Locator:
    return page.locator('[data-testid="stMain"]').get_by_role("button", name=re.compile("^Train "))


def working(page: Page) -> Locator:
    return page.locator('[data-testid="stSidebar"]').get_by_text("Running", exact=True)


def cancel(page: Page) -> Locator:
    return page.locator('[data-testid="stSidebar"]').get_by_role("button", name="Cancel")


def runs(page: Page, number: int) -> None:
    expect(page.locator('[data-testid="stSidebar"]').get_by_text(f"History ({number})")).to_be_visible()


def test_a_sample_card_leads_to_its_comparison(page: Page, server: str) -> None:
    visit(page, server)
    page.locator(".st-key-card-florentine").get_by_role("button").first.click()
    expect(page.get_by_role("heading", name="Compare")).to_be_visible()
    expect(page.locator(".js-plotly-plot").first).to_be_visible()
    expect(page).to_have_url(re.compile(r"/Compare\?data=florentine.*run="))


def test_losses_chosen_per_relation_are_trained(page: Page, server: str) -> None:
    visit(page, f"{server}/Train?{SHORT}&loss.marriage=smooth-hinge")
    expect(train_button(page)).to_be_enabled()
    page.keyboard.press("Control+Enter")
    runs(page, 2)
    expect(page.get_by_role("heading", name="Run:", exact=False)).to_be_visible()
    page.get_by_role("radio", name="Same in Python").click()
    expect(page.locator('[data-testid="stCode"]').first).to_contain_text("'marriage': 'smooth-hinge'")


def test_a_training_survives_page_changes_and_reloads_and_can_be_cancelled(page: Page, server: str) -> None:
    visit(page, f"{server}/Train?{LONG}")
    train_button(page).click()
    expect(working(page)).to_be_visible()
    # While a chart is redrawn, the page contains the old one too.
    expect(page.locator(".js-plotly-plot").get_by_text("held-out AUPRC by iteration").first).to_be_visible()
    with page.expect_download() as download:
        page.locator(".st-key-below-progress").get_by_role("button", name="Data (CSV)").click()
    header, first, *_ = download.value.path().read_text().splitlines()
    assert header == "method,iteration,objective,score"
    assert re.fullmatch(r"MrWTD,1,[\d.]+,0\.\d+", first)
    page.locator('[data-testid="stSidebar"]').get_by_role("link", name="Learn").click()
    expect(page.get_by_role("heading", name="Learn").first).to_be_visible()
    expect(working(page)).to_be_visible()
    page.reload()
    expect(working(page)).to_be_visible()
    cancel(page).click()
    expect(working(page)).to_be_hidden()
    runs(page, 2)
    expect(page.get_by_text("The training was stopped", exact=False)).to_be_visible()
    expect(page.get_by_test_id("stToast")).to_have_count(0)  # reported by the message


def test_on_mobile_a_training_is_visible_and_back_after_cancel_is_one_click(
    new_page: Callable[..., Page], server: str
) -> None:
    page = new_page(width=390, height=844)
    visit(page, f"{server}/Train?{LONG}")
    train_button(page).click()
    line = page.locator(".st-key-without-sidebar").get_by_role("progressbar").first
    expect(line).to_be_visible()
    page.get_by_test_id("stMain").evaluate("one => one.scrollTo(0, one.scrollHeight)")
    expect(line).to_be_in_viewport()
    wait_until_fits(page)
    visit(page, f"{server}/Train?{LONG_TOO}")
    train_button(page).click()
    cancels = page.locator(".st-key-without-sidebar").get_by_role("button", name="Cancel")
    expect(cancels).to_have_count(2)
    cancels.last.click()  # the second training waits
    expect(page.get_by_text("before there was a result", exact=False)).to_be_visible()
    wait_until_drawn(page)
    page.go_back()
    expect(page).not_to_have_url(re.compile("run="))
    expect(page.get_by_text("is not here", exact=False)).to_have_count(0)
    cancels.click()
    expect(cancels).to_have_count(0)


def test_of_two_trainings_on_one_data_set_the_requested_one_is_shown(page: Page, server: str) -> None:
    visit(page, f"{server}/Train?{LONG}")
    train_button(page).click()
    expect(working(page)).to_be_visible()
    page.get_by_role("slider", name="Training fraction").press("ArrowLeft")
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar).to_contain_text("Split: 90% training, seed 0 (next: 89% training, seed 0)Run: not finished yet")
    visit(page, f"{server}/?data=kinship")
    page.locator(".st-key-card-kinship").get_by_role("button").first.click()
    expect(page.get_by_role("heading", name="Compare")).to_be_visible()
    expect(sidebar).to_contain_text("Split: 80% training, seed 0Run:")
    expect(sidebar).not_to_contain_text("Split: 90% training")
    cancel(page).first.click()
    expect(page.get_by_text("stopped", exact=False).first).to_be_visible()


def test_two_users_train_at_once_and_see_only_their_own_runs(new_page: Callable[..., Page], server: str) -> None:
    ann, bob = new_page(), new_page()
    visit(ann, f"{server}/Train?{LONG}&seed=1")
    train_button(ann).click()
    expect(cancel(ann)).to_be_visible()
    visit(bob, f"{server}/Train?{SHORT}")
    expect(working(bob)).to_be_hidden()
    train_button(bob).click()
    runs(bob, 2)  # short trainings do not wait for long ones
    expect(cancel(ann)).to_be_visible()
    cancel(ann).click()
    expect(cancel(ann)).to_have_count(0)
    bob.locator('[data-testid="stSidebar"]').get_by_text("History (2)").click()
    expect(bob.locator('[class*="st-key-restore-"]')).to_have_count(2)
    expect(bob.locator('[data-testid="stSidebar"]').get_by_text("Alyawarra")).to_have_count(0)


def test_two_tabs_opened_at_once_belong_to_one_user(browser: Browser, server: str) -> None:
    context = browser.new_context()
    tabs = [context.new_page() for _ in range(2)]
    with tabs[0].expect_response("**/_stcore/health?user"), tabs[1].expect_response("**/_stcore/health?user"):
        for tab in tabs:
            tab.goto(f"{server}/Train?{SHORT}", wait_until="commit")
    for tab in tabs:
        expect(tab.get_by_role("heading", level=1)).to_be_visible()
    for tab in tabs:
        wait_until_drawn(tab)
        train_button(tab).click()
        runs(tab, 2)  # the same training is not repeated
    for tab in tabs:
        tab.reload()
        runs(tab, 2)
    context.close()


def test_another_user_imports_an_exported_run(new_page: Callable[..., Page], server: str, tmp_path: Path) -> None:
    ann, bob = new_page(), new_page()
    visit(ann, f"{server}/Train?{SHORT}")
    train_button(ann).click()
    runs(ann, 2)
    ann.locator('[data-testid="stSidebar"]').get_by_text("History (2)").click()
    ann.locator('[data-testid="stSidebar"]').get_by_role("button", name="more_vert").first.click()
    with ann.expect_download() as waiting:
        ann.get_by_role("button", name="Export").click()
    file = tmp_path / waiting.value.suggested_filename
    waiting.value.save_as(file)
    visit(bob, f"{server}/Train?data=florentine")
    bob.locator('[data-testid="stSidebar"]').get_by_text("History (1)").click()
    bob.get_by_role("button", name="Import a run").click()
    bob.locator('[data-testid="stFileUploaderDropzoneInput"]').first.set_input_files(file)
    bob.get_by_role("button", name="Import", exact=True).click()
    runs(bob, 2)


@contextmanager
def running(folder: Path, address: str = "") -> Iterator[str]:
    """A server that stores its runs in a folder, on a given port if any."""
    port = int(address.rsplit(":", 1)[1]) if address else 0
    process, address = start_server(folder / "log", home=folder / "home", port=port)
    try:
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_a_restart_of_the_server_loses_no_run(page: Page, tmp_path: Path) -> None:
    with running(tmp_path) as address:
        visit(page, f"{address}/Train?{SHORT}")
        train_button(page).click()
        runs(page, 2)
        again = page.context.new_page()
        page.close()  # it would log that the server has stopped
    with running(tmp_path, address):
        visit(again, f"{address}/Train?data=florentine")
        runs(again, 2)
        expect(again.get_by_role("heading", name="Run:", exact=False)).to_be_visible()


def test_a_server_that_is_stopped_keeps_what_a_training_has(page: Page, tmp_path: Path) -> None:
    with running(tmp_path) as address:
        visit(page, f"{address}/Train?{LONG}")
        train_button(page).click()
        expect(page.get_by_test_id("stSidebar").get_by_text("MrWTD: refit", exact=False)).to_be_visible()
        link, again = page.url, page.context.new_page()
        page.close()
    with running(tmp_path, address):
        visit(again, link)
        runs(again, 2)
        expect(again.get_by_role("heading", name="(interrupted)", exact=False)).to_be_visible()


def test_back_leaves_the_comparison_of_a_card_at_once(page: Page, server: str) -> None:
    visit(page, server)
    page.locator(".st-key-card-florentine").get_by_role("button").first.click()
    expect(page.get_by_role("heading", name="Compare")).to_be_visible()
    runs(page, 2)
    wait_until_drawn(page)
    page.go_back()
    expect(page.get_by_role("heading", name="Relations of many kinds")).to_be_visible()
    wait_until_drawn(page)
    page.go_forward()
    expect(page.get_by_role("heading", name="Compare")).to_be_visible()
    expect(page.get_by_test_id("stSidebar")).to_contain_text("Florentine")


def test_a_copied_link_restores_the_settings(new_page: Callable[..., Page], server: str) -> None:
    first, second = new_page(), new_page()
    visit(first, f"{server}/Train?data=florentine")
    first.get_by_role("spinbutton", name="Rank").fill("7")
    first.get_by_role("spinbutton", name="Rank").press("Enter")
    expect(first).to_have_url(re.compile("rank=7"))
    visit(second, first.url)
    expect(second.get_by_role("spinbutton", name="Rank")).to_have_value("7")


def test_a_bad_value_in_a_link_is_named(page: Page, server: str) -> None:
    visit(page, f"{server}/Train?data=florentine&rank=much")
    expect(page.get_by_text("rank = 'much', which is not a number", exact=False)).to_be_visible()
    expect(page.get_by_role("spinbutton", name="Rank")).to_have_value("3")


def test_a_click_during_the_first_page_of_a_server_keeps_the_training_fraction(cold_server: str, page: Page) -> None:
    page.goto(f"{cold_server}/Train?data=airports&rank=3&lam=1&methods=MrWTD,RESCAL,Degree&train=1")
    train_button(page).click()
    expect(page.get_by_role("button", name="Train with 80%")).to_be_visible()
    expect(page.get_by_role("slider", name="Training fraction")).to_have_attribute("aria-valuetext", "100%")
    assert "train=1&" in page.url
