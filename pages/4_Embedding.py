"""The objects as points: who is near whom, what the factors mean, and how the model came to it."""

import streamlit as st

from mrwtd.dashboard import embedding, frame, results

ICON = ":material/scatter_plot:"

with frame.page("Embedding"):
    st.title("Embedding")
    embedding.sections(results.current())
