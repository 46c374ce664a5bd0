"""The paper's experiments: accuracy, rank, time and memory, beside the paper's own numbers."""

import streamlit as st

from mrwtd.dashboard import experimenting, frame

ICON = ":material/science:"

with frame.page("Experiments"):
    st.title("Experiments")
    experiment, options = experimenting.choose()
    experimenting.controls(experiment, options)
    experimenting.outcome(experiment, options)
