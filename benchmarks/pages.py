"""Time of a page change, relative to a Streamlit page with a single Plotly chart.

    python -m benchmarks.pages [--rounds 25]

A page change is measured from the click on the menu until the new page is complete: its heading is there, the script
has ended and no placeholder is left. The reference is a Streamlit app of two pages, each with a title and one scatter
plot. Both are measured in turns on a warm server; the result is the median of the ratios.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean

import pandas as pd
from playwright.sync_api import Page, sync_playwright

from benchmarks.measure import argument_parser, report, seconds
from mrwtd.dashboard.navigation import pages
from tests.browser import chromium
from tests.browser.conftest import FLAGS, start_server

REFERENCE = "a title and one Plotly chart"

PLAIN = """
import plotly.graph_objects as go
import streamlit as st
st.set_page_config(layout="wide")
st.title("{title}")
st.plotly_chart(go.Figure(go.Scatter(x=list(range(100)), y=[n * n % 37 for n in range(100)], mode="markers")))
"""


@contextmanager
def serving(app: Path | None, folder: Path) -> Iterator[str]:
    """A server with the dashboard, or with another app."""
    process, url = start_server(folder / "log", home=folder / "home", app=app)
    try:
        yield url
    finally:
        process.terminate()
        process.wait(timeout=20)


COMPLETE = """([title, picture, before]) => document.title.startsWith(title)
    && document.querySelector("h1") && document.querySelector("h1").innerText !== before
    && document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]")
    && !document.querySelector("[data-testid=stSkeleton]")
    && !document.querySelector("[data-stale=true]")
    && (!picture || document.querySelector("[data-testid=stMain] " + picture))
"""
"""Checked at every frame, because polling would add its interval to the time."""


def change_page(page: Page, title: str) -> float:
    """Seconds from the click on a page in the menu until the page is complete."""
    link = page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True)
    before = page.locator("h1").first.inner_text()
    return seconds(lambda: (link.click(), wait_until_complete(page, title, before=before)))


def wait_until_complete(page: Page, title: str = "", picture: str = "", before: str = "") -> None:
    """Wait until the page with a title is complete, with a picture if given, and with another heading than before."""
    page.wait_for_function(COMPLETE, arg=[title, picture, before], timeout=120_000, polling="raf")


def measure(plain: Page, ours: Page, titles: list[str], rounds: int) -> pd.DataFrame:
    """Seconds of every page change, one row per round: mean of the reference, then ours. The first round warms up."""
    rows = []
    change_page(ours, titles[-1])
    for _ in range(rounds + 1):
        reference = mean(change_page(plain, title) for title in ("Other", "app"))
        rows.append({REFERENCE: reference} | {title: change_page(ours, title) for title in titles})
    return pd.DataFrame(rows[1:])


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(FLAGS))
        plain, ours = Path(place) / "plain", Path(place) / "ours"
        (plain / "pages").mkdir(parents=True)
        (plain / "app.py").write_text(PLAIN.format(title="app"))
        (plain / "pages" / "1_Other.py").write_text(PLAIN.format(title="Other"))
        ours.mkdir()
        with serving(plain / "app.py", plain) as plain_url, serving(None, ours) as our_url:
            windows = []
            for url in (plain_url, our_url):
                page = browser.new_context(viewport={"width": 1366, "height": 768}).new_page()
                page.goto(url)
                wait_until_complete(page)
                windows.append(page)
            times = measure(*windows, [entry.title for entry in pages().values()], rounds)
    ratios = times.div(times[REFERENCE], axis=0).median()
    rows = [{"page": name, "seconds": f"{times[name].median():.2f}", "ratio": f"{ratios[name]:.2f}"} for name in times]
    report("pages", rows, __doc__ or "")


if __name__ == "__main__":
    main()
