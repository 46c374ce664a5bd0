"""Columns shared by several tables."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

NARROWEST = 76
"""The minimum width of a name column, in pixels."""

LETTER, PADDING = 7, 16
"""Width of a letter and of the space around a name, in pixels."""


def relation_column(names: Iterable[str], widest: int = 150) -> Any:
    """The pinned column of relation names, as wide as the longest name within limits."""
    return st.column_config.TextColumn("relation", width=name_width(names, widest), pinned=True)


def name_width(names: Iterable[str], widest: int = 150) -> int:
    """The width of a column of names in pixels: that of the longest name within limits."""
    return min(max(PADDING + LETTER * max(map(len, names)), NARROWEST), widest)
