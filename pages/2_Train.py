"""Choose a loss for each relation, the rank and λ, and train."""

import streamlit as st

from mrwtd.dashboard import frame, live, losses_table, outcome, results, train

ICON = ":material/bolt:"

with frame.page("Train") as settings:
    st.title("Train")
    relations, options = st.columns([5, 3], gap="medium")
    with relations:
        losses_table.table(settings)
        train.suggest_rank(settings)
    with options:
        train.options(settings)
        train.start_button(settings)
    if live.looked_at() is not None:
        live.panel()
    elif (result := results.current_or_none()) is not None:
        outcome.show(result)
