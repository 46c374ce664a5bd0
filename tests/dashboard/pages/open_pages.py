"""Open pages without a browser, with or without a run."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from uuid import uuid4

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import SelectSlider

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.state import current_user, keys
from mrwtd.dashboard.state.settings import Settings
from tests.dashboard.jobs.training_runs import train

TOP = Path(__file__).resolve().parents[3]
QUICK = {"rank": 3, "lam": 1.0, "train": 0.5, "methods": ("MrWTD", "RESCAL", "Degree")}


def open_page(page: str, user: str = "", **query: str) -> AppTest:
    """A page such as "pages/2_Train.py", with these URL parameters."""
    app = AppTest.from_file(str(TOP / "app.py"), default_timeout=60)
    if user:
        app.session_state[keys.USER] = user
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    return app if page == "app.py" else app.switch_page(str(TOP / page)).run()


@contextmanager
def blocked_queue() -> Iterator[None]:
    """Block the queue: jobs submitted inside the block wait until its end, so that a page is drawn before they run."""
    free, lanes = threading.Event(), max(os.cpu_count() or 1, 2)
    all_busy = threading.Barrier(lanes + 1)
    for _ in range(lanes):
        current_user.queue().submit(uuid4().hex, "A job before", lambda job: (all_busy.wait(60), free.wait(60)))
    all_busy.wait(60)
    try:
        yield
    finally:
        free.set()


def job_of(user: str, app: AppTest, button: str) -> Job:
    """The job that a click on the button with this label submits, after its end."""
    with blocked_queue():
        next(widget for widget in app.button if widget.label == button).click().run()
        (job,) = current_user.queue().jobs_of(user)
    current_user.queue().wait(job)
    return job


def open_trained(page: str, data: str = "florentine", **query: str) -> AppTest:
    """A page of a user who has a small run on a data set."""
    return open_page(page, with_run(data), **({"data": data} | query))


@cache
def with_run(data: str) -> str:
    """The id of a user with one run on this sample."""
    user = f"a-user-with-a-run-of-{data}"
    settings = Settings(data, **QUICK)
    work = train(settings, mrwtd.load_dataset(data), data, current_user.workspace_of(user))
    assert work(Job("training", "train", user, work)) is not None
    return user


def slider_ends(slider: SelectSlider[float]) -> tuple[float, float]:
    """The lowest and the highest number of a slider, from its labels."""
    low, high = (float(label.replace("−", "-")) for label in (slider.options[0], slider.options[-1]))
    return low, high
