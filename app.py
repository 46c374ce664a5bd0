"""Choose a data set, and see which relations it holds and what they look like."""

import streamlit as st

from mrwtd.dashboard import frame, overview

ICON = ":material/home:"

with frame.page("Start") as settings:
    st.title("Relations of many kinds, learned together")
    st.markdown(
        "People, places or concepts are often related in several ways at once, and much of it is not known. "
        "**mrwtd** looks at all relations together, each in its own unit, and keeps *not known* apart from *not so*."
    )
    table, picture = st.columns([10, 11], gap="medium")
    with table:
        overview.choose_data(settings)
        overview.relations_table(settings)
        overview.upload()
    with picture:
        overview.adjacency_picture(settings)
