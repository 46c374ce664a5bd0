"""Curves with a point that moves along them, as the lessons show them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from .colours import GREY, shades


@dataclass(frozen=True)
class Line:
    """A column of a frame as a curve.

    Attributes:
        column: its name in the frame.
        label: its name for people.
        colour, dash: its look.
        band: the column of its standard deviation, or nothing.
    """

    column: str
    label: str
    colour: str
    dash: str = "solid"
    band: str = ""


def marked_curves(
    frame: pd.DataFrame,
    along: str,
    lines: Sequence[Line],
    at: float | None = None,
    *,
    title: str,
    side: str,
    log: bool = False,
    percent: bool = False,
    guess: float | None = None,
    shaded: tuple[float, float] | None = None,
    shaded_words: str = "",
    dark: bool = False,
) -> go.Figure:
    """The lines over a column of the frame, with a point on each at the row nearest to `at`.

    >>> frame = pd.DataFrame({"share": [0.1, 0.5], "error": [0.4, 0.1]})
    >>> figure = marked_curves(frame, "share", [Line("error", "error", GREY)], 0.5, title="share", side="error")
    >>> figure.data[-1].x[0], figure.data[-1].y[0]
    (0.5, 0.1)

    Args:
        frame: a row a place.
        along: the column that the curves run along.
        lines: the curves.
        at: where the points stand, if anywhere.
        title: what stands below the curves.
        side: what stands at their side.
        log: a logarithmic axis.
        percent: whether places are shares, shown in per cent.
        guess: a value to draw as a cross at the marked place.
        shaded: a range of places to shade.
        shaded_words: what the shade means.
        dark: for a dark background.
    """
    figure = go.Figure()
    places = frame[along].to_numpy(dtype=float)
    for line in lines:
        values = frame[line.column].to_numpy(dtype=float)
        if line.band:
            _band(figure, places, values, frame[line.band].to_numpy(dtype=float), line.colour)
        shape = "%{x:.0%}" if percent else "%{x:,.3~g}"
        figure.add_trace(
            go.Scatter(
                x=places,
                y=values,
                mode="lines",
                name=line.label,
                line={"color": line.colour, "dash": line.dash, "width": 2.5},
                hovertemplate=f"{line.label}<br>{shape}: %{{y:.3f}}<extra></extra>",
            )
        )
    if shaded is not None:
        figure.add_vrect(x0=shaded[0], x1=shaded[1], fillcolor=GREY, opacity=0.18, line_width=0)
        # Plotly wants the places of words on a logarithmic axis as powers of ten, and those of shapes as they are.
        middle = math.log10(math.sqrt(shaded[0] * shaded[1])) if log else (shaded[0] + shaded[1]) / 2
        figure.add_annotation(x=middle, y=1, yref="paper", yanchor="top", text=shaded_words, showarrow=False)
    if at is not None and len(frame):
        _mark(figure, frame, places, lines, at, guess, log=log)
    figure.update_layout(
        xaxis={"title": {"text": title, "standoff": 6}, "type": "log" if log else "linear", "zeroline": False},
        yaxis={"title": {"text": side, "standoff": 12}, "rangemode": "tozero", "zeroline": False, "automargin": True},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "xanchor": "left", "x": 0},
        margin={"l": 8, "r": 12, "t": 8, "b": 8},
        hovermode="closest",
    )
    if log and len(frame):
        figure.update_xaxes(range=[math.log10(places.min()) - 0.1, math.log10(places.max()) + 0.1], dtick=1)
    if not len(frame):
        figure.update_yaxes(range=[0, 1])
    if percent:
        figure.update_xaxes(tickformat=".0%")
    figure.update_xaxes(gridcolor=shades(dark).line)
    figure.update_yaxes(gridcolor=shades(dark).line)
    return figure


def _mark(
    figure: go.Figure,
    frame: pd.DataFrame,
    places: np.ndarray,
    lines: Sequence[Line],
    at: float,
    guess: float | None,
    *,
    log: bool,
) -> None:
    """A point on every curve at one place, a thin line through them, and the guess."""
    nearest = int(np.argmin(np.abs(np.log(places / at)) if log else np.abs(places - at)))
    place = float(places[nearest])
    figure.add_vline(x=place, line={"color": GREY, "width": 1, "dash": "dot"})
    if guess is not None:
        cross = {"symbol": "x", "size": 12, "color": GREY}
        spot = {"x": [place], "y": [guess], "cliponaxis": False}  # a guess of 0 is seen as a whole
        figure.add_trace(go.Scatter(**spot, mode="markers", name="your guess", marker=cross))
    for line in lines:
        figure.add_trace(
            go.Scatter(
                x=[place],
                y=[float(frame[line.column].iloc[nearest])],
                mode="markers",
                marker={"size": 11, "color": line.colour, "line": {"width": 2, "color": "#FFFFFF"}},
                name=line.label,
                showlegend=False,
                hoverinfo="skip",
            )
        )


def _band(figure: go.Figure, x: np.ndarray, mean: np.ndarray, sd: np.ndarray, colour: str) -> None:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    figure.add_trace(
        go.Scatter(
            x=np.concatenate([x, x[::-1]]),
            y=np.concatenate([mean + sd, (mean - sd)[::-1]]),
            fill="toself",
            fillcolor=f"rgba({red},{green},{blue},0.15)",
            line={"width": 0},
            mode="lines",
            showlegend=False,
            hoverinfo="skip",
        )
    )
