"""The Predict page: two objects, the best unknown pairs, and a new object."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ...state import current_run, user_datasets
from ...state.current_run import Result
from ...widgets import inputs
from . import best_unknown_pairs, new_object, two_objects


def render() -> None:
    """Draw the page: one of its three questions."""
    st.title("Predict")
    result = current_run.current()
    views: dict[str, Callable[[Result, str, str], None]] = {
        "Two objects": two_objects.section,
        "Best unknown pairs": best_unknown_pairs.section,
        "A new object": new_object.section,
    }
    question, how, which = st.columns([5, 2, 2], vertical_alignment="bottom")
    with question:
        view = inputs.choose(
            "What do you want to know?", "predict.view", list(views), style="buttons",
            help="How two objects relate, which ties are likely and not known, or how somebody new fits in.",
        )  # fmt: skip
    with how:
        label = inputs.choose("Method", "method", list(result.models))
    within = user_datasets.choices(result.data_name)
    with which:
        relation = inputs.choose("Relation", "relation", within.relations, index=within.default_relation)
    views[view](result, label, relation)
