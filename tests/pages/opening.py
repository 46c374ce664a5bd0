"""Pages without a browser, with a run to look at or without one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard import keys, visitor
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.settings import Settings
from mrwtd.dashboard.training import train

TOP = Path(__file__).resolve().parents[2]
QUICK = {"rank": 3, "lam": 1.0, "train": 0.5, "methods": ("MrWTD", "RESCAL", "Degree")}


def open_page(page: str, visitor_id: str = "", **address: str) -> AppTest:
    """A page such as "pages/2_Train.py", at an address with these parameters."""
    at = AppTest.from_file(str(TOP / "app.py"), default_timeout=60)
    if visitor_id:
        at.session_state[keys.VISITOR] = visitor_id
    for name, value in address.items():
        at.query_params[name] = value
    at.run()
    return at if page == "app.py" else at.switch_page(str(TOP / page)).run()


def open_trained(page: str, data: str = "florentine", **address: str) -> AppTest:
    """A page of a visitor who has trained on a data set, quickly."""
    return open_page(page, with_run(data), **({"data": data} | address))


@cache
def with_run(data: str) -> str:
    """The id of a visitor who has one run, of this sample."""
    own = f"a-visitor-with-a-run-of-{data}"
    settings = Settings(data, **QUICK)
    work = train(settings, mrwtd.load_dataset(data), data, visitor.workspace_of(own))
    assert work(Job("training", "train", own, work)) is not None
    return own
