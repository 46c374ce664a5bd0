"""A text on the page while a worker process reads files."""

import time

import streamlit as st

from .formatting import pluralize

READING = "Reading … {:.0f} s. Remove the file to stop."

WAITING = "Waiting … {:.0f} s. The server reads {} first."

PATIENCE = 0.5
"""Seconds after which the page says that it is still reading."""

INTERVAL = 0.25
"""Seconds between two updates of that text. At each of them Streamlit ends the script if the user has moved on."""


class Waiting:
    """A text on the page while a process works. An update ends the process if the user has clicked or left.

    Args:
        text: what is going on, with a place for the seconds.
    """

    def __init__(self, text: str = READING):
        self._text, self._place = text, st.empty()
        self._started = self._updated = time.monotonic()

    def __call__(self, ahead: int = 0) -> None:
        """Update the text, at most every `INTERVAL` seconds. `ahead` is the number of files that are read before."""
        now = time.monotonic()
        if now - self._updated > INTERVAL:
            self._updated = now
            seconds = now - self._started
            with self._place:
                if seconds < PATIENCE:
                    st.empty()
                else:
                    text = WAITING if ahead else self._text
                    st.caption(text.format(seconds, pluralize(ahead, "other file")))

    def clear(self) -> None:
        """Remove the text."""
        self._place.empty()
