"""Every page with every URL parameter set to hostile values, one at a time: no page may fail.

Run: python -m benchmarks.hostile_urls
"""

import os
import sys
import tempfile
import time
from collections import Counter
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
    argument_parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as home:
        os.environ["MRWTD_HOME"] = home
        return try_all()


def try_all() -> int:
    sessions, counts, slowest = open_pages(), Counter[str](), 0.0
    for page, query in addresses():
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
