"""Labels, margins, legends and bands that several figures share."""

import html
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..typing import AnyArray, Array
from .colours import shades, transparent

NO_AUTOMARGIN = {"automargin": False}
"""For an axis whose figure has fixed margins. Plotly draws a figure two or three times to measure its tick labels."""

TICKS, TITLE = 20, 22
"""Height in pixels of the tick labels and of the title below an axis."""

NUMBERS = 36
"""Width in pixels of the tick labels beside an axis."""

TOP_LEGEND = {"orientation": "h", "yanchor": "bottom", "y": 1.01, "xanchor": "left", "x": 0}
"""One line of names above the figure."""

LEFT_HOVER = {"align": "left"}


def escape_label(name: str) -> str:
    """Escape a name for Plotly, which reads tags as formatting and `%{x}` as a placeholder.

    >>> escape_label("<b>ann"), escape_label("%{x}")
    ('&lt;b&gt;ann', '%&#123;x}')
    """
    return html.escape(name, quote=False).replace("%{", "%&#123;")


def short_label(name: str, length: int) -> str:
    """Truncate a name to at most `length` characters, then escape it: an escaped character is several.

    >>> short_label("<b>ann", 4), short_label("ann", 4)
    ('&lt;b&gt;…', 'ann')
    """
    return escape_label(name if len(name) <= length else name[: length - 1] + "…")


def margins(*, left: float = 8, right: float = 8, top: float = 8, bottom: float = 8, **options: float) -> Any:
    """Margins of a figure as an argument of its layout; a legend or a colour bar adds what it needs.

    >>> margins(left=NUMBERS)
    {'margin': {'l': 36, 'r': 8, 't': 8, 'b': 8}}
    """
    return {"margin": {"l": left, "r": right, "t": top, "b": bottom, **options}}


COMPACT: Any = {"legend": TOP_LEGEND, "hoverlabel": LEFT_HOVER, **margins()}
"""Layout of a figure with the legend above it and narrow margins."""


def text_width(texts: Iterable[str], size: float = 12.0) -> float:
    """Width in pixels of the longest text, rounded up generously.

    >>> text_width(["a", "abc"]) == text_width(["abc"]) < text_width(["abc"], size=14)
    True
    """
    return 8 + 0.58 * size * max(map(len, texts), default=0)


def axis_title(text: str, size: int = 12) -> dict[str, Any]:
    """An axis title in small letters.

    >>> axis_title("recall")
    {'text': 'recall', 'font': {'size': 12}}
    """
    return {"text": text, "font": {"size": size}}


def set_grid(figure: go.Figure, dark: bool, **options: Any) -> None:
    """Draw the grid lines of all axes in the colour of thin rules; options hold for all axes too.

    >>> figure = go.Figure()
    >>> set_grid(figure, dark=False, zeroline=False)
    >>> figure.layout.xaxis.gridcolor, figure.layout.yaxis.zeroline
    ('#D5DBE1', False)
    """
    rule = shades(dark).line
    figure.update_xaxes(gridcolor=rule, **options)
    figure.update_yaxes(gridcolor=rule, **options)


def table_axis(values: Sequence[Any], names: Sequence[str]) -> dict[str, Any]:
    """An axis along the side of a table, with a name at each of some values.

    >>> table_axis([0, 1], ["ann", "bob"])["ticktext"]
    ['ann', 'bob']
    """
    ticks = {"tickmode": "array", "tickvals": values, "ticktext": names, "tickfont": {"size": 10}, "ticks": ""}
    return ticks | {"showgrid": False, "zeroline": False, "title": None, "constrain": "domain"}


def hide_ticks(figure: go.Figure) -> None:
    """Hide tick labels and grid lines of all axes, and keep cells square.

    >>> hide_ticks(go.Figure())
    """
    hidden = {"showticklabels": False, "ticks": "", "showgrid": False, "zeroline": False, "constrain": "domain"}
    figure.update_xaxes(**hidden)
    figure.update_yaxes(**hidden)


def colour_bar(title: str, side: str = "right") -> dict[str, Any]:
    """A thin colour bar without a frame.

    >>> colour_bar("correlation")["title"]
    {'text': 'correlation', 'side': 'right'}
    """
    return {"title": {"text": title, "side": side}, "thickness": 10, "outlinewidth": 0}


def add_curve(figure: go.Figure, x: Any, y: Any, name: str | None, hover: str, **options: Any) -> None:
    """Add a line, or points with another `mode`. On hover there is only the text, not the name of the trace.

    >>> figure = go.Figure()
    >>> add_curve(figure, [0, 1], [2, 3], "loss", "x = %{x}")
    >>> figure.data[0].mode, figure.data[0].hovertemplate
    ('lines', 'x = %{x}<extra></extra>')
    """
    figure.add_scatter(x=x, y=y, name=name, hovertemplate=f"{hover}<extra></extra>", **{"mode": "lines"} | options)


def band(x: AnyArray, low: Array, high: Array, colour: str, **options: Any) -> go.Scatter:
    """A transparent area between two curves.

    >>> band(np.arange(2), np.zeros(2), np.ones(2), "#0072B2").y.tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    return go.Scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        fill="toself",
        fillcolor=transparent(colour),
        line={"width": 0},
        mode="lines",
        showlegend=False,
        hoverinfo="skip",
        **options,
    )
