"""Scores of several methods, or of two runs, relation by relation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..metrics import METRICS
from .colours import BLUE, ORANGE, faint, shades, style_of
from .labels import safe

MAX_NAMES = 30
"""The most relations whose names are written below; the others show theirs under the pointer."""

ROW = 24
"""Pixels for each relation of a chart that grows with them."""


def score_bands(standings: pd.DataFrame, metric: str, *, dark: bool = False) -> go.Figure:
    """The mean score over the splits, a line a method, with a band of one standard deviation on both sides.

    Relations stand in the order of the best method's mean, so that the lines fall from left to right.

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
    own = standings[standings["metric"] == metric]
    top = own[own["best"]].drop_duplicates("relation").set_index("relation")["value"].sort_values(ascending=False)
    order = [*top.index, *[name for name in own["relation"].unique() if name not in top.index]]
    labels = [safe(str(name)) for name in order]
    several, bounds = len(order) > 1, METRICS[metric].bounds
    figure = go.Figure()
    for number, (method, part) in enumerate(own.groupby("method", sort=False)):
        line = part.set_index("relation").reindex(order)
        mean, spread = line["value"].to_numpy(), np.nan_to_num(line["spread"].to_numpy())
        style, name = style_of(str(method), number), safe(str(method))
        figure.add_trace(
            go.Scatter(
                x=[*labels, *labels[::-1]] if several else [], fill="toself",
                y=[*np.clip(mean + spread, *bounds), *np.clip(mean - spread, *bounds)[::-1]],
                fillcolor=faint(style.colour), line={"width": 0}, hoverinfo="skip", showlegend=False,
                legendgroup=name, mode="lines",
            )
        )  # fmt: skip
        figure.add_trace(
            go.Scatter(
                x=labels if several else [name], y=mean, name=name, legendgroup=name, mode="lines+markers",
                customdata=np.column_stack([spread, line["n"].to_numpy()]),
                line={"color": style.colour, "dash": style.dash, "width": 2},
                marker={"symbol": style.symbol, "size": 7},
                # A band of one relation would have no width: its methods stand side by side, each with a bar.
                error_y={"array": spread, "visible": not several, "thickness": 1.5},
                hovertemplate=f"<b>{name}</b><br>%{{x}}: %{{y:.4~g}} ± %{{customdata[0]:.3~g}}"
                " over %{customdata[1]} splits<extra></extra>",
            )
        )  # fmt: skip
    figure.update_xaxes(
        tickangle=-40 if several else 0,
        gridcolor=shades(dark).line,
        tickfont={"size": 11},
        showticklabels=len(order) <= MAX_NAMES,
    )
    figure.update_yaxes(title={"text": METRICS[metric].label, "font": {"size": 12}}, gridcolor=shades(dark).line)
    figure.update_layout(**_around(), showlegend=several)
    return figure


def dumbbells(rows: pd.DataFrame, metric: str, one: str = "A", two: str = "B", *, dark: bool = False) -> go.Figure:
    """Two scores of each relation, joined by a line: where a run, or another way to read the data, gains or loses.

    Args:
        rows: relation, metric and the columns A and B, as `mrwtd.analysis.run_differences.score_differences` has them.
        metric: the name of the metric to show.
        one: what A is called.
        two: what B is called.
        dark: for a dark background.

    >>> rows = pd.DataFrame({"relation": ["likes"], "metric": "auprc", "A": [0.2], "B": [0.5]})
    >>> [trace.name for trace in dumbbells(rows, "auprc", "before", "after").data]
    [None, 'before', 'after']
    """
    own = rows[rows["metric"] == metric]
    names = [safe(str(name)) for name in own["relation"]]
    labels = [safe(_short(str(name))) for name in own["relation"]]
    places = np.arange(len(own))
    a, b = own["A"].to_numpy(dtype=float), own["B"].to_numpy(dtype=float)
    gap = np.full(len(own), np.nan)
    figure = go.Figure(
        go.Scatter(
            x=np.column_stack([a, b, gap]).ravel(), y=np.column_stack([places, places, gap]).ravel(), mode="lines",
            line={"color": shades(dark).unknown, "width": 3}, hoverinfo="skip", showlegend=False,
        )
    )  # fmt: skip
    for name, values, colour, symbol in ((one, a, ORANGE, "circle-open"), (two, b, BLUE, "circle")):
        figure.add_trace(
            go.Scatter(
                x=values, y=places, mode="markers", name=safe(name), text=names,
                cliponaxis=False,  # a score of 0 is a whole circle
                marker={"color": colour, "symbol": symbol, "size": 10, "line": {"width": 2, "color": colour}},
                hovertemplate=f"%{{text}}<br>{safe(name)}: %{{x:.4~g}}<extra></extra>",
            )
        )  # fmt: skip
    figure.update_xaxes(
        title={"text": METRICS[metric].label, "font": {"size": 12}}, gridcolor=shades(dark).line, zeroline=False,
        rangemode="tozero",
    )  # fmt: skip
    figure.update_yaxes(
        tickmode="array", tickvals=places, ticktext=labels, range=[len(own) - 0.4, -0.6], showgrid=False,
        zeroline=False, tickfont={"size": 11},
    )  # fmt: skip
    figure.update_layout(height=max(220, 90 + ROW * len(own)), **_around())
    return figure


def _short(name: str) -> str:
    return name if len(name) <= 22 else name[:21] + "…"


def _around() -> dict[str, object]:
    return {
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.01, "xanchor": "left", "x": 0},
        "hoverlabel": {"align": "left"},
    }
