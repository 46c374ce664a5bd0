"""Scores as curves over the training size, the rank, the size of the data, or λ.

A method has the same colour, line and marker in every figure. Bands are one standard deviation on both sides; open
diamonds with error bars are the paper's numbers.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..metrics import METRICS
from ..typing import Array
from .colours import GREY, shades, style_of, text_colour
from .figure_layout import band

AXES = {
    "train": "known pairs, %",
    "rank": "rank",
    "n_objects": "objects",
    "lam": "λ",
}
PAPER = "paper"
COLUMNS = 3
"""At most this many panels side by side."""

SPACES = {1: 0.0, 2: 0.14, 3: 0.1}
"""Space between panels by their number: wide enough for tick labels on a mobile screen."""


def score_curves(
    summary: pd.DataFrame, axis: str = "train", *, paper: bool = True, dark: bool = False, log: bool = False
) -> go.Figure:
    """One panel per data set and metric, one curve with its band per method.

    `summary` has the columns data, kind, metric, method, the axis ("train", "rank" or "n_objects"), mean and sd, and
    for the paper's points paper_mean and paper_sd. `log` makes both axes logarithmic.

    >>> frame = pd.DataFrame({"data": "Kinship", "kind": "binary", "metric": "auprc", "method": "MrWTD-L",
    ...     "train": [0.05, 0.1], "mean": [0.38, 0.54], "sd": 0.02, "paper_mean": [0.33, 0.48], "paper_sd": 0.02})
    >>> [trace.name for trace in score_curves(frame).data]
    ['MrWTD-L', 'MrWTD-L', 'MrWTD-L, paper', 'paper']
    """
    panels: list[Any] = list(summary.groupby(["data", "kind", "metric"], sort=False))
    figure = _panels([_title(summary, *key) for key, _ in panels], dark)
    in_legend: set[str] = set()
    has_paper = False
    for number, ((_, _, metric), panel) in enumerate(panels):
        cell = _cell(number)
        for method, rows in panel.groupby("method", sort=False):
            rows = rows.sort_values(axis)
            _add_method(figure, str(method), rows, _positions(rows, axis), cell, legend=method not in in_legend)
            in_legend.add(method)
            if paper and "paper_mean" in rows.columns and rows["paper_mean"].notna().any():
                printed = rows[rows["paper_mean"].notna()]
                _add_paper(figure, str(method), printed, _positions(printed, axis), cell)
                has_paper = True
        figure.update_yaxes(type="log" if log else "linear", **cell)
        if not log:
            bounds = METRICS[metric].bounds
            limits = {"range": bounds} if np.isfinite(bounds).all() else {"rangemode": "tozero"}
            figure.update_yaxes(**limits, **cell)
    ticks = sorted(set(_positions(summary, axis)))
    figure.update_xaxes(
        title_text=AXES[axis],
        type="log" if log or axis == "rank" else "linear",
        tickvals=ticks,
        ticktext=[f"{tick:,g}" for tick in ticks],
    )
    if has_paper:
        marker = {"symbol": "diamond-open", "size": 8, "color": GREY}
        # One click on this entry hides the paper's points of all methods.
        figure.add_scatter(x=[None], y=[None], mode="markers", name=PAPER, legendgroup=PAPER, marker=marker)
    return figure


def lam_paths(paths: pd.DataFrame, *, dark: bool = False) -> go.Figure:
    """Held-out score against λ: one panel per data set, training size and rank, one curve per method.

    `paths` has the columns data, train, rank, method, run, lam and score. Curves are means over the runs; a search
    that has passed its peak tries no smaller λ.

    >>> paths = pd.DataFrame({"data": "Kinship", "train": 0.1, "rank": 20, "method": "MrWTD-L", "run": 0,
    ...     "lam": [10.0, 1.0], "score": [0.5, 0.4]})
    >>> lam_paths(paths).data[0].x
    array([ 1., 10.])
    """
    panels: list[Any] = list(paths.groupby(["data", "train", "rank"], sort=False))
    ranked = len(set(paths["rank"])) > 1
    titles = [
        f"{data}<br>" + (f"rank {rank}" if ranked else f"{100 * train:g}% known") for (data, train, rank), _ in panels
    ]
    figure = _panels(titles, dark)
    in_legend: set[str] = set()
    for number, (_, panel) in enumerate(panels):
        for method, rows in panel.groupby("method", sort=False):
            means = rows.groupby("lam", as_index=False)["score"].agg(mean="mean", sd="std")
            positions = means["lam"].to_numpy()
            _add_method(figure, str(method), means, positions, _cell(number), legend=method not in in_legend)
            in_legend.add(method)
    figure.update_xaxes(title_text=AXES["lam"], type="log")
    return figure


def _cell(number: int) -> dict[str, int]:
    """Row and column of a panel."""
    return {"row": number // COLUMNS + 1, "col": number % COLUMNS + 1}


def _panels(titles: Sequence[str], dark: bool) -> go.Figure:
    count = max(len(titles), 1)
    columns = min(count, COLUMNS)
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
        figure.update_layout(font={"color": text_colour(dark)})
    return figure


def _title(summary: pd.DataFrame, data: str, kind: str, metric: str) -> str:
    """Two short lines: on a mobile screen there is little room above a panel."""
    several = len(set(summary.loc[summary["data"] == data, "kind"])) > 1
    return f"{data}<br>{f'{kind}: ' if several else ''}{METRICS[metric].label}"


def _positions(rows: pd.DataFrame, axis: str) -> Array:
    values = rows[axis].to_numpy(dtype=float)
    return (100 * values).round(6) if axis == "train" else values


def _add_method(
    figure: go.Figure, name: str, rows: pd.DataFrame, x: Array, cell: dict[str, int], *, legend: bool
) -> None:
    style = style_of(name)
    mean, sd = rows["mean"].to_numpy(dtype=float), rows["sd"].to_numpy(dtype=float)
    known = np.isfinite(mean) & np.isfinite(sd)
    if known.any():
        middle, width = mean[known], sd[known]
        # On a logarithmic axis a band cannot reach 0.
        low = np.maximum(middle - width, np.minimum(middle, 1e-3 * np.abs(middle)))
        figure.add_trace(band(x[known], low, middle + width, style.colour, name=name, legendgroup=name), **cell)
    figure.add_scatter(
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
        **cell,
    )


def _add_paper(figure: go.Figure, name: str, rows: pd.DataFrame, x: Array, cell: dict[str, int]) -> None:
    figure.add_scatter(
        x=x,
        y=rows["paper_mean"].to_numpy(dtype=float),
        error_y={"array": rows["paper_sd"].to_numpy(dtype=float), "thickness": 1, "width": 3},
        mode="markers",
        name=f"{name}, paper",
        legendgroup=PAPER,
        showlegend=False,
        marker={"symbol": "diamond-open", "size": 8, "color": style_of(name).colour},
        hovertemplate=f"{name}, paper<br>%{{x:,.4~g}}: %{{y:.4~g}}<extra></extra>",
        **cell,
    )
