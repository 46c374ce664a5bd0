"""A score taken apart, and the place of a threshold on precision–recall curves."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from ..model.explanation import Explanation
from .bars import Bars, sum_bars
from .colours import ink, style_of
from .precision_recall import precision_recall


def contributions(why: Explanation, top: int = 6, *, dark: bool = False) -> Bars:
    """Bars that add up to the score: what the relation alone says, the strongest pairs of factors, and the rest.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> why = mrwtd.MrWTD(rank=3, lam=1.0).fit(data).explain("Medici", "Ridolfi", "marriage")
    >>> bars = contributions(why, top=2).rows
    >>> bars[0].name, bars[-2].name, bars[-1].name, bars[-1].value == f"{why.x:+.2f}"
    ('relation alone', 'all others', 'score', True)
    """
    first, rest = why.factors.head(top), why.factors.iloc[top:]
    terms = [("relation alone", why.bias)]
    terms += [
        (f"factor {f + 1} × factor {g + 1}", float(value))
        for f, g, value in zip(first["source_factor"], first["target_factor"], first["contribution"], strict=True)
    ]
    if len(rest):
        terms.append(("all others", float(rest["contribution"].sum())))
    return sum_bars(terms, "score", dark=dark)


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
                    "color": style_of(method).colour,
                    "line": {"width": 2, "color": ink(dark)},
                },
                hovertemplate="at the threshold<br>recall %{x:.3f}, precision %{y:.3f}<extra></extra>",
            )
        )
    figure.update_xaxes(title_text="Recall", fixedrange=True)
    figure.update_yaxes(title_text="Precision", fixedrange=True)
    return figure
