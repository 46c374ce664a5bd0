"""Response times of the dashboard: sample cards, many curves, a large network, a large map, Cancel.

    python -m benchmarks.response_times [--rounds 3]

Seconds in Chromium from the click until the picture is drawn and the page is complete, on a warm server; median of
the rounds. The bounds apply to an idle machine. A card is clicked two seconds after the Start page is complete: a
user has to find it, and the browser loads Plotly meanwhile.
"""

import re
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from playwright.sync_api import Browser, Page, expect, sync_playwright

import mrwtd
from benchmarks.evaluation import random_data
from benchmarks.measure import argument_parser, report, seconds
from benchmarks.pages import serving, wait_until_complete
from mrwtd.dashboard.pages.start.try_a_sample import SMALL
from mrwtd.dashboard.state.settings import UPLOAD_PREFIX
from mrwtd.data.datasets.samples import dataset_info
from mrwtd.hosting.identity import Identities, folder_name
from mrwtd.runs import Workspace
from tests.browser import chromium
from tests.browser.conftest import FLAGS

RESULT = ":is(.js-plotly-plot .main-svg, [data-testid=stDataFrame], table)"
"""The content of a finished comparison: curves, or a table if there are none."""

READING_TIME = 2_000
"""Milliseconds in which a user finds a card."""

Moment = tuple[str, float, float]
"""Title, seconds and bound."""


def open_page(browser: Browser, url: str, path: str, home: Path | None = None) -> Page:
    """A complete page of the dashboard, of the user with the data in a folder if one is given."""
    context = browser.new_context(viewport={"width": 1366, "height": 768})
    if home is not None:
        context.add_cookies([{"name": Identities(home).cookie_name, "value": user_of(home), "url": url}])
    page = context.new_page()
    page.goto(url + path)
    wait_until_complete(page)
    return page


@cache
def user_of(home: Path) -> str:
    """The id of the user of the benchmarks on the server with this folder."""
    return Identities(home).issue()


def go(page: Page, title: str, picture: str = "") -> float:
    """Seconds of a page change by the menu."""
    link = page.get_by_test_id("stSidebar").get_by_role("link", name=title, exact=True)
    return seconds(lambda: (link.click(), wait_until_complete(page, title, picture)))


def train(page: Page) -> None:
    """Click Train and wait for the run."""
    page.get_by_test_id("stMain").get_by_role("button", name=re.compile("^Train ")).click()
    expect(page).to_have_url(re.compile("run="), timeout=120_000)


def cards(browser: Browser, url: str) -> Iterator[Moment]:
    """From the click on a card of the Start page to its finished comparison."""
    small = [
        name
        for name in mrwtd.list_datasets()
        if dataset_info(name).n_entries <= SMALL and not dataset_info(name).needs_folder
    ]
    for name in small:
        page = open_page(browser, url, "/")

        def compare(page: Page = page, name: str = name) -> None:
            page.locator(f".st-key-card-{name}").get_by_role("button").first.click()
            page.wait_for_function("location.search.includes('run=')", timeout=120_000, polling="raf")
            wait_until_complete(page, "Compare", RESULT)

        page.wait_for_timeout(READING_TIME)
        yield f"card of {name}", seconds(compare), 3.0
        page.context.close()


def curves(browser: Browser, url: str) -> Iterator[Moment]:
    """The curves of all 23 relations of Kinship, for three methods."""
    page = open_page(browser, url, "/Train?data=kinship&methods=MrWTD-L,RESCAL,Degree&lam=3.16&train=0.1")
    train(page)
    go(page, "Compare", RESULT)
    go(page, "Data")
    yield "23 relations compared", go(page, "Compare", RESULT), 2.0
    page.context.close()


def save_network(folder: Path, n_objects: int, n_ties: int) -> str:
    """Save a network of separate groups of 50 in a workspace, and return its name."""
    rng = np.random.default_rng(0)
    i = rng.integers(n_objects, size=2 * n_ties)
    j = (i // 50 * 50 + rng.integers(50, size=i.size)) % n_objects
    pairs = pd.DataFrame({"source": i, "target": j})[i < j].drop_duplicates().head(n_ties).astype(str)
    data = mrwtd.RelationalData.from_frame(pairs.assign(relation="tie", value=1), directed=False, absent=5)
    return UPLOAD_PREFIX + Workspace(folder).save_dataset(data, {"file": f"{n_objects} objects", "how": {}})


def large_data(browser: Browser, url: str, home: Path) -> Iterator[Moment]:
    """A network of 2,000 nodes and 8,000 edges, and a map of 8,000 objects."""
    space = home / "workspaces" / folder_name(user_of(home))
    for n_objects, title, picture, bound in (
        (2_000, "Network", "canvas", 4.0),
        (8_000, "Embedding", ".gl-canvas", 4.0),
    ):
        name = save_network(space, n_objects, 4 * n_objects)
        page = open_page(browser, url, f"/Train?data={name}&methods=MrWTD&lam=1&train=0.9", home)
        train(page)
        go(page, title, picture)
        go(page, "Train")
        yield f"{title} of {n_objects:,} objects and {4 * n_objects:,} ties", go(page, title, picture), bound
        page.context.close()


def cancelling(browser: Browser, url: str) -> Iterator[Moment]:
    """From the click on Cancel until the stopped run is in the history."""
    page = open_page(browser, url, "/Train?data=kinship&methods=BPTF&rank=30&train=0.9")
    yield "Cancel", until_cancelled(page, "iteration"), 2.0
    page.context.close()


def stopping(browser: Browser, url: str, home: Path) -> Iterator[Moment]:
    """The same on ten million entries, the paper's largest size."""
    space = home / "workspaces" / folder_name(user_of(home))
    entries = random_data(8_000, 3, 9_600_000, directed=False)
    name = UPLOAD_PREFIX + Workspace(space).save_dataset(entries, {"file": "ten million", "how": {}})
    for method in ("MrWTD", "RESCAL", "MMMF", "BPTF"):
        page = open_page(browser, url, f"/Train?data={name}&methods={method}&rank=10&train=0.5", home)
        # Late enough that there can be a fit to keep. The entries are noise.
        duration = until_cancelled(page, r"λ = (10|3.162|1|0\.\d+),|: fit,|sampling, iteration 2")
        expect(page.get_by_text(re.compile("was stopped|: stopped"))).to_be_visible()
        yield f"Cancel of {method} on {len(entries):,} entries", duration, 2.0
        page.context.close()


def until_cancelled(page: Page, when: str) -> float:
    """Seconds until a training ends that is cancelled once the sidebar shows a text."""
    page.get_by_test_id("stMain").get_by_role("button", name=re.compile("^Train ")).click()
    sidebar = page.get_by_test_id("stSidebar")
    expect(sidebar.get_by_text(re.compile(when)).first).to_be_visible(timeout=300_000)
    gone = "!document.querySelector('[data-testid=stSidebar] [data-testid=stProgress]')"
    cancel = sidebar.get_by_role("button", name="Cancel")
    return seconds(lambda: (cancel.click(), page.wait_for_function(gone, timeout=60_000, polling="raf")))


def main() -> None:
    parser = argument_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    times: dict[str, list[float]] = {}
    bounds: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find(), args=list(FLAGS))
        with serving(None, Path(place)) as url:
            open_page(browser, url, "/").wait_for_timeout(8_000)  # the server loads modules after its first page
            for _ in range(rounds):
                for part in (
                    cards(browser, url),
                    curves(browser, url),
                    large_data(browser, url, Path(place) / "home"),
                    cancelling(browser, url),
                    stopping(browser, url, Path(place) / "home"),
                ):
                    for title, duration, bound in part:
                        print(f"{duration:6.2f} s  {title}", flush=True)
                        times.setdefault(title, []).append(duration)
                        bounds[title] = bound
        browser.close()
    rows = [
        {"what": title, "seconds": f"{median(each):.2f}", "slowest": f"{max(each):.2f}", "bound": bounds[title]}
        for title, each in times.items()
    ]
    report("response-times", rows, __doc__ or "")


if __name__ == "__main__":
    main()
