"""The Predict page: two objects, the best unknown pairs, and a new object."""

from collections.abc import Callable

import streamlit as st

from ...state import current_run, user_datasets
from ...state.current_run import Result
from ...widgets import inputs
from . import best_unknown_pairs, new_object, two_objects
from . import predict_texts as texts

VIEWS: dict[str, Callable[[Result], None]] = {
    "Two objects": two_objects.render,
    "Best unknown pairs": best_unknown_pairs.render,
    "A new object": new_object.render,
}
"""The sections by name, which is also their value in URLs."""


def render() -> None:
    """Draw the page."""
    st.title("Predict")
    result = current_run.current()
    choices = user_datasets.choices(result.data_name)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = inputs.choose(texts.QUESTION, "predict.view", list(VIEWS), style="buttons", help=texts.QUESTION_HELP)
        inputs.choose("Method", "method", list(result.models))
        inputs.choose("Relation", "relation", choices.relations, index=choices.default_relation)
    VIEWS[view](result)
