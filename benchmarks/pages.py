"""How long a change of page takes, beside a Streamlit page with a single Plotly chart: warm, in one run.

    python -m benchmarks.pages [--rounds 25]

A change is measured from the click on the menu until the new page stands: its heading is there, the script has ended
and no placeholder is left. The yardstick is a Streamlit app of two pages, each a title and one scatter plot. Both are
measured in turn, and the median of the rounds' ratios counts.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import mean

import pandas as pd
from playwright.sync_api import Page, sync_playwright

from benchmarks.measuring import report
from mrwtd.dashboard.navigation import pages
from tests.browser import chromium
from tests.browser.conftest import FLAGS, start_server

YARDSTICK = "a title and one Plotly chart"

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


STANDS = """([title, picture, before]) => document.title.startsWith(title)
    && document.querySelector("h1") && document.querySelector("h1").innerText !== before
    && document.querySelector("[data-testid=stApp][data-test-script-state=notRunning]")
    && !document.querySelector("[data-testid=stSkeleton]")
    && !document.querySelector("[data-stale=true]")
    && (!picture || document.querySelector("[data-testid=stMain] " + picture))
"""
"""Asked at every frame: a look every so often would tell the time between two looks."""


def change(page: Page, title: str) -> float:
    """Seconds from the click on a page's name to the page."""
    link = page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True)
    before = page.locator("h1").first.inner_text()
    began = time.perf_counter()
    link.click()
    standing(page, title, before=before)
    return time.perf_counter() - began


def standing(page: Page, title: str = "", picture: str = "", before: str = "") -> None:
    """Return when the page of a title is at rest, with a picture if one is named, and another heading than before."""
    page.wait_for_function(STANDS, arg=[title, picture, before], timeout=120_000, polling="raf")


def rounds_of(plain: Page, ours: Page, titles: list[str], rounds: int) -> pd.DataFrame:
    """Seconds of every change of page, a row a round: the yardstick's two, then ours; the first round warms up."""
    rows = []
    change(ours, titles[-1])
    for _ in range(rounds + 1):
        yardstick = mean(change(plain, title) for title in ("Other", "app"))
        rows.append({YARDSTICK: yardstick} | {title: change(ours, title) for title in titles})
    return pd.DataFrame(rows[1:])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=25)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(FLAGS))
        plain, ours = Path(place) / "plain", Path(place) / "ours"
        (plain / "pages").mkdir(parents=True)
        (plain / "app.py").write_text(PLAIN.format(title="app"))
        (plain / "pages" / "1_Other.py").write_text(PLAIN.format(title="Other"))
        ours.mkdir()
        with serving(plain / "app.py", plain) as one, serving(None, ours) as two:
            windows = []
            for address in (one, two):
                page = browser.new_context(viewport={"width": 1366, "height": 768}).new_page()
                page.goto(address)
                standing(page)
                windows.append(page)
            found = rounds_of(*windows, [entry.title for entry in pages().values()], rounds)
    ratios = found.div(found[YARDSTICK], axis=0).median()
    rows = [{"page": name, "seconds": f"{found[name].median():.2f}", "ratio": f"{ratios[name]:.2f}"} for name in found]
    report("pages", rows, __doc__ or "")


if __name__ == "__main__":
    main()
