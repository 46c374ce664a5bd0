"""The sections of the Compare page. Only the chosen one is computed."""

from __future__ import annotations

import streamlit as st

from ...jobs.training import sample_note
from ...state import current_run
from ...state.current_run import held_out
from ...widgets import inputs
from . import calibration_and_errors, compare_cache, loss_lab, missing_vs_zero, pr_curves, table, two_runs

SECTIONS = {
    "curves": ("PR curves", pr_curves.show),
    "table": ("Table", table.show),
    "runs": ("Run A and B", two_runs.show),
    "losses": ("Loss lab", loss_lab.show),
    "phantom": ("Phantom zeros", missing_vs_zero.show),
    "trust": ("Right and wrong", calibration_and_errors.show),
}
"""What each section is called, and what draws it."""


def render() -> None:
    """Draw the page."""
    st.title("Compare")
    result = current_run.current()
    st.markdown(
        compare_cache.verdict(compare_cache.standings(result), "On this split"), help=compare_cache.scores_help()
    )
    st.caption(" ".join(filter(None, [held_out(result.run), sample_note(result.scores)])))
    section = inputs.choose(
        "What to look at",
        "compare.section",
        tuple(SECTIONS),
        # Curves are for binary relations: where there are none, the scores are what there is to see.
        begin=list(SECTIONS).index("curves" if compare_cache.binary(result) else "table"),
        show=lambda name: SECTIONS[name][0],
        style="buttons",
        labelled=False,
    )
    SECTIONS[section][1](result)
