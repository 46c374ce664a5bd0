"""The threshold of the Network page, with precision and recall at it."""

import math
from dataclasses import replace

import pandas as pd
import streamlit as st

from ....analysis.edges import tie_values
from ....analysis.interpretation import format_number
from ....data.negatives import estimated_from, sampled_pairs
from ....plots.precision_recall import operating_points
from ....runs import sampled_entries
from ....typing import Array
from ...state import current_run, run_cache
from ...state.current_run import split_description
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown, signed
from . import network_texts as texts
from .network_view import View


def choose_thresholds(view: View) -> View:
    """Draw the slider, in the score of the first method; a second one predicts the same fraction of held-out pairs."""
    view = replace(view, tie_from=_choose_tie(view))
    first, *others = (view.pairs(label) for label in view.labels)
    low, high, step = _scale(first.score)
    start = min(max(round(first.threshold_for(first.train_tie_fraction) / step) * step, low), high)
    threshold = inputs.slider("Threshold", "network.threshold", low, high, step, start, help=texts.THRESHOLD_HELP)
    fraction = first.fraction_above(threshold)
    return replace(view, thresholds=(threshold, *(pairs.threshold_for(fraction) for pairs in others)))


def _choose_tie(view: View) -> float:
    """The value from which on a relationship counts as a tie: a menu, if the relation has several values."""
    ties = tie_values(view.result.data, view.relation)
    if len(ties) == 1:
        return next(iter(ties.values()))
    labels = {
        name: f"{name}: {format_number(ties[name])} or more" if name.startswith("upper") else name for name in ties
    }
    help_ = texts.TIE_HELP.format(kind=texts.KINDS[view.relation_info().kind])
    return ties[inputs.choose("Treat as a tie", "network.tie", labels, help=help_)]


def _scale(scores: Array) -> tuple[float, float, float]:
    """Minimum, maximum and step of a slider over scores, in round numbers.

    >>> import numpy as np
    >>> _scale(np.array([-1.234, 2.5]))
    (-1.24, 2.52, 0.02)
    """
    low, high = (float(scores.min()), float(scores.max())) if scores.size else (0.0, 1.0)
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-6) / 200))
    step = next(step * factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 250)
    digits = max(0, -math.floor(math.log10(step)))
    first, last = math.floor(low / step) * step, (math.floor(high / step) + 1) * step
    return round(first, digits), round(last, digits), round(step, digits)


def render(view: View) -> None:
    """Draw precision and recall at the threshold as a point on the curve, and the counts."""
    if not view.result.is_tested:
        current_run.offer_test(view.result, "precision or recall")
        return
    curves, scores, points, lines = [], {}, {}, []
    for label, threshold in zip(view.labels, view.thresholds, strict=True):
        pairs = view.pairs(label)
        counts = pairs.counts(threshold)
        curves.append(pairs.curve().assign(method=label))
        scores[label] = pairs.average_precision()
        points[label] = (counts.recall, counts.precision)
        precision = f"{counts.precision:.3f}" if counts.hits + counts.false_alarms else "–"
        name = f"**{escape_markdown(label)}.** " if len(view.labels) > 1 else ""
        lines.append(name + texts.COUNTS.format(c=counts, p=precision, r=f"{counts.recall:.3f}"))
    if not 0 < counts.base_rate < 1:
        st.info(texts.NO_CURVE, icon=":material/info:")
        return
    data = pd.concat(curves)
    figures.show(
        lambda: operating_points(data, counts.base_rate, scores, points, dark=figures.dark()),
        "network-curve",
        cache_key=(view.result.key, view.relation, view.tie_from, view.labels, view.thresholds),
        alt=f"Precision and recall of {' and '.join(view.labels)} for {view.relation}, with the point at the threshold",
        height=250,
        data=data,
        caption=texts.CURVE_CAPTION + (texts.ALL_ENTRIES if sampled_entries(view.result.scores) else ""),
    )
    st.markdown("  \n".join(lines), help=texts.COUNTS_HELP)
    how = split_description(view.result.run)
    caption = texts.HELD_OUT.format(how=how and f" {how}")
    probability = run_cache.probability(view.result, view.labels[0], view.relation, view.thresholds[0])
    if not math.isnan(probability):
        caption += f" A score of {signed(view.thresholds[0])} is a probability of {probability:.0%}."
    test = view.result.test
    if estimated := estimated_from(sampled_pairs(test, test.relation_index(view.relation))):
        caption += f" Counts, precision and recall are {estimated}."
    if len(view.labels) > 1:
        caption += texts.SECOND_THRESHOLD.format(method=view.labels[1], threshold=signed(view.thresholds[1]))
    st.caption(escape_markdown(caption))
