"""The paper's experiments: accuracy, rank, time and memory, beside the paper's own numbers."""

import streamlit as st

from mrwtd.dashboard import experimenting, frame

ICON = ":material/science:"

with frame.page("Experiments"):
    st.title("Experiments")
    experiment = experimenting.choose()
    asked, found = st.columns([2, 5], gap="medium")
    with asked:
        options = experimenting.ask(experiment)
        experimenting.controls(experiment, options)
    with found:
        experimenting.outcome(experiment, options)
