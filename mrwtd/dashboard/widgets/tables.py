"""Columns that several tables share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import streamlit as st

NARROWEST, WIDEST = 76, 150
"""Pixels of a column of names."""

LETTER, PADDING = 6, 16
"""Pixels of a letter, and of the space around a name."""


def relation_column(names: Iterable[str]) -> Any:
    """The pinned column of relation names, as wide as the longest name within limits."""
    width = PADDING + LETTER * max(map(len, names))
    return st.column_config.TextColumn("relation", width=min(max(width, NARROWEST), WIDEST), pinned=True)
