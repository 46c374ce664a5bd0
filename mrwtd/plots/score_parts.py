"""The terms of a score, and the threshold on precision–recall curves."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from ..model.explanation import Explanation
from .bars import Bars, sum_bars
from .precision_recall import point_marker, precision_recall


def contributions(explanation: Explanation, top: int = 6, *, dark: bool = False) -> Bars:
    """Bars that add up to the score: the bias of the relation, the strongest pairs of factors, and the rest.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> explanation = mrwtd.MrWTD(rank=3, lam=1.0).fit(data).explain("Medici", "Ridolfi", "marriage")
    >>> bars = contributions(explanation, top=2).rows
    >>> bars[0].name, bars[-2].name, bars[-1].name, bars[-1].value == f"{explanation.x:+.2f}"
    ('relation bias', 'all others', 'score', True)
    """
    strongest, rest = explanation.factors.head(top), explanation.factors.iloc[top:]
    columns = (strongest[name] for name in ("source_factor", "target_factor", "contribution"))
    terms = [("relation bias", explanation.bias)]
    terms += [(f"factor {f + 1} × factor {g + 1}", float(value)) for f, g, value in zip(*columns, strict=True)]
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
    """Precision–recall curves of one or two methods, with the point of each at its threshold.

    >>> curves = pd.DataFrame({"method": "CP", "threshold": [2.0, 0.0], "precision": [1.0, 0.5], "recall": [0.0, 1.0]})
    >>> figure = operating_points(curves, 0.2, {"CP": 0.75}, {"CP": (0.4, 0.6)})
    >>> figure.data[-1].x, figure.data[-1].y
    ((0.4,), (0.6,))

    Args:
        curves: method, threshold, precision and recall.
        base_rate: the fraction of ties, which is the precision of guessing.
        scores: the area under each curve, for the legend.
        points: recall and precision of each method at its threshold.
        dark: for a dark background.
    """
    figure = precision_recall(curves, base_rate, scores, dark=dark)
    for method, (recall, precision) in points.items():
        figure.add_scatter(
            x=(recall,),
            y=(precision,),
            name="at the threshold",
            showlegend=False,
            mode="markers",
            marker=point_marker(method, 13, dark),
            hovertemplate="at the threshold<br>recall %{x:.3f}, precision %{y:.3f}<extra></extra>",
        )
    figure.update_xaxes(title_text="Recall", fixedrange=True)
    figure.update_yaxes(title_text="Precision", fixedrange=True)
    return figure
