"""Methods side by side: one number each."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from .colours import look, shades
from .margins import STILL, TICKS, TITLE, around, letters

MAIN = {"auprc": "mean AUPRC", "mae": "mean absolute error", "r2": "mean R²"}
"""The score that stands for a kind of relation, by the order in which they are looked for."""


def bars(scores: pd.DataFrame, *, dark: bool = False, height: int = 190) -> go.Figure:
    """The mean of the main score over the relations, a bar a method, the best on top.

    >>> rows = [("MrWTD", "auprc", 0.5), ("MrWTD", "auprc", 0.7), ("RESCAL", "auprc", 0.4)]
    >>> figure = bars(pd.DataFrame(rows, columns=["method", "metric", "value"]))
    >>> list(figure.data[0].y), figure.data[0].x.round(2).tolist()
    (['RESCAL', 'MrWTD'], [0.4, 0.6])
    """
    metric = next((name for name in MAIN if (scores["metric"] == name).any()), "auprc")
    means = scores[scores["metric"] == metric].groupby("method", sort=False)["value"].mean()
    means = means.sort_values(ascending=metric != "mae")
    figure = go.Figure(
        go.Bar(
            x=means.to_numpy(), y=list(means.index), orientation="h", text=[f"{value:.3f}" for value in means],
            textposition="auto", marker_color=[look(name, number).colour for number, name in enumerate(means.index)],
            hovertemplate=f"%{{y}}<br>{MAIN[metric]}: %{{x:.3f}}<extra></extra>",
        )
    )  # fmt: skip
    figure.update_layout(
        xaxis={"title": {"text": MAIN[metric]}, "gridcolor": shades(dark).line, "zeroline": False, **STILL},
        yaxis=STILL,
        height=height,
        bargap=0.3,
        **around(left=letters(means.index, 13), top=4, bottom=TICKS + TITLE),
    )
    return figure
