"""The Predict page: two objects, the best unknown pairs, and a new object."""

import streamlit as st

from ....data.negatives import estimated_from, sampled_pairs
from ...state import current_run
from ...widgets import inputs, pickers
from . import best_unknown_pairs, new_object, two_objects
from . import predict_texts as texts

VIEWS = {
    "Two objects": two_objects.render,
    "Best unknown pairs": best_unknown_pairs.render,
    "A new object": new_object.render,
}
"""The sections by name, which is also their value in URLs."""


def render() -> None:
    """Draw the page."""
    st.title("Predict")
    result = current_run.current()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = inputs.choose(texts.QUESTION, "predict.view", list(VIEWS), style="buttons", help=texts.QUESTION_HELP)
        label = inputs.choose("Method", "method", list(result.models))
        relation = pickers.relation_picker(result.data_name)
    k = result.data.relation_index(relation)
    if estimated := estimated_from(sampled_pairs(result.data, k)):
        st.caption(texts.SAMPLED.format(estimated=estimated))
    if not result.is_tested:
        current_run.offer_test(result, "way to tell which predictions to trust")
    VIEWS[view](result, label, result.data.relations[k])
