"""Predictions against the truth: calibration, confusion at a threshold, predicted values, distributions of scores."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..evaluation.curves import Confusion
from ..model.losses import LOSSES
from ..typing import Array
from .colours import BLUE, GREY, ORANGE, SKY, line_and_markers, shades, style_of, text_colour
from .figure_layout import COMPACT, add_curve, axis_title, escape_label, set_grid

MAX_POINTS = 3_000
"""More points than this hide each other: a random sample is drawn."""


def calibration(bins: pd.DataFrame, main: str = "", *, dark: bool = False) -> go.Figure:
    """Fraction of ties among pairs of similar predicted probability: calibrated probabilities are on the diagonal.

    Below, a histogram of the probabilities of one method.

    Args:
        bins: method and the columns of `mrwtd.evaluation.calibration_bins`, of one relation.
        main: the method of the histogram; the first one if it has no probabilities.
        dark: for a dark background.

    >>> bins = pd.DataFrame({"method": ["CP"], "low": [0.0], "high": [0.5], "predicted": [0.2], "observed": [0.3],
    ...     "entries": [10]})
    >>> [trace.name for trace in calibration(bins).data]
    ['as predicted', 'CP', 'CP']
    """
    figure = make_subplots(2, 1, shared_xaxes=True, vertical_spacing=0.06, row_heights=[0.78, 0.22])
    figure.add_trace(_diagonal([0, 1]), 1, 1)
    methods = list(dict.fromkeys(bins["method"]))
    counted = main if main in methods else methods[0] if methods else ""
    for number, (method, rows) in enumerate(bins.groupby("method", sort=False)):
        name, style = escape_label(str(method)), style_of(str(method), number)
        hover = f"<b>{name}</b><br>predicted %{{x:.0%}}, observed %{{y:.0%}}<br>of %{{customdata:,}} pairs"
        options = line_and_markers(style, 8) | {"customdata": rows["entries"], "legendgroup": name}
        add_curve(figure, rows["predicted"], rows["observed"], name, hover, row=1, col=1, **options)
        if method != counted:
            continue
        figure.add_bar(
            x=(rows["low"] + rows["high"]) / 2, y=rows["entries"], width=rows["high"] - rows["low"], name=name,
            legendgroup=name, showlegend=False, opacity=0.6, marker={"color": style.colour, "line": {"width": 0}},
            hovertemplate=f"<b>{name}</b><br>%{{y:,}} pairs with about %{{x:.0%}}<extra></extra>",
            row=2, col=1,
        )  # fmt: skip
    set_grid(figure, dark, zeroline=False)
    figure.update_xaxes(range=[-0.01, 1.01], tickformat=".0%")
    figure.update_xaxes(title=axis_title("Predicted probability of a tie"), row=2, col=1)
    figure.update_yaxes(title=axis_title("Fraction that are ties"), range=[-0.02, 1.02], tickformat=".0%", row=1, col=1)
    # Most pairs have a small probability: on a linear scale the others would not be visible.
    largest = float(bins.loc[bins["method"] == counted, "entries"].max()) if counted else 1.0
    figure.update_yaxes(
        title=axis_title(f"pairs of {escape_label(counted)}<br>(logarithmic)"), type="log", dtick=1,
        range=[math.log10(0.7), math.log10(1.5 * max(largest, 10.0))], row=2, col=1,
    )  # fmt: skip
    figure.update_layout(COMPACT, barmode="overlay")
    return figure


def confusion_table(confusion: Confusion, *, dark: bool = False) -> go.Figure:
    """The four outcomes at a threshold as a table, shaded by their fraction of the row.

    >>> figure = confusion_table(Confusion(hits=3, false_alarms=1, misses=2, rejections=4))
    >>> [row.tolist() for row in figure.data[0].z]
    [[0.6, 0.4], [0.2, 0.8]]
    """
    counts = np.array([[confusion.hits, confusion.misses], [confusion.false_alarms, confusion.rejections]])
    names = np.array([["hits", "missed"], ["false alarms", "correct rejections"]])
    fractions = _row_fractions(counts)
    palette = shades(dark)
    figure = go.Figure(
        go.Heatmap(
            z=fractions, x=["predicted tie", "predicted no tie"], y=["is a tie", "is no tie"], zmin=0, zmax=1,
            showscale=False, xgap=3, ygap=3, colorscale=[[0, palette.no_tie], [1, palette.middle]], hoverinfo="skip",
        )
    )  # fmt: skip
    for (row, column), count in np.ndenumerate(counts):
        figure.add_annotation(
            x=column, y=row, showarrow=False, font={"size": 13, "color": text_colour(dark)},
            text=f"<b>{count:,.0f}</b><br>{names[row, column]}<br>{fractions[row, column]:.1%} of the row",
        )  # fmt: skip
    figure.update_xaxes(side="top", fixedrange=True, showgrid=False)
    figure.update_yaxes(autorange="reversed", fixedrange=True, showgrid=False)
    figure.update_layout(COMPACT)
    return figure


def predicted_vs_true(
    values: Array, predicted: Array, unit: str, *, levels: bool = False, dark: bool = False
) -> go.Figure:
    """Predictions against the truth for a relation that is not binary: correct predictions are on the diagonal.

    Levels are drawn as a confusion table, numbers as points; of many points a random sample.

    >>> figure = predicted_vs_true(np.array([1.0, 2.0]), np.array([1.5, 2.0]), "km")
    >>> [trace.name for trace in figure.data]
    ['as predicted', 'entries']
    """
    unit, palette = escape_label(unit), shades(dark)
    figure = go.Figure()
    if levels:
        known = np.unique(np.concatenate([values, predicted]))
        counts = pd.crosstab(values, predicted).reindex(index=known, columns=known, fill_value=0).to_numpy()
        names = [f"{level:g}" for level in known]
        figure.add_heatmap(
            # Text, because Plotly writes a dash for numbers of customdata in a cell.
            z=_row_fractions(counts), x=names, y=names, text=[[f"{count:,}" for count in row] for row in counts],
            texttemplate="%{text}", customdata=counts, showscale=False, zmin=0, zmax=1,
            xgap=2, ygap=2, colorscale=[[0, palette.no_tie], [1, palette.middle]],
            hovertemplate="is %{y}, predicted %{x}<br>%{text} entries, %{z:.1%} of the row<extra></extra>",
        )  # fmt: skip
        figure.update_xaxes(type="category")
        figure.update_yaxes(type="category", autorange="reversed")
    else:
        if values.size > MAX_POINTS:
            sample = np.sort(np.random.default_rng(0).choice(values.size, MAX_POINTS, replace=False))
            values, predicted = values[sample], predicted[sample]
        both = np.concatenate([values, predicted])
        figure.add_trace(_diagonal([float(both.min()), float(both.max())] if both.size else []))
        figure.add_scattergl(
            x=predicted, y=values, mode="markers", name="entries",
            marker={"size": 5, "opacity": 0.5, "color": BLUE},
            hovertemplate="predicted %{x:,.4~g}, is %{y:,.4~g}<extra></extra>",
        )  # fmt: skip
    set_grid(figure, dark)
    figure.update_xaxes(title=axis_title(f"Predicted {unit}"))
    figure.update_yaxes(title=axis_title(f"True {unit}"))
    figure.update_layout(COMPACT)
    return figure


def _diagonal(ends: list[float]) -> go.Scatter:
    line = {"color": GREY, "dash": "dot", "width": 1.5}
    return go.Scatter(x=ends, y=ends, mode="lines", name="as predicted", line=line, hoverinfo="skip")


def _row_fractions(counts: Any) -> Array:
    return np.asarray(counts / np.maximum(counts.sum(axis=1, keepdims=True), 1))


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
            hover = f"loss of {name} at x = %{{x:.2f}}: %{{y:.2f}}"
            options = {"line": {"color": colour, "width": 2}, "showlegend": False, "row": 2, "col": 1}
            add_curve(figure, grid, value, f"loss of {name}", hover, **options)
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
