"""How long a visitor waits for what he has clicked: cards, many curves, a large network, a large map, Cancel.

    python -m benchmarks.moments [--rounds 3]

Seconds in Chromium from the click until the picture is there and the page at rest, on a warm server; the median of the
rounds. The bounds are what was promised for an idle machine. A card is clicked two seconds after the Start page stands:
a visitor has to find it, and the browser loads Plotly meanwhile.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, expect, sync_playwright

import mrwtd
from benchmarks.evaluation import random_data
from benchmarks.measuring import report
from benchmarks.pages import serving, standing
from mrwtd.dashboard.pages.start.try_a_sample import SMALL
from mrwtd.dashboard.state.current_user import COOKIE
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX
from mrwtd.data.datasets.samples import dataset_info
from mrwtd.runs import Workspace
from tests.browser import chromium
from tests.browser.conftest import FLAGS

VISITOR = "a-visitor-of-the-benchmarks"
RESULT = ":is(.js-plotly-plot .main-svg, [data-testid=stDataFrame], table)"
"""What a finished comparison shows: curves, or a table where there are none."""

READS = 2_000
"""Milliseconds in which a visitor finds his card."""

Moment = tuple[str, float, float]
"""What was clicked, how long it took, and the bound."""


def seconds(click: Callable[[], None], there: Callable[[], None]) -> float:
    """From a click until what it asked for is there."""
    began = time.perf_counter()
    click()
    there()
    return time.perf_counter() - began


def opened(browser: Browser, address: str, path: str, visitor: str = "") -> Page:
    """A page of a visitor, at rest."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    if visitor:
        context.add_cookies([{"name": COOKIE, "value": visitor, "url": address}])
    page = context.new_page()
    page.goto(address + path)
    standing(page)
    return page


def go(page: Page, title: str) -> Callable[[], None]:
    return page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True).click


def cards(browser: Browser, address: str) -> Iterator[Moment]:
    """From a card of the Start page to its finished comparison."""
    small = [
        name
        for name in mrwtd.list_datasets()
        if dataset_info(name).n_entries <= SMALL and not dataset_info(name).needs_folder
    ]
    for name in small:
        page = opened(browser, address, "/")

        def compared(page: Page = page) -> None:
            page.wait_for_function("location.search.includes('run=')", timeout=120_000, polling="raf")
            standing(page, "Compare", RESULT)

        card = page.locator(f".st-key-card-{name}").get_by_role("button").first
        page.wait_for_timeout(READS)
        yield f"card of {name}", seconds(card.click, compared), 3.0
        page.context.close()


def curves(browser: Browser, address: str) -> Iterator[Moment]:
    """The curves of all 23 relations of Kinship, for three methods."""
    asked = "?data=kinship&methods=MrWTD-L,RESCAL,Degree&lam=3.16&train=0.1"
    page = opened(browser, address, f"/Train{asked}")
    page.get_by_test_id("stMain").get_by_role("button", name=re.compile("^Train ")).click()
    expect(page).to_have_url(re.compile("run="), timeout=120_000)
    go(page, "Compare")()
    standing(page, "Compare", RESULT)
    go(page, "Data")()
    standing(page, "Data")
    yield "23 relations compared", seconds(go(page, "Compare"), lambda: standing(page, "Compare", RESULT)), 2.0
    page.context.close()


def large(folder: Path, n_objects: int, n_ties: int) -> str:
    """A network of a visitor's own in his workspace: groups of 50 that keep to themselves; the name to load it by."""
    rng = np.random.default_rng(0)
    i = rng.integers(n_objects, size=2 * n_ties)
    j = (i // 50 * 50 + rng.integers(50, size=i.size)) % n_objects
    pairs = pd.DataFrame({"source": i, "target": j})[i < j].drop_duplicates().head(n_ties).astype(str)
    data = mrwtd.RelationalData.from_frame(pairs.assign(relation="tie", value=1), directed=False, absent=5)
    return UPLOAD_PREFIX + Workspace(folder).save_dataset(data, {"file": f"{n_objects} objects", "how": {}})


def crowds(browser: Browser, address: str, home: Path) -> Iterator[Moment]:
    """A network of 2,000 nodes and 8,000 edges, and a map of 8,000 objects."""
    space = home / "workspaces" / sha256(VISITOR.encode()).hexdigest()[:32]
    for n_objects, title, picture, bound in (
        (2_000, "Network", "canvas", 4.0),
        (8_000, "Embedding", ".gl-canvas", 4.0),
    ):
        name = large(space, n_objects, 4 * n_objects)
        page = opened(browser, address, f"/Train?data={name}&methods=MrWTD&lam=1&train=0.9", VISITOR)
        page.get_by_test_id("stMain").get_by_role("button", name=re.compile("^Train ")).click()
        expect(page).to_have_url(re.compile("run="), timeout=120_000)
        go(page, title)()
        standing(page, title, picture)
        go(page, "Train")()
        standing(page, "Train")
        what = f"{title} of {n_objects:,} objects and {4 * n_objects:,} ties"
        yield what, seconds(go(page, title), partial(standing, page, title, picture)), bound
        page.context.close()


def cancelling(browser: Browser, address: str) -> Iterator[Moment]:
    """From Cancel until the run that was stopped stands in the history."""
    page = opened(browser, address, "/Train?data=kinship&methods=BPTF&rank=30&train=0.9")
    yield "Cancel", until_cancelled(page, "iteration"), 2.0
    page.context.close()


def stopping(browser: Browser, address: str, home: Path) -> Iterator[Moment]:
    """The same on ten million entries, the paper's largest size."""
    space = home / "workspaces" / sha256(VISITOR.encode()).hexdigest()[:32]
    entries = random_data(8_000, 3, 9_600_000, directed=False)
    name = UPLOAD_PREFIX + Workspace(space).save_dataset(entries, {"file": "ten million", "how": {}})
    for method in ("MrWTD", "RESCAL", "MMMF", "BPTF"):
        page = opened(browser, address, f"/Train?data={name}&methods={method}&rank=10&train=0.5", VISITOR)
        # Late enough for something that is worth keeping, where there is anything: the entries are noise.
        took = until_cancelled(page, r"λ = (10|3.162|1|0\.\d+),|: fit,|sampling, iteration 2")
        expect(page.get_by_text(re.compile("reached is kept|anything to keep"))).to_be_visible()
        yield f"Cancel of {method} on {len(entries):,} entries", took, 2.0
        page.context.close()


def until_cancelled(page: Page, when: str) -> float:
    """Train, click Cancel once the sidebar says so, and see how long it takes."""
    page.get_by_test_id("stMain").get_by_role("button", name=re.compile("^Train ")).click()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_text(re.compile(when)).first).to_be_visible(timeout=300_000)
    gone = "!document.querySelector('[data-testid=stSidebar] [data-testid=stProgress]')"
    cancel = sidebar.get_by_role("button", name="Cancel")
    return seconds(cancel.click, lambda: page.wait_for_function(gone, timeout=60_000, polling="raf"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    seen: dict[str, list[float]] = {}
    bounds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(FLAGS))
        with serving(None, Path(place)) as address:
            opened(browser, address, "/").wait_for_timeout(8_000)  # what a server loads beside its first page
            for _ in range(rounds):
                for part in (
                    cards(browser, address),
                    curves(browser, address),
                    crowds(browser, address, Path(place) / "home"),
                    cancelling(browser, address),
                    stopping(browser, address, Path(place) / "home"),
                ):
                    for what, took, bound in part:
                        print(f"{took:6.2f} s  {what}", flush=True)
                        seen.setdefault(what, []).append(took)
                        bounds[what] = bound
        browser.close()
    rows = [
        {"what": what, "seconds": f"{median(own):.2f}", "slowest": f"{max(own):.2f}", "bound": bounds[what]}
        for what, own in seen.items()
    ]
    report("moments", rows, __doc__ or "")


if __name__ == "__main__":
    main()
