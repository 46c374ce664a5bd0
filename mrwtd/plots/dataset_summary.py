"""Summary of a data set: the degrees of its objects, and the correlations between its relations."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..analysis.objects import object_sums
from ..data.relational import RelationalData
from ..typing import Array, Int64Array
from .colours import BLUE, shades
from .figure_layout import colour_bar, escape_label, margins, set_grid, short_label

MAX_UNIT_TICKS = 10
"""Up to this count, every whole number has a tick."""


def degrees(data: RelationalData, relation: str) -> pd.DataFrame:
    """Number of ties of each object in a relation: a tie is a positive, or non-zero, entry.

    >>> import mrwtd
    >>> degrees(mrwtd.load_dataset("florentine"), "marriage").sort_values("ties").tail(1)
       object  ties
    8  Medici     6
    """
    data = data.select_relations([relation]).observed()
    values = data.original_values()
    tie = values > 0 if data.relations[0].kind == "binary" else values != 0
    return pd.DataFrame(
        {"object": list(data.objects), "ties": object_sums(data, tie.astype(np.float64)).astype(np.int64)}
    )


def degree_figure(counts: pd.DataFrame, *, dark: bool = False) -> go.Figure:
    """Histogram of the degrees.

    >>> figure = degree_figure(pd.DataFrame({"object": ["a", "b", "c"], "ties": [0, 2, 2]}))
    >>> figure.data[0].y.tolist()
    [1, 0, 2]
    """
    ties = counts["ties"].to_numpy()
    largest = int(ties.max(initial=0))
    width = max(1, -(-(largest + 1) // 60))  # at most 60 bars
    bars = np.bincount(ties // width)
    low = np.arange(len(bars)) * width
    names = [f"{start}" if width == 1 else f"{start}–{start + width - 1}" for start in low]
    figure = go.Figure(
        go.Bar(
            x=low + (width - 1) / 2, y=bars, width=0.9 * width, customdata=names, marker_color=BLUE,
            hovertemplate="%{y} objects with %{customdata} ties<extra></extra>",
        )
    )  # fmt: skip
    set_grid(figure, dark, zeroline=False)
    figure.update_xaxes(title_text="ties of an object", **_integer_ticks(largest))
    figure.update_yaxes(title_text="objects", **_integer_ticks(int(bars.max())))
    figure.update_layout(height=300, **margins())
    return figure


def _integer_ticks(largest: int) -> dict[str, object]:
    """Ticks at whole numbers. On a short axis Plotly would choose fractions."""
    return {"tick0": 0, "dtick": 1} if largest <= MAX_UNIT_TICKS else {"tickformat": ",d"}


def relation_correlations(data: RelationalData) -> Array:
    """Correlations between relations, over the pairs that are known in both.

    An undirected relation is compared with a directed one in both directions. NaN where fewer than three pairs are
    known in both, or one of the two is constant there.

    >>> import mrwtd
    >>> relation_correlations(mrwtd.load_dataset("florentine")).round(2)
    array([[1.  , 0.36],
           [0.36, 1.  ]])
    """
    m = data.n_relations
    cells, values = zip(*(_both_directions(data, k) for k in range(m)), strict=True)
    correlations = np.full((m, m), np.nan)
    for a in range(m):
        for b in range(a, m):
            _, in_a, in_b = np.intersect1d(cells[a], cells[b], assume_unique=True, return_indices=True)
            x, y = values[a][in_a], values[b][in_b]
            if x.size >= 3 and x.std() > 0 and y.std() > 0:
                correlations[a, b] = correlations[b, a] = np.corrcoef(x, y)[0, 1]
    return correlations


def _both_directions(data: RelationalData, k: int) -> tuple[Int64Array, Array]:
    entries = data.slice(k)
    i, j, y = data.i[entries].astype(np.int64), data.j[entries].astype(np.int64), data.y[entries]
    y = y / np.abs(y).max(initial=1.0)  # correlations stay the same, and squares do not overflow
    if not data.relations[k].directed:
        off = i != j
        i, j, y = np.append(i, j[off]), np.append(j, i[off]), np.append(y, y[off])
    return i * data.n_objects + j, y


def correlation_figure(names: Sequence[str], values: Array, *, dark: bool = False) -> go.Figure:
    """The correlations between relations as a heat map.

    >>> correlation_figure(["a", "b"], np.eye(2)).data[0].z.shape
    (2, 2)
    """
    palette = shades(dark)
    labels = [escape_label(name) for name in names]
    named = names if len(names) <= 30 else []
    figure = go.Figure(
        go.Heatmap(
            z=values, x=labels, y=labels, zmin=-1, zmax=1, hoverongaps=False, colorscale=palette.diverging,
            hovertemplate="%{y} and %{x}<br>correlation %{z:.2f}<extra></extra>",
            colorbar=colour_bar("correlation"),
        )
    )  # fmt: skip
    ticks = {"tickvals": labels[: len(named)], "ticktext": [short_label(name, 20) for name in named]}
    side = ticks | {"tickmode": "array", "showgrid": False}
    last = len(names) - 0.5  # Fixed ranges: Plotly would leave a margin in the colour of unknown cells.
    figure.update_xaxes(**side, tickangle=-60, range=[-0.5, last])
    figure.update_yaxes(**side, range=[last, -0.5])
    figure.update_layout(height=380, plot_bgcolor=palette.unknown, **margins(pad=0))
    return figure
