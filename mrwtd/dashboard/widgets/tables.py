"""Columns shared by several tables."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

NARROWEST = 76
"""The minimum width of a name column, in pixels."""

LETTER, PADDING = 6, 16
"""Width of a letter and of the space around a name, in pixels."""


def relation_column(names: Iterable[str], widest: int = 150) -> Any:
    """The pinned column of relation names, as wide as the longest name within limits."""
    width = PADDING + LETTER * max(map(len, names))
    return st.column_config.TextColumn("relation", width=min(max(width, NARROWEST), widest), pinned=True)
