"""Pages without a browser, with a run to look at or without one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import train
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import Settings

TOP = Path(__file__).resolve().parents[3]
QUICK = {"rank": 3, "lam": 1.0, "train": 0.5, "methods": ("MrWTD", "RESCAL", "Degree")}


def open_page(page: str, visitor_id: str = "", **address: str) -> AppTest:
    """A page such as "pages/2_Train.py", at an address with these parameters."""
    at = AppTest.from_file(str(TOP / "app.py"), default_timeout=60)
    if visitor_id:
        at.session_state[keys.USER] = visitor_id
    for name, value in address.items():
        at.query_params[name] = value
    at.run()
    return at if page == "app.py" else at.switch_page(str(TOP / page)).run()


@contextmanager
def held() -> Iterator[None]:
    """Jobs that are asked for meanwhile wait until the end: a page is drawn before the shortest of them is over."""
    free = threading.Event()
    current_user.queue().submit("somebody-who-came-before", "Something before", lambda job: free.wait(60))
    try:
        yield
    finally:
        free.set()


def job_of(own: str, at: AppTest, button: str) -> Job:
    """The job that a click on a button, named by its label, puts into the queue, when it has ended."""
    with held():
        next(one for one in at.button if one.label == button).click().run()
        (job,) = current_user.queue().jobs_of(own)
    current_user.queue().wait(job)
    return job


def open_trained(page: str, data: str = "florentine", **address: str) -> AppTest:
    """A page of a visitor who has trained on a data set, quickly."""
    return open_page(page, with_run(data), **({"data": data} | address))


@cache
def with_run(data: str) -> str:
    """The id of a visitor who has one run, of this sample."""
    own = f"a-visitor-with-a-run-of-{data}"
    settings = Settings(data, **QUICK)
    work = train(settings, mrwtd.load_dataset(data), data, current_user.workspace_of(own))
    assert work(Job("training", "train", own, work)) is not None
    return own
