"""Distributions of the scores x of ties and of pairs without a tie, with the margin and the loss."""

from collections.abc import Iterable

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..model.losses import LOSSES
from ..typing import Array
from .colours import BLUE, ORANGE, SKY
from .figure_layout import COMPACT, axis_title, set_grid

BINS = 48
LEAST_SPAN = 1.6
"""The margins at −1 and +1 are always visible."""


def shared_range(scores: Iterable[Array]) -> tuple[float, float]:
    """One range of x for several figures: all but the outermost scores, and the margins.

    >>> shared_range([np.array([0.0, 0.5]), np.array([-3.0, 1.0])])
    (-3.0, 1.6)
    """
    finite = [x[np.isfinite(x)] for x in scores]
    ends = [np.quantile(x, [0.005, 0.995], method="closest_observation") for x in finite if x.size]
    low, high = np.array([*ends, (-LEAST_SPAN, LEAST_SPAN)]).T
    return float(low.min()), float(high.max())


def score_distributions(
    x: Array, y: Array, loss: str | None, within: tuple[float, float], *, dark: bool = False
) -> go.Figure:
    """Distribution of x for ties (y = +1) and for pairs without one, the margin at ±1, and the loss below if named.

    Each class has the same total area, however few its pairs; scores outside of `within` count at its ends.

    >>> figure = score_distributions(np.array([1.0, -2.0]), np.array([1.0, -1.0]), "logistic", (-2, 2))
    >>> [trace.name for trace in figure.data]
    ['no ties', 'ties', 'loss of no ties', 'loss of ties']
    """
    rows = 1 if loss is None else 2
    figure = make_subplots(rows, 1, shared_xaxes=True, vertical_spacing=0.05, row_heights=[0.68, 0.32][:rows])
    classes = (("no ties", -1.0, ORANGE), ("ties", 1.0, SKY if dark else BLUE))
    edges = np.linspace(*within, BINS + 1)
    for name, sign, colour in classes:
        scores = np.clip(x[y == sign], *within)
        fractions = np.histogram(scores, edges)[0] / max(scores.size, 1)
        figure.add_bar(
            x=(edges[1:] + edges[:-1]) / 2, y=fractions, width=np.diff(edges), name=name, opacity=0.6,
            marker={"color": colour, "line": {"width": 0}},
            hovertemplate=f"{name}: %{{y:.1%}} of them with x about %{{x:.2f}}<extra></extra>",
            row=1, col=1,
        )  # fmt: skip
    if loss is not None:
        grid = np.linspace(*within, 161)
        for name, sign, colour in classes:
            value = LOSSES[loss].value_and_slope(np.full_like(grid, sign), grid)[0]
            figure.add_scatter(
                x=grid, y=value, name=f"loss of {name}", mode="lines", line={"color": colour, "width": 2},
                showlegend=False, hovertemplate=f"loss of {name} at x = %{{x:.2f}}: %{{y:.2f}}<extra></extra>",
                row=2, col=1,
            )  # fmt: skip
    _arrange(figure, rows, within, dark)
    return figure


def _arrange(figure: go.Figure, rows: int, within: tuple[float, float], dark: bool) -> None:
    grey = "#9AA5B1" if dark else "#66717D"
    figure.add_vrect(x0=-1, x1=1, fillcolor=grey, opacity=0.14, line_width=0, layer="below")
    for position, dash in ((-1.0, "dot"), (0.0, "solid"), (1.0, "dot")):
        figure.add_vline(x=position, line={"color": grey, "width": 1, "dash": dash})
    set_grid(figure, dark, zeroline=False, showgrid=False)
    figure.update_xaxes(range=list(within))
    figure.update_xaxes(title={"text": "x", "standoff": 8}, row=rows, col=1)
    figure.update_yaxes(showticklabels=False, rangemode="tozero", fixedrange=True)
    figure.update_yaxes(title=axis_title("fraction of the class", 11), row=1, col=1)
    if rows == 2:
        # The loss where the data is: far out it would flatten everything else.
        figure.update_yaxes(title=axis_title("loss", 11), range=[0, 3.2], autorange=False, row=2, col=1)
    figure.update_layout(COMPACT, legend_y=1.0, barmode="overlay", bargap=0)
