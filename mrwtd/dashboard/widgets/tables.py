"""Columns shared by several tables."""

from collections.abc import Iterable
from typing import Any

import streamlit as st

NARROWEST, WIDEST = 76, 150
"""Limits of the width of a name column, in pixels."""

LETTER, PADDING = 6, 16
"""Width of a letter and of the space around a name, in pixels."""


def relation_column(names: Iterable[str]) -> Any:
    """The pinned column of relation names, as wide as the longest name within limits."""
    width = PADDING + LETTER * max(map(len, names))
    return st.column_config.TextColumn("relation", width=min(max(width, NARROWEST), WIDEST), pinned=True)
