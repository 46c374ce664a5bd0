"""The Data page: choose or upload a data set, and see its relations."""

import streamlit as st

from ...state import user_datasets
from ...state.settings import Settings
from ...widgets.formatting import escape_markdown
from . import data_texts as texts
from . import editing, my_data, overview, pictures, upload


def render(settings: Settings) -> None:
    """Draw the page."""
    st.title("Data")
    if editing.is_open(settings):
        editing.render(settings)
    elif upload.render():  # what is below belongs to another data set than what was just uploaded
        st.divider()
        st.subheader(texts.IN_USE.format(escape_markdown(user_datasets.title(settings.data))))
    left, right = st.columns([21, 19], gap="medium")  # the table of relations is wider than the picture
    with left:
        overview.render(settings)
        my_data.render()
    with right:
        pictures.render(settings)
