"""A score taken apart, and the place of a threshold on precision–recall curves."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from ..model.explaining import Explanation
from .colours import BLUE, GREY, ORANGE, SKY, look, shades
from .curves import precision_recall
from .margins import STILL, TICKS, around, letters


def contributions(why: Explanation, top: int = 6, *, dark: bool = False) -> go.Figure:
    """Bars that add up to the score: what the relation alone says, the strongest pairs of factors, and the rest.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> why = mrwtd.MrWTD(rank=3, lam=1.0).fit(data).explain("Medici", "Ridolfi", "marriage")
    >>> bars = contributions(why, top=2).data[0].y
    >>> len(bars), bars[0], bars[1], bars[-1]
    (5, 'score', 'all others', 'relation alone')
    """
    first, rest = why.factors.head(top), why.factors.iloc[top:]
    rows = [("relation alone", why.bias)]
    rows += [
        (f"factor {f + 1} × factor {g + 1}", float(value))
        for f, g, value in zip(first["source_factor"], first["target_factor"], first["contribution"], strict=True)
    ]
    if len(rest):
        rows.append(("all others", float(rest["contribution"].sum())))
    rows.append(("score", why.x))
    rows.reverse()
    values = [value for _, value in rows]
    above = SKY if dark else BLUE
    colours = [GREY if name == "score" else above if value >= 0 else ORANGE for name, value in rows]
    figure = go.Figure(
        go.Bar(
            x=values,
            y=[name for name, _ in rows],
            orientation="h",
            marker_color=colours,
            text=[f"{value:+.2f}" for value in values],
            textposition="outside",
            cliponaxis=False,
            hovertemplate="%{y}: %{x:+.3f}<extra></extra>",
        )
    )
    room = 0.18 * max(map(abs, values), default=1.0)
    figure.update_layout(
        **around(left=letters(name for name, _ in rows), top=4, bottom=TICKS + 4),
        xaxis={
            **STILL,
            "range": [min(0, *values) - room, max(0, *values) + room],
            "zerolinecolor": shades(dark).unknown,
            "gridcolor": shades(dark).line,
            "fixedrange": True,
        },
        yaxis={"fixedrange": True, "ticksuffix": " ", **STILL},
        showlegend=False,
        bargap=0.3,
    )
    return figure


def operating_points(
    curves: pd.DataFrame,
    base_rate: float,
    scores: Mapping[str, float],
    points: Mapping[str, tuple[float, float]],
    *,
    dark: bool = False,
) -> go.Figure:
    """Precision–recall curves of one or two methods, with the point of each at the threshold.

    >>> curves = pd.DataFrame({"method": "CP", "threshold": [2.0, 0.0], "precision": [1.0, 0.5], "recall": [0.0, 1.0]})
    >>> figure = operating_points(curves, 0.2, {"CP": 0.75}, {"CP": (0.4, 0.6)})
    >>> figure.data[-1].x, figure.data[-1].y
    ((0.4,), (0.6,))

    Args:
        curves: method, threshold, precision and recall.
        base_rate: the share of ties, which is what guessing scores.
        scores: the area under each curve, for the legend.
        points: recall and precision of each method at its threshold.
        dark: for a dark background.
    """
    figure = precision_recall(curves, base_rate, scores, dark=dark)
    for method, (recall, precision) in points.items():
        figure.add_trace(
            go.Scatter(
                x=(recall,),
                y=(precision,),
                name="at the threshold",
                showlegend=False,
                mode="markers",
                marker={
                    "size": 13,
                    "color": look(method).colour,
                    "line": {"width": 2, "color": "#E6EAEE" if dark else "#1B2530"},
                },
                hovertemplate="at the threshold<br>recall %{x:.3f}, precision %{y:.3f}<extra></extra>",
            )
        )
    figure.update_xaxes(title_text="Recall", fixedrange=True)
    figure.update_yaxes(title_text="Precision", fixedrange=True)
    return figure
