"""Choose or upload a data set, and see which relations it holds and what they look like."""

import streamlit as st

from mrwtd.dashboard import frame, overview

ICON = ":material/database:"

with frame.page("Data") as settings:
    st.title("Data")
    table, picture = st.columns([10, 11], gap="medium")
    with table:
        overview.choose_data(settings)
        overview.relations_table(settings)
        overview.upload()
    with picture:
        overview.adjacency_picture(settings)
