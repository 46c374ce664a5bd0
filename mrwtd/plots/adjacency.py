"""The adjacency matrix of a relation as a heat map: one cell per pair, coloured by its value.

Each row is a source and each column a target, in the same order; in two-mode data these are different objects. Above
`MAX_CELLS` objects, neighbours in that order share a row or a column, and a cell shows the mean of its block: no n × n
array is ever formed.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from ..data.possible_pairs import possible_pairs
from ..data.relational import RelationalData
from ..typing import AnyArray, Array, Int64Array
from .colours import Shades, shades, value_scale
from .figure_layout import LEFT_HOVER, colour_bar, escape_label, margins, short_label, table_axis

MAX_CELLS = 500
"""At most this many rows and columns: about as many as a screen can resolve."""

MAX_NAMES = 30
"""Up to this many objects are named along the sides; others are named on hover."""

MAX_HORIZONTAL = 45
"""Names along the top are horizontal if they have at most this many characters, all as long as the longest."""

MAX_RATIO = 4
"""Cells are square if there are at most this many times as many rows as columns, or columns as rows."""

LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Side:
    """The rows or the columns of a heat map.

    Attributes:
        names: the escaped name of each.
        short: the same, truncated.
        block: the number of objects per row or column.
        cell_of: the row or column of each object of the data; −1 for objects that are not on this side.
    """

    names: tuple[str, ...]
    short: tuple[str, ...]
    block: int
    cell_of: Int64Array

    @classmethod
    def of(cls, objects: tuple[str, ...], order: Int64Array, cells: int) -> "Side":
        """The objects at the positions in `order`, binned into at most `cells` rows."""
        block = max(math.ceil(order.size / cells), 1)
        cell_of = np.full(len(objects), -1, dtype=np.int64)
        cell_of[order] = np.arange(order.size) // block
        names = _names([objects[position] for position in order], block)
        short = tuple(short_label(name, 14) for name in names)
        return cls(tuple(escape_label(name) for name in names), short, block, cell_of)

    def __len__(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Grid:
    """The cells of a heat map.

    Attributes:
        z: one number per cell, NaN where nothing is known; in a binary relation, the fraction of ties.
        rows, columns: the sources and the targets.
        unit: label of the numbers.
    """

    z: Array
    rows: Side
    columns: Side
    unit: str

    @property
    def binned(self) -> bool:
        """Whether a cell is more than one pair."""
        return self.rows.block > 1 or self.columns.block > 1


def grid(data: RelationalData, relation: str, order: npt.ArrayLike | None = None, cells: int = MAX_CELLS) -> Grid:
    """The cells of a relation with its objects in the given order, binned into at most `cells` rows.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"source": ["a", "b"], "relation": "r", "target": ["b", "c"], "value": [1, 0]})
    >>> grid(RelationalData.from_frame(frame, directed=True), "r", order=[2, 1, 0]).z
    array([[nan, nan, nan],
           [ 0., nan, nan],
           [nan,  1., nan]])

    A relation between two types of objects has those of one type as rows, and those of the other as columns.
    """
    data = data.select_relations([relation]).observed()
    (known,), possible = data.relations, possible_pairs(data, 0)
    order = np.arange(data.n_objects) if order is None else np.asarray(order)
    rows, columns = (
        Side.of(data.objects, order if positions is None else order[np.isin(order, positions)], cells)
        for positions in (possible.sources, possible.targets)
    )
    i, j = rows.cell_of[data.i], columns.cell_of[data.j]
    values, unit = data.original_values(), escape_label(relation)
    binned = rows.block > 1 or columns.block > 1
    binary = known.kind == "binary"
    if binary:
        values = (values > 0).astype(np.float64)
        unit = "fraction of ties among known pairs"
    if not known.directed:
        off = data.i != data.j
        i, j, values = np.append(i, j[off]), np.append(j, i[off]), np.append(values, values[off])
    shape = len(rows), len(columns)
    cell = i * shape[1] + j
    total = np.bincount(cell, weights=values, minlength=shape[0] * shape[1])
    count = np.bincount(cell, minlength=shape[0] * shape[1]).astype(np.float64)
    if binary and binned and values.size and values.all():
        # Only ties are listed: their fraction of the known pairs would be 1 in every cell that is not empty.
        sizes = [np.bincount(side.cell_of[side.cell_of >= 0], minlength=len(side)) for side in (rows, columns)]
        count = np.where(count > 0, np.outer(*sizes).ravel(), 0.0)
        unit = "ties as a fraction of all pairs"
    elif binned and not binary:
        unit = f"mean {unit}"
    z = np.divide(total, count, out=np.full(count.size, np.nan), where=count > 0).reshape(shape)
    return Grid(z, rows, columns, unit)


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
    if slice_.kind == "binary" and not cells.binned:
        _add_states(figure, cells, palette)
    else:
        levels = () if cells.binned else slice_.levels
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
    z = drawn = cells.z
    low, high, scale = value_scale(z, palette)
    bar = colour_bar(cells.unit, "bottom") | {"orientation": "h", "y": -0.02, "yanchor": "top", "len": 0.7}
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
    sides = {"x": cells.columns.names, "y": cells.rows.names}
    figure.add_heatmap(z=z, **sides, hoverongaps=False, hovertemplate=hover, **options)


def _as_float32(z: Array) -> AnyArray:
    """The numbers in half the bytes, unless they are too large."""
    return z if np.abs(z, where=~np.isnan(z), out=np.zeros_like(z)).max() > LARGEST else z.astype(np.float32)


def _axis(side: Side) -> dict[str, Any]:
    shown = table_axis(side.names, side.short) if len(side) <= MAX_NAMES else table_axis([], [])
    return shown | {"type": "category", "categoryorder": "array", "categoryarray": side.names}


def _arrange(figure: go.Figure, cells: Grid, palette: Shades) -> None:
    short = cells.columns.short
    # Slanted text is hard to read, and a single letter looks cut off.
    horizontal = len(short) <= MAX_NAMES and max(map(len, short)) * len(short) <= MAX_HORIZONTAL
    # Fixed ranges: Plotly would leave a margin for the legend's markers.
    last_row, last_column = len(cells.rows) - 0.5, len(cells.columns) - 0.5
    above = {"side": "top", "tickangle": 0 if horizontal else -60, "range": [-0.5, last_column]}
    # Square cells, unless there are so few rows or columns that they would be a thin line.
    few, many = sorted((len(cells.rows), len(cells.columns)))
    square = {"scaleanchor": "x", "constraintoward": "top"} if many <= MAX_RATIO * few else {}
    figure.update_layout(
        xaxis=_axis(cells.columns) | above,
        yaxis=_axis(cells.rows) | {"range": [last_row, -0.5]} | square,
        plot_bgcolor=palette.unknown,
        legend={"orientation": "h", "yanchor": "top", "y": -0.02, "xanchor": "center", "x": 0.5},
        hoverlabel=LEFT_HOVER,
        **margins(top=16, pad=0),
    )
