"""Curves with a point that moves along them, for the lessons."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from .colours import GREY
from .figure_layout import TOP_LEGEND, add_curve, band, margins, set_grid


@dataclass(frozen=True)
class Line:
    """A column of a frame as a curve.

    Attributes:
        column: its name in the frame.
        label: its name in the legend.
        colour, dash: its style.
        sd: the column of its standard deviation, or nothing.
    """

    column: str
    label: str
    colour: str
    dash: str = "solid"
    sd: str = ""


def marked_curves(
    frame: pd.DataFrame,
    x: str,
    lines: Sequence[Line],
    mark: float | None = None,
    *,
    x_title: str,
    y_title: str,
    log: bool = False,
    percent: bool = False,
    guess: float | None = None,
    shaded: tuple[float, float] | None = None,
    shaded_label: str = "",
    dark: bool = False,
) -> go.Figure:
    """Curves over one column of a frame, with a point on each at the row nearest to `mark`.

    >>> frame = pd.DataFrame({"known": [0.1, 0.5], "error": [0.4, 0.1]})
    >>> figure = marked_curves(frame, "known", [Line("error", "error", GREY)], 0.5, x_title="known", y_title="error")
    >>> figure.data[-1].x[0], figure.data[-1].y[0]
    (0.5, 0.1)

    Args:
        frame: one row per position.
        x: the column of positions.
        lines: the curves.
        mark: the position of the points, if any.
        x_title: title of the horizontal axis.
        y_title: title of the vertical axis.
        log: whether the horizontal axis is logarithmic.
        percent: whether positions are fractions, shown in percent.
        guess: a value to draw as a cross at the mark.
        shaded: a range of positions to shade.
        shaded_label: text in the shaded range.
        dark: for a dark background.
    """
    figure = go.Figure()
    positions = frame[x].to_numpy(dtype=float)
    position_format = "%{x:.0%}" if percent else "%{x:,.3~g}"
    for line in lines:
        values = frame[line.column].to_numpy(dtype=float)
        if line.sd:
            sd = frame[line.sd].to_numpy(dtype=float)
            figure.add_trace(band(positions, values - sd, values + sd, line.colour))
        style = {"color": line.colour, "dash": line.dash, "width": 2.5}
        hover = f"{line.label}<br>{position_format}: %{{y:.3f}}"
        add_curve(figure, positions, values, line.label, hover, line=style)
    if shaded is not None:
        figure.add_vrect(x0=shaded[0], x1=shaded[1], fillcolor=GREY, opacity=0.18, line_width=0)
        # On a logarithmic axis Plotly wants the position of text as a power of ten, and that of shapes as it is.
        middle = math.log10(math.sqrt(shaded[0] * shaded[1])) if log else (shaded[0] + shaded[1]) / 2
        figure.add_annotation(x=middle, y=1, yref="paper", yanchor="top", text=shaded_label, showarrow=False)
    if mark is not None and len(frame):
        distances = np.abs(np.log(positions / mark)) if log else np.abs(positions - mark)
        _add_mark(figure, frame.iloc[int(np.argmin(distances))], x, lines, guess)
    figure.update_layout(
        xaxis={"title": {"text": x_title, "standoff": 6}, "type": "log" if log else "linear"},
        yaxis={"title": {"text": y_title, "standoff": 12}, "rangemode": "tozero", "automargin": True},
        legend=TOP_LEGEND | {"y": 1.02},
        hovermode="closest",
        **margins(right=12),
    )
    set_grid(figure, dark, zeroline=False)
    if percent:
        figure.update_xaxes(tickformat=".0%")
    if not len(frame):
        figure.update_yaxes(range=[0, 1])
    elif log:
        figure.update_xaxes(range=[math.log10(positions.min()) - 0.1, math.log10(positions.max()) + 0.1], dtick=1)
    return figure


def _add_mark(figure: go.Figure, row: pd.Series, x: str, lines: Sequence[Line], guess: float | None) -> None:
    """A point on every curve at one position, a thin line through them, and the guess."""
    position = float(row[x])
    figure.add_vline(x=position, line={"color": GREY, "width": 1, "dash": "dot"})
    if guess is not None:
        cross = {"symbol": "x", "size": 12, "color": GREY}
        # Unclipped: a guess of 0 is drawn in full.
        point = {"x": [position], "y": [guess], "cliponaxis": False}
        figure.add_scatter(**point, mode="markers", name="your guess", marker=cross)
    for line in lines:
        marker = {"size": 11, "color": line.colour, "line": {"width": 2, "color": "#FFFFFF"}}
        options = {"mode": "markers", "marker": marker, "showlegend": False, "hoverinfo": "skip"}
        figure.add_scatter(x=[position], y=[float(row[line.column])], name=line.label, **options)
