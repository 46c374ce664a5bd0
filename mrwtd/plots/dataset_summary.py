"""A data set at a glance: how many ties objects have, and which relations resemble each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..data.observed import observed
from ..data.relational import RelationalData
from ..typing import Array, Int64Array
from .colours import BLUE, shades
from .labels import cut, safe

FEW = 10
"""Up to so many ties or objects, each number has a tick of its own."""


def degrees(data: RelationalData, relation: str) -> pd.DataFrame:
    """How many ties each object has in a relation: a tie is a positive, or non-zero, entry.

    >>> import mrwtd
    >>> degrees(mrwtd.load_dataset("florentine"), "marriage").sort_values("ties").tail(1)
       object  ties
    8  Medici     6
    """
    data = observed(data)
    k = data.relation_index(relation)
    at = data.slice(k)
    values = data.original_values(k)
    tie = values > 0 if data.relations[k].kind == "binary" else values != 0
    i, j = data.i[at][tie], data.j[at][tie]
    counts = np.bincount(i, minlength=data.n_objects) + np.bincount(j[i != j], minlength=data.n_objects)
    return pd.DataFrame({"object": list(data.objects), "ties": counts})


def degree_figure(counts: pd.DataFrame, *, dark: bool = False) -> go.Figure:
    """How many objects have so many ties.

    >>> figure = degree_figure(pd.DataFrame({"object": ["a", "b", "c"], "ties": [0, 2, 2]}))
    >>> figure.data[0].y.tolist()
    [1, 0, 2]
    """
    ties = counts["ties"].to_numpy()
    most = int(ties.max(initial=0))
    wide = max(1, -(-(most + 1) // 60))  # at most 60 bars
    bars = np.bincount(ties // wide)
    low = np.arange(len(bars)) * wide
    names = [f"{start}" if wide == 1 else f"{start}–{start + wide - 1}" for start in low]
    figure = go.Figure(
        go.Bar(
            x=low + (wide - 1) / 2, y=bars, width=0.9 * wide, customdata=names, marker_color=BLUE,
            hovertemplate="%{y} objects with %{customdata} ties<extra></extra>",
        )
    )  # fmt: skip
    rule = shades(dark).line
    figure.update_xaxes(title_text="ties of an object", gridcolor=rule, zeroline=False, **_whole(most))
    figure.update_yaxes(title_text="objects", gridcolor=rule, zeroline=False, **_whole(int(bars.max())))
    figure.update_layout(height=300, margin={"l": 8, "r": 8, "t": 8, "b": 8})
    return figure


def _whole(most: int) -> dict[str, object]:
    """Ticks at whole numbers: few of them need to be told, as Plotly would divide one."""
    return {"tick0": 0, "dtick": 1} if most <= FEW else {"tickformat": ",d"}


def relation_correlations(data: RelationalData) -> Array:
    """How alike each two relations are: the correlation of their values over the pairs that both know.

    An undirected relation is compared with a directed one in both directions. NaN where fewer than three pairs are
    known to both, or one of the two does not vary there.

    >>> import mrwtd
    >>> relation_correlations(mrwtd.load_dataset("florentine")).round(2)
    array([[1.  , 0.36],
           [0.36, 1.  ]])
    """
    m = data.n_relations
    cells, values = zip(*(_both_ways(data, k) for k in range(m)), strict=True)
    found = np.full((m, m), np.nan)
    for a in range(m):
        for b in range(a, m):
            _, own, other = np.intersect1d(cells[a], cells[b], assume_unique=True, return_indices=True)
            x, y = values[a][own], values[b][other]
            if x.size >= 3 and x.std() > 0 and y.std() > 0:
                found[a, b] = found[b, a] = np.corrcoef(x, y)[0, 1]
    return found


def _both_ways(data: RelationalData, k: int) -> tuple[Int64Array, Array]:
    at = data.slice(k)
    i, j = data.i[at].astype(np.int64), data.j[at].astype(np.int64)
    y = data.y[at] / np.abs(data.y[at]).max(initial=1.0)  # correlations are the same, and no square is too large
    if not data.relations[k].directed:
        off = i != j
        i, j, y = np.append(i, j[off]), np.append(j, i[off]), np.append(y, y[off])
    return i * data.n_objects + j, y


def correlation_figure(names: Sequence[str], values: Array, *, dark: bool = False) -> go.Figure:
    """The correlations between relations as a heat map.

    >>> correlation_figure(["a", "b"], np.eye(2)).data[0].z.shape
    (2, 2)
    """
    look = shades(dark)
    shown = [safe(name) for name in names]
    short = [cut(name, 20) for name in names]
    few = len(names) <= 30
    figure = go.Figure(
        go.Heatmap(
            z=values, x=shown, y=shown, zmin=-1, zmax=1, hoverongaps=False,
            colorscale=[[0, look.below], [0.5, look.low], [1, look.high]],
            hovertemplate="%{y} and %{x}<br>correlation %{z:.2f}<extra></extra>",
            colorbar={"title": {"text": "correlation", "side": "right"}, "thickness": 10, "outlinewidth": 0},
        )
    )  # fmt: skip
    side = {"tickmode": "array", "tickvals": shown if few else [], "ticktext": short if few else [], "showgrid": False}
    last = len(names) - 0.5  # Ranges are given, as Plotly would leave a margin in the colour of what is not known.
    figure.update_xaxes(**side, tickangle=-60, range=[-0.5, last])
    figure.update_yaxes(**side, range=[last, -0.5])
    figure.update_layout(height=380, margin={"l": 8, "r": 8, "t": 8, "b": 8, "pad": 0}, plot_bgcolor=look.unknown)
    return figure
