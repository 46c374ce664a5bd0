"""Figures on a page: one look, a picture to download, and the data behind it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st


def dark() -> bool:
    """Whether the visitor looks at the dark theme."""
    return st.context.theme.type == "dark"


def show(
    figure: go.Figure,
    name: str,
    *,
    alt: str,
    data: pd.DataFrame | Callable[[], pd.DataFrame] | None = None,
    height: int | None = None,
    on_select: Any = "ignore",
    selection_mode: Any = ("points", "box", "lasso"),
    caption: str = "",
) -> Any:
    """Draw a Plotly figure, with its picture (in the tool bar) and its data to download. Gives the selection back."""
    if height is not None:
        figure.update_layout(height=height)
    event = st.plotly_chart(
        figure,
        key=f"figure-{name}",
        alt=alt,
        on_select=on_select,
        selection_mode=selection_mode,
        config={
            "displaylogo": False,
            "scrollZoom": False,
            "modeBarButtonsToRemove": ["zoomIn2d", "zoomOut2d", "autoScale2d"],
            "toImageButtonOptions": {"filename": file_name(name), "scale": 2},
        },
    )
    if data is not None:
        download(name, data, caption=caption)
    elif caption:
        st.caption(caption)
    return event


def download(name: str, data: pd.DataFrame | Callable[[], pd.DataFrame], *, caption: str = "") -> None:
    """A small button below a figure or a table that gives its data, beside a caption."""

    def csv() -> str:
        return (data() if callable(data) else data).to_csv(index=False)

    says, takes = st.columns([4, 1], vertical_alignment="center") if caption else (None, st.container())
    if says is not None:
        says.caption(caption)
    takes.download_button(
        "Data (CSV)",
        data=csv,
        file_name=f"{file_name(name)}.csv",
        mime="text/csv",
        key=f"download-{name}",
        type="tertiary",
        icon=":material/download:",
        on_click="ignore",
        help="The numbers behind this, as a table",
    )


def file_name(text: str) -> str:
    """Text as the name of a file.

    >>> file_name("aucs: co-author")
    'aucs-co-author'
    """
    return re.sub(r"[^\w.-]+", "-", text).strip("-")
