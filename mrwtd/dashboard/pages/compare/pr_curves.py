"""PR curves: precision against recall by relation and method, with the operating point of a threshold."""

from dataclasses import replace

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from ....evaluation.curves import mean_curves
from ....plots.precision_recall import precision_recall, precision_recall_bands, small_multiples
from ...shell import mobile
from ...state.current_run import Result
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown, signed
from . import compare_cache, compare_controls, splits
from . import compare_texts as texts

VIEWS = {"all": "All relations", "one": "One relation"}
PANELS = "precision-recall"
LONG_NAME = 14
"""Relation names with more letters than this need wider panels."""

PANEL_WIDTH = 130
"""The minimum width of a panel in pixels, so that titles do not overlap."""

HEIGHT = 430


def render(result: Result) -> None:
    """Draw the curves of all relations as small panels, or those of one relation in detail."""
    names = compare_cache.binary_relations(result)
    if not names:
        st.info(texts.NO_CURVES, icon=":material/info:")
        return
    view = "one"
    with st.container(horizontal=True):
        if len(names) > 1:
            view = inputs.choose("Show", "compare.view", VIEWS, style="buttons")
        if view == "one":
            relation = compare_controls.choose_relation(result, names)
        method = compare_controls.choose_method(result)
        if view == "all":
            threshold = compare_controls.choose_threshold(result, method)
    if view == "one":
        _one_relation(result, relation, method)
    else:
        _all_relations(result, names, method, threshold)


def _all_relations(result: Result, names: list[str], method: str, threshold: float) -> None:
    columns = _columns(names)
    if columns > 3:
        # In a narrow window, whose width only the browser knows, panels keep their width and scroll sideways.
        panels = f".st-key-figure-{PANELS}"
        style = f"{panels} {{ overflow-x: auto }} {panels} > div {{ min-width: {columns * PANEL_WIDTH}px }}"
        st.html(f"<style>{style}</style>")
    figures.show(
        lambda: _panels(result, names, method, threshold, columns),
        PANELS,
        cache_key=(result.key, method, threshold, columns),
        alt=f"Precision against recall of {len(names)} relations, one panel per relation and one line per method",
        data=lambda: compare_cache.curves(result),
        caption=texts.PANELS_CAPTION.format(method=escape_markdown(method), threshold=signed(threshold, "g")),
    )
    with st.expander("How to read these curves", icon=":material/school:"):
        st.markdown(texts.HOW_TO_READ_CURVES)


def _panels(result: Result, names: list[str], method: str, threshold: float, columns: int) -> go.Figure:
    standings, rates = compare_cache.standings(result), compare_cache.base_rates(result)
    best = standings[standings["best"] & standings["relation"].isin(names)]
    ambiguous = set(best.loc[best["relation"].duplicated(), "relation"])
    best = best.drop_duplicates("relation").set_index("relation").loc[names]
    labels = [
        # In narrow panels there is no room for the name of the best method.
        f"{row.value:.2f}" + (f" {row.method}" if columns <= 4 and row.Index not in ambiguous else "")
        for row in best.itertuples()
    ]
    relations = pd.DataFrame({"relation": names, "base_rate": [rates[name] for name in names], "label": labels})
    marks = {}
    for name in names:
        counts = compare_cache.confusion_at(result, method, name, threshold)
        marks[name] = (counts.recall, counts.precision)
    curves = compare_cache.curves(result)
    return small_multiples(curves, relations, (method, marks), columns=columns, dark=figures.dark())


def _one_relation(result: Result, relation: str, method: str) -> None:
    picture, numbers = st.columns([7, 3], gap="medium")
    with numbers:
        chosen = splits.choose(result, "menu")
        threshold = compare_controls.choose_threshold(result, method)
        counts = compare_cache.confusion_at(result, method, relation, threshold)
        compare_controls.show_confusion(counts)
        with st.popover("How to read this", icon=":material/school:", type="tertiary"):
            st.markdown(texts.HOW_TO_READ_CURVES)
    with picture:
        if chosen.number > 1:
            _mean_curves(result, relation, counts.base_rate, chosen)
            return
        standings = compare_cache.standings(result)
        standings = standings[standings["relation"] == relation]
        areas = dict(zip(standings["method"], standings["value"].astype(float), strict=True))
        curves = compare_cache.curves(result, relation, compare_cache.DETAIL_POINTS)
        mark = {method: (counts.recall, counts.precision)}
        figures.show(
            lambda: precision_recall(curves, counts.base_rate, areas, mark, dark=figures.dark()),
            f"precision-recall-{relation}",
            cache_key=(result.key, method, threshold),
            alt=f"Precision against recall of {relation}, one line per method",
            data=curves,
            height=HEIGHT,
            caption=texts.CURVES_CAPTION,
        )


def _mean_curves(result: Result, relation: str, base_rate: float, chosen: splits.Splits) -> None:
    """Mean curves over several splits or folds, with bands of one standard deviation."""
    repeated = splits.fit_on_splits(result, chosen)
    if repeated is None:
        return
    curves = mean_curves(repeated.curves[repeated.curves["relation"] == relation])
    scores = repeated.scores
    scores = scores[(scores["relation"] == relation) & (scores["metric"] == "auprc")]
    means = scores.groupby("method", sort=False)["value"].agg(["mean", "std"])
    areas = {str(name): (float(mean), float(std)) for name, mean, std in means.itertuples()}
    figure, name = precision_recall_bands(curves, base_rate, areas, dark=figures.dark()), f"{PANELS}-splits-{relation}"
    alt = f"Mean precision against recall of {relation} over {chosen}, one band per method"
    done = replace(chosen, number=repeated.number)
    caption = texts.MEAN_CURVES_CAPTION.format(splits=done)
    figures.show(figure, name, alt=alt, data=curves, height=HEIGHT, caption=caption)


def _columns(names: list[str]) -> int:
    """Panels per row: fewer for long names, and two on mobile devices."""
    if mobile.is_mobile():
        return 2
    panels, long = len(names), max(map(len, names)) > LONG_NAME
    if panels > 8:
        return (6 if panels > 24 else 4) if long else (8 if panels > 24 else 6)
    return panels if panels <= 4 else 3 if panels <= 6 else 4
