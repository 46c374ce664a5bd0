"""The results of a training: messages with suggested fixes, scores, how the fits went, and code for the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from ....bayesian.sampler import Sampler
from ....model.diagnostics import Diagnostic, grouped
from ....model.parameters import AUTO
from ....plots.bars import score_bars
from ....plots.training_progress import PROGRESS_TITLES, progress_figure, search_figure
from ....runs import RunSpec
from ...jobs.training import WATCHED, meaningful_scores, sample_note, score_description, score_label, settings_of
from ...state import session, user_datasets
from ...state.current_run import Result, split_description
from ...state.settings import Settings
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown, format_elapsed
from . import code_export

MESSAGES = 3
"""The page shows this many messages of a run; the rest are in an expander."""

ABOUT_ALL = "methods_skipped"
"""The fact that is about the training, not about the model that reports it."""

FALLS = "The objective is what a fit makes small: it should fall and level off."
STEPS = " MMMF and MMMF+ fit one relation after another, so theirs falls in steps."
WANDERS = " That of methods which sample ({}) wanders about its level, and may rise to it."


def show(result: Result) -> None:
    """Messages with suggested fixes, one bar per method, how the fit went, and code for the same."""
    st.subheader(f"Run: {escape_markdown(result.run.display_name)}", anchor=False)
    _messages(result)
    scores, parts = st.columns([1, 2], gap="medium")
    with scores:
        _numbers(result)
    with parts:
        # Only the part that is looked at is drawn: each of them takes its time in the browser.
        PARTS[inputs.choose("What to look at", "train.part", tuple(PARTS), style="buttons", show_label=False)](result)


def _objective(result: Result) -> None:
    if not _curves(result):
        st.caption(
            "None of these methods learns by iterations: there is no objective to draw."
            if result.run.state == "finished"
            else "This training was stopped before there was a second iteration to draw."
        )
        return
    sampled = _sampled(result)
    steps = STEPS if any(model.per_relation for model in result.models.values()) else ""
    _course(
        result, "objective", FALLS + steps + (WANDERS.format(escape_markdown(", ".join(sampled))) if sampled else "")
    )


def _score(result: Result) -> None:
    if any(scores for _, scores in _curves(result).values()):
        some = f" It is watched on about {WATCHED:,} of them." if len(result.test) > WATCHED else ""
        sampled = _sampled(result)
        means = (
            f" Of {escape_markdown(', '.join(sampled))} it is that of the mean of many draws, once some are kept."
            if sampled
            else ""
        )
        first = " Of an ensemble its first fit is drawn." if _settings(result).ensemble > 1 else ""
        score = score_description(result.data)
        said = f"The score on the held-out entries is watched, never learned from: {score}.{some}{means}{first}"
        _course(result, "score", said)
    elif result.run.state == "finished":
        st.caption(
            "There is no score to draw: the held-out entries are all alike, or nobody looked as these methods learned."
            if _curves(result)
            else "None of these methods was watched on held-out entries as it learned: they learn in one step."
        )
    else:
        st.caption("This training was stopped before a fit was watched on held-out entries.")


def _course(result: Result, part: str, says: str) -> None:
    figures.show(
        lambda: _progress(result, part), part, cache_key=(result.key,), alt=f"{PROGRESS_TITLES[part]}, a line a method",
        data=lambda: _traces(result), caption=says,
    )  # fmt: skip


def _choice_of_lam(result: Result) -> None:
    regularised = {name: model for name, model in result.models.items() if hasattr(model, "lam_")}
    if not regularised:
        st.caption("None of these methods has a λ to choose.")
        return
    searched = [name for name, model in regularised.items() if len(getattr(model, "lam_path_", ()))]
    method = next(iter(regularised))
    if len(searched) > 1:
        method = inputs.choose("Method", "train.searched", searched, help="Whose search for λ is drawn")
    model = regularised[method]
    path, chosen = getattr(model, "lam_path_", pd.DataFrame()), float(model.lam_)
    gone = path[path["collapsed"].astype(bool)] if "collapsed" in path else path[:0]
    path = path.drop(gone.index)
    if not len(path):
        st.caption(
            "Every λ of the search collapsed to zero: there is nothing to draw."
            if _settings(result).lam == AUTO
            else f"λ = {chosen:g} was given, and nothing searched. With λ automatic, the search is drawn here."
        )
        return
    lams, scores = path["lam"].tolist(), path["score"].tolist()
    figures.show(
        lambda: search_figure(lams, scores, chosen, name="λ", log=True, dark=figures.dark()), "lambda-path",
        cache_key=(result.key, method), alt="Held-out score along the search for λ", data=path,
        caption=f"{escape_markdown(method)}: each point is a fit to three quarters of the training entries, "
        "scored on the last "
        f"quarter: {score_description(result.data)}. Of strengths that do equally well the largest is taken: the "
        "simpler "
        "model."
        + (f" From λ = {gone['lam'].min():g} upwards fits collapsed to zero, and are not drawn." if len(gone) else ""),
    )  # fmt: skip


def _in_python(result: Result) -> None:
    _to_its_end(result)
    st.code(code_export.in_python(*_recipe(result)), language="python")


def _on_command_line(result: Result) -> None:
    _to_its_end(result)
    st.code(code_export.on_command_line(*_recipe(result)), language="bash", wrap_lines=True)


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


def _recipe(result: Result) -> tuple[RunSpec, Mapping[str, Any] | None]:
    """What code that gives the same run is made of."""
    name = result.data_name
    return result.run.spec, user_datasets.upload_info(name) if user_datasets.is_uploaded(name) else None


def _settings(result: Result) -> Settings:
    relations = [relation.name for relation in result.data.relations]
    return settings_of(result.run.spec, relations).resolved(result.data.n_objects)


def _progress(result: Result, part: str) -> go.Figure:
    return progress_figure(_curves(result), [part], score=score_label(result.data), dark=figures.dark(), height=240)


def _curves(result: Result) -> dict[str, tuple[list[float], list[float]]]:
    """Objectives and held-out scores of the methods that learn by iterations."""
    curves = {
        name: (model.trace_["objective"].tolist(), meaningful_scores(model.trace_.get("score", [])))
        for name, model in result.models.items()
    }
    return {name: curve for name, curve in curves.items() if len(curve[0]) > 1}


def _sampled(result: Result) -> list[str]:
    return [name for name, model in result.models.items() if isinstance(model, Sampler)]


def _traces(result: Result) -> pd.DataFrame:
    return pd.concat([model.trace_.assign(method=name) for name, model in result.models.items()], ignore_index=True)


def _numbers(result: Result) -> None:
    """A bar a method, and how long each took."""
    fitted = result.scores[result.scores["metric"] != ""].drop_duplicates("method")
    spent = zip(fitted["method"], fitted["seconds"].astype(float), strict=True)
    times = ", ".join(f"{escape_markdown(name)} {format_elapsed(seconds)}" for name, seconds in spent)
    figures.show_bars(score_bars(result.scores), "scores", result.scores)
    st.caption(
        " ".join(filter(None, [split_description(result.run), sample_note(result.scores), f"Time to fit: {times}."]))
    )


def _messages(result: Result) -> None:
    """What is to be known about each method, with a button for what may help."""
    facts = [(name, fact.message(), fact) for name, fact in _failures(result.scores)]
    for name, model in result.models.items():
        facts += [("" if fact.code == ABOUT_ALL else name, text, fact) for text, fact in grouped(model.diagnostics_)]
    few = len(facts) if len(facts) <= MESSAGES + 1 else MESSAGES
    settings = _settings(result)
    for number, one in enumerate(facts[:few]):
        _message(number, *one, settings)
    if facts[few:]:
        with st.expander(f"{len(facts) - few} more messages"):
            for number, one in enumerate(facts[few:], start=few):
                _message(number, *one, settings)


def _failures(scores: pd.DataFrame) -> Iterator[tuple[str, Diagnostic]]:
    """The methods that could not be fitted, and why."""
    failed = scores[scores["metric"] == ""].reindex(columns=["method", "reason", "largest_rank"])
    ranks = pd.to_numeric(failed["largest_rank"], errors="coerce").fillna(0).astype(int)
    for method, reason, rank in zip(failed["method"], failed["reason"], ranks, strict=True):
        yield str(method), Diagnostic("not_fitted", values={"reason": str(reason), "largest_rank": int(rank)})


def _message(number: int, name: str, text: str, fact: Diagnostic, settings: Settings) -> None:
    says, does = st.columns([5, 2], vertical_alignment="center")
    says.warning(
        f"**{escape_markdown(name)}**: {escape_markdown(text)}" if name else escape_markdown(text),
        icon=":material/info:",
    )
    changes = fact.suggested_fix(settings)
    if changes is not None:
        label = fix_label(changes)
        taken = all(session.settings().get(setting) == value for setting, value in changes.items())
        does.button(
            f"{label}: set, now train" if taken else label,
            key=f"fix-{number}", on_click=session.change, kwargs=changes, disabled=taken,
        )  # fmt: skip


def fix_label(changes: Mapping[str, Any]) -> str:
    """What a button that changes settings is called.

    >>> [fix_label(changes) for changes in ({"lam": "auto"}, {"lam": 3.162}, {"rank": 11}, {"train": 0.6})]
    ['Search for λ', 'Use λ = 3.162', 'Use rank 11', 'Train on 60%']
    """
    ((name, value),) = changes.items()
    if name == "lam":
        return "Search for λ" if value == AUTO else f"Use λ = {value:g}"
    return f"Use rank {value}" if name == "rank" else f"Train on {value:.0%}"
