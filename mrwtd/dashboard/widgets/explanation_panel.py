"""Explanation of a prediction: the contributions of the factors, and the most influential known relationships."""

import math

import pandas as pd
import streamlit as st

import mrwtd

from ...analysis.interpretation import format_number
from ...analysis.pair_predictions import known_relationships
from ...model.explanation import Explanation
from ...plots.bars import contributions
from ..state import run_cache
from ..state.current_run import Result
from . import figures
from .formatting import arrow, escape_markdown, signed
from .tables import with_minus_signs

TOP = 6

TERMS = (
    "Each bar is the contribution of two factors to $x = b + \\sum_{fg} p_{if} R_{fg} p_{jg}$, where $p$ are the "
    "factors of both objects on the principal axes of A."
)

NEGLIGIBLE = 0.005
"""Contributions below this are shown as 0.00."""


def factors(result: Result, label: str, source: str, target: str, relation: str, name: str) -> None:
    """The contributions of the factors to a score. `name` is part of the file name of the download."""
    why = run_cache.explanation(result, label, source, target, relation)
    if why is None:
        others = [other for other, model in result.models.items() if hasattr(model, "explain")]
        also = f" Choose {escape_markdown(', '.join(others))} to see an explanation." if others else ""
        st.info(f"The scores of {escape_markdown(label)} are not a sum over factors.{also}", icon=":material/info:")
        return
    members = len(getattr(result.models[label], "members_", ()))
    mean = f" Every number is the mean over {members} refits." if members > 1 else ""
    st.markdown(_score_sentence(why, result.data.relations[result.data.relation_index(relation)]))
    figures.show_bars(
        [contributions(why, TOP, dark=figures.dark())],
        f"why-{name}",
        why.factors,
        caption=f"{TERMS}{mean}",
    )


def known_entries(result: Result, label: str, source: str, target: str, relation: str) -> None:
    """The known relationships of both objects that influence a score most."""
    why = run_cache.explanation(result, label, source, target, relation)
    if why is None:
        return
    known = known_relationships(why, TOP)
    if known.empty:
        st.markdown("This score cannot be attributed to single training entries.")
        return
    st.markdown("**Most influential known relationships**")
    columns = zip(known["source"], known["relation"], known["target"], known["value"], strict=True)
    table = {
        "acts on": known["of"],
        "known relationship": [_entry_text(result.data, *entry) for entry in columns],
        "influence": known["contribution"],
    }
    st.dataframe(
        with_minus_signs(pd.DataFrame(table), {"influence": "+.3f"}),
        hide_index=True,
        height=250,
        column_config={
            "acts on": st.column_config.TextColumn(help="The object whose factors it shapes", width="small"),
            "known relationship": st.column_config.TextColumn(width="medium"),
            "influence": st.column_config.NumberColumn(
                help="Its contribution to the score; those of each object add up to it", width="small"
            ),
        },
        alt="The known relationships of both objects that influence the score most",
    )
    unexplained = max((abs(rest) for rest in why.left_over if math.isfinite(rest)), default=0.0)
    early = unexplained > 0.1 * max(abs(why.x - why.bias), 0.1)
    st.caption(
        "Each relationship shapes the factors of one of the two objects, for (+) or against (−) this tie. The "
        "influences on one object add up to the contribution of the factors"
        + (", only roughly here: the fit has not converged." if early else ".")
    )


def _score_sentence(why: Explanation, relation: mrwtd.Relation) -> str:
    score, added = f"**Score {signed(why.x)}**", why.x - why.bias
    if abs(added) < NEGLIGIBLE:
        return f"{score}: the bias of the relation. The factors of the two objects add nothing."
    sign, effect = ("+", "increase the value") if added > 0 else ("−", "decrease the value")
    if relation.kind == "binary":
        effect = "speak for a tie" if added > 0 else "speak against a tie"
    return f"{score} = {signed(why.bias)} (relation bias) {sign} {abs(added):.2f} (factors, which {effect})"


def _entry_text(data: mrwtd.RelationalData, source: str, name: str, target: str, value: float) -> str:
    relation = data.relations[data.relation_index(name)]
    return f"{source} {arrow(relation)} {target}, {name}: {value_text(relation, value)}"


def value_text(relation: mrwtd.Relation, value: float) -> str:
    """A known value as text.

    >>> value_text(mrwtd.Relation("likes", "binary", True), -1.0)
    'no tie'
    >>> value_text(mrwtd.Relation("flights", "count", True), 11_220.0)
    '11,220'
    """
    if relation.kind == "binary":
        return "tie" if value > 0 else "no tie"
    return format_number(value)


def pair_text(relation: mrwtd.Relation, source: str, target: str) -> str:
    """Two objects as Markdown, with an arrow between them if the relation is directed.

    >>> pair_text(mrwtd.Relation("likes", "binary", True), "ann", "bob")
    'ann → bob'
    """
    return f"{escape_markdown(source)} {arrow(relation)} {escape_markdown(target)}"
