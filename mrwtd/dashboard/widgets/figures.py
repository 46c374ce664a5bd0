"""Figures on a page, with buttons to download the picture and the data."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from pandas.api.types import is_bool_dtype, is_numeric_dtype
from plotly.basedatatypes import BaseFigure

from ...plots.bars import Bars, bars_svg
from ..state.caches import Keyed, cached_resource
from .formatting import tooltip

CONFIG = {
    "displaylogo": False,
    "scrollZoom": False,
    "modeBarButtonsToRemove": ["zoomIn2d", "zoomOut2d", "autoScale2d"],
}


class PreparedFigure(BaseFigure):  # type: ignore[misc]
    """A figure in the form that is sent to browsers, so that Plotly builds and validates it only once."""

    def __init__(self, figure: go.Figure):
        self._dict: dict[str, Any] = figure.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """The figure as a dict, which callers do not modify."""
        return self._dict


def dark() -> bool:
    """Whether the user has chosen the dark theme."""
    return st.context.theme.type == "dark"


@cache
def preload_script() -> str:
    """A script that loads Plotly while the user reads the first page, so that the first chart appears at once.

    Plotly is the largest part of a page, and a browser loads it only when there is a chart to draw.

    >>> "PlotlyChart." in preload_script()
    True
    """
    parts = (Path(st.__file__).parent / "static" / "static" / "js").glob("PlotlyChart.*.js")
    load = "".join(f'import(new URL("static/js/{part.name}", document.baseURI)).catch(() => {{}});' for part in parts)
    # Safari has no requestIdleCallback.
    return f"<script>setTimeout(() => (window.requestIdleCallback || setTimeout)(() => {{ {load} }}), 300)</script>"


@cached_resource(max_entries=100)  # some for each member of a class, who look at one page at a time
def cached_figure(build: Keyed[Callable[[], go.Figure]], height: int | None = None) -> PreparedFigure:
    """A figure that is built once per key and height.

    Plotly takes longer to build and validate a figure than everything else on a page takes.
    """
    return PreparedFigure(build.value().update_layout({} if height is None else {"height": height}))


def show(
    figure: go.Figure | Callable[[], go.Figure],
    name: str,
    *,
    alt: str,
    cache_key: tuple[Any, ...] | None = None,
    data: pd.DataFrame | Callable[[], pd.DataFrame] | None = None,
    height: int | None = None,
    on_select: Any = "ignore",
    selection_mode: Any = ("points", "box", "lasso"),
    caption: str = "",
) -> Any:
    """Show a Plotly figure with a caption and a button to download its data. Returns the selection.

    With `cache_key`, which must cover all that the figure depends on, a figure given as a function is built only once.
    """
    if callable(figure):
        figure = figure() if cache_key is None else cached_figure(Keyed((name, cache_key, dark()), figure), height)
    if height is not None and not isinstance(figure, PreparedFigure):
        figure.update_layout(height=height)
    event = st.plotly_chart(
        figure,
        key=f"figure-{name}",
        alt=alt,
        on_select=on_select,
        selection_mode=selection_mode,
        config={**CONFIG, "toImageButtonOptions": {"filename": file_name(name), "scale": 2}},
    )
    if data is not None:
        download_buttons(name, data, caption=caption)
    elif caption:
        st.caption(caption)
    return event


def show_bars(groups: Sequence[Bars], name: str, data: pd.DataFrame, *, caption: str = "") -> None:
    """Show groups of bars, with buttons to download the picture and the data."""
    for group in groups:
        below = f'<div class="tooltips small">{tooltip(group.caption, group.help)}</div>' if group.caption else ""
        st.html(group.html() + below)
    download_buttons(name, data, caption=caption, picture=bars_svg(groups, dark()) if groups else "")


def download_buttons(
    name: str, data: pd.DataFrame | Callable[[], pd.DataFrame], *, caption: str = "", picture: str = ""
) -> None:
    """A caption with buttons to download the data, and the picture if it is an SVG rather than a Plotly figure."""

    def csv() -> str:
        return csv_text(data() if callable(data) else data)

    with st.container(horizontal=True, vertical_alignment="center", key=f"below-{name}"):
        if caption:
            st.caption(caption)
        if picture:
            download("Picture (SVG)", picture, f"{file_name(name)}.svg", "image/svg+xml", key=f"picture-{name}")
        download("Data (CSV)", csv, f"{file_name(name)}.csv", "text/csv", key=f"download-{name}")


def csv_text(frame: pd.DataFrame) -> str:
    """A table as CSV for spreadsheets, in which no name is evaluated as a formula.

    Text that starts with =, +, -, @, a tab or a carriage return and is not a number gets an apostrophe in front. The
    library's own files (`mrwtd.write`, `to_frame().to_csv()`) contain names unchanged.

    >>> csv_text(pd.DataFrame({"object": ["=1+1", "-3", "ann"], "x": [-1, 2, 3]})).splitlines()
    ['object,x', "'=1+1,-1", '-3,2', 'ann,3']
    """
    safe = frame.rename(columns=_disarm)
    for position, dtype in enumerate(frame.dtypes):
        if not (is_numeric_dtype(dtype) or is_bool_dtype(dtype)):
            safe.isetitem(position, frame.iloc[:, position].astype("object").map(_disarm).to_numpy())
    # With both characters as the line end, both are quoted inside a name: either would start a new row there.
    return str(safe.to_csv(index=False, lineterminator="\r\n"))


def _disarm(cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def download(label: str, data: str | Callable[[], str | bytes], file: str, mime: str, **options: Any) -> None:
    """A button without a frame that downloads a file."""
    icon = ":material/download:"
    st.download_button(label, data, file, mime, type="tertiary", icon=icon, on_click="ignore", **options)


def file_name(text: str) -> str:
    """Text as a file name.

    >>> file_name("aucs: co-author")
    'aucs-co-author'
    """
    return re.sub(r"[^\w.-]+", "-", text).strip("-")
