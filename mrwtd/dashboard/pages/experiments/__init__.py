"""The Experiments page: the experiments of the paper."""

from __future__ import annotations

import streamlit as st

from . import experiment_controls, experiment_results


def render() -> None:
    """Draw the page."""
    st.title("Experiments")
    experiment = experiment_controls.choose()
    controls, results = st.columns([2, 5], gap="medium")
    with controls:
        options = experiment_controls.render(experiment)
    with results:
        experiment_results.render(experiment, options)
