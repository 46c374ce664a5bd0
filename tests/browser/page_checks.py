"""Checks of a page in the browser: it is complete, fits the window, and is accessible."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect


def wait_until_drawn(page: Page) -> None:
    """Wait until the script has ended and the page is drawn."""
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


def wait_until_fits(page: Page) -> None:
    """Wait until nothing is wider than the window: tables and charts adapt after it has changed."""
    for scroller in ("document.documentElement", "document.querySelector('[data-testid=stMain]')"):
        page.wait_for_function(f"{scroller}.scrollWidth <= {scroller}.clientWidth")


def accessibility_violations(page: Page) -> list[tuple[str, list[str]]]:
    """Serious and critical violations reported by axe-core, after all transitions and without stale elements."""
    stale = "[...document.querySelectorAll('[data-stale=true]')].some(element => getComputedStyle(element).opacity < 1)"
    page.wait_for_function(
        f"!{stale} && !document.getAnimations().some(animation => animation instanceof CSSTransition)"
    )
    violations = [
        violation
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in ("serious", "critical")
    ]
    return [(violation["id"], [node["html"] for node in violation["nodes"]]) for violation in violations]
