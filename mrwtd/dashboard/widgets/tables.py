"""Columns and number formats shared by several tables."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from .formatting import signed

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


def with_minus_signs(table: pd.DataFrame, formats: Mapping[str, str]) -> Any:
    """A table whose numbers have true minus signs, unlike those in Streamlit's formats; they are sorted as numbers.

    >>> shown = with_minus_signs(pd.DataFrame({"score": [-1.5]}), {"score": ".2f", "error": ".3f"})
    >>> "−1.50" in shown.to_html()
    True
    """
    return table.style.format(
        {name: partial(signed, spec=spec) for name, spec in formats.items() if name in table}, na_rep="–"
    )
