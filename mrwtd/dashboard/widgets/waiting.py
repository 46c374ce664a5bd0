"""A text on the page while a worker process reads files."""

import time

import streamlit as st

READING = "Reading … {:.0f} s. Remove the file to stop."

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
                    st.caption(self._text.format(seconds))

    def clear(self) -> None:
        """Remove the text."""
        self._place.empty()
