"""Data of the user: the uploaded data sets, and two data sets of the paper whose files each user has to apply for."""

from datetime import datetime

import streamlit as st

import mrwtd

from ....data.datasets.samples import dataset_info
from ...jobs import job_status
from ...shell import page
from ...state import keys, session, storage, user_datasets
from ...state.settings import UPLOAD_PREFIX, Settings
from ...widgets.formatting import escape_markdown, pluralize
from ...widgets.lazy_expander import lazy_expander
from ...widgets.waiting import Waiting
from . import upload, upload_reader
from .data_texts import IN_TRAINING, MIT_TERMS, MIT_TITLE, REMOVAL, REMOVAL_OF_RUNS, STILL_IN_USE


def render() -> None:
    """Draw the list of uploaded data sets, and the upload of the MIT data."""
    _uploads()
    with lazy_expander(MIT_TITLE, "mit", icon=":material/school:") as is_open:
        for name in ("reality-mining", "social-evolution") if is_open else ():
            _mit_dataset(name)


def _uploads() -> None:
    names, damaged = list(filter(user_datasets.is_uploaded, user_datasets.own_names())), user_datasets.damaged()
    if not names and not damaged:
        return
    with st.expander(f"My data sets ({len(names) + len(damaged)})", icon=":material/folder:"):
        for item in damaged:
            _row(UPLOAD_PREFIX + item.id, item.name or item.id[:12], "damaged", item.reason)
        for name in names:
            stored, runs = user_datasets.upload_info(name), user_datasets.runs_of(name)
            facts = [str(stored["size"])] if "size" in stored else []
            if "kept" in stored:
                facts.append(f"uploaded {datetime.fromisoformat(stored['kept']):%d %B %Y, %H:%M} UTC")
            facts.append(pluralize(len(runs), "run"))
            _row(name, user_datasets.display_name(name), "in use" * (name == session.settings().data), ", ".join(facts))


def _row(name: str, label: str, state: str, facts: str) -> None:
    text, action = st.columns([4, 1], vertical_alignment="center")
    text.markdown(f"**{escape_markdown(label)}**{f' · {state}' if state else ''}  \n{escape_markdown(facts)}")
    with action.popover("", icon=":material/delete:", type="tertiary", help=f"Remove {escape_markdown(label)}"):
        if job_status.active_job(subject=name) is not None:
            st.markdown(IN_TRAINING)
            return
        runs = user_datasets.runs_of(name)
        n_runs = pluralize(len(runs), "run")
        st.markdown(REMOVAL.format(escape_markdown(label)) + (f" {REMOVAL_OF_RUNS.format(n_runs)}" if runs else ""))
        button = f"Remove it and {n_runs}" if runs else "Remove it"
        st.button(button, key=f"remove-{name}", type="primary", on_click=_remove, args=(name, label))


def _remove(name: str, label: str) -> None:
    with storage.errors_as_messages():
        user_datasets.delete(name)
        if session.settings().data == name:
            session.change(data=Settings.data)
        session.add_message(f"Removed: {label}.", success=True)


def _mit_dataset(name: str) -> None:
    sample = dataset_info(name)
    st.markdown(f"**{escape_markdown(sample.title)}**. {sample.question}")
    st.caption(f"{escape_markdown(sample.citation)} {MIT_TERMS}")
    key = upload.widget_key(keys.MIT + name)
    files = st.file_uploader(f"Files of {sample.title}", accept_multiple_files=True, key=key)
    if files and st.button(f"Use {sample.title}", key=f"use-{name}"):
        waiting = Waiting()
        try:
            data = upload_reader.reader(files, None, waiting).load(name)
        except mrwtd.DataError as error:
            waiting.clear()
            page.show_data_error(error)
            st.caption(STILL_IN_USE)
            return
        upload.use(user_datasets.save(data, [file.name for file in files], dataset=name), data, "mit")
