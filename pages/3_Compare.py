"""Which method is best, where, and why: curves, a table, two runs, losses, phantom zeros, mistakes."""

import streamlit as st

from mrwtd.dashboard import comparison, frame, results

ICON = ":material/compare_arrows:"

with frame.page("Compare") as settings:
    st.title("Compare")
    comparison.show(results.current())
