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
from mrwtd.plots.bars import score_bars
from mrwtd.plots.progress import COURSES, path_figure, progress_figure

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

STEPS = " MMMF and MMMF+ fit one relation after another, so theirs falls in steps."

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
    st.toggle("λ automatic", key=key, on_change=lambda: session.change(lam=AUTO if st.session_state[key] else 1.0))


def _lam(settings: Settings) -> None:
    if settings.lam == AUTO:
        st.caption(
            "λ, the strength of the regularisation, is searched between 0.001 and 1000 on training entries that are "
            "held out for it; test entries play no part."
        )
        return
    key, now = keys.PICK + "lam", float(settings.lam)
    st.session_state[key] = now
    st.select_slider(
        "λ, strength of the regularisation", sorted({*LAMS, now}), key=key,
        format_func=lambda value: f"{value:.3g}", on_change=lambda: session.change(lam=st.session_state[key]),
        help="Large: simple and cautious. Small: follows every known entry.",
    )  # fmt: skip


def _methods(settings: Settings) -> None:
    every = tuple(dict.fromkeys(("MrWTD", *METHODS)))

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
        st.caption(f"{', '.join(settings.methods)}: about {duration(needs.seconds)}, {size(needs.memory)} of memory.")
    if asked:
        live.start(settings)
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
    """What came out: messages with their remedies, a bar a method, how the fit went, and code for the same."""
    st.subheader(f"Run: {plain(result.run.called)}", anchor=False)
    _messages(result)
    scores, parts = st.columns([1, 2], gap="medium")
    with scores:
        _numbers(result)
    with parts:
        # Only the part that is looked at is drawn: each of them takes its time in the browser.
        PARTS[inputs.choose("What to look at", "train.part", tuple(PARTS), style="buttons", labelled=False)](result)


def _objective(result: Result) -> None:
    steps = STEPS if {"MMMF", "MMMF+"} & set(result.models) else ""
    _course(result, "objective", "The objective is what a fit makes small: it should fall and level off." + steps)


def _score(result: Result) -> None:
    if any(_scores(model.trace_) for model in result.models.values()):
        _course(result, "score", "The score on the held-out entries is watched, never learned from.")
    elif result.run.state == "finished":
        st.caption("Of these methods none was watched on held-out entries while it learned: MrWTD is.")
    else:
        st.caption("This training was stopped before a fit was watched on held-out entries.")


def _course(result: Result, part: str, says: str) -> None:
    figures.show(
        lambda: _progress(result, part), part, made_of=(result.key,), alt=f"{COURSES[part]}, a line a method",
        data=lambda: _traces(result), caption=says,
    )  # fmt: skip


def _choice_of_lam(result: Result) -> None:
    regularised = {name: model for name, model in result.models.items() if hasattr(model, "lam_")}
    if not regularised:
        st.caption("None of these methods has a λ to choose.")
        return
    method, model = next(iter(regularised.items()))
    path, chosen = getattr(model, "lam_path_", pd.DataFrame()), float(model.lam_)
    path = path[~path["collapsed"].astype(bool)] if "collapsed" in path else path
    if not len(path):
        st.caption(
            "Every λ of the search collapsed to zero: there is nothing to draw."
            if result.run.settings["lam"] == "auto"
            else f"λ = {chosen:g} was given, and nothing searched. With λ automatic, the search is drawn here."
        )
        return
    lams, scores = path["lam"].tolist(), path["score"].tolist()
    figures.show(
        lambda: path_figure(lams, scores, chosen, name="λ", log=True, dark=figures.dark()), "lambda-path",
        made_of=(result.key,), alt="Held-out score along the search for λ", data=path,
        caption=f"{method}: each point is a fit to three quarters of the training entries, scored on the last quarter. "
        "Of strengths that do equally well the largest is taken: the simpler model.",
    )  # fmt: skip


def _in_python(result: Result) -> None:
    _to_its_end(result)
    st.code(recipes.in_python(*_recipe(result)), language="python")


def _on_command_line(result: Result) -> None:
    _to_its_end(result)
    st.code(recipes.on_command_line(*_recipe(result)), language="bash", wrap_lines=True)


def _to_its_end(result: Result) -> None:
    if result.run.state != "finished":
        st.caption("This training was stopped. The code takes the same one to its end.")


PARTS = {
    "Objective": _objective,
    "Held-out score": _score,
    "Choice of λ": _choice_of_lam,
    "Same in Python": _in_python,
    "Same on the command line": _on_command_line,
}
"""What there is to see of what came out, and what draws it."""


def _recipe(result: Result) -> tuple[Settings, mrwtd.RelationalData, Mapping[str, Any] | None]:
    """What code that gives the same run is made of."""
    name = result.run.settings["data"]
    settings = from_query(result.run.settings, datasets.names(), datasets.choices)[0]
    return settings, result.data, datasets.own(name) if datasets.is_own(name) else None


def _progress(result: Result, part: str) -> go.Figure:
    curves = {
        name: (model.trace_["objective"].tolist(), _scores(model.trace_)) for name, model in result.models.items()
    }
    shown = {name: curve for name, curve in curves.items() if len(curve[0]) > 1}
    return progress_figure(shown, [part], dark=figures.dark(), height=240)


def _scores(trace: pd.DataFrame) -> list[float]:
    return [] if "score" not in trace or trace["score"].isna().all() else trace["score"].tolist()


def _traces(result: Result) -> pd.DataFrame:
    return pd.concat([model.trace_.assign(method=name) for name, model in result.models.items()], ignore_index=True)


def _numbers(result: Result) -> None:
    """A bar a method, and how long each took."""
    fitted = result.scores[result.scores["metric"] != ""].drop_duplicates("method")
    took = zip(fitted["method"], fitted["seconds"].astype(float), strict=True)
    times = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in took)
    st.html(score_bars(result.scores, f"on the held-out entries. Time to fit: {times}."))


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
