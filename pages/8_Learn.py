"""Six short lessons, with live numbers: how it works, and why."""

import streamlit as st

from mrwtd.dashboard import frame, learn

ICON = ":material/school:"

with frame.page("Learn") as settings:
    st.title("Learn")
    learn.lessons(settings)
