"""One entry of X_k ≈ A R_k Aᵀ + b_k multiplied out: the tables are placed so that rows and columns meet.

R_k is in the corner, Aᵀ to its right and A below it; X_k fills the rest. The row of A and the column of Aᵀ that make
an entry of X_k are then in line with it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ..typing import Array
from . import figure_layout as layout
from .colours import ORANGE, Shades, cell_text_colour, shades, value_scale

GAP = 1
"""Cells between the tables."""

CLICK_DISTANCE = 30
"""A click within this many pixels of the middle of an entry selects it."""

CELLS: Any = {"showscale": False, "xgap": 1, "ygap": 1}
"""The tables have thin gaps between their cells, and no colour bar."""

MAX_NUMBERED = 6
"""Up to this rank, the numbers of the entry are written into their cells."""


def factor_map(
    A: Array,
    R: Array,
    X: Array,
    names: Sequence[str],
    entry: tuple[int, int],
    *,
    binary: bool,
    hover: Sequence[Sequence[str]] | None = None,
    dark: bool = False,
) -> go.Figure:
    """The four tables, with the cells of one entry framed. The cells of X can be selected: they are the last trace.

    >>> figure = factor_map(np.ones((3, 2)), np.eye(2), np.eye(3), ["a", "b", "c"], (0, 2), binary=True)
    >>> len(figure.data[-1].x), figure.data[-1].customdata[2]
    (9, [0, 2])

    Args:
        A: one row per object.
        R: the table of the relation.
        X: the values of all pairs, NaN where unknown.
        names: the names of the objects.
        entry: row and column of the entry that is multiplied out.
        binary: whether X holds 1 for a tie and 0 for none, rather than numbers.
        hover: a line of text for each cell of X.
        dark: for a dark background.
    """
    n, r = A.shape
    palette, start = shades(dark), r + GAP
    labels = [layout.escape_label(name) for name in names]
    figure = go.Figure([_factors(A, R, palette), _entries(X, start, palette, binary)])
    _frame_entry(figure, r, *entry)
    if r <= MAX_NUMBERED:
        _write_numbers(figure, A, R, *entry, dark)
    row, column = np.divmod(np.arange(n * n), n)
    lines = [line for lines in hover for line in lines] if hover else [""] * (n * n)
    texts = [f"{labels[i]} → {labels[j]}<br>{line}" for i, j, line in zip(row, column, lines, strict=True)]
    invisible = {"marker": {"opacity": 0}}
    marker = {"symbol": "square", "size": 14, "opacity": 0}
    options = {"mode": "markers", "marker": marker, "selected": invisible, "unselected": invisible, "text": texts}
    pairs = np.column_stack([row, column]).tolist()  # lists: a browser returns rows of an array as another type
    layout.add_curve(
        figure, column + start, row + start, "entries", "%{text}", customdata=pairs, showlegend=False, **options
    )
    _arrange(figure, r, names)
    return figure


def _factors(A: Array, R: Array, palette: Shades) -> go.Heatmap:
    """R, A and Aᵀ as one heat map, which a browser draws faster than three: values relative to the table's largest."""
    n, r = A.shape
    start = r + GAP
    values = np.full((start + n, start + n), np.nan)
    texts = np.full(values.shape, "", dtype=object)
    first, last = slice(r), slice(start, None)
    for label, table, place in (("R", R, (first, first)), ("Aᵀ", A.T, (first, last)), ("A", A, (last, first))):
        values[place] = table / (np.abs(table).max(initial=0.0) or 1.0)
        texts[place] = [[f"{label}: {value:.3f}" for value in row] for row in table]
    options = CELLS | {"zmin": -1, "zmax": 1, "colorscale": palette.diverging, "hoverongaps": False}
    return go.Heatmap(z=values, name="factors", text=texts, hovertemplate="%{text}<extra></extra>", **options)


def _entries(X: Array, start: float, palette: Shades, binary: bool) -> go.Heatmap:
    low, high, scale = value_scale(X, palette)
    if binary:
        low, high, scale = 0.0, 1.0, [(0, palette.no_tie), (1, palette.tie)]
    positions = start + np.arange(len(X))
    # Unknown cells have a value and a colour below the scale: a gap would show the background between the tables.
    unknown = low - (high - low or 1.0)
    grey = [(0, palette.unknown), (0.499, palette.unknown), *((0.5 + 0.5 * step, colour) for step, colour in scale)]
    options = CELLS | {"zmin": unknown, "zmax": high if high > low else low + 1, "colorscale": grey}
    z = np.where(np.isnan(X), unknown, X)
    return go.Heatmap(z=z, x=positions, y=positions, name="X", hoverinfo="skip", **options)


def _frame_entry(figure: go.Figure, r: int, i: int, j: int) -> None:
    """Frames around a_i, R_k, a_j and the entry, and lines that connect them."""
    row, column = r + GAP + i, r + GAP + j
    frame = {"type": "rect", "line": {"color": ORANGE, "width": 2.5}, "layer": "above"}
    boxes = (
        (-0.5, row - 0.5, r - 0.5, row + 0.5),
        (column - 0.5, -0.5, column + 0.5, r - 0.5),
        (-0.5, -0.5, r - 0.5, r - 0.5),
        (column - 0.5, row - 0.5, column + 0.5, row + 0.5),
    )
    for x0, y0, x1, y1 in boxes:
        figure.add_shape(x0=x0, y0=y0, x1=x1, y1=y1, **frame)
    dotted = {"type": "line", "line": {"color": ORANGE, "width": 1.2, "dash": "dot"}, "layer": "above"}
    figure.add_shape(x0=r - 0.5, y0=row, x1=column - 0.5, y1=row, **dotted)
    figure.add_shape(x0=column, y0=r - 0.5, x1=column, y1=row - 0.5, **dotted)


def _write_numbers(figure: go.Figure, A: Array, R: Array, i: int, j: int, dark: bool) -> None:
    r = len(R)
    row, column = r + GAP + i, r + GAP + j
    largest_a, largest_r = (float(np.abs(table).max()) or 1.0 for table in (A, R))
    for f in range(r):
        cells = [(f, row, A[i, f], largest_a), (column, f, A[j, f], largest_a)]
        cells += [(g, f, R[f, g], largest_r) for g in range(r)]
        for x, y, value, largest in cells:
            text = f"{value + 0.0:.1f}".replace("-0.0", "0.0")
            font = {"size": 9, "color": cell_text_colour(abs(value) / largest, dark)}
            figure.add_annotation(x=x, y=y, text=text, showarrow=False, font=font)


def _arrange(figure: go.Figure, r: int, names: Sequence[str]) -> None:
    start, end = r + GAP, r + GAP + len(names) - 0.5
    labels = [layout.short_label(name, 12) for name in names]
    positions = [start + number for number in range(len(names))]
    side = layout.table_axis(positions, labels) | {"fixedrange": True} | layout.NO_AUTOMARGIN
    middle = (r - 1) / 2
    tables = (
        ("R<sub>k</sub>", middle, -1.1, "auto"),
        ("A", middle, end + 0.7, "auto"),
        ("Aᵀ", end + 0.2, middle, "left"),
        ("X<sub>k</sub>", end + 0.2, start + len(names) / 2 - 0.5, "left"),
    )
    for text, x, y, anchor in tables:
        figure.add_annotation(x=x, y=y, text=f"<b>{text}</b>", showarrow=False, font={"size": 14}, xanchor=anchor)
    width = layout.text_width(labels, 10)
    figure.update_layout(
        xaxis=side | {"side": "top", "tickangle": -60, "range": [-0.6, end + 1.6]},
        yaxis=side | {"range": [end + 1.2, -1.7], "scaleanchor": "x", "constraintoward": "top"},
        plot_bgcolor="rgba(0,0,0,0)",
        clickmode="event+select",
        dragmode=False,
        hoverlabel=layout.LEFT_HOVER,
        hoverdistance=CLICK_DISTANCE,
        **layout.margins(left=width, top=12 + 0.87 * width),
    )
