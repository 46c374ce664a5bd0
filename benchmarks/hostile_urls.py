"""Every page with hostile URL parameters, one at a time, and in each of its parts all at once: no page may fail.

Run: python -m benchmarks.hostile_urls [--every N]
"""

import os
import sys
import tempfile
import time
from collections import Counter
from itertools import islice
from pathlib import Path

from streamlit.testing.v1 import AppTest

from benchmarks.measure import argument_parser
from mrwtd.dashboard.navigation import pages
from tests.dashboard.pages.test_hostile_urls import opens
from tests.hostile_urls import addresses

TOP = Path(__file__).resolve().parents[1]


def open_pages() -> dict[str, AppTest]:
    """One session per page."""
    sessions = {}
    for name, page in pages().items():
        app = AppTest.from_file(str(TOP / "app.py"), default_timeout=60).run()
        sessions[name] = app if name == "start" else app.switch_page(str(TOP / page.path)).run()
    return sessions


def main() -> int:
    parser = argument_parser(__doc__)
    parser.add_argument("--every", type=int, default=1, help="only each Nth address")
    every = parser.parse_args().every
    with tempfile.TemporaryDirectory() as home:
        os.environ["MRWTD_HOME"] = home
        return try_all(every)


def try_all(every: int) -> int:
    sessions, counts, slowest = open_pages(), Counter[str](), 0.0
    for page, query in islice(addresses(), 0, None, every):
        app, start = sessions[page], time.perf_counter()
        app.query_params.clear()
        app.query_params.update(query)
        app.run()
        slowest = max(slowest, time.perf_counter() - start)
        counts["opened" if opens(app) else "failed"] += 1
        if not opens(app):
            print("failed:", page, {name: value[:80] for name, value in query.items()})
            sessions[page] = open_pages()[page]
    print(f"{counts.total():,} addresses: {counts['failed']} failed, slowest {slowest:.1f} s")
    return bool(counts["failed"])


if __name__ == "__main__":
    sys.exit(main())
