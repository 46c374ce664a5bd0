"""What this is, a finished result, and samples to begin with."""

import streamlit as st

from mrwtd.dashboard import frame, start

ICON = ":material/home:"

with frame.page("Start") as settings:
    st.title("Relations of many kinds, learned together")
    start.introduction()
    samples, result = st.columns([5, 2], gap="medium")
    with samples:
        start.cards()
    with result:
        start.finished_result()
