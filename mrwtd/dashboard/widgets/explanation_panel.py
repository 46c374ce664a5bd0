"""Why a pair is predicted, on a page: the sum of factors, and the known relationships that shaped it."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

import mrwtd

from ...analysis.explanations import known_relationships
from ...analysis.interpretation import format_number
from ...model.explanation import Explanation
from ...plots.score_parts import contributions
from ..state import run_cache
from ..state.current_run import Result
from . import figures
from .formatting import escape_markdown

TOP = 6

NOTHING = 0.005
"""What factors add is written as 0.00 below this."""


def section(result: Result, label: str, source: str, target: str, relation: str, name: str) -> None:
    """Why the method says what it does of a pair: factors, and beside them known relationships."""
    bars, known = st.columns([2, 3], gap="medium")
    with bars:
        factors(result, label, source, target, relation, name)
    with known:
        known_entries(result, label, source, target, relation)


def factors(result: Result, label: str, source: str, target: str, relation: str, name: str) -> None:
    """The sum of factors behind a score. `name` tells its file from others."""
    why = run_cache.explanation(result, label, source, target, relation)
    if why is None:
        others = [other for other, model in result.models.items() if hasattr(model, "explain")]
        also = f" Choose {escape_markdown(', '.join(others))} to see reasons." if others else ""
        st.info(
            f"{escape_markdown(label)} scores pairs without factors that could be taken apart.{also}",
            icon=":material/info:",
        )
        return
    st.markdown(_sentence(why, result.data.relations[result.data.relation_index(relation)]))
    figures.show_bars(
        [contributions(why, TOP, dark=figures.dark())],
        f"why-{name}",
        why.factors,
        caption="Factor by factor along the principal axes of A, they add up to the score: x = b + Σ aᵢ R aⱼ."
        + _member(result, label),
    )


def known_entries(result: Result, label: str, source: str, target: str, relation: str) -> None:
    """The known relationships of both that weigh most in a score."""
    why = run_cache.explanation(result, label, source, target, relation)
    if why is None:
        return
    data = result.data
    found = known_relationships(why, TOP)
    if found.empty:
        st.markdown("This score cannot be taken back to single training entries.")
        return
    st.markdown("**Known relationships that weigh most**")
    st.dataframe(
        pd.DataFrame(
            {
                "of": found["of"],
                "known relationship": [_words(data, *row) for row in _rows(found)],
                "weighs": found["contribution"],
            }
        ),
        hide_index=True,
        height=250,
        column_config={
            "of": st.column_config.TextColumn(
                "shapes", help="Whose factors this known relationship shapes", width="small"
            ),
            "known relationship": st.column_config.TextColumn(width="medium"),
            "weighs": st.column_config.NumberColumn(
                format="%+.3f", help="What it adds to the score; those of each object add up to it", width="small"
            ),
        },
        alt="The known relationships of both objects that weigh most in the score",
    )
    left = [abs(part) for part in why.left_over if math.isfinite(part)]
    early = bool(left) and max(left) > 0.1 * max(abs(why.x - why.bias), 0.1)
    st.caption(
        "Each shapes the factors of one of the two, for (+) or against (−) this tie; those of one object add up to "
        "what the factors give" + (", here not exactly, as the fit ended before its minimum." if early else ".")
    )


def _member(result: Result, label: str) -> str:
    """Of an ensemble, every number is a mean."""
    members = len(getattr(result.models[label], "members_", ()))
    if members < 2:
        return ""
    return f" Every number is the mean over {members} refits."


def _sentence(why: Explanation, relation: mrwtd.Relation) -> str:
    if abs(why.x - why.bias) < NOTHING:
        return f"**Score {why.x:+.2f}**: that of the relation alone. The factors of both add nothing to it."
    more = why.x > why.bias
    effect = "make it larger" if more else "make it smaller"
    if relation.kind == "binary":
        effect = "speak for a tie" if more else "speak against a tie"
    return (
        f"**Score {why.x:+.2f}** = {why.bias:+.2f}, which the relation alone says, {why.x - why.bias:+.2f} from the "
        f"factors of both, which {effect}."
    )


def _rows(found: pd.DataFrame) -> list[tuple[str, str, str, float]]:
    return list(zip(found["source"], found["relation"], found["target"], found["value"], strict=True))


def _words(data: mrwtd.RelationalData, source: str, relation: str, target: str, value: float) -> str:
    own = data.relations[data.relation_index(relation)]
    between = "→" if own.directed else "–"
    return f"{source} {between} {target}, {relation}: {value_text(own, value)}"


def value_text(relation: mrwtd.Relation, value: float) -> str:
    """A known value in words.

    >>> value_text(mrwtd.Relation("likes", "binary", True), -1.0)
    'no tie'
    >>> value_text(mrwtd.Relation("flights", "count", True), 11_220.0)
    '11,220'
    """
    if relation.kind == "binary":
        return "tie" if value > 0 else "no tie"
    return format_number(value)


def pair_text(relation: mrwtd.Relation, source: str, target: str) -> str:
    """Two objects as Markdown, with an arrow where direction matters.

    >>> pair_text(mrwtd.Relation("likes", "binary", True), "ann", "bob")
    'ann → bob'
    """
    return f"{escape_markdown(source)} {'→' if relation.directed else '–'} {escape_markdown(target)}"
