"""The sections of the Compare page. Only the chosen one is computed."""

from __future__ import annotations

import streamlit as st

from .. import inputs
from ..results import Result, held_out
from ..training import sample_note
from . import computed, curves, loss_lab, phantom, runs, table, trust

SECTIONS = {
    "curves": ("PR curves", curves.show),
    "table": ("Table", table.show),
    "runs": ("Run A and B", runs.show),
    "losses": ("Loss lab", loss_lab.show),
    "phantom": ("Phantom zeros", phantom.show),
    "trust": ("Right and wrong", trust.show),
}
"""What each section is called, and what draws it."""


def show(result: Result) -> None:
    """The verdict in a sentence, the choice of a section, and that section."""
    st.markdown(computed.verdict(computed.standings(result), "On this split"), help=computed.scores_help())
    st.caption(" ".join(filter(None, [held_out(result.run), sample_note(result.scores)])))
    section = inputs.choose(
        "What to look at",
        "compare.section",
        tuple(SECTIONS),
        # Curves are for binary relations: where there are none, the scores are what there is to see.
        begin=list(SECTIONS).index("curves" if computed.binary(result) else "table"),
        show=lambda name: SECTIONS[name][0],
        style="buttons",
        labelled=False,
    )
    SECTIONS[section][1](result)
