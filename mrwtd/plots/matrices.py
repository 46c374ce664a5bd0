"""Matrices as heat maps: what is known and what a fit predicts, and R_k with one row and column per factor."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..typing import Array
from .colours import cell_text_colour, shades
from .figure_layout import colour_bar, hide_ticks, margins, short_label


def matrix_heatmaps(panels: Mapping[str, Array], *, columns: int = 2, dark: bool = False) -> go.Figure:
    """One square heat map per matrix, pale at 0 and dark at 1; NaN has the colour of unknown.

    >>> figure = matrix_heatmaps({"truth": np.eye(3), "known": np.full((3, 3), np.nan)})
    >>> [title.text for title in figure.layout.annotations], len(figure.data)
    (['truth', 'known'], 2)
    """
    palette, rows = shades(dark), math.ceil(len(panels) / columns)
    figure = make_subplots(rows, columns, subplot_titles=list(panels), horizontal_spacing=0.04, vertical_spacing=0.09)
    options = {"zmin": 0, "zmax": 1, "colorscale": palette.sequential, "showscale": False, "hoverongaps": False}
    hover = "row %{y}, column %{x}: %{z:.2f}<extra></extra>"
    for number, values in enumerate(panels.values()):
        heatmap = go.Heatmap(z=np.clip(values, 0, 1).astype(np.float32), hovertemplate=hover, **options)
        cell = _add_square_cells(figure, heatmap, number, columns)
        height, width = values.shape
        figure.update_xaxes(range=[-0.5, width - 0.5], **cell)
        figure.update_yaxes(range=[height - 0.5, -0.5], constraintoward="top", **cell)
    hide_ticks(figure)
    figure.update_annotations(font_size=13, yshift=3)
    figure.update_layout(plot_bgcolor=palette.unknown, **margins(left=4, right=4, top=28, bottom=4, pad=0))
    return figure


def matrix_table(panels: Mapping[str, Array], names: Sequence[str] = ()) -> pd.DataFrame:
    """The data behind the heat maps: one row per cell, one column per matrix. Without names, lines are numbered.

    >>> matrix_table({"truth": np.eye(1), "known": np.full((1, 1), np.nan)}, names=("ann",))
       row column  truth  known
    0  ann    ann    1.0    NaN
    """
    sides = [names or range(1, size + 1) for size in next(iter(panels.values())).shape]
    cells = pd.MultiIndex.from_product(sides, names=["row", "column"])
    return pd.DataFrame({name: values.ravel() for name, values in panels.items()}, index=cells).reset_index()


MAX_FACTORS = 20
"""Further axes have almost no variance, and their cells would be too small to point at."""

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
    """The effects of one relation: one row per factor of the source, one column per factor of the target.

    >>> figure = relation_map(np.diag([1.0, -0.5]), np.eye(2), numbered=[(0, 0)])
    >>> figure.data[0].zmin, figure.data[0].zmax, figure.layout.annotations[0].text
    (-1.0, 1.0, '<b>1</b>')

    Args:
        effects: (r, r), the typical size of each cell's term.
        values: (r, r), R_k itself, shown on hover.
        numbered: cells (from 0) to write a number into, from 1 in this order.
        small: whether there is only room to number every fifth factor.
        dark: for a dark background.
    """
    size = min(len(effects), MAX_FACTORS)
    largest = _largest([effects])
    figure = go.Figure(_heatmap(effects, values, largest, dark))
    names = [str(number + 1) for number in range(size)]
    ticks = [names[0], *names[4::5]] if small else names
    side = {"type": "category", "showgrid": False, "ticks": "", "tickvals": ticks, "constrain": "domain"}
    across = {"title": {"text": "factor of the target", "standoff": 4}, "side": "top"}
    down = {"title": {"text": "factor of the source", "standoff": 4}, "scaleanchor": "x", "constraintoward": "top"}
    figure.update_layout(xaxis=side | across, yaxis=side | down | {"range": [size - 0.5, -0.5]}, **margins())
    for number, (f, g) in enumerate(numbered, start=1):
        if max(f, g) < size:
            colour = cell_text_colour(abs(effects[f, g]) / largest, dark)
            font = {"color": colour, "size": 13}
            figure.add_annotation(x=g, y=f, text=f"<b>{number}</b>", showarrow=False, font=font)
    return figure


def relation_maps(effects: Mapping[str, Array], values: Mapping[str, Array], *, dark: bool = False) -> go.Figure:
    """The effects of several relations as small heat maps on one colour scale, with R_k on hover.

    >>> maps = {"likes": np.eye(2), "helps": -np.eye(2)}
    >>> [note.text for note in relation_maps(maps, maps).layout.annotations]
    ['likes', 'helps']
    """
    names = list(effects)[:MAX_MAPS]
    columns = min(COLUMNS, len(names))
    rows = math.ceil(len(names) / columns)
    titles, gap = [short_label(name, 22) for name in names], min(0.25, 0.3 / rows)
    figure = make_subplots(rows, columns, subplot_titles=titles, horizontal_spacing=0.03, vertical_spacing=gap)
    largest = _largest(list(effects.values()))
    for number, name in enumerate(names):
        heatmap = _heatmap(effects[name], values[name], largest, dark, bar=number == 0)
        _add_square_cells(figure, heatmap, number, columns)
    hide_ticks(figure)
    figure.update_yaxes(autorange="reversed")
    figure.update_annotations(font_size=12)
    bar = {"lenmode": "pixels", "len": 150, "y": 1, "yanchor": "top"}
    figure.update_traces(colorbar=bar, selector={"showscale": True})
    figure.update_layout(height=40 + 170 * rows, **margins(top=26))
    return figure


def cell_table(effects: Array, values: Array) -> pd.DataFrame:
    """The data behind a heat map: one row per cell, with R_k and its effect; factors are numbered from 1.

    >>> cell_table(np.array([[4.0]]), np.array([[2.0]]))
       source_factor  target_factor  value  effect
    0              1              1    2.0     4.0
    """
    f, g = np.indices(values.shape).reshape(2, -1) + 1
    return pd.DataFrame({"source_factor": f, "target_factor": g, "value": values.ravel(), "effect": effects.ravel()})


def factor_table(factors: Array, points: Array) -> pd.DataFrame:
    """The factors of one object, and the first and third quartile over all objects.

    >>> factor_table(np.array([2.0]), np.array([[0.0], [1.0], [2.0]]))
       factor  value  low  high
    0       1    2.0  0.5   1.5
    """
    low, high = np.quantile(points, [0.25, 0.75], axis=0)
    return pd.DataFrame({"factor": np.arange(1, factors.size + 1), "value": factors, "low": low, "high": high})


def factor_bars(factors: Array, points: Array, *, dark: bool = False) -> go.Figure:
    """The factors of one object as bars, with the middle half of all objects behind them.

    >>> figure = factor_bars(np.array([2.0, -1.0]), np.zeros((4, 2)))
    >>> [trace.name for trace in figure.data]
    ['the middle half of all', 'this object']
    """
    table = factor_table(factors, points).head(MAX_FACTORS)
    names, palette = table["factor"].astype(str), shades(dark)
    quartiles = {"y": table["high"] - table["low"], "base": table["low"]}
    behind = {"color": palette.unknown, "line": {"width": 0}}
    hover = "factor %{x}: %{y:+.3f}<extra></extra>"
    front = {"width": 0.45, "marker": {"color": palette.tie}, "hovertemplate": hover}
    figure = go.Figure(
        [
            go.Bar(x=names, **quartiles, name="the middle half of all", marker=behind, hoverinfo="skip"),
            go.Bar(x=names, y=table["value"], name="this object", **front),
        ]
    )
    x_title, y_title = "principal axis, most variance first", "value, without unit"
    figure.update_xaxes(title={"text": x_title, "standoff": 4}, type="category")
    grid = {"gridcolor": palette.line, "zerolinecolor": palette.unknown}
    figure.update_yaxes(title={"text": y_title, "standoff": 4}, **grid)
    figure.update_layout(barmode="overlay", showlegend=False, **margins())
    return figure


def _add_square_cells(figure: go.Figure, heatmap: go.Heatmap, number: int, columns: int) -> dict[str, int]:
    """Add a heat map to the panel of this number, and return the row and column of the panel."""
    cell = {"row": number // columns + 1, "col": number % columns + 1}
    figure.add_trace(heatmap, **cell)
    figure.update_yaxes(scaleanchor=f"x{number + 1 if number else ''}", **cell)
    return cell


def _heatmap(effects: Array, values: Array, largest: float, dark: bool, *, bar: bool = True) -> go.Heatmap:
    size = min(len(effects), MAX_FACTORS)
    names = [str(number + 1) for number in range(size)]
    scale = {"zmin": -largest, "zmax": largest, "colorscale": shades(dark).diverging}
    options = scale | {"showscale": bar, "colorbar": colour_bar("effect on x"), "xgap": 1, "ygap": 1}
    options["customdata"] = values[:size, :size]
    hover = "factor %{y} → factor %{x}<br>effect on x: %{z:+.3f}<br>R: %{customdata:+.3f}<extra></extra>"
    return go.Heatmap(z=effects[:size, :size], x=names, y=names, hovertemplate=hover, **options)


def _largest(effects: list[Array]) -> float:
    return max((float(np.abs(values).max(initial=0.0)) for values in effects), default=0.0) or 1.0
