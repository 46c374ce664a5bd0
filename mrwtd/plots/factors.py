"""R_k as heat maps: how strongly a factor of the source goes with a factor of the target."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..typing import Array
from .colours import shades
from .labels import safe

MAX_FACTORS = 20
"""Later axes hold next to no variance, and cells too small to point at."""

MAX_MAPS = 24
COLUMNS = 4


def relation_map(
    effects: Array,
    values: Array,
    *,
    numbered: Sequence[tuple[int, int]] = (),
    small: bool = False,
    dark: bool = False,
) -> go.Figure:
    """The effects of one relation, factors of the source down and of the target across.

    >>> figure = relation_map(np.diag([1.0, -0.5]), np.eye(2), numbered=[(0, 0)])
    >>> figure.data[0].zmin, figure.data[0].zmax, figure.layout.annotations[0].text
    (-1.0, 1.0, '<b>1</b>')

    Args:
        effects: (r, r), the typical size of each cell's term.
        values: (r, r), R_k itself, for the pointer.
        numbered: cells to write a number into, from 1 in this order; rows and columns are counted from 0.
        small: whether there is room for the number of every fifth factor only.
        dark: for a dark background.
    """
    shown = min(len(effects), MAX_FACTORS)
    edge = _edge([effects])
    figure = go.Figure(_heat(effects[:shown, :shown], values[:shown, :shown], edge, dark))
    names = [str(number + 1) for number in range(shown)]
    told = [names[0], *names[4::5]] if small else names
    side = {"type": "category", "showgrid": False, "ticks": "", "tickvals": told, "constrain": "domain"}
    across = {"title": {"text": "factor of the target", "standoff": 4}, "side": "top"}
    down = {"title": {"text": "factor of the source", "standoff": 4}, "scaleanchor": "x", "constraintoward": "top"}
    figure.update_layout(
        xaxis=side | across,
        yaxis=side | down | {"range": [shown - 0.5, -0.5]},
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
    )
    for number, (f, g) in enumerate(numbered, start=1):
        if max(f, g) < shown:
            # Strong cells are far from the page's colour, weak ones near it.
            strong = abs(effects[f, g]) > 0.55 * edge
            colour = "#FFFFFF" if strong != dark else "#12171D"
            figure.add_annotation(
                x=g, y=f, text=f"<b>{number}</b>", showarrow=False, font={"color": colour, "size": 13}
            )
    return figure


def relation_maps(effects: Mapping[str, Array], values: Mapping[str, Array], *, dark: bool = False) -> go.Figure:
    """The effects of several relations on one scale of colours, a small map for each, with R_k for the pointer.

    >>> maps = {"likes": np.eye(2), "helps": -np.eye(2)}
    >>> [note.text for note in relation_maps(maps, maps).layout.annotations]
    ['likes', 'helps']
    """
    names = list(effects)[:MAX_MAPS]
    columns = min(COLUMNS, len(names))
    rows = math.ceil(len(names) / columns)
    figure = make_subplots(
        rows,
        columns,
        subplot_titles=[_short(name) for name in names],
        horizontal_spacing=0.03,
        vertical_spacing=min(0.25, 0.3 / rows),
    )
    edge = _edge(list(effects.values()))
    for number, name in enumerate(names):
        own, R = (matrices[name][:MAX_FACTORS, :MAX_FACTORS] for matrices in (effects, values))
        heat = _heat(own, R, edge, dark, bar=number == 0)
        figure.add_trace(heat, row=number // columns + 1, col=number % columns + 1)
    figure.update_xaxes(showticklabels=False, ticks="", showgrid=False, constrain="domain")
    figure.update_yaxes(showticklabels=False, ticks="", showgrid=False, autorange="reversed")
    for number in range(len(names)):
        letter = "" if number == 0 else str(number + 1)
        figure.layout[f"yaxis{letter}"].update(scaleanchor=f"x{letter}", constrain="domain")
    figure.update_annotations(font_size=12)
    figure.update_traces(
        colorbar={"lenmode": "pixels", "len": 150, "y": 1, "yanchor": "top"}, selector={"showscale": True}
    )
    figure.update_layout(margin={"l": 8, "r": 8, "t": 26, "b": 8}, height=40 + 170 * rows)
    return figure


def cell_table(effects: Array, values: Array) -> pd.DataFrame:
    """The data behind a map: a row a cell, with R_k and its effect; factors are counted from 1.

    >>> cell_table(np.array([[4.0]]), np.array([[2.0]]))
       source_factor  target_factor  value  effect
    0              1              1    2.0     4.0
    """
    f, g = np.indices(values.shape).reshape(2, -1) + 1
    return pd.DataFrame({"source_factor": f, "target_factor": g, "value": values.ravel(), "effect": effects.ravel()})


def factor_table(own: Array, points: Array) -> pd.DataFrame:
    """The factors of one object, and the middle half of all objects: from a quarter to three quarters of them.

    >>> factor_table(np.array([2.0]), np.array([[0.0], [1.0], [2.0]]))
       factor  value  low  high
    0       1    2.0  0.5   1.5
    """
    low, high = np.quantile(points, [0.25, 0.75], axis=0)
    return pd.DataFrame({"factor": np.arange(1, own.size + 1), "value": own, "low": low, "high": high})


def factor_bars(own: Array, points: Array, *, dark: bool = False) -> go.Figure:
    """The factors of one object as bars, with the middle half of all objects behind them.

    >>> figure = factor_bars(np.array([2.0, -1.0]), np.zeros((4, 2)))
    >>> [trace.name for trace in figure.data]
    ['the middle half of all', 'this object']
    """
    shown = factor_table(own, points).head(MAX_FACTORS)
    names, low = shown["factor"].astype(str), shown["low"]
    look = shades(dark)
    behind = {"color": look.unknown, "line": {"width": 0}}
    figure = go.Figure(
        [
            go.Bar(
                x=names,
                y=shown["high"] - low,
                base=low,
                name="the middle half of all",
                marker=behind,
                hoverinfo="skip",
            ),
            go.Bar(
                x=names,
                y=shown["value"],
                name="this object",
                width=0.45,
                marker={"color": look.tie},
                hovertemplate="factor %{x}: %{y:+.3f}<extra></extra>",
            ),
        ]
    )
    figure.update_layout(
        barmode="overlay",
        showlegend=False,
        xaxis={"title": {"text": "principal axis, most variance first", "standoff": 4}, "type": "category"},
        yaxis={
            "title": {"text": "value, without unit", "standoff": 4},
            "gridcolor": look.line,
            "zerolinecolor": look.unknown,
        },
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
    )
    return figure


def _heat(effects: Array, values: Array, edge: float, dark: bool, *, bar: bool = True) -> go.Heatmap:
    look = shades(dark)
    names = [str(number + 1) for number in range(len(effects))]
    return go.Heatmap(
        z=effects,
        x=names,
        y=names,
        customdata=values,
        zmin=-edge,
        zmax=edge,
        colorscale=[[0, look.below], [0.5, look.low], [1, look.high]],
        showscale=bar,
        colorbar={"title": {"text": "effect on x", "side": "right"}, "thickness": 10, "outlinewidth": 0},
        xgap=1,
        ygap=1,
        hovertemplate="factor %{y} → factor %{x}<br>effect on x: %{z:+.3f}<br>R: %{customdata:+.3f}<extra></extra>",
    )


def _edge(effects: list[Array]) -> float:
    return max((float(np.abs(own).max(initial=0.0)) for own in effects), default=0.0) or 1.0


def _short(name: str) -> str:
    return safe(name if len(name) <= 22 else name[:21] + "…")
