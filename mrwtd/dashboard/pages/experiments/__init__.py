"""The Experiments page: the experiments of the paper."""

from __future__ import annotations

import streamlit as st

from . import experiment_panel


def render() -> None:
    """Draw the page."""
    st.title("Experiments")
    experiment = experiment_panel.choose()
    controls, results = st.columns([2, 5], gap="medium")
    with controls:
        options = experiment_panel.ask(experiment)
        experiment_panel.controls(experiment, options)
    with results:
        experiment_panel.outcome(experiment, options)
