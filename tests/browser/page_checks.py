"""Checks of a page in the browser: it is complete, fits the window, and is readable."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect


def at_rest(page: Page) -> None:
    """Wait until the script has ended and the page is drawn."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


def scrolls_down_only(page: Page) -> None:
    """Wait until nothing is wider than the window: tables and charts measure themselves after it has changed."""
    for scroller in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        page.wait_for_function(f"{scroller}.scrollWidth <= {scroller}.clientWidth")


def unreadable(page: Page) -> list[tuple[str, list[str]]]:
    """What axe-core finds serious or critical, once no colour changes and nothing is pale that waits to be replaced."""
    pale = "[...document.querySelectorAll('[data-stale=true]')].some(one => getComputedStyle(one).opacity < 1)"
    page.wait_for_function(f"!{pale} && !document.getAnimations().some(one => one instanceof CSSTransition)")
    violations = [
        violation
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    return [(violation["id"], [node["html"] for node in violation["nodes"]]) for violation in violations]
