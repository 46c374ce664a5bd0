"""The Compare page for tests: visitors with runs, and what the page says."""

from __future__ import annotations

from uuid import uuid4

import pytest
from streamlit.testing.v1 import AppTest

import mrwtd
from mrwtd.dashboard.jobs import Job
from mrwtd.dashboard.jobs.training import train
from mrwtd.dashboard.state import current_user
from mrwtd.dashboard.state.settings import Settings
from mrwtd.runs import Hooks
from tests.dashboard.pages.opening import QUICK

PAGE = "pages/3_Compare.py"


def charts(at: AppTest) -> int:
    return len(at.get("plotly_chart"))


def said(at: AppTest) -> str:
    return " ".join(text.value for text in (*at.markdown, *at.caption, *at.info, *at.warning))


def somebody(*ranks: int, **asked: object) -> str:
    """A new visitor with a run of each rank."""
    own = uuid4().hex
    for rank in ranks:
        train_as(own, rank=rank, **asked)
    return own


def train_as(own: str, **asked: object) -> None:
    """Another run for a visitor."""
    settings = Settings("florentine", **(QUICK | asked))
    work = train(settings, mrwtd.load_dataset("florentine"), "Florentine", current_user.workspace_of(own))
    assert work(Job("training", "train", own, work)) is not None


def somebody_who_stopped(monkeypatch: pytest.MonkeyPatch, data: str, scored: int) -> str:
    """A new visitor with a run that was cancelled in its second fit, and scored on so few test entries."""

    class Weary(Job):
        @property
        def cancelled(self) -> bool:
            return bool(self.detail and self.detail[1].objective)

        def ending(self) -> str:
            return "stopped"

    monkeypatch.setattr(Hooks, "scored", scored)
    own = uuid4().hex
    work = train(Settings(data, **QUICK), mrwtd.load_dataset(data), data, current_user.workspace_of(own))
    assert work(Weary("training", "train", own, work)) is not None
    return own


def oldest(own: str) -> str:
    """The id of a visitor's first run."""
    return current_user.workspace_of(own).runs()[-1].id
