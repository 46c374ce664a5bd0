"""Change how a data set is read: its files again, with the choices that were made for them.

A changed data set is a new one. It takes the place of the old one, unless runs were made from that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

import mrwtd

from ....data.transform import TRANSFORMS
from ....runs.uploaded_files import UploadedFile
from ...state import data_changes, keys, session, user_datasets
from ...state.data_changes import Reading
from ...state.settings import Settings
from ...widgets.formatting import escape_markdown, pluralize
from . import data_texts as texts
from . import schema_editor, upload, upload_reader


@dataclass(frozen=True)
class StoredFile(UploadedFile):
    """A stored file in the form of Streamlit's uploads."""

    file_id: str

    def getvalue(self) -> bytes:
        """The content."""
        return self.content


def is_open(settings: Settings) -> bool:
    """Whether the section is open, by the URL. Data of another user cannot be changed."""
    return settings.get("data.edit") is not None and user_datasets.is_own(settings.data)


def button(settings: Settings) -> None:
    """Draw the button that opens the section."""
    if not user_datasets.is_own(settings.data) or is_open(settings):
        return
    help_text = texts.EDIT_HELP if user_datasets.is_uploaded(settings.data) else texts.EDIT_COPY_HELP
    st.button(texts.EDIT, icon=":material/edit:", help=help_text, on_click=session.change, kwargs={"data.edit": "1"})


def render(settings: Settings) -> None:
    """Draw the section."""
    name = settings.data
    label = user_datasets.display_name(name) if user_datasets.is_uploaded(name) else user_datasets.title(name)
    reading, store = _open(name)
    stored = enumerate(reading.upload.files)
    files = [StoredFile(file.name, file.content, f"{name}-{number}") for number, file in stored]
    with st.container(border=True):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(texts.EDITING.format(escape_markdown(label)), width="content")
            st.button("Cancel", icon=":material/close:", type="tertiary", on_click=_close)
        runs = user_datasets.runs_of(name)
        if user_datasets.is_uploaded(name):
            n_runs = pluralize(len(runs), "run")
            st.caption(texts.RUNS_STAY.format(n_runs.capitalize()) if runs else texts.TAKES_ITS_PLACE)
        attributes = upload.attributes_field(keys.EDITED_ATTRIBUTES + store)
        chosen = upload.read_files(files, attributes, before=reading.options, store=store)
    if chosen is not None:
        changed = upload_reader.as_upload(files, attributes)
        _close()
        data_changes.use(name, chosen.data, Reading(changed, {**reading.info, "how": dict(chosen.options)}))
        st.rerun()


def _open(name: str) -> tuple[Reading, str]:
    """The files of the data set, and the key of its edits. At first everything is as the data was read."""
    opened: tuple[str, Reading, str] | None = st.session_state.get(keys.EDITED)
    if opened is not None and opened[0] == name:
        return opened[1:]
    number = st.session_state[keys.EDITS] = st.session_state.get(keys.EDITS, 0) + 1
    reading, store = data_changes.reading_of(name), f"{keys.EDITS}-{number}"  # new fields each time
    st.session_state[keys.EDITED] = name, reading, store
    st.session_state[store] = edits_of(reading.options, user_datasets.load(name))
    if (attributes := reading.upload.attributes) is not None:
        file = StoredFile(attributes.name, attributes.content, f"{name}-attributes")
        st.session_state.setdefault(keys.DROPPED, {})[upload.widget_key(keys.EDITED_ATTRIBUTES + store)] = file
    return reading, store


def _close() -> None:
    *_, store = st.session_state.pop(keys.EDITED, ("",))
    st.session_state.get(keys.DROPPED, {}).pop(upload.widget_key(keys.EDITED_ATTRIBUTES + store), None)
    st.session_state.pop(store, None)
    upload_reader.close()
    session.change(**{"data.edit": ""})


def edits_of(options: Mapping[str, Any], data: mrwtd.RelationalData) -> dict[str, dict[str, Any]]:
    """Options of `mrwtd.read` as edits of the table, by the name of a relation in the file.

    >>> data = mrwtd.load_dataset("florentine")
    >>> edits_of({"absent": 7, "rename": {"1": "business"}, "transform": {"marriage": "log1p"}}, data)["1"]
    {'name': 'business', 'absent': 'no tie (sampled)'}
    """
    kinds, transform = options.get("kinds", {}), options.get("transform", {})
    old_names = {new: old for old, new in options.get("rename", {}).items()}
    names = data_changes.names_before_transform(options, data)
    directed, absent = (data_changes.by_relation(options.get(option, {}), names) for option in ("directed", "absent"))
    edits: dict[str, dict[str, Any]] = {}
    for name in names:
        edit: dict[str, Any] = {"name": name} if name in old_names else {}
        edit |= {"kind": kinds[name]} if name in kinds else {}
        edit |= {"kind": TRANSFORMS[transform[name]].formula} if name in transform else {}
        edit |= {"directed": directed[name]} if directed.get(name) is not None else {}
        edit |= {"absent": schema_editor.meaning_label(absent[name])} if absent.get(name) is not None else {}
        edits |= {old_names.get(name, name): edit} if edit else {}
    numbers = [meaning for meaning in absent.values() if isinstance(meaning, int)]
    return edits | ({texts.SAMPLED_PER_TIE: {"absent": max(numbers)}} if numbers else {})
