"""Suggest a rank: the held-out score against the rank, on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from ....analysis.rank_choice import RANKS, best_rank, rank_path
from ....plots.training_progress import search_figure
from ...jobs import Job, job_status
from ...jobs.training import parameters, score_description
from ...state import current_user, keys, session, user_datasets
from ...state.settings import Settings
from ...widgets import figures
from .train_texts import TRYING_RANKS, rank_caption


def render(settings: Settings) -> None:
    """Draw the button that starts the search, or its result."""
    key = repr([(name, value) for name, value in settings.request().items() if name not in ("rank", "methods")])
    paths: dict[str, pd.DataFrame] = st.session_state.setdefault(keys.RANK_PATHS, {})
    if key in paths:
        _result(settings, paths[key])
    elif job_status.active_job("rank") is not None:
        st.caption(TRYING_RANKS)
    elif st.button("Suggest a rank", icon=":material/timeline:"):
        current_user.queue().submit(current_user.user_id(), "Trying ranks", _search(settings, key), kind="rank")
        st.rerun()


def _result(settings: Settings, path: pd.DataFrame) -> None:
    data, best = user_datasets.load(settings.data), best_rank(path)
    figures.show(
        search_figure(path["rank"].tolist(), path["score"].tolist(), best, name="rank", log=False, dark=figures.dark()),
        "ranks", alt="Held-out score against the rank", data=path, caption=rank_caption(best, score_description(data)),
    )  # fmt: skip
    if best != settings.resolved(data.n_objects).rank:
        st.button(f"Use rank {best}", on_click=session.change, kwargs={"rank": best})


def _search(settings: Settings, key: str) -> Callable[[Job], Any]:
    data = user_datasets.load(settings.data)
    ranks = [rank for rank in RANKS if rank <= max(data.n_objects, 1)]

    def work(job: Job) -> tuple[str, pd.DataFrame]:
        def progress(done: int, total: int) -> bool:
            return job.report(done / total, f"rank {ranks[min(done, total - 1)]}")

        train, _ = data.split(train=settings.train, seed=settings.seed, by=settings.by)
        return key, rank_path(train, ranks, progress=progress, **parameters("MrWTD", settings, data))

    return work
