"""The Compare page: one section at a time, so that only the chosen one is computed."""

import streamlit as st

from ....evaluation.standings import standings_over_splits
from ...jobs.training import sample_note
from ...state import current_run, user_datasets
from ...state.current_run import split_description
from ...state.stored_splits import read_splits
from ...widgets import inputs
from . import (
    calibration_and_errors,
    compare_cache,
    compare_two_runs,
    loss_lab,
    missing_vs_zero,
    pr_curves,
    ranking,
    table,
)
from . import compare_texts as texts

SECTIONS = {
    "curves": ("PR curves", pr_curves.render),
    "table": ("Table", table.render),
    "ranking": ("Ranking", ranking.render),
    "runs": ("Compare two runs", compare_two_runs.render),
    "losses": ("Loss lab", loss_lab.render),
    "phantom": ("Missing vs. zero", missing_vs_zero.render),
    "trust": ("Calibration and errors", calibration_and_errors.render),
}
"""The label of each section and the function that draws it, by its name in URLs."""

FITTING = ("losses", "phantom")
"""The sections that fit methods. They are not shown for the data of another user."""


def render() -> None:
    """Draw the page."""
    st.title("Compare")
    result = current_run.current(says_which_split=False)
    if not result.is_tested:
        current_run.offer_test(result, "score to compare")
        return
    only_ranked = result.scores["value"].isna().all() and ranking.count_ties(result) > 0
    stored = read_splits(result.run)
    if only_ranked:
        verdict = texts.ONLY_RANKED
    elif stored is not None:
        verdict = texts.verdict(standings_over_splits(stored.scores), f"Over {stored.number} splits,")
    else:
        verdict = texts.verdict(compare_cache.standings(result), "On this split,")
    st.markdown(verdict, help=texts.scores_help())
    several = "" if stored is None else texts.STORED_SPLITS.format(splits=stored.number)
    if notes := " ".join(filter(None, [several, split_description(result.run), sample_note(result.scores)])):
        st.caption(notes)
    # Only binary relations have curves; without them the page starts with the table of scores.
    has_curves = bool(compare_cache.binary_relations(result)) and stored is None  # or those of one split come first
    default = "curves" if has_curves else "ranking" if only_ranked else "table"
    may_copy = user_datasets.may_copy(result.data_name)
    labels = {name: label for name, (label, _) in SECTIONS.items() if may_copy or name not in FITTING}
    section = inputs.choose("Section", "compare.section", labels, default=default, style="tabs")
    SECTIONS[section][1](result)
