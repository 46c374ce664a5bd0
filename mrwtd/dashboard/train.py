"""The Train page: how to learn, and what it will take."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st

from mrwtd.baselines import METHODS
from mrwtd.errors import DataError
from mrwtd.evaluation.ranks import RANKS, best_rank, rank_path
from mrwtd.evaluation.wording import parameter
from mrwtd.model.lambda_grid import GRID
from mrwtd.model.starts import STARTS
from mrwtd.plots.progress import path_figure

from . import datasets, estimates, figures, frame, inputs, keys, live, session, visitor
from .folds import fold
from .jobs import Job
from .settings import AUTO, ENSEMBLES, SEEDS, SHARES, Settings
from .settings import RANKS as RANK_SPAN
from .training import parameters, score_means
from .words import duration, plain, size

HOLD_OUTS = {"auto": "automatically", "entry": "entries", "pair": "pairs, both directions"}
HOLD_OUT_HELP = (
    "How test entries of directed relations are drawn. Where most ties are mutual, the reverse of a test pair gives "
    "the answer away. Automatically: in relations that are at least 80% mutual (the Data page shows the reciprocity) "
    "both directions of a pair are held out together; in others each entry on its own."
)

STARTS_TOLD = {"spectral": "spectral: from the data", "eigen": "eigen: the paper's", "random": "random"}


def options(settings: Settings) -> None:
    """Rank, λ, split and the rest."""
    left, right = st.columns(2)
    with left:
        inputs.number("Rank", "rank", *RANK_SPAN, 1, settings.rank, hint="How many hidden factors describe an object")
        inputs.slide(
            "Share to learn from", "train", *SHARES, 0.01, settings.train, format="percent",
            hint="The rest is held out, to see how good the predictions are",
        )  # fmt: skip
    with right:
        _automatic(settings)
        _lam(settings)
    _methods(settings)
    with fold("More: hold-out, seed, start, ensemble", "more") as open_:
        if not open_:
            return
        inputs.choose("Hold out", "by", list(HOLD_OUTS), show=HOLD_OUTS.__getitem__, hint=HOLD_OUT_HELP)
        first, second, third = st.columns(3)
        with first:
            inputs.number("Seed", "seed", *SEEDS, 1, settings.seed, hint="Of the split and of every random choice")
        with second:
            inputs.choose("Start", "start", list(STARTS), show=lambda name: STARTS_TOLD.get(name, name),
                          hint="Where the search for the factors begins")  # fmt: skip
        with third:
            inputs.number("Ensemble", "ensemble", *ENSEMBLES, 1, settings.ensemble,
                          hint="From 2 up: average this many refits of MrWTD to random weights of the entries. Slower, "
                          "more accurate, and their spread is an error bar")  # fmt: skip


def _automatic(settings: Settings) -> None:
    key = keys.PICK + "lam-auto"
    st.session_state[key] = settings.lam == AUTO
    st.toggle("λ automatic", key=key, on_change=lambda: session.change(lam=AUTO if st.session_state[key] else 1.0))


def _lam(settings: Settings) -> None:
    if settings.lam == AUTO:
        st.caption(
            f"λ, the strength of the regularisation, is searched between {GRID[-1]:g} and {GRID[0]:g} on training "
            "entries that are held out for it; test entries play no part."
        )
        return
    key, now = keys.PICK + "lam", float(settings.lam)
    st.session_state[key] = now
    st.select_slider(
        "λ, strength of the regularisation", sorted({*GRID, now}), key=key,
        format_func=parameter, on_change=lambda: session.change(lam=st.session_state[key]),
        help="Large: simple and cautious. Small: follows every known entry.",
    )  # fmt: skip


def _methods(settings: Settings) -> None:
    every = tuple(METHODS)

    def take(name: str) -> None:
        chosen = {*session.settings().methods} ^ {name}  # as they are now: another box may have been ticked since
        if chosen:
            session.change(methods=tuple(one for one in every if one in chosen))

    with fold("Methods to compare", "methods") as open_:
        if open_:
            inputs.ticks("methods", every, settings.methods, take)
            st.caption(
                "MrWTD takes the losses of the table; -Q, -H and -L take one loss for all binary relations; "
                "the others are what it is compared with."
            )


def start_button(settings: Settings) -> None:
    """Train, with what it will take."""
    needs = estimates.estimate(settings, datasets.load(settings.data))
    busy = live.busy(subject=settings.data) is not None
    with st.container(horizontal=True, vertical_alignment="center"):
        asked = st.button("Train", type="primary", icon=":material/bolt:", shortcut="Ctrl+Enter", disabled=busy)
        st.caption(
            f"{plain(', '.join(settings.methods))}: about {duration(needs.seconds)}, {size(needs.memory)} of memory.",
            help="Reckoned from entries, rank and methods; where the memory would not suffice, nothing is begun",
        )
    if asked:
        try:
            live.start(settings)
        except DataError as refused:
            frame.problem(refused)  # and the rest of the page is still there
        else:
            st.rerun()


def suggest_rank(settings: Settings) -> None:
    """The held-out score against the rank, on request."""
    key = repr([(name, value) for name, value in settings.asked().items() if name not in ("rank", "methods")])
    found: dict[str, pd.DataFrame] = st.session_state.setdefault(keys.RANK_PATHS, {})
    job = live.busy("rank")
    if job is None and key not in found:
        if st.button("Suggest a rank", icon=":material/timeline:"):
            visitor.queue().submit(visitor.identity(), "Trying ranks", _ranks(settings, key), kind="rank")
            st.rerun()
        return
    if key not in found:
        st.caption("Trying ranks on held-out training entries: see the left side.")
        return
    path = found[key]
    best = best_rank(path)
    figures.show(
        path_figure(path["rank"].tolist(), path["score"].tolist(), best, name="rank", log=False, dark=figures.dark()),
        "ranks", alt="Held-out score against the rank", data=path,
        caption=f"Rank {best} is the smallest that does as well as the best of them, within 0.005. The score is "
        f"{score_means(datasets.load(settings.data))}.",
    )  # fmt: skip
    if best != settings.rank:
        st.button(f"Take rank {best}", on_click=session.change, kwargs={"rank": best})


def _ranks(settings: Settings, key: str) -> Callable[[Job], Any]:
    data = datasets.load(settings.data)
    ranks = [rank for rank in RANKS if rank <= max(data.n_objects, 1)]

    def work(job: Job) -> tuple[str, pd.DataFrame]:
        def progress(done: int, total: int) -> bool:
            return job.report(done / total, f"rank {ranks[min(done, total - 1)]}")

        part, _ = data.split(train=settings.train, seed=settings.seed, by=settings.by)
        return key, rank_path(part, ranks, progress=progress, **parameters("MrWTD", settings, data))

    return work
