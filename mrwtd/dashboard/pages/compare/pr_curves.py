"""Precision–recall curves by relation and method, with the operating point of a threshold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from ....evaluation.curves import mean_curves
from ....evaluation.thresholds import Confusion, confusion
from ....plots.precision_recall import precision_recall, precision_recall_bands, small_multiples
from ...shell import mobile
from ...state.current_run import Result
from ...widgets import figures, inputs
from ...widgets.formatting import plain
from . import compare_cache, splits

VIEWS = {"all": "All relations", "one": "One relation"}
CURVES = "precision-recall"
LONG = 14
"""Names of more letters than this need wider panels."""

PANEL = 130
"""Many panels in a row have at least so many pixels each, so that no title runs into the next."""

HOW = (
    "Sort all test pairs by their score and call those from a threshold on ties. **Precision** is the share of these "
    "that are ties, **recall** the share of all ties that is found; a lower threshold moves along the curve to the "
    "right. The area under it is the AUPRC. Guessing scores the base rate (dotted)."
)


def show(result: Result) -> None:
    """The curves of all relations as small panels, or of one relation in detail."""
    names = compare_cache.binary(result)
    if not names:
        st.info(
            "Precision–recall curves are for binary relations with both ties and no ties among the test entries, and "
            "this run has none. The table has the scores of the other kinds.",
            icon=":material/info:",
        )
        return
    if len(names) == 1:
        left, right = st.columns(2)
        with left:
            relation = compare_cache.choose_relation(result, names)
        with right:
            method = compare_cache.choose_method(result, "The method whose operating point is marked")
        _one(result, relation, method)
        return
    left, middle, right = st.columns([3, 3, 4])
    with left:
        view = inputs.choose("Show", "compare.view", tuple(VIEWS), show=VIEWS.__getitem__, style="buttons")
    if view == "all":
        with middle:
            method = compare_cache.choose_method(result, "The method whose operating point is marked in every panel")
        with right:
            threshold = threshold_slider(result, method)
        _all(result, names, method, threshold)
        return
    with middle:
        relation = compare_cache.choose_relation(result, names)
    with right:
        method = compare_cache.choose_method(result, "The method whose operating point is marked")
    _one(result, relation, method)


def threshold_slider(result: Result, method: str) -> float:
    """A threshold on the score x: one for all sections of the page, with one range for a method.

    The range covers the test scores of the method in every binary relation, and always 0, where the threshold starts.
    A range of one relation alone would change with the section, and a threshold outside of it would be lost.
    """
    binary = [relation.name for relation in result.data.relations if relation.kind == "binary"]
    scores = [compare_cache.answers(result, method, name)[1] for name in binary]
    finite = np.concatenate([np.zeros(1), *(x[np.isfinite(x)] for x in scores)])
    low, high = float(finite.min()), float(finite.max())
    step = 10.0 ** np.floor(np.log10(max(high - low, 0.5) / 50))
    return inputs.slide(
        "Threshold on the score x",
        "compare.threshold",
        float(np.floor(low / step) * step),
        float((np.floor(high / step) + 1) * step),
        float(step),
        0.0,
        hint="Pairs with a score x of at least this are called ties, in every section of this page. 0 is where the "
        "losses see no difference.",
    )


def _all(result: Result, names: list[str], method: str, threshold: float) -> None:
    columns = _columns(names)
    if columns > 3:
        # Only the browser knows how wide its window is: in a narrow one panels keep their width and scroll sideways.
        own = f".st-key-figure-{CURVES}"
        st.html(f"<style>{own} {{ overflow-x: auto }} {own} > div {{ min-width: {columns * PANEL}px }}</style>")
    figures.show(
        lambda: _panels(result, names, method, threshold, columns),
        CURVES,
        made_of=(result.key, method, threshold, columns),
        alt=f"Precision against recall of {len(names)} relations, a panel each, a line for each method",
        data=lambda: compare_cache.curves(result),
        caption=f"Each panel is a relation: recall to the right, precision upwards, both from 0 to 1. The number is "
        f"the best AUPRC, the area under a curve. Marked: {plain(method)} at the threshold {threshold:g}.",
    )
    with st.expander("How to read these curves", icon=":material/school:"):
        st.markdown(HOW)


def _panels(result: Result, names: list[str], method: str, threshold: float, columns: int) -> go.Figure:
    curves, rates, found = (
        compare_cache.curves(result),
        compare_cache.base_rates(result),
        compare_cache.standings(result),
    )
    best = found[found["best"] & found["relation"].isin(names)]
    shared = set(best.loc[best["relation"].duplicated(), "relation"])
    best = best.drop_duplicates("relation").set_index("relation")
    few = columns <= 4  # else there is no room for the method's name
    relations = pd.DataFrame(
        {
            "relation": names,
            "base_rate": [rates[name] for name in names],
            "label": [
                f"{best['value'][name]:.2f}" + (f" {best['method'][name]}" if few and name not in shared else "")
                for name in names
            ],
        }
    )
    at = {name: confusion(*compare_cache.answers(result, method, name), threshold) for name in names}
    places = {name: (own.recall, own.precision) for name, own in at.items()}
    return small_multiples(curves, relations, (method, places), columns=columns, dark=figures.dark())


def _one(result: Result, relation: str, method: str) -> None:
    found = compare_cache.standings(result)
    own = found[found["relation"] == relation].set_index("method")["value"]
    curves = compare_cache.curves(result, relation, compare_cache.DETAIL_POINTS)
    picture, facts = st.columns([7, 3], gap="medium")
    y, x = compare_cache.answers(result, method, relation)
    with facts:
        count = splits.choose("menu")
        threshold = threshold_slider(result, method)
        at = confusion(y, x, threshold)
        numbers(at)
        with st.popover("How to read this", icon=":material/school:", type="tertiary"):
            st.markdown(HOW)
    if count > 1:
        with picture:
            _means(result, relation, at.base_rate, count)
        return
    with picture:
        figures.show(
            lambda: precision_recall(
                curves,
                at.base_rate,
                {str(name): float(value) for name, value in own.items()},
                (method, at.recall, at.precision),
                dark=figures.dark(),
            ),
            f"precision-recall-{relation}",
            made_of=(result.key, method, threshold),
            alt=f"Precision against recall of {relation}, a line for each method",
            data=lambda: curves,
            height=430,
            caption="In the legend: the area under each curve (AUPRC), and the base rate.",
        )


def _means(result: Result, relation: str, base_rate: float, count: int) -> None:
    """Mean curves over several splits, with bands."""
    repeated = splits.repeated(result, count)
    if repeated is None:
        return
    curves = mean_curves(repeated.curves[repeated.curves["relation"] == relation])
    scores = repeated.scores
    own = scores[(scores["relation"] == relation) & (scores["metric"] == "auprc")].groupby("method", sort=False)[
        "value"
    ]
    areas = {str(name): (float(values.mean()), float(values.std())) for name, values in own}
    figures.show(
        precision_recall_bands(curves, base_rate, areas, dark=figures.dark()),
        f"precision-recall-splits-{relation}",
        alt=f"Mean precision against recall of {relation} over {count} splits, a band for each method",
        data=lambda: curves,
        height=430,
        caption=f"Lines: mean precision over {scores['run'].nunique()} splits. Bands, and ± in the legend (AUPRC): one "
        "standard deviation. The numbers beside are of this split.",
    )


def numbers(at: Confusion) -> None:
    """Precision, recall and the rest at a threshold."""
    one, two = st.columns(2)
    called = at.hits + at.false_alarms
    precision = f"{at.precision:.3f}" if called else "–"  # 1 by convention, which is for curves
    one.metric("Precision", precision, help="Of the pairs called ties, the share that are")
    two.metric("Recall", f"{at.recall:.3f}", help="Of the ties, the share that is called so")
    one.metric("F1", f"{at.f1:.3f}", help="Harmonic mean of precision and recall")
    two.metric("Base rate", f"{at.base_rate:.1%}", help="The share of ties among all test pairs: what guessing scores")
    are = "is called a tie" if called == 1 else "are called ties"
    st.caption(f"{called:,} of {at.entries:,} test pairs {are}. True ties: {at.hits + at.misses:,}.")


def _columns(names: list[str]) -> int:
    """Panels in a row: fewer for long names, and on a telephone, as far as the browser says that it is one."""
    if mobile.in_use():
        return 2
    panels, long = len(names), max(map(len, names)) > LONG
    if panels > 8:
        return (6 if panels > 24 else 4) if long else (8 if panels > 24 else 6)
    return panels if panels <= 4 else 3 if panels <= 6 else 4
