"""One relation as a picture: a cell for each pair, coloured by what is known of it.

Sources stand down the side and targets along the top, both in one order. Above `MAX_CELLS` objects, neighbours in that
order share a row and a column, and a cell shows what its block holds on average: no n × n array is ever formed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from ..data.observed import observed
from ..data.relational import RelationalData
from ..typing import AnyArray, Array
from .colours import Shades, shades
from .labels import cut, safe

MAX_CELLS = 500
"""The most rows and columns of a picture: about as many as a screen can tell apart."""

MAX_NAMES = 30
"""The most objects whose names are written along the sides; the others show theirs under the pointer."""

UPRIGHT = 45
"""Names along the top stand upright where so many letters have room there for the longest above each column."""

LARGEST = float(np.finfo(np.float32).max)


@dataclass(frozen=True)
class Grid:
    """The cells of a picture, row by row.

    Attributes:
        z: a number a cell, NaN where nothing is known; of a binary relation, the share of ties.
        names: what each row and column stands for, safe to show.
        short: the same for the sides of the picture.
        block: how many objects share a row; 1 where each has its own.
        unit: what the numbers are, for people.
    """

    z: Array
    names: tuple[str, ...]
    short: tuple[str, ...]
    block: int
    unit: str


def grid(data: RelationalData, relation: str, order: npt.ArrayLike | None = None, cells: int = MAX_CELLS) -> Grid:
    """The cells of a relation with the objects in the order given, binned into at most `cells` rows.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"source": ["a", "b"], "relation": "r", "target": ["b", "c"], "value": [1, 0]})
    >>> grid(RelationalData.from_frame(frame, directed=True), "r", order=[2, 1, 0]).z
    array([[nan, nan, nan],
           [ 0., nan, nan],
           [nan,  1., nan]])
    """
    data = observed(data)
    k = data.relation_index(relation)
    n, at = data.n_objects, data.slice(k)
    order = np.arange(n) if order is None else np.asarray(order)
    block = math.ceil(n / cells)
    rows = math.ceil(n / block)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n) // block
    i, j, values, unit = place[data.i[at]], place[data.j[at]], data.original_values(k), safe(relation)
    binary = data.relations[k].kind == "binary"
    if binary:
        values = (values > 0).astype(np.float64)
        unit = "share of ties among what is known"
    if not data.relations[k].directed:
        off = data.i[at] != data.j[at]
        i, j, values = np.append(i, j[off]), np.append(j, i[off]), np.append(values, values[off])
    cell = i * rows + j
    total = np.bincount(cell, weights=values, minlength=rows * rows)
    count = np.bincount(cell, minlength=rows * rows).astype(np.float64)
    if binary and block > 1 and values.size and values.all():
        # Only ties are listed: their share of what is known would be 1 in every cell that is not empty.
        sizes = np.bincount(place, minlength=rows).astype(np.float64)
        count = np.where(count > 0, np.outer(sizes, sizes).ravel(), 0.0)
        unit = "ties as a share of all pairs"
    elif block > 1 and not binary:
        unit = f"mean {unit}"
    z = np.divide(total, count, out=np.full(rows * rows, np.nan), where=count > 0).reshape(rows, rows)
    names = _names([data.objects[position] for position in order], block)
    return Grid(z, tuple(safe(name) for name in names), tuple(cut(name, 14) for name in names), block, unit)


def adjacency(
    data: RelationalData, relation: str, order: npt.ArrayLike | None = None, *, dark: bool = False
) -> go.Figure:
    """A figure of one relation: ties, pairs known to have none, and pairs that are not known.

    >>> import mrwtd
    >>> figure = adjacency(mrwtd.load_dataset("florentine"), "marriage")
    >>> [trace.name for trace in figure.data]
    ['tie', 'no tie', 'tie', 'no tie', 'unknown']
    """
    cells, look = grid(data, relation, order), shades(dark)
    kind = data.relations[data.relation_index(relation)].kind
    figure = go.Figure()
    if kind == "binary" and cells.block == 1:
        _add_states(figure, cells, look)
    else:
        levels = data.relations[data.relation_index(relation)].levels
        _add_values(figure, cells, look, levels if cells.block == 1 else (), counts=kind == "count")
    _arrange(figure, cells, look)
    return figure


def _names(objects: list[str], block: int) -> list[str]:
    if block == 1:
        return objects
    ends = [(start, min(start + block, len(objects)) - 1) for start in range(0, len(objects), block)]
    return [f"{a + 1}–{b + 1} ({objects[a]} … {objects[b]})" for a, b in ends]


def _add_states(figure: go.Figure, cells: Grid, look: Shades) -> None:
    """A map for each known state of a pair, so that the pointer names it, and a legend of all three."""
    known = (("tie", 1.0, look.tie), ("no tie", 0.0, look.no_tie))
    for name, state, colour in known:
        figure.add_trace(
            go.Heatmap(
                z=np.where(cells.z == state, state, np.nan).astype(np.float32),
                x=cells.names,
                y=cells.names,
                name=name,
                colorscale=[[0, colour], [1, colour]],
                showscale=False,
                hoverongaps=False,
                hovertemplate=f"%{{y}} → %{{x}}<br>{name}<extra></extra>",
            )
        )
    # A heat map's own entry in the legend would not show its colour.
    for name, colour in (*((name, colour) for name, _, colour in known), ("unknown", look.unknown)):
        marker = {"symbol": "square", "size": 11, "color": colour, "line": {"width": 1, "color": look.line}}
        figure.add_trace(go.Scatter(x=[None], y=[None], mode="markers", name=name, marker=marker, showlegend=True))


def _add_values(figure: go.Figure, cells: Grid, look: Shades, levels: tuple[float, ...], *, counts: bool) -> None:
    z = cells.z
    known = z[~np.isnan(z)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    bar: dict[str, object] = {
        "title": {"text": cells.unit, "side": "bottom"},
        "orientation": "h",
        "y": -0.02,
        "yanchor": "top",
        "len": 0.7,
        "thickness": 10,
        "outlinewidth": 0,
    }
    shown = z
    if low < 0 < high:
        edge = max(-low, high)
        low, high = -edge, edge
        scale = [[0, look.below], [0.5, look.low], [1, look.high]]
    else:
        scale = [[0, look.low], [0.5, look.middle], [1, look.high]]
    if counts and high > 50:
        # A few large counts would leave all others in one shade: colours follow the logarithm.
        shown, low, high = np.log1p(z), math.log1p(low), math.log1p(high)
        ticks = [0.0, *(10.0**power for power in range(1 + math.floor(high / math.log(10))))]
        bar |= {"tickvals": [math.log1p(tick) for tick in ticks], "ticktext": [f"{tick:,.0f}" for tick in ticks]}
    elif levels:
        bar |= {"tickvals": list(levels), "ticktext": [f"{level:g}" for level in levels]}
    figure.add_trace(
        go.Heatmap(
            z=_light(shown),
            customdata=_light(z) if shown is not z else None,
            x=cells.names,
            y=cells.names,
            zmin=low,
            zmax=high if high > low else low + 1,
            colorscale=scale,
            colorbar=bar,
            hoverongaps=False,
            hovertemplate=f"%{{y}} → %{{x}}<br>%{{{'z' if shown is z else 'customdata'}:,.4~g}}<extra></extra>",
        )
    )


def _light(z: Array) -> AnyArray:
    """The numbers in half the bytes, unless they are too large for that."""
    return z if np.abs(z, where=~np.isnan(z), out=np.zeros_like(z)).max() > LARGEST else z.astype(np.float32)


def _arrange(figure: go.Figure, cells: Grid, look: Shades) -> None:
    few = len(cells.names) <= MAX_NAMES
    # Turned letters are hard to read, and one alone looks cut off.
    upright = few and max(map(len, cells.short)) * len(cells.short) <= UPRIGHT
    last = len(cells.names) - 0.5  # Ranges are given, as Plotly would leave a margin beside the legend's markers.
    side = {
        "type": "category",
        "categoryorder": "array",
        "categoryarray": cells.names,
        "tickmode": "array",
        "tickvals": cells.names if few else [],
        "ticktext": cells.short if few else [],
        "tickfont": {"size": 10},
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "title": None,
        "constrain": "domain",
    }
    figure.update_layout(
        xaxis=side | {"side": "top", "tickangle": 0 if upright else -60, "range": [-0.5, last]},
        yaxis=side | {"range": [last, -0.5], "scaleanchor": "x", "constraintoward": "top"},
        plot_bgcolor=look.unknown,
        margin={"l": 8, "r": 8, "t": 16, "b": 8, "pad": 0},
        legend={"orientation": "h", "yanchor": "top", "y": -0.02, "xanchor": "center", "x": 0.5},
        hoverlabel={"align": "left"},
    )
