"""The adjacency matrix of a relation as a heat map: one cell per pair, coloured by its value.

Each row is a source and each column a target, in the same order. Above `MAX_CELLS` objects, neighbours in that order
share a row and a column, and a cell shows the mean of its block: no n × n array is ever formed.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from ..data.relational import RelationalData
from ..typing import AnyArray, Array
from .colours import Shades, shades
from .figure_layout import LEFT_HOVER, colour_bar, escape_label, margins, short_label, table_axis

MAX_CELLS = 500
"""At most this many rows and columns: about as many as a screen can resolve."""

MAX_NAMES = 30
"""Up to this many objects are named along the sides; others are named on hover."""

MAX_HORIZONTAL = 45
"""Names along the top are horizontal if they have at most this many characters, all as long as the longest."""

LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Grid:
    """The cells of a heat map.

    Attributes:
        z: one number per cell, NaN where nothing is known; in a binary relation, the fraction of ties.
        names: the escaped name of each row and column.
        short: the same, truncated for the sides of the heat map.
        block: the number of objects per row.
        unit: label of the numbers.
    """

    z: Array
    names: tuple[str, ...]
    short: tuple[str, ...]
    block: int
    unit: str


def grid(data: RelationalData, relation: str, order: npt.ArrayLike | None = None, cells: int = MAX_CELLS) -> Grid:
    """The cells of a relation with its objects in the given order, binned into at most `cells` rows.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"source": ["a", "b"], "relation": "r", "target": ["b", "c"], "value": [1, 0]})
    >>> grid(RelationalData.from_frame(frame, directed=True), "r", order=[2, 1, 0]).z
    array([[nan, nan, nan],
           [ 0., nan, nan],
           [nan,  1., nan]])
    """
    data = data.observed()
    k = data.relation_index(relation)
    n, entries = data.n_objects, data.slice(k)
    source, target = data.i[entries], data.j[entries]
    order = np.arange(n) if order is None else np.asarray(order)
    block = math.ceil(n / cells)
    rows = math.ceil(n / block)
    row_of = np.empty(n, dtype=np.int64)
    row_of[order] = np.arange(n) // block
    i, j, values, unit = row_of[source], row_of[target], data.original_values(k), escape_label(relation)
    binary = data.relations[k].kind == "binary"
    if binary:
        values = (values > 0).astype(np.float64)
        unit = "fraction of ties among known pairs"
    if not data.relations[k].directed:
        off = source != target
        i, j, values = np.append(i, j[off]), np.append(j, i[off]), np.append(values, values[off])
    cell = i * rows + j
    total = np.bincount(cell, weights=values, minlength=rows * rows)
    count = np.bincount(cell, minlength=rows * rows).astype(np.float64)
    if binary and block > 1 and values.size and values.all():
        # Only ties are listed: their fraction of the known pairs would be 1 in every cell that is not empty.
        sizes = np.bincount(row_of, minlength=rows).astype(np.float64)
        count = np.where(count > 0, np.outer(sizes, sizes).ravel(), 0.0)
        unit = "ties as a fraction of all pairs"
    elif block > 1 and not binary:
        unit = f"mean {unit}"
    z = np.divide(total, count, out=np.full(rows * rows, np.nan), where=count > 0).reshape(rows, rows)
    names = _names([data.objects[position] for position in order], block)
    short = tuple(short_label(name, 14) for name in names)
    return Grid(z, tuple(escape_label(name) for name in names), short, block, unit)


def adjacency(
    data: RelationalData, relation: str, order: npt.ArrayLike | None = None, *, dark: bool = False
) -> go.Figure:
    """Heat map of one relation: ties, pairs known to have none, and unknown pairs.

    >>> import mrwtd
    >>> figure = adjacency(mrwtd.load_dataset("florentine"), "marriage")
    >>> [trace.name for trace in figure.data]
    ['tie', 'no tie', 'tie', 'no tie', 'unknown']
    """
    cells, palette = grid(data, relation, order), shades(dark)
    slice_ = data.relations[data.relation_index(relation)]
    figure = go.Figure()
    if slice_.kind == "binary" and cells.block == 1:
        _add_states(figure, cells, palette)
    else:
        levels = slice_.levels if cells.block == 1 else ()
        _add_values(figure, cells, palette, levels, counts=slice_.kind == "count")
    _arrange(figure, cells, palette)
    return figure


def _names(objects: list[str], block: int) -> list[str]:
    if block == 1:
        return objects
    ends = [(start, min(start + block, len(objects)) - 1) for start in range(0, len(objects), block)]
    return [f"{a + 1}–{b + 1} ({objects[a]} … {objects[b]})" for a, b in ends]


def _add_states(figure: go.Figure, cells: Grid, palette: Shades) -> None:
    """One heat map per known state of a pair, which names the state on hover, and a legend of all three."""
    states = {"tie": palette.tie, "no tie": palette.no_tie, "unknown": palette.unknown}
    for name, state in (("tie", 1.0), ("no tie", 0.0)):
        z = np.where(cells.z == state, state, np.nan).astype(np.float32)
        options = {"name": name, "colorscale": [states[name]] * 2, "showscale": False}
        _add_heatmap(figure, cells, z, name, **options)
    # The legend entry of a heat map would not show its colour.
    for name, colour in states.items():
        marker = {"symbol": "square", "size": 11, "color": colour, "line": {"width": 1, "color": palette.line}}
        figure.add_scatter(x=[None], y=[None], mode="markers", name=name, marker=marker, showlegend=True)


def _add_values(figure: go.Figure, cells: Grid, palette: Shades, levels: tuple[float, ...], *, counts: bool) -> None:
    z = cells.z
    known = z[~np.isnan(z)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    bar = colour_bar(cells.unit, "bottom") | {"orientation": "h", "y": -0.02, "yanchor": "top", "len": 0.7}
    drawn, scale = z, palette.sequential
    if low < 0 < high:
        high = max(-low, high)
        low, scale = -high, palette.diverging
    if counts and high > 50:
        # With a few large counts all others would have the same shade: colours follow the logarithm.
        drawn, low, high = np.log1p(z), math.log1p(low), math.log1p(high)
        ticks = [0.0, *(10.0**power for power in range(1 + math.floor(high / math.log(10))))]
        bar |= {"tickvals": [math.log1p(tick) for tick in ticks], "ticktext": [f"{tick:,.0f}" for tick in ticks]}
    elif levels:
        bar |= {"tickvals": list(levels), "ticktext": [f"{level:g}" for level in levels]}
    options = {"zmin": low, "zmax": high if high > low else low + 1, "colorscale": scale, "colorbar": bar}
    if drawn is z:
        _add_heatmap(figure, cells, _as_float32(z), "%{z:,.4~g}", **options)
    else:
        options["customdata"] = _as_float32(z)
        _add_heatmap(figure, cells, _as_float32(drawn), "%{customdata:,.4~g}", **options)


def _add_heatmap(figure: go.Figure, cells: Grid, z: AnyArray, text: str, **options: Any) -> None:
    hover = f"%{{y}} → %{{x}}<br>{text}<extra></extra>"
    figure.add_heatmap(z=z, x=cells.names, y=cells.names, hoverongaps=False, hovertemplate=hover, **options)


def _as_float32(z: Array) -> AnyArray:
    """The numbers in half the bytes, unless they are too large."""
    return z if np.abs(z, where=~np.isnan(z), out=np.zeros_like(z)).max() > LARGEST else z.astype(np.float32)


def _arrange(figure: go.Figure, cells: Grid, palette: Shades) -> None:
    named = len(cells.names) <= MAX_NAMES
    # Slanted text is hard to read, and a single letter looks cut off.
    horizontal = named and max(map(len, cells.short)) * len(cells.short) <= MAX_HORIZONTAL
    last = len(cells.names) - 0.5  # Fixed ranges: Plotly would leave a margin for the legend's markers.
    shown = table_axis(cells.names, cells.short) if named else table_axis([], [])
    side = shown | {"type": "category", "categoryorder": "array", "categoryarray": cells.names}
    figure.update_layout(
        xaxis=side | {"side": "top", "tickangle": 0 if horizontal else -60, "range": [-0.5, last]},
        yaxis=side | {"range": [last, -0.5], "scaleanchor": "x", "constraintoward": "top"},
        plot_bgcolor=palette.unknown,
        legend={"orientation": "h", "yanchor": "top", "y": -0.02, "xanchor": "center", "x": 0.5},
        hoverlabel=LEFT_HOVER,
        **margins(top=16, pad=0),
    )
