"""Ask about two objects, the likeliest unknown ties, or somebody new."""

import streamlit as st

from mrwtd.dashboard import frame, predict, results

ICON = ":material/quiz:"

with frame.page("Predict") as settings:
    st.title("Predict")
    predict.sections(results.current())
