"""The Train page: how to learn, and what it will take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from ....analysis.rank_choice import RANKS, best_rank, rank_path
from ....baselines import METHODS
from ....errors import DataError
from ....model.lambda_grid import GRID
from ....model.parameters import AUTO
from ....plots.training_progress import search_figure
from ...jobs import Job, estimates, job_status
from ...jobs.training import parameters, score_description
from ...shell import page
from ...state import current_user, keys, session, user_datasets
from ...state.settings import PARAMETERS, TRAIN, Settings
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown, format_bytes, format_duration
from ...widgets.lazy_expander import lazy_expander

HOLD_OUTS = {"auto": "automatically", "entry": "entries", "pair": "pairs, both directions"}
HOLD_OUT_HELP = (
    "How test entries of directed relations are drawn. Where most ties are mutual, the reverse of a test pair gives "
    "the answer away. Automatically: in relations that are at least 80% mutual (the Data page shows the reciprocity) "
    "both directions of a pair are held out together; in others each entry on its own."
)

FIRST = ("rank", "lam")
"""The parameters that are always in view."""


def options(settings: Settings) -> None:
    """Rank, λ, split and the rest."""
    settings = settings.resolved(user_datasets.load(settings.data).n_objects)
    left, right = st.columns(2)
    with left:
        inputs.parameter_input(PARAMETERS["rank"], settings.rank)
        inputs.slider(
            "Training fraction", "train", *TRAIN.bounds, 0.01, settings.train, format="percent",
            help="The rest is held out, to see how good the predictions are",
        )  # fmt: skip
    with right:
        inputs.parameter_input(PARAMETERS["lam"], settings.lam)
        if settings.lam == AUTO:
            st.caption(
                f"λ, the strength of the regularisation, is searched between {GRID[-1]:g} and {GRID[0]:g} on training "
                "entries that are held out for it; test entries play no part."
            )
    _methods(settings)
    more = [parameter for key, parameter in PARAMETERS.items() if key not in FIRST]
    with lazy_expander(f"More: hold-out, {', '.join(parameter.label.lower() for parameter in more)}", "more") as open_:
        if not open_:
            return
        inputs.choose("Hold out", "by", list(HOLD_OUTS), format_func=HOLD_OUTS.__getitem__, help=HOLD_OUT_HELP)
        for row in range(0, len(more), 3):
            for column, parameter in zip(st.columns(3), more[row : row + 3], strict=False):
                with column:
                    inputs.parameter_input(parameter, settings.get(parameter.key))


def _methods(settings: Settings) -> None:
    every = tuple(METHODS)

    def take(name: str) -> None:
        chosen = {*session.settings().methods} ^ {name}  # as they are now: another box may have been ticked since
        if chosen:
            session.change(methods=tuple(one for one in every if one in chosen))

    with lazy_expander("Methods to compare", "methods") as open_:
        if open_:
            inputs.checkbox_row("methods", every, settings.methods, take)
            st.caption(
                "MrWTD takes the losses of the table; -Q, -H and -L take one loss for all binary relations; "
                "the others are what it is compared with."
            )


def start_button(settings: Settings) -> None:
    """Train, with what it will take."""
    needs = estimates.estimate(settings, user_datasets.load(settings.data))
    busy = job_status.active_job(subject=settings.data) is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        asked = st.button("Train", type="primary", icon=":material/bolt:", shortcut="Ctrl+Enter", disabled=busy)
        st.caption(
            f"{escape_markdown(', '.join(settings.methods))}: about {format_duration(needs.seconds)}, "
            f"{format_bytes(needs.memory)} of memory.",
            help="Reckoned from entries, rank and methods; where the memory would not suffice, nothing is begun",
        )
    if asked:
        try:
            job_status.submit_training(settings)
        except DataError as refused:
            page.show_data_error(refused)  # and the rest of the page is still there
        else:
            st.rerun()


def suggest_rank(settings: Settings) -> None:
    """The held-out score against the rank, on request."""
    key = repr([(name, value) for name, value in settings.request().items() if name not in ("rank", "methods")])
    found: dict[str, pd.DataFrame] = st.session_state.setdefault(keys.RANK_PATHS, {})
    job = job_status.active_job("rank")
    if job is None and key not in found:
        if st.button("Suggest a rank", icon=":material/timeline:"):
            current_user.queue().submit(current_user.user_id(), "Trying ranks", _ranks(settings, key), kind="rank")
            st.rerun()
        return
    if key not in found:
        st.caption("Trying ranks on held-out training entries: see the left side.")
        return
    path = found[key]
    best = best_rank(path)
    figures.show(
        search_figure(path["rank"].tolist(), path["score"].tolist(), best, name="rank", log=False, dark=figures.dark()),
        "ranks", alt="Held-out score against the rank", data=path,
        caption=f"Rank {best} is the smallest that does as well as the best of them, within 0.005. The score is "
        f"{score_description(user_datasets.load(settings.data))}.",
    )  # fmt: skip
    if best != settings.resolved(user_datasets.load(settings.data).n_objects).rank:
        st.button(f"Take rank {best}", on_click=session.change, kwargs={"rank": best})


def _ranks(settings: Settings, key: str) -> Callable[[Job], Any]:
    data = user_datasets.load(settings.data)
    ranks = [rank for rank in RANKS if rank <= max(data.n_objects, 1)]

    def work(job: Job) -> tuple[str, pd.DataFrame]:
        def progress(done: int, total: int) -> bool:
            return job.report(done / total, f"rank {ranks[min(done, total - 1)]}")

        part, _ = data.split(train=settings.train, seed=settings.seed, by=settings.by)
        return key, rank_path(part, ranks, progress=progress, **parameters("MrWTD", settings, data))

    return work
