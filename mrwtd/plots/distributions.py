"""Where the scores x of true and of false entries lie, with the margin, and above what loss they lie there."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..model.losses import LOSSES
from ..typing import Array
from .colours import BLUE, ORANGE, SKY, shades

BINS = 48
LEAST_SPAN = 1.6
"""The margins at −1 and +1 are always in the picture."""

WORDS = {"true": "ties", "false": "no ties"}


def shared_range(scores: Iterable[Array]) -> tuple[float, float]:
    """One range of x for several pictures: all but the outermost scores, and the margins.

    >>> shared_range([np.array([0.0, 0.5]), np.array([-3.0, 1.0])])
    (-3.0, 1.6)
    """
    given = [own[np.isfinite(own)] for own in scores]
    ends = [np.quantile(own, [0.005, 0.995], method="closest_observation") for own in given if own.size]
    low = min((float(end[0]) for end in ends), default=0.0)
    high = max((float(end[1]) for end in ends), default=0.0)
    return min(low, -LEAST_SPAN), max(high, LEAST_SPAN)


def score_distributions(
    x: Array, y: Array, loss: str | None, within: tuple[float, float], *, dark: bool = False
) -> go.Figure:
    """The distribution of x for true (y = +1) and false entries, the margin at ±1, and the loss below, if one is named.

    Each class fills an area of its own, however few it has; scores outside of `within` count at its ends.

    >>> figure = score_distributions(np.array([1.0, -2.0]), np.array([1.0, -1.0]), "logistic", (-2, 2))
    >>> [trace.name for trace in figure.data]
    ['no ties', 'ties', 'loss of no ties', 'loss of ties']
    """
    rows = 1 if loss is None else 2
    figure = make_subplots(rows, 1, shared_xaxes=True, vertical_spacing=0.05, row_heights=[0.68, 0.32][:rows])
    classes = (("false", -1.0, ORANGE), ("true", 1.0, SKY if dark else BLUE))
    edges = np.linspace(*within, BINS + 1)
    for name, sign, colour in classes:
        own = np.clip(x[y == sign], *within)
        share = np.histogram(own, edges)[0] / max(own.size, 1)
        figure.add_trace(
            go.Bar(
                x=(edges[1:] + edges[:-1]) / 2, y=share, width=np.diff(edges), name=WORDS[name], opacity=0.6,
                marker={"color": colour, "line": {"width": 0}},
                hovertemplate=f"{WORDS[name]}: %{{y:.1%}} of them with x about %{{x:.2f}}<extra></extra>",
            ),
            1, 1,
        )  # fmt: skip
    if loss is not None:
        grid = np.linspace(*within, 161)
        for name, sign, colour in classes:
            value = LOSSES[loss].value_and_slope(np.full_like(grid, sign), grid)[0]
            figure.add_trace(
                go.Scatter(
                    x=grid, y=value, name=f"loss of {WORDS[name]}", mode="lines", line={"color": colour, "width": 2},
                    showlegend=False,
                    hovertemplate=f"loss of {WORDS[name]} at x = %{{x:.2f}}: %{{y:.2f}}<extra></extra>",
                ),
                2, 1,
            )  # fmt: skip
    _arrange(figure, rows, within, dark)
    return figure


def _arrange(figure: go.Figure, rows: int, within: tuple[float, float], dark: bool) -> None:
    rule = shades(dark).line
    ink = "#9AA5B1" if dark else "#66717D"
    figure.add_vrect(x0=-1, x1=1, fillcolor=ink, opacity=0.14, line_width=0, layer="below")
    for place, dash in ((-1.0, "dot"), (0.0, "solid"), (1.0, "dot")):
        figure.add_vline(x=place, line={"color": ink, "width": 1, "dash": dash})
    figure.update_xaxes(range=list(within), gridcolor=rule, zeroline=False, showgrid=False)
    figure.update_xaxes(title={"text": "x", "standoff": 8}, row=rows, col=1)
    figure.update_yaxes(showticklabels=False, showgrid=False, zeroline=False, rangemode="tozero", fixedrange=True)
    figure.update_yaxes(title={"text": "share of the class", "font": {"size": 11}}, row=1, col=1)
    if rows == 2:
        figure.update_yaxes(title={"text": "loss", "font": {"size": 11}}, row=2, col=1)
        # The loss where the data is: far out it would flatten everything else.
        figure.update_yaxes(range=[0, 3.2], autorange=False, row=2, col=1)
    figure.update_layout(
        barmode="overlay",
        bargap=0,
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "xanchor": "left", "x": 0},
        hoverlabel={"align": "left"},
    )
