"""How long a change of page takes, beside a Streamlit page with a single Plotly chart: warm, in one run.

    python -m benchmarks.pages [--rounds 5]

A change is measured from the click on the menu until the new page stands: its heading is there, the script has ended
and no placeholder is left. The yardstick is a Streamlit app of two pages, each a title and one scatter plot.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from playwright.sync_api import Page, sync_playwright

from benchmarks.measuring import report
from mrwtd.dashboard.menu import pages
from mrwtd.data.location import site_folder
from tests.browser import chromium
from tests.browser.conftest import FLAGS, start_server

PLAIN = """
import plotly.graph_objects as go
import streamlit as st
st.set_page_config(layout="wide")
st.title("{title}")
st.plotly_chart(go.Figure(go.Scatter(x=list(range(100)), y=[n * n % 37 for n in range(100)], mode="markers")))
"""


@contextmanager
def serving(app: Path | None, folder: Path) -> Iterator[str]:
    """A server with our dashboard, or with another app."""
    process, address = start_server(folder / "log", home=folder / "home", app=app)
    try:
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


STANDS = """([title, picture]) => document.title.startsWith(title)
    && document.querySelector("h1")
    && document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]")
    && !document.querySelector("[data-testid=stSkeleton]")
    && !document.querySelector("[data-stale=true]")
    && (!picture || document.querySelector("[data-testid=stMain] " + picture))
"""
"""Asked at every frame: a look every so often would tell the time between two looks."""


def change(page: Page, title: str) -> float:
    """Seconds from the click on a page's name to the page."""
    link = page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True)
    began = time.perf_counter()
    link.click()
    standing(page, title)
    return time.perf_counter() - began


def standing(page: Page, title: str = "", picture: str = "") -> None:
    """Return when the page of a title, with a picture if one is named, is at rest."""
    page.wait_for_function(STANDS, arg=[title, picture], timeout=120_000, polling="raf")


def measure(page: Page, address: str, titles: list[str], rounds: int) -> dict[str, float]:
    """The median of each page's changes; the first round only warms up."""
    page.goto(address)
    standing(page)
    seen: dict[str, list[float]] = {title: [] for title in titles}
    for turn in range(rounds + 1):
        for title in titles:
            seconds = change(page, title)
            if turn:
                seen[title].append(seconds)
    return {title: median(own) for title, own in seen.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(FLAGS))
        plain = Path(place) / "plain"
        (plain / "pages").mkdir(parents=True)
        (plain / "app.py").write_text(PLAIN.format(title="app"))
        (plain / "pages" / "1_Other.py").write_text(PLAIN.format(title="Other"))
        with serving(plain / "app.py", plain) as address:
            page = browser.new_context(viewport={"width": 1366, "height": 768}).new_page()
            yardstick = median(measure(page, address, ["Other", "app"], rounds).values())
        ours = Path(place) / "ours"
        ours.mkdir()
        with serving(None, ours) as address:
            page = browser.new_context(viewport={"width": 1366, "height": 768}).new_page()
            found = measure(page, address, [one.title for one in pages(site_folder())], rounds)
    rows = [{"page": "a title and one Plotly chart", "seconds": f"{yardstick:.2f}", "ratio": "1"}]
    rows += [{"page": name, "seconds": f"{own:.2f}", "ratio": f"{own / yardstick:.2f}"} for name, own in found.items()]
    report("pages", rows, __doc__ or "")


if __name__ == "__main__":
    main()
