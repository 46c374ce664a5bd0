"""The Train page: how to learn, the training as it goes, and what to make of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import mrwtd
from mrwtd.baselines import METHODS
from mrwtd.evaluation.ranks import RANKS, best_rank, rank_path
from mrwtd.model.starts import STARTS
from mrwtd.plots.progress import path_figure, progress_figure

from . import datasets, estimates, figures, inputs, keys, live, recipes, session, visitor
from .folds import fold
from .jobs import Job
from .remedies import remedy
from .results import Result
from .settings import AUTO, ENSEMBLES, SEEDS, SHARES, Settings, from_query
from .settings import RANKS as RANK_SPAN
from .training import parameters
from .words import duration, plain, size

LAMS = tuple(float(f"{10 ** (half / 2):.3g}") for half in range(-6, 7))
"""Half decades, as the search takes them."""

MESSAGES = 3
"""So many messages of a run stand on the page; the rest can be unfolded."""

A_ROW = 5
"""Numbers side by side."""

SUMMARIES = {
    "auprc": "Mean AUPRC over the binary relations",
    "mae": "Mean absolute error over the ordinal relations, in levels (lower is better)",
    "r2": "Mean share of the variance explained, R², over the relations",
}
"""What the number of each method is, by its metric."""

STEPS = " MMMF and MMMF+ fit one relation after another, so theirs falls in steps."

STARTS_TOLD = {"spectral": "spectral: from the data", "eigen": "eigen: the paper's", "random": "random"}


def options(settings: Settings) -> None:
    """Rank, λ, split and the rest."""
    left, right = st.columns(2)
    with left:
        inputs.number("Rank", "rank", *RANK_SPAN, 1, settings.rank, hint="How many hidden factors describe an object")
    with right:
        inputs.slide(
            "Share to learn from", "train", *SHARES, 0.01, settings.train, format="percent",
            hint="The rest is held out, to see how good the predictions are",
        )  # fmt: skip
    left, right = st.columns([1, 2], vertical_alignment="bottom")
    with left:
        _automatic(settings)
    with right:
        _lam(settings)
    _methods(settings)
    with fold("More: seed, start, ensemble", "more") as open_:
        if not open_:
            return
        first, second, third = st.columns(3)
        with first:
            inputs.number("Seed", "seed", *SEEDS, 1, settings.seed, hint="Of the split and of every random choice")
        with second:
            inputs.choose("Start", "start", list(STARTS), show=lambda name: STARTS_TOLD.get(name, name),
                          hint="Where the search for the factors begins")  # fmt: skip
        with third:
            inputs.number("Ensemble", "ensemble", *ENSEMBLES, 1, settings.ensemble,
                          hint="Average so many fits of MrWTD: slower, better, and tells how sure it is")  # fmt: skip


def _automatic(settings: Settings) -> None:
    key = keys.PICK + "lam-auto"
    st.session_state[key] = settings.lam == AUTO
    st.toggle(
        "λ automatic", key=key, on_change=lambda: session.change(lam=AUTO if st.session_state[key] else 1.0),
        help="Tries 13 strengths on held-out training entries, and takes the best; test entries play no part",
    )  # fmt: skip


def _lam(settings: Settings) -> None:
    if settings.lam == AUTO:
        st.caption("λ, the strength of the regularisation, is searched between 0.001 and 1000.")
        return
    key, now = keys.PICK + "lam", float(settings.lam)
    st.session_state[key] = now
    st.select_slider(
        "λ, strength of the regularisation", sorted({*LAMS, now}), key=key,
        format_func=lambda value: f"{value:g}", on_change=lambda: session.change(lam=st.session_state[key]),
        help="Large: simple and cautious. Small: follows every known entry.",
    )  # fmt: skip


def _methods(settings: Settings) -> None:
    key = keys.PICK + "methods"
    st.session_state[key] = list(settings.methods)

    def take() -> None:
        chosen = st.session_state[key]
        if chosen:
            session.change(methods=tuple(name for name in ("MrWTD", *METHODS) if name in chosen))

    st.multiselect(
        "Methods", dict.fromkeys(("MrWTD", *METHODS)), key=key, on_change=take,
        help="MrWTD takes the losses of the table; -Q, -H and -L take one loss for all binary relations; "
        "the others are what it is compared with",
    )  # fmt: skip


def start_button(settings: Settings) -> None:
    """Train, with what it will take."""
    needs = estimates.estimate(settings, datasets.load(settings.data))
    busy = live.busy() is not None
    left, right = st.columns([4, 5], vertical_alignment="center")
    if left.button(
        "Train", type="primary", icon=":material/bolt:", shortcut="Ctrl+Enter", disabled=busy, width="stretch"
    ):
        live.start(settings)
        st.rerun()
    right.caption(f"Needs about {duration(needs.seconds)} and {size(needs.memory)} of memory.")


def suggest_rank(settings: Settings) -> None:
    """The held-out score against the rank, on request."""
    key = repr([(name, value) for name, value in settings.asked().items() if name not in ("rank", "methods")])
    found: dict[str, pd.DataFrame] = st.session_state.setdefault(keys.RANK_PATHS, {})
    job = live.busy("rank")
    if job is None and key not in found:
        if st.button(
            "Suggest a rank", icon=":material/timeline:", help="Tries eight ranks on held-out training entries"
        ):
            visitor.queue().submit(visitor.identity(), "Trying ranks", _ranks(settings, key), kind="rank")
            st.rerun()
        return
    if key not in found:
        st.caption("Trying ranks: see the left side.")
        return
    path = found[key]
    best = best_rank(path)
    figures.show(
        path_figure(path["rank"].tolist(), path["score"].tolist(), best, name="rank", log=False, dark=figures.dark()),
        "ranks", alt="Held-out score against the rank", data=path,
        caption=f"Rank {best} is the smallest that does as well as the best of them, within 0.005.",
    )  # fmt: skip
    if best != settings.rank:
        st.button(f"Take rank {best}", on_click=session.change, kwargs={"rank": best})


def _ranks(settings: Settings, key: str) -> Callable[[Job], Any]:
    data = datasets.load(settings.data)
    ranks = [rank for rank in RANKS if rank <= max(data.n_objects, 1)]

    def work(job: Job) -> tuple[str, pd.DataFrame]:
        def progress(done: int, total: int) -> bool:
            job.share, job.what = done / total, f"rank {ranks[min(done, total - 1)]}"
            return job.cancelled

        part, _ = data.split(train=settings.train, seed=settings.seed)
        return key, rank_path(part, ranks, progress=progress, **parameters("MrWTD", settings, data))

    return work


def outcome(result: Result) -> None:
    """What came out: a number a method, messages with their remedies, how the fit went, and code for the same."""
    st.subheader(f"Run: {plain(result.run.name)}", anchor=False)
    _numbers(result)
    _messages(result)
    # Only the tab that is looked at is drawn: each of them takes its time in the browser.
    for tab, draw in zip(st.tabs(list(PARTS), key=keys.OUTCOME, on_change="rerun"), PARTS.values(), strict=True):
        if tab.open:
            with tab:
                draw(result)


def _course(result: Result) -> None:
    figures.show(
        lambda: _progress(result), "objective", made_of=(result.key,),
        alt="Objective and held-out score by iteration", data=lambda: _traces(result),
        caption="The objective is what a fit makes small: it should fall and level off."
        + (STEPS if {"MMMF", "MMMF+"} & set(result.models) else "")
        + " The held-out score of MrWTD is watched, never learned from.",
    )  # fmt: skip


def _choice_of_lam(result: Result) -> None:
    ours = next(iter(result.models.values()))
    path = getattr(ours, "lam_path_", pd.DataFrame())
    path = path[~path["collapsed"].astype(bool)] if "collapsed" in path else path
    chosen = getattr(ours, "lam_", float("nan"))
    if not len(path):
        st.caption(f"λ = {chosen:g} was given, and nothing searched. With λ automatic, the search is drawn here.")
        return
    lams, scores = path["lam"].tolist(), path["score"].tolist()
    figures.show(
        lambda: path_figure(lams, scores, chosen, name="λ", log=True, dark=figures.dark()), "lambda-path",
        made_of=(result.key,), alt="Held-out score along the search for λ", data=path,
        caption="Each point is a fit to three quarters of the training entries, scored on the last quarter. "
        "Of strengths that do equally well the largest is taken: the simpler model.",
    )  # fmt: skip


def _in_python(result: Result) -> None:
    st.code(recipes.in_python(*_recipe(result)), language="python")


def _on_command_line(result: Result) -> None:
    st.code(recipes.on_command_line(*_recipe(result)), language="bash", wrap_lines=True)


PARTS = {
    "Course of the fit": _course,
    "Choice of λ": _choice_of_lam,
    "Same in Python": _in_python,
    "Same on the command line": _on_command_line,
}
"""The tabs of what came out, and what draws each."""


def _recipe(result: Result) -> tuple[Settings, mrwtd.RelationalData, Mapping[str, Any] | None]:
    """What code that gives the same run is made of."""
    name = result.run.settings["data"]
    settings = from_query(result.run.settings, datasets.names(), datasets.choices)[0]
    return settings, result.data, datasets.own(name) if datasets.is_own(name) else None


def _progress(result: Result) -> go.Figure:
    curves = {
        name: (model.trace_["objective"].tolist(), _scores(model.trace_)) for name, model in result.models.items()
    }
    shown = {name: curve for name, curve in curves.items() if len(curve[0]) > 1}
    return progress_figure(shown, dark=figures.dark(), height=240)


def _scores(trace: pd.DataFrame) -> list[float]:
    return [] if "score" not in trace or trace["score"].isna().all() else trace["score"].tolist()


def _traces(result: Result) -> pd.DataFrame:
    return pd.concat([model.trace_.assign(method=name) for name, model in result.models.items()], ignore_index=True)


def _numbers(result: Result) -> None:
    shown = result.run.summary
    if not shown:
        return
    metric = next(name for name in SUMMARIES if (result.scores["metric"] == name).any())
    best, took = (min if metric == "mae" else max)(shown.values()), list[str]()
    for number, (method, value) in enumerate(shown.items()):
        if number % A_ROW == 0:
            columns = st.columns(A_ROW)
        seconds = result.scores.loc[result.scores["method"] == method, "seconds"].iloc[0]
        columns[number % A_ROW].metric(f"{method}{' · best' if value == best else ''}", f"{value:.3f}")
        took.append(f"{method} {float(seconds):.1f} s")
    st.caption(f"{SUMMARIES[metric]}, on the held-out entries. Time to fit: {', '.join(took)}.")


def _messages(result: Result) -> None:
    settings = session.settings()
    if "reason" in result.scores:
        failed = result.scores[result.scores["metric"] == ""]
        for name, reason in zip(failed["method"], failed["reason"], strict=True):
            st.warning(f"**{plain(name)}** could not be fitted: {plain(reason)}", icon=":material/info:")
    told = [
        (name, number, text) for name, model in result.models.items() for number, text in enumerate(model.messages_)
    ]
    few, rest = (told, []) if len(told) <= MESSAGES + 1 else (told[:MESSAGES], told[MESSAGES:])
    for name, number, message in few:
        _message(name, number, message, remedy(message, settings, result.data.n_objects))
    if rest:
        with st.expander(f"{len(rest)} more messages"):
            for name, number, message in rest:
                _message(name, number, message, remedy(message, settings, result.data.n_objects))


def _message(name: str, number: int, message: str, found: tuple[str, dict[str, Any]] | None) -> None:
    says, does = st.columns([5, 2], vertical_alignment="center")
    says.warning(f"**{plain(name)}**: {plain(message)}", icon=":material/info:")
    if found is not None:
        label, changes = found
        does.button(label, key=f"remedy-{name}-{number}", on_click=session.change, kwargs=changes)
