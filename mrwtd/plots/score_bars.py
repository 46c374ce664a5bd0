"""Scores of several methods, or of two runs, relation by relation."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..metrics import METRICS
from .colours import BLUE, ORANGE, shades, style_of
from .figure_layout import COMPACT, axis_title, band, escape_label, set_grid, short_label

MAX_NAMES = 30
"""Up to this many relations are named below the figure; others are named on hover."""

ROW = 24
"""Height in pixels of one relation in a chart that grows with their number."""


def score_bands(standings: pd.DataFrame, metric: str, *, dark: bool = False) -> go.Figure:
    """Mean scores over the splits, one line per method, with a band of one standard deviation on both sides.

    Relations are sorted by the best method's mean, so that the lines fall from left to right.

    Args:
        standings: rows of `mrwtd.evaluation.standings_over_splits` for single relations.
        metric: the name of the metric to show.
        dark: for a dark background.

    >>> rows = pd.DataFrame({"relation": ["a", "b"], "metric": "auprc", "method": "CP", "value": [0.2, 0.6],
    ...     "spread": [0.1, 0.1], "n": 3, "best": True})
    >>> figure = score_bands(rows, "auprc")
    >>> figure.data[1].x
    ('b', 'a')
    """
    scores = standings[standings["metric"] == metric]
    best = scores[scores["best"]].drop_duplicates("relation").set_index("relation")["value"]
    best = best.sort_values(ascending=False)
    order = [*best.index, *[name for name in scores["relation"].unique() if name not in best.index]]
    labels = [escape_label(str(name)) for name in order]
    several, bounds = len(order) > 1, METRICS[metric].bounds
    figure = go.Figure()
    for number, (method, rows) in enumerate(scores.groupby("method", sort=False)):
        rows = rows.set_index("relation").reindex(order)
        mean, sd = rows["value"].to_numpy(), np.nan_to_num(rows["spread"].to_numpy())
        style, name = style_of(str(method), number), escape_label(str(method))
        if several:
            low, high = np.clip(mean - sd, *bounds), np.clip(mean + sd, *bounds)
            figure.add_trace(band(np.array(labels, dtype=object), low, high, style.colour, legendgroup=name))
        figure.add_scatter(
            x=labels if several else [name], y=mean, name=name, legendgroup=name, mode="lines+markers",
            customdata=np.column_stack([sd, rows["n"].to_numpy()]),
            line={"color": style.colour, "dash": style.dash, "width": 2},
            marker={"symbol": style.symbol, "size": 7},
            # A band of one relation has no width: its methods are side by side, each with an error bar.
            error_y={"array": sd, "visible": not several, "thickness": 1.5},
            hovertemplate=f"<b>{name}</b><br>%{{x}}: %{{y:.4~g}} ± %{{customdata[0]:.3~g}}"
            " over %{customdata[1]} splits<extra></extra>",
        )  # fmt: skip
    set_grid(figure, dark)
    figure.update_xaxes(tickangle=-40 if several else 0, tickfont={"size": 11}, showticklabels=len(order) <= MAX_NAMES)
    figure.update_yaxes(title=axis_title(METRICS[metric].label))
    figure.update_layout(COMPACT, showlegend=several)
    return figure


def dumbbells(rows: pd.DataFrame, metric: str, first: str = "A", second: str = "B", *, dark: bool = False) -> go.Figure:
    """Two scores of each relation, joined by a line: where a run, or another way to read the data, gains or loses.

    Args:
        rows: relation, metric and the columns A and B, as `mrwtd.analysis.run_differences.score_differences` has them.
        metric: the name of the metric to show.
        first: the name of A.
        second: the name of B.
        dark: for a dark background.

    >>> rows = pd.DataFrame({"relation": ["likes"], "metric": "auprc", "A": [0.2], "B": [0.5]})
    >>> [trace.name for trace in dumbbells(rows, "auprc", "before", "after").data]
    [None, 'before', 'after']
    """
    rows = rows[rows["metric"] == metric]
    relations = rows["relation"].astype(str)
    positions, gap = np.arange(len(rows)), np.full(len(rows), np.nan)
    a, b = rows["A"].to_numpy(dtype=float), rows["B"].to_numpy(dtype=float)
    figure = go.Figure(
        go.Scatter(
            x=np.column_stack([a, b, gap]).ravel(), y=np.column_stack([positions, positions, gap]).ravel(),
            mode="lines", line={"color": shades(dark).unknown, "width": 3}, hoverinfo="skip", showlegend=False,
        )
    )  # fmt: skip
    for name, values, colour, symbol in ((first, a, ORANGE, "circle-open"), (second, b, BLUE, "circle")):
        figure.add_scatter(
            x=values, y=positions, mode="markers", name=escape_label(name), text=relations.map(escape_label),
            cliponaxis=False,  # a score of 0 is a full circle
            marker={"color": colour, "symbol": symbol, "size": 10, "line": {"width": 2, "color": colour}},
            hovertemplate=f"%{{text}}<br>{escape_label(name)}: %{{x:.4~g}}<extra></extra>",
        )  # fmt: skip
    figure.update_xaxes(
        title=axis_title(METRICS[metric].label), gridcolor=shades(dark).line, zeroline=False, rangemode="tozero"
    )
    figure.update_yaxes(
        tickmode="array", tickvals=positions, ticktext=[short_label(name, 22) for name in relations],
        range=[len(rows) - 0.4, -0.6], showgrid=False, zeroline=False, tickfont={"size": 11},
    )  # fmt: skip
    figure.update_layout(COMPACT, height=max(220, 90 + ROW * len(rows)))
    return figure
