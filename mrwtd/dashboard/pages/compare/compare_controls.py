"""Menus, the threshold and figures that several sections of the Compare page share."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import streamlit as st

from ....data.relational import RelationalData
from ....evaluation.curves import Confusion
from ....metrics import METRICS
from ....plots.calibration import score_distributions
from ....plots.score_curves import dumbbells
from ....typing import Array
from ...state.current_run import Result
from ...widgets import figures, inputs, pickers
from . import compare_cache
from . import compare_texts as texts


def choose_relation(result: Result, names: Sequence[str] = ()) -> str:
    """The menu of relations, which may be limited to `names`."""
    return pickers.relation_picker(result.data_name, names, help=texts.RELATION_HELP)


def choose_method(result: Result) -> str:
    """The menu of methods."""
    return inputs.choose("Method", "method", tuple(result.models), help=texts.METHOD_HELP)


def choose_threshold(result: Result, method: str) -> float:
    """The slider of the threshold on the score x, with one range per method in all sections of the page.

    The range covers the test scores of the method in every binary relation, and always 0, where the threshold starts.
    The range of a single relation would change with the section, and a threshold outside of it would be lost.
    """
    binary = [relation.name for relation in result.data.relations if relation.kind == "binary"]
    scores = [compare_cache.truth_and_scores(result, method, name)[1] for name in binary]
    finite = np.concatenate([np.zeros(1), *(x[np.isfinite(x)] for x in scores)])
    low, high = float(finite.min()), float(finite.max())
    step = float(10.0 ** np.floor(np.log10(max(high - low, 0.5) / 50)))
    ends = float(np.floor(low / step) * step), float((np.floor(high / step) + 1) * step)
    return inputs.slider("Threshold on the score x", "compare.threshold", *ends, step, 0.0, help=texts.THRESHOLD_HELP)


def show_distributions(
    test: RelationalData, x: Array, x_range: tuple[float, float], name: str, *, loss: str | None = None, height: int
) -> None:
    """The distributions of the score x for ties and non-ties, with the loss below if there is one."""
    figure = score_distributions(x, test.y, loss, x_range, dark=figures.dark())
    alt = f"Distribution of x for ties and non-ties of {test.relations[0].name}, {name}"
    figures.show(
        figure, name, alt=alt, height=height, data=lambda: test.to_frame().drop(columns="weight").assign(score=x)
    )


def show_changes(changes: pd.DataFrame, data: pd.DataFrame, name: str, labels: Sequence[str], note: str = "") -> None:
    """The scores A and B of each relation, one figure per metric; `data` is for the download."""
    for metric in changes["metric"].unique():
        figure, rows = dumbbells(changes, metric, *labels, dark=figures.dark()), data[data["metric"] == metric]
        alt = f"{METRICS[metric].label} of each relation: {' and '.join(labels)}"
        caption = f"{note}{METRICS[metric].direction.capitalize()} is better."
        figures.show(figure, f"{name}-{metric}", alt=alt, data=rows, caption=caption)


def show_confusion(counts: Confusion) -> None:
    """Precision, recall, F1 and base rate at a threshold."""
    left, right = st.columns(2)
    positive = counts.hits + counts.false_alarms
    # Without predicted ties the precision is 1 by convention, which makes sense for curves only.
    left.metric("Precision", f"{counts.precision:.3f}" if positive else "–", help=texts.PRECISION_HELP)
    right.metric("Recall", f"{counts.recall:.3f}", help=texts.RECALL_HELP)
    left.metric("F1", f"{counts.f1:.3f}", help=texts.F1_HELP)
    right.metric("Base rate", f"{counts.base_rate:.3f}", help=texts.BASE_RATE_HELP)
    ties = counts.hits + counts.misses
    st.caption(texts.PREDICTED_TIES.format(predicted=positive, entries=counts.entries, ties=ties))
