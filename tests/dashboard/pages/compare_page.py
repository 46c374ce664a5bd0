"""Helpers for tests of the Compare page: users with runs, and the texts of the page."""

from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.state import current_user
from mrwtd.dashboard.state.settings import Settings
from mrwtd.runs import Hooks
from tests.dashboard.jobs.training_runs import train
from tests.dashboard.pages.open_pages import QUICK, open_trained

PAGE = "pages/3_Compare.py"


def compare(section: str, data: str = "florentine", **views: str) -> AppTest:
    """The page at one of its sections, without an error."""
    app = open_trained(PAGE, data, **{"compare.section": section} | {f"compare.{name}": v for name, v in views.items()})
    assert not app.exception
    assert not app.error
    return app


def chart_count(app: AppTest) -> int:
    return len(app.get("plotly_chart"))


def texts(app: AppTest) -> str:
    return " ".join(text.value for text in (*app.markdown, *app.caption, *app.info, *app.warning))


def user_with_runs(*ranks: int, **settings: object) -> str:
    """The id of a new user with one run per rank."""
    user = uuid4().hex
    for rank in ranks:
        add_run(user, rank=rank, **settings)
    return user


def add_run(user: str, **settings: object) -> None:
    """Train another run for a user."""
    work = train(
        Settings("florentine", **(QUICK | settings)),
        mrwtd.load_dataset("florentine"),
        "Florentine",
        current_user.workspace_of(user),
    )
    assert work(Job("training", "train", user, work)) is not None


def user_with_cancelled_run(monkeypatch: pytest.MonkeyPatch, data: str, n_scored: int) -> str:
    """The id of a new user whose run was cancelled in its second fit and scored on `n_scored` test entries."""

    class CancelledJob(Job):
        @property
        def cancelled(self) -> bool:
            return bool(self.detail and self.detail[1].objective)

        def final_state(self) -> str:
            return "stopped"

    monkeypatch.setattr(Hooks, "max_scored", n_scored)
    user = uuid4().hex
    work = train(Settings(data, **QUICK), mrwtd.load_dataset(data), data, current_user.workspace_of(user))
    assert work(CancelledJob("training", "train", user, work)) is not None
    return user


def oldest_run(user: str) -> str:
    """The id of a user's first run."""
    return current_user.workspace_of(user).runs()[-1].id
