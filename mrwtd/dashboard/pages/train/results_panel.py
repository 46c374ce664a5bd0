"""The results of a training: messages with suggested fixes, scores, how the fits went, and code for the same run."""

from collections.abc import Callable, Iterator
from functools import partial

import pandas as pd
import streamlit as st

from ....bayesian.sampler import Sampler
from ....data.published import PUBLISHED
from ....data.splitting import NOTHING_HELD_OUT
from ....model.diagnostics import Diagnostic, grouped
from ....model.parameters import AUTO
from ....plots.bars import score_bars
from ....plots.training_progress import PROGRESS_TITLES, progress_figure, rank_figure, search_figure
from ...jobs.training import default_name, meaningful_scores, sample_note, score_description, score_label, settings_of
from ...state import current_run, session, user_datasets
from ...state.current_run import Result, split_description
from ...state.settings import Settings
from ...state.stored_splits import read_splits
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown, format_elapsed
from . import code_export
from . import train_texts as texts

RANK_PART = "Ranks"
"""The part that only a run with an automatic rank has."""

MAX_MESSAGES = 3
"""The page shows at most this many messages of a run; the rest are in an expander."""


def render(result: Result) -> None:
    """Draw the messages, the scores and the chosen part of the results."""
    st.subheader(f"Run: {escape_markdown(result.run.display_name)}", anchor=False)
    _messages(result)
    scores, parts = st.columns([1, 2], gap="medium")
    with scores:
        _scores(result)
    with parts:
        # Only the chosen part is drawn: each of them is slow in the browser.
        parts_of_run = PARTS if _rank_searches(result) else {name: PARTS[name] for name in PARTS if name != RANK_PART}
        part = inputs.choose("Part of the results", "train.part", tuple(parts_of_run), style="tabs")
        PARTS[part](result)


def settings_text(result: Result) -> str:
    """The settings of the run, for pages without the form."""
    settings = _settings(result)
    name = default_name(settings.change(methods=()))
    return escape_markdown(f"Settings: {name}. Methods: {', '.join(settings.methods)}.")


def _objective(result: Result) -> None:
    if _curves(result):
        per_relation = [label for label, model in result.models.items() if model.per_relation]
        _progress(result, "objective", texts.objective_caption(per_relation, _samplers(result)))
    else:
        st.caption(texts.NO_ITERATIONS if result.run.state == "finished" else texts.STOPPED_BEFORE_CURVE)


def _held_out_score(result: Result) -> None:
    curves = _curves(result)
    if any(scores for _, scores in curves.values()):
        score, ensemble = score_description(result.data), _settings(result).ensemble > 1
        caption = texts.score_caption(score, len(result.test), _samplers(result), ensemble)
        _progress(result, "score", caption)
    elif not result.is_tested:
        st.caption(NOTHING_HELD_OUT)
    elif result.run.state == "finished":
        st.caption(texts.NO_SCORE if curves else texts.NOT_WATCHED)
    else:
        st.caption(texts.STOPPED_BEFORE_SCORE)


def _progress(result: Result, part: str, caption: str) -> None:
    score = score_label(result.data)
    figures.show(
        lambda: progress_figure(_curves(result), [part], score=score, dark=figures.dark(), height=240),
        part, cache_key=(result.key,), alt=f"{PROGRESS_TITLES[part]}, one line per method", caption=caption,
        data=lambda: pd.concat(
            [model.trace_.assign(method=name) for name, model in result.models.items()], ignore_index=True
        ),
    )  # fmt: skip


def _curves(result: Result) -> dict[str, tuple[list[float], list[float]]]:
    """Objectives and held-out scores of the methods that learn by iterations."""
    traces = {name: model.trace_ for name, model in result.models.items() if len(model.trace_) > 1}
    return {
        name: (trace["objective"].tolist(), meaningful_scores(trace.get("score", []))) for name, trace in traces.items()
    }


def _settings(result: Result) -> Settings:
    relations = [relation.name for relation in result.data.relations]
    return settings_of(result.run.spec, relations).with_rank(result.data.n_objects)


def _samplers(result: Result) -> list[str]:
    return [name for name, model in result.models.items() if isinstance(model, Sampler)]


def _choice_of_lam(result: Result) -> None:
    regularized = {name: model for name, model in result.models.items() if hasattr(model, "lam_")}
    if not regularized:
        st.caption(texts.NO_LAM)
        return
    searched = [name for name, model in regularized.items() if len(getattr(model, "lam_path_", ()))]
    labels, help_ = searched or list(regularized)[:1], "The method whose search for λ is drawn"
    method = inputs.choose_if_several("Method", "train.searched", labels, help=help_)
    path, chosen = getattr(regularized[method], "lam_path_", pd.DataFrame()), float(regularized[method].lam_)
    collapsed = path[path["collapsed"].astype(bool)] if "collapsed" in path else path[:0]
    path = path.drop(collapsed.index)
    if not len(path):
        given = f"λ = {chosen:g} was given, so there was no search. With automatic λ, the search is drawn here."
        st.caption(texts.ALL_COLLAPSED if _settings(result).lam == AUTO else given)
        return
    lams, scores = path["lam"].tolist(), path["score"].tolist()
    lowest = collapsed["lam"].min() if len(collapsed) else None
    figures.show(
        lambda: search_figure(lams, scores, chosen, name="λ", dark=figures.dark()), "lambda-path",
        cache_key=(result.key, method), alt="Held-out score along the search for λ", data=path,
        caption=texts.lam_caption(method, score_description(result.data), lowest),
    )  # fmt: skip


def _rank_searches(result: Result) -> list[str]:
    """The methods whose rank was searched."""
    return [name for name, model in result.models.items() if getattr(model, "rank_path_", None) is not None]


def _choice_of_rank(result: Result) -> None:
    searched, help_ = _rank_searches(result), "The method whose search for a rank is drawn"
    method = inputs.choose_if_several("Method", "train.searched", searched, help=help_)
    path, rank = result.models[method].rank_path_, result.models[method].rank_  # type: ignore[attr-defined]
    figures.show(
        lambda: rank_figure(path, rank, dark=figures.dark()), "rank-path", cache_key=(result.key, method),
        alt="Held-out score along the search for the rank", data=path,
        caption=texts.rank_caption(method, score_description(result.data)),
    )  # fmt: skip


def _code(result: Result, *, export: Callable[..., str], language: str) -> None:
    if result.run.state != "finished":
        st.caption(texts.STOPPED_CODE)
    name = result.data_name
    upload = user_datasets.upload_info(name) if user_datasets.is_uploaded(name) else None
    st.code(export(result.run.spec, upload), language=language, wrap_lines=language == "bash")


PARTS: dict[str, Callable[[Result], None]] = {
    "Objective": _objective,
    "Held-out score": _held_out_score,
    "Choice of λ": _choice_of_lam,
    RANK_PART: _choice_of_rank,
    "Same in Python": partial(_code, export=code_export.in_python, language="python"),
    "Same on the command line": partial(_code, export=code_export.on_command_line, language="bash"),
}
"""The parts of the results, by the label of their button."""


def _scores(result: Result) -> None:
    """One bar per method, and how long each took."""
    fitted = result.scores[result.scores["metric"] != ""].drop_duplicates("method")
    seconds = zip(fitted["method"], fitted["seconds"].astype(float), strict=True)
    times = ", ".join(f"{escape_markdown(name)} {format_elapsed(spent)}" for name, spent in seconds)
    notes = [f"Time to fit: {times}."]
    if result.is_tested:
        stored = read_splits(result.run)
        scores = result.scores if stored is None else stored.scores
        figures.show_bars(score_bars(scores), "scores", scores)
        no_score = texts.NOT_SCORED if result.scores["value"].isna().all() else ""
        several = "" if stored is None else texts.STORED_SPLITS.format(splits=stored.number)
        notes = [several, no_score, split_description(result.run), sample_note(result.scores), *notes]
    else:
        current_run.offer_test(result, "score")
    st.caption(" ".join(filter(None, notes)))


def _messages(result: Result) -> None:
    """The diagnostics of each method, with a button for the suggested fix."""
    messages = [(name, failure.message(), failure) for name, failure in _failures(result.scores)]
    for name, model in result.models.items():
        for text, fact in grouped(model.diagnostics_):
            # "methods_skipped" is about the training, not about the model that reports it.
            messages.append(("" if fact.code == "methods_skipped" else name, text, fact))
    settings = _settings(result)
    n_shown = len(messages) if len(messages) <= MAX_MESSAGES + 1 else MAX_MESSAGES
    for number, message in enumerate(messages[:n_shown]):
        _message(number, *message, settings)
    if messages[n_shown:]:
        with st.expander(f"{len(messages) - n_shown} more messages"):
            for number, message in enumerate(messages[n_shown:], start=n_shown):
                _message(number, *message, settings)


def _failures(scores: pd.DataFrame) -> Iterator[tuple[str, Diagnostic]]:
    """The methods that could not be fitted, and why."""
    failed = scores[scores["metric"] == ""].reindex(columns=["method", "reason", "largest_rank"])
    ranks = pd.to_numeric(failed["largest_rank"], errors="coerce").fillna(0).astype(int)
    for method, reason, rank in zip(failed["method"], failed["reason"], ranks, strict=True):
        yield str(method), Diagnostic("not_fitted", values={"reason": str(reason), "largest_rank": int(rank)})


def _message(number: int, name: str, text: str, diagnostic: Diagnostic, settings: Settings) -> None:
    left, right = st.columns([5, 2], vertical_alignment="center")
    text = f"**{escape_markdown(name)}**: {escape_markdown(text)}" if name else escape_markdown(text)
    left.warning(text, icon=":material/info:")
    changes = diagnostic.suggested_fix(settings)
    if changes is not None and "train" in changes and settings.by == PUBLISHED:
        return  # the fraction has no effect on a published split
    if changes is not None and not session.settings().shared:
        label = texts.fix_label(changes)
        applied = all(session.settings().get(setting) == value for setting, value in changes.items())
        right.button(
            f"{label}: set, now train" if applied else label,
            key=f"fix-{number}", on_click=session.change, kwargs=changes, disabled=applied,
        )  # fmt: skip
