"""Choose or upload a data set, and see which relations it holds and what they look like."""

import streamlit as st

from mrwtd.dashboard import frame, overview, own_data, uploading

ICON = ":material/database:"

with frame.page("Data") as settings:
    st.title("Data")
    uploading.section()
    facts, pictures = st.columns(2, gap="medium")
    with facts:
        overview.choose_data(settings)
        overview.relations_table(settings)
        own_data.section()
        own_data.mit_section()
    with pictures:
        overview.pictures(settings)
