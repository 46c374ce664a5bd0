"""The uploaded files of a session, and the worker process that parses them."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from ....hosting.config import config
from ....hosting.uploads import UploadReader
from ....runs.uploaded_files import Upload, UploadedFile
from ...state import current_user, keys
from ...widgets.waiting import Waiting


def reader(files: Sequence[Any], attributes: Any, waiting: Waiting) -> UploadReader:
    """The reader of these files; the same one as long as the files stay the same."""
    key = tuple(file.file_id for file in [*files, attributes] if file is not None), attributes is not None
    stored = st.session_state.get(keys.READER)
    if stored is None or stored[0] != key:
        close()
        upload, user = as_upload(files, attributes), current_user.user_id()
        opened = UploadReader(upload.files, config().uploads, upload.attributes, waiting, user)
        stored = st.session_state[keys.READER] = (key, opened)
    reader: UploadReader = stored[1]
    reader.check = waiting
    return reader


def close() -> None:
    """End the process of this session, if it has one."""
    _, opened = st.session_state.pop(keys.READER, (None, None))
    if opened is not None:
        opened.close()


def as_upload(files: Sequence[Any], attributes: Any) -> Upload:
    """Files as Streamlit gives them, with their names and contents. `attributes` can be None."""
    return Upload(tuple(map(_content, files)), None if attributes is None else _content(attributes))


def _content(file: Any) -> UploadedFile:
    return UploadedFile(file.name, file.getvalue())
