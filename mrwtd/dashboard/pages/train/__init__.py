"""The Train page: a loss for each relation, options, and the results of a training."""

import streamlit as st

from ...jobs import job_status
from ...state import current_run
from ...state.settings import Settings
from . import losses_table, options, results_panel


def render(settings: Settings) -> None:
    """Draw the page."""
    st.title("Train")
    if not settings.shared:
        left, right = st.columns([5, 3], gap="medium")
        with left:
            losses_table.render(settings)
            options.suggest_rank(settings)
        with right:
            options.render(settings)
    if job_status.shown_training() is not None:
        job_status.training_panel()
    elif (result := current_run.current_or_none()) is not None:
        results_panel.render(result)
        if settings.shared:
            st.caption(results_panel.settings_text(result))
