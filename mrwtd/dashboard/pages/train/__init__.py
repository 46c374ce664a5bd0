"""The Train page: a loss for each relation, options, and the results of a training."""

from __future__ import annotations

import streamlit as st

from ...jobs import job_status
from ...state import current_run
from ...state.settings import Settings
from . import losses_table, options, results_panel


def render(settings: Settings) -> None:
    """Draw the page."""
    st.title("Train")
    relations, controls = st.columns([5, 3], gap="medium")
    with relations:
        losses_table.table(settings)
        options.suggest_rank(settings)
    with controls:
        options.options(settings)
        options.start_button(settings)
    if job_status.shown_training() is not None:
        job_status.training_panel()
    elif (result := current_run.current_or_none()) is not None:
        results_panel.show(result)
