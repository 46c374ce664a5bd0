"""See what is known, predicted and missed of a relation, as a network."""

import streamlit as st

from mrwtd.dashboard import frame, network, results

ICON = ":material/hub:"

with frame.page("Network") as settings:
    st.title("Network")
    network.sections(results.current())
