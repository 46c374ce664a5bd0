"""MIT Reality Mining and Social Evolution: two data sets of the paper whose files each user has to apply for."""

from __future__ import annotations

import streamlit as st

import mrwtd

from ....data.datasets.samples import dataset_info, load_dataset
from ...shell import page
from ...state import keys, user_datasets
from ...widgets.formatting import escape_markdown
from ...widgets.lazy_expander import lazy_expander
from . import upload, upload_reader
from .data_texts import MIT_TERMS, MIT_TITLE, STILL_IN_USE


def render() -> None:
    """Draw where to get the files, and the fields to upload them."""
    with lazy_expander(MIT_TITLE, "mit", icon=":material/school:") as is_open:
        for name in ("reality-mining", "social-evolution") if is_open else ():
            _dataset(name)


def _dataset(name: str) -> None:
    sample = dataset_info(name)
    st.markdown(f"**{escape_markdown(sample.title)}**. {sample.question}")
    st.caption(f"{escape_markdown(sample.citation)} {MIT_TERMS}")
    key = upload.widget_key(keys.MIT + name)
    files = st.file_uploader(f"Files of {sample.title}", accept_multiple_files=True, key=key)
    if files and st.button(f"Use {sample.title}", key=f"use-{name}"):
        try:
            data = load_dataset(name, folder=upload_reader.joined(files))
        except mrwtd.DataError as error:
            page.show_data_error(error)
            st.caption(STILL_IN_USE)
            return
        upload.use(user_datasets.save(data, [file.name for file in files], dataset=name), data, "mit")
