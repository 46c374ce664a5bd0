"""Figures on a page: one look, a picture to download, and the data behind it."""

from __future__ import annotations

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
    """A figure as it is sent to browsers: built and checked once, and not again each time it is shown."""

    def __init__(self, figure: go.Figure):
        self._sent: dict[str, Any] = figure.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """What Plotly draws. Whoever asks for it leaves it as it is."""
        return self._sent


def dark() -> bool:
    """Whether the visitor looks at the dark theme."""
    return st.context.theme.type == "dark"


@cache
def preload_script() -> str:
    """A script that has the browser load Plotly while a visitor still reads, so that the first chart is there at once.

    Plotly is by far the largest part of any page, and a browser asks for it only when it has a chart to draw.

    >>> "PlotlyChart." in preload_script()
    True
    """
    parts = (Path(st.__file__).parent / "static" / "static" / "js").glob("PlotlyChart.*.js")
    load = "".join(f'import(new URL("static/js/{part.name}", document.baseURI)).catch(() => {{}});' for part in parts)
    # Safari knows no idle time.
    return f"<script>setTimeout(() => (window.requestIdleCallback || setTimeout)(() => {{ {load} }}), 300)</script>"


def cached_figure(
    name: str, cache_key: tuple[Any, ...], build: Callable[[], go.Figure], height: int | None = None
) -> PreparedFigure:
    """A figure that is built once for all that it is made of, which says everything that its looks depend on.

    Plotly takes longer to build and check a figure than a page takes for all the rest.
    """
    return _cached_figure(Keyed((name, cache_key, dark()), build), height)


@cached_resource(max_entries=100)
def _cached_figure(build: Keyed[Callable[[], go.Figure]], height: int | None) -> PreparedFigure:
    figure = build.value()
    if height is not None:
        figure.update_layout(height=height)
    return PreparedFigure(figure)


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
    """Draw a Plotly figure, with its picture (in the tool bar) and its data to download. Gives the selection back.

    With `made_of`, which then says all that it depends on, the figure is built once and kept: see `cached_figure`.
    """
    if cache_key is not None and callable(figure):
        figure = cached_figure(name, cache_key, figure, height)
    elif callable(figure):
        figure = figure()
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
    """Groups of bars, with their picture and their data to download."""
    for one in groups:
        below = f'<div class="hinted small">{tooltip(one.caption, one.help)}</div>' if one.caption else ""
        st.html(one.html() + below)
    download_buttons(name, data, caption=caption, picture=bars_svg(groups, dark()) if groups else "")


def download_buttons(
    name: str, data: pd.DataFrame | Callable[[], pd.DataFrame], *, caption: str = "", picture: str = ""
) -> None:
    """Small buttons below a figure or a table that give its data, and an SVG that is not Plotly's, beside a caption."""

    def csv() -> str:
        return csv_text(data() if callable(data) else data)

    with st.container(horizontal=True, vertical_alignment="center", key=f"below-{name}"):
        if caption:
            st.caption(caption)
        if picture:
            _file("Picture (SVG)", f"picture-{name}", picture, f"{file_name(name)}.svg", "image/svg+xml")
        _file("Data (CSV)", f"download-{name}", csv, f"{file_name(name)}.csv", "text/csv")


def csv_text(frame: pd.DataFrame) -> str:
    """A table as the text of a CSV file that a spreadsheet can open: no name in it is run as a formula.

    A text that begins with =, +, -, @, a tab or a carriage return, and is no number, has an apostrophe before it. The
    library's own files (`mrwtd.write`, `to_frame().to_csv()`) have names as they are.

    >>> csv_text(pd.DataFrame({"object": ["=1+1", "-3", "ann"], "x": [-1, 2, 3]})).splitlines()
    ['object,x', "'=1+1,-1", '-3,2', 'ann,3']
    """
    written = frame.rename(columns=_inert)
    for position, dtype in enumerate(frame.dtypes):
        if not (is_numeric_dtype(dtype) or is_bool_dtype(dtype)):
            written.isetitem(position, frame.iloc[:, position].astype("object").map(_inert).to_numpy())
    # With both letters at the end of lines, both are quoted inside a name: either would begin a new row there.
    return str(written.to_csv(index=False, lineterminator="\r\n"))


def _inert(cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def _file(label: str, key: str, data: str | Callable[[], str], name: str, mime: str) -> None:
    st.download_button(
        label, data=data, file_name=name, mime=mime, key=key,
        type="tertiary", icon=":material/download:", on_click="ignore",
    )  # fmt: skip


def file_name(text: str) -> str:
    """Text as the name of a file.

    >>> file_name("aucs: co-author")
    'aucs-co-author'
    """
    return re.sub(r"[^\w.-]+", "-", text).strip("-")
