"""The uploaded files of a session, and the worker process that parses them."""

import time
from collections.abc import Sequence
from typing import Any

import streamlit as st

from ....hosting.config import config
from ....hosting.uploads import UploadReader
from ....runs.uploaded_files import UploadedFile
from ...state import keys

PATIENCE = 0.5
"""Seconds after which the page says that it is still reading."""

INTERVAL = 0.25
"""Seconds between two updates of that text. At each of them Streamlit ends the script if the user has moved on."""


class Waiting:
    """A text on the page while a process works. An update ends the process if the user has clicked or left."""

    def __init__(self) -> None:
        self._place = st.empty()
        self._started = self._updated = time.monotonic()

    def __call__(self) -> None:
        """Update the text, at most every `INTERVAL` seconds."""
        now = time.monotonic()
        if now - self._updated > INTERVAL:
            self._updated = now
            seconds = now - self._started
            with self._place:
                if seconds < PATIENCE:
                    st.empty()
                else:
                    st.caption(f"Reading … {seconds:.0f} s. Remove the file to stop.")

    def clear(self) -> None:
        """Remove the text."""
        self._place.empty()


def reader(files: Sequence[Any], attributes: Any, waiting: Waiting) -> UploadReader:
    """The reader of these files; the same one as long as the files stay the same."""
    key = tuple(file.file_id for file in [*files, attributes] if file is not None), attributes is not None
    stored = st.session_state.get(keys.READER)
    if stored is None or stored[0] != key:
        close()
        chosen = None if attributes is None else content(attributes)
        stored = st.session_state[keys.READER] = (key, UploadReader([*map(content, files)], config().uploads, chosen))
    opened: UploadReader = stored[1]
    opened.check = waiting
    return opened


def close() -> None:
    """End the process of this session, if it has one."""
    _, opened = st.session_state.pop(keys.READER, (None, None))
    if opened is not None:
        opened.close()


def content(file: Any) -> UploadedFile:
    """The name and the content of a file as Streamlit gives it."""
    return UploadedFile(file.name, file.getvalue())
