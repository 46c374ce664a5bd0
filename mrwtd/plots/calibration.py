"""How far predictions can be trusted: probabilities, calls and numbers against what came of them."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..evaluation.thresholds import Confusion
from ..typing import Array
from .colours import BLUE, GREY, ink, shades, style_of
from .labels import safe

MAX_POINTS = 3_000
"""More points than this hide each other: as many are drawn at random."""


def calibration(bins: pd.DataFrame, main: str = "", *, dark: bool = False) -> go.Figure:
    """Of pairs with a predicted probability, how many are ties: on the diagonal, probabilities mean what they say.

    Below it, how many pairs have such a probability by one of the methods.

    Args:
        bins: method and the columns of `mrwtd.evaluation.calibration_bins`, of one relation.
        main: the method whose pairs are counted below; the first where it has no probabilities.
        dark: for a dark background.

    >>> bins = pd.DataFrame({"method": ["CP"], "low": [0.0], "high": [0.5], "predicted": [0.2], "observed": [0.3],
    ...     "entries": [10]})
    >>> [trace.name for trace in calibration(bins).data]
    ['as predicted', 'CP', 'CP']
    """
    figure = make_subplots(2, 1, shared_xaxes=True, vertical_spacing=0.06, row_heights=[0.78, 0.22])
    figure.add_trace(
        go.Scatter(
            x=[0, 1], y=[0, 1], mode="lines", name="as predicted", line={"color": GREY, "dash": "dot", "width": 1.5},
            hoverinfo="skip",
        ),
        1, 1,
    )  # fmt: skip
    methods = list(dict.fromkeys(bins["method"]))
    counted = main if main in methods else methods[0] if methods else ""
    for number, (method, own) in enumerate(bins.groupby("method", sort=False)):
        name, style = safe(str(method)), style_of(str(method), number)
        figure.add_trace(
            go.Scatter(
                x=own["predicted"], y=own["observed"], customdata=own["entries"], name=name, legendgroup=name,
                mode="lines+markers", line={"color": style.colour, "dash": style.dash, "width": 2},
                marker={"size": 8, "symbol": style.symbol},
                hovertemplate=f"<b>{name}</b><br>predicted %{{x:.0%}}, came true %{{y:.0%}}"
                "<br>of %{customdata:,} pairs<extra></extra>",
            ),
            1, 1,
        )  # fmt: skip
        if method != counted:
            continue
        figure.add_trace(
            go.Bar(
                x=(own["low"] + own["high"]) / 2, y=own["entries"], width=own["high"] - own["low"], name=name,
                legendgroup=name, showlegend=False, opacity=0.6, marker={"color": style.colour, "line": {"width": 0}},
                hovertemplate=f"<b>{name}</b><br>%{{y:,}} pairs with about %{{x:.0%}}<extra></extra>",
            ),
            2, 1,
        )  # fmt: skip
    rule = shades(dark).line
    figure.update_xaxes(range=[-0.01, 1.01], tickformat=".0%", gridcolor=rule, zeroline=False)
    figure.update_yaxes(gridcolor=rule, zeroline=False)
    figure.update_xaxes(title={"text": "Predicted probability of a tie", "font": {"size": 12}}, row=2, col=1)
    figure.update_yaxes(
        title={"text": "Share that are ties", "font": {"size": 12}}, range=[-0.02, 1.02], tickformat=".0%", row=1, col=1
    )
    # Most pairs have a small probability: on a plain scale the rest would not be seen.
    most = float(bins.loc[bins["method"] == counted, "entries"].max()) if counted else 1.0
    figure.update_yaxes(
        title={"text": f"pairs of {safe(counted)}<br>(logarithmic)", "font": {"size": 12}}, type="log", dtick=1,
        range=[math.log10(0.7), math.log10(1.5 * max(most, 10.0))], row=2, col=1,
    )  # fmt: skip
    figure.update_layout(barmode="overlay", **_around())
    return figure


def confusion_table(found: Confusion, *, dark: bool = False) -> go.Figure:
    """The four outcomes at a threshold as a table, shaded by their share of the row.

    >>> figure = confusion_table(Confusion(hits=3, false_alarms=1, misses=2, rejections=4))
    >>> [row.tolist() for row in figure.data[0].z]
    [[0.6, 0.4], [0.2, 0.8]]
    """
    counts = np.array([[found.hits, found.misses], [found.false_alarms, found.rejections]])
    words = (("hits", "missed"), ("false alarms", "rightly left out"))
    share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    colour = shades(dark)
    figure = go.Figure(
        go.Heatmap(
            z=share, x=["called a tie", "called no tie"], y=["is a tie", "is no tie"], zmin=0, zmax=1, showscale=False,
            xgap=3, ygap=3, colorscale=[[0, colour.no_tie], [1, colour.middle]], hoverinfo="skip",
        )
    )  # fmt: skip
    for row in (0, 1):
        for column in (0, 1):
            figure.add_annotation(
                x=column, y=row, showarrow=False, font={"size": 13, "color": ink(dark)},
                text=f"<b>{counts[row, column]:,}</b><br>{words[row][column]}<br>{share[row, column]:.1%} of the row",
            )  # fmt: skip
    figure.update_xaxes(side="top", fixedrange=True, showgrid=False)
    figure.update_yaxes(autorange="reversed", fixedrange=True, showgrid=False)
    figure.update_layout(**_around())
    return figure


def predicted_vs_true(
    values: Array, predicted: Array, unit: str, *, levels: bool = False, dark: bool = False, seed: int = 0
) -> go.Figure:
    """Predictions against the truth, of a relation that is not binary: on the diagonal they are right.

    Levels are drawn as a table of how often each is taken for which; numbers as points, some of them where they are
    many.

    >>> figure = predicted_vs_true(np.array([1.0, 2.0]), np.array([1.5, 2.0]), "km")
    >>> [trace.name for trace in figure.data]
    ['as predicted', 'entries']
    """
    unit = safe(unit)
    figure = go.Figure()
    if levels:
        known = np.unique(np.concatenate([values, predicted]))
        counts = pd.crosstab(values, predicted).reindex(index=known, columns=known, fill_value=0).to_numpy()
        share = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        names = [f"{level:g}" for level in known]
        figure.add_trace(
            go.Heatmap(
                # Text, as Plotly writes a dash where a cell's template asks for numbers of customdata.
                z=share, x=names, y=names, text=[[f"{count:,}" for count in row] for row in counts],
                texttemplate="%{text}", customdata=counts, showscale=False, zmin=0, zmax=1,
                xgap=2, ygap=2, colorscale=[[0, shades(dark).no_tie], [1, shades(dark).middle]],
                hovertemplate="is %{y}, predicted %{x}<br>%{text} entries, %{z:.1%} of the row<extra></extra>",
            )
        )  # fmt: skip
        figure.update_xaxes(type="category")
        figure.update_yaxes(type="category", autorange="reversed")
    else:
        if values.size > MAX_POINTS:
            some = np.sort(np.random.default_rng(seed).choice(values.size, MAX_POINTS, replace=False))
            values, predicted = values[some], predicted[some]
        ends = (
            [float(min(values.min(), predicted.min())), float(max(values.max(), predicted.max()))]
            if values.size
            else []
        )
        line = {"color": GREY, "dash": "dot", "width": 1.5}
        figure.add_trace(go.Scatter(x=ends, y=ends, mode="lines", name="as predicted", line=line, hoverinfo="skip"))
        figure.add_trace(
            go.Scattergl(
                x=predicted, y=values, mode="markers", name="entries",
                marker={"size": 5, "opacity": 0.5, "color": BLUE},
                hovertemplate="predicted %{x:,.4~g}, is %{y:,.4~g}<extra></extra>",
            )
        )  # fmt: skip
    figure.update_xaxes(title={"text": f"Predicted {unit}", "font": {"size": 12}}, gridcolor=shades(dark).line)
    figure.update_yaxes(title={"text": f"True {unit}", "font": {"size": 12}}, gridcolor=shades(dark).line)
    figure.update_layout(**_around())
    return figure


def _around() -> dict[str, object]:
    return {
        "margin": {"l": 8, "r": 8, "t": 8, "b": 8},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.01, "xanchor": "left", "x": 0},
        "hoverlabel": {"align": "left"},
    }
