"""Scores as curves: over the training size, over the rank, over the size of the data, and over λ.

Every method has one colour, line and marker wherever it is drawn. Bands are a standard deviation to either side;
open diamonds with bars are the paper's numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..metrics import METRICS
from .colours import GREY, faint, shades, style_of

AXES = {
    "train": "known pairs, %",
    "rank": "rank",
    "n_objects": "objects",
    "lam": "λ",
}
PAPER = "paper"
ACROSS = 3
"""The most panels beside each other."""

SPACES = {1: 0.0, 2: 0.14, 3: 0.1}
"""Between panels, by their number: numbers fit there on a telephone too."""


def score_curves(
    summary: pd.DataFrame, axis: str = "train", *, paper: bool = True, dark: bool = False, log: bool = False
) -> go.Figure:
    """A panel for each data set and metric, a curve with its band for each method.

    `summary` has the columns data, kind, metric, method, the axis ("train", "rank" or "n_objects"), mean and sd, and
    for the paper's points paper_mean and paper_sd. `log` makes both axes logarithmic.

    >>> frame = pd.DataFrame({"data": "Kinship", "kind": "binary", "metric": "auprc", "method": "MrWTD-L",
    ...     "train": [0.05, 0.1], "mean": [0.38, 0.54], "sd": 0.02, "paper_mean": [0.33, 0.48], "paper_sd": 0.02})
    >>> [trace.name for trace in score_curves(frame).data]
    ['MrWTD-L', 'MrWTD-L', 'MrWTD-L, paper', 'paper']
    """
    panels = list(summary[["data", "kind", "metric"]].drop_duplicates().itertuples(index=False, name=None))
    figure = _panels([_title(summary, *panel) for panel in panels], dark)
    seen: set[str] = set()
    diamonds = False
    for at, (data, kind, metric) in enumerate(panels):
        own = summary[(summary["data"] == data) & (summary["kind"] == kind) & (summary["metric"] == metric)]
        place = {"row": at // ACROSS + 1, "col": at % ACROSS + 1}
        for method, rows in own.groupby("method", sort=False):
            rows = rows.sort_values(axis)
            name = str(method)
            _add_method(figure, name, rows, _along(rows, axis), place, legend=name not in seen)
            seen.add(name)
            if paper and "paper_mean" in rows.columns and rows["paper_mean"].notna().any():
                printed = rows[rows["paper_mean"].notna()]
                _add_paper(figure, name, printed, _along(printed, axis), place)
                diamonds = True
        figure.update_yaxes(type="log" if log else "linear", **place)
        if not log and np.isfinite(METRICS[metric].bounds).all():
            figure.update_yaxes(range=METRICS[metric].bounds, **place)
        elif not log:
            figure.update_yaxes(rangemode="tozero", **place)
    places = sorted(set(_along(summary, axis)))
    kind_of_axis = "log" if log or axis == "rank" else "linear"
    figure.update_xaxes(
        title_text=AXES[axis], type=kind_of_axis, tickvals=places, ticktext=[f"{one:,g}" for one in places]
    )
    if diamonds:
        marker = {"symbol": "diamond-open", "size": 8, "color": GREY}
        # One click on it turns the paper's points off, whatever their methods.
        figure.add_trace(go.Scatter(x=[None], y=[None], mode="markers", name=PAPER, legendgroup=PAPER, marker=marker))
    return figure


def lam_paths(paths: pd.DataFrame, *, dark: bool = False) -> go.Figure:
    """The held-out score against λ: a panel for each data set, training size and rank, a curve for each method.

    `paths` has the columns data, train, rank, method, run, lam and score. Curves are means over the runs; a search
    that had passed its peak tried no smaller λ.

    >>> paths = pd.DataFrame({"data": "Kinship", "train": 0.1, "rank": 20, "method": "MrWTD-L", "run": 0,
    ...     "lam": [10.0, 1.0], "score": [0.5, 0.4]})
    >>> lam_paths(paths).data[0].x
    array([ 1., 10.])
    """
    panels = list(paths[["data", "train", "rank"]].drop_duplicates().itertuples(index=False, name=None))
    ranked = len({rank for *_, rank in panels}) > 1
    below = [f"rank {rank}" if ranked else f"{100 * train:g}% known" for _, train, rank in panels]
    titles = [f"{data}<br>{text}" for (data, *_), text in zip(panels, below, strict=True)]
    figure = _panels(titles, dark)
    seen: set[str] = set()
    for at, (data, train, rank) in enumerate(panels):
        own = paths[(paths["data"] == data) & (paths["train"] == train) & (paths["rank"] == rank)]
        place = {"row": at // ACROSS + 1, "col": at % ACROSS + 1}
        for method, rows in own.groupby("method", sort=False):
            name = str(method)
            mean = rows.groupby("lam", as_index=False)["score"].agg(mean="mean", sd="std")
            _add_method(figure, name, mean, mean["lam"].to_numpy(), place, legend=name not in seen)
            seen.add(name)
    figure.update_xaxes(title_text=AXES["lam"], type="log")
    return figure


def _panels(titles: Sequence[str], dark: bool) -> go.Figure:
    count = max(len(titles), 1)
    columns = min(count, ACROSS)
    rows = math.ceil(count / columns)
    figure = make_subplots(
        rows, columns, subplot_titles=list(titles), horizontal_spacing=SPACES[columns], vertical_spacing=0.3 / rows
    )
    figure.update_annotations(font_size=13)
    rule = shades(dark).line
    axes = {"gridcolor": rule, "linecolor": rule, "zeroline": False, "showline": True, "ticks": "outside"}
    figure.update_xaxes(**axes)
    figure.update_yaxes(**axes)
    figure.update_layout(
        template="none",
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        height=400 * rows,
        margin={"l": 40, "r": 16, "t": 48, "b": 60},
        legend={"orientation": "h", "yanchor": "top", "y": -0.2 / rows, "xanchor": "center", "x": 0.5},
        hovermode="closest",
    )
    if dark:
        figure.update_layout(font={"color": "#E6EAEE"})
    return figure


def _title(summary: pd.DataFrame, data: str, kind: str, metric: str) -> str:
    """Two short lines: on a telephone there is no room beside a panel, and little above it."""
    several = len(set(summary.loc[summary["data"] == data, "kind"])) > 1
    return f"{data}<br>{f'{kind}: ' if several else ''}{METRICS[metric].label}"


def _along(rows: pd.DataFrame, axis: str) -> np.ndarray:
    values = rows[axis].to_numpy(dtype=float)
    return (100 * values).round(6) if axis == "train" else values


def _add_method(
    figure: go.Figure, name: str, rows: pd.DataFrame, x: np.ndarray, place: dict[str, int], *, legend: bool
) -> None:
    style = style_of(name)
    mean, sd = rows["mean"].to_numpy(dtype=float), rows["sd"].to_numpy(dtype=float)
    known = np.isfinite(mean) & np.isfinite(sd)
    if known.any():
        low, high = mean[known] - sd[known], mean[known] + sd[known]
        # On a logarithmic axis a band cannot reach 0.
        low = np.maximum(low, np.minimum(mean[known], 1e-3 * np.abs(mean[known])))
        figure.add_trace(
            go.Scatter(
                x=np.concatenate([x[known], x[known][::-1]]),
                y=np.concatenate([high, low[::-1]]),
                fill="toself",
                fillcolor=faint(style.colour),
                line={"width": 0},
                mode="lines",
                name=name,
                legendgroup=name,
                showlegend=False,
                hoverinfo="skip",
            ),
            **place,
        )
    figure.add_trace(
        go.Scatter(
            x=x,
            y=mean,
            customdata=sd,
            mode="lines+markers",
            name=name,
            legendgroup=name,
            showlegend=legend,
            line={"color": style.colour, "dash": style.dash, "width": 2},
            marker={"symbol": style.symbol, "size": 7},
            hovertemplate=f"{name}<br>%{{x:,.4~g}}: %{{y:.4~g}} (%{{customdata:.2~g}})<extra></extra>",
        ),
        **place,
    )


def _add_paper(figure: go.Figure, name: str, rows: pd.DataFrame, x: np.ndarray, place: dict[str, int]) -> None:
    colour = style_of(name).colour
    figure.add_trace(
        go.Scatter(
            x=x,
            y=rows["paper_mean"].to_numpy(dtype=float),
            error_y={"array": rows["paper_sd"].to_numpy(dtype=float), "thickness": 1, "width": 3},
            mode="markers",
            name=f"{name}, paper",
            legendgroup=PAPER,
            showlegend=False,
            marker={"symbol": "diamond-open", "size": 8, "color": colour},
            hovertemplate=f"{name}, paper<br>%{{x:,.4~g}}: %{{y:.4~g}}<extra></extra>",
        ),
        **place,
    )
