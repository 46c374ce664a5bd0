"""Scores as curves over the training size, the rank, the size of the data, or λ, and relation by relation.

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
from .colours import BLUE, GREY, ORANGE, line_and_markers, shades, style_of, text_colour
from .figure_layout import COMPACT, add_curve, axis_title, band, escape_label, set_grid, short_label

AXES = {
    "train": "training fraction, %",
    "rank": "rank",
    "n_objects": "objects",
    "lam": "λ",
    "fixed_lam": "λ",
}
PAPER = "paper"
COLUMNS = 3
"""At most this many panels side by side."""

TITLE = 60
"""At most this many characters of the name of a data set, which may be that of a file, above a panel."""

SPACES = {1: 0.0, 2: 0.14, 3: 0.1}
"""Space between panels by their number: wide enough for tick labels on a mobile screen."""


def score_curves(
    summary: pd.DataFrame, axis: str = "train", *, paper: bool = True, dark: bool = False, log: bool = False
) -> go.Figure:
    """One panel per data set and metric, one curve with its band per method.

    `summary` has the columns data, kind, metric, method, the axis (of `AXES`), mean and sd, and
    for the paper's points paper_mean and paper_sd. `log` makes both axes logarithmic.

    >>> frame = pd.DataFrame({"data": "Kinship", "kind": "binary", "metric": "auprc", "method": "MrWTD-L",
    ...     "train": [0.05, 0.1], "mean": [0.38, 0.54], "sd": 0.02, "paper_mean": [0.33, 0.48], "paper_sd": 0.02})
    >>> [trace.name for trace in score_curves(frame).data]
    ['MrWTD-L', 'MrWTD-L', 'MrWTD-L, paper', 'paper']
    """
    panels: list[Any] = list(summary.groupby(["data", "kind", "metric"], sort=False))
    figure = _panels([_title(summary, *key) for key, _ in panels], dark)
    has_paper = False
    for number, ((_, _, metric), panel) in enumerate(panels):
        cell = _cell(number)
        for method, rows in panel.groupby("method", sort=False):
            rows = rows.sort_values(axis)
            _add_method(figure, str(method), rows, _positions(rows, axis), cell)
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
        type="log" if log or axis in ("rank", "fixed_lam") else "linear",
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
        _two_lines(str(data), f"rank {rank}" if ranked else f"{100 * train:g}% known")
        for (data, train, rank), _ in panels
    ]
    figure = _panels(titles, dark)
    for number, (_, panel) in enumerate(panels):
        for method, rows in panel.groupby("method", sort=False):
            means = rows.groupby("lam", as_index=False)["score"].agg(mean="mean", sd="std")
            _add_method(figure, str(method), means, means["lam"].to_numpy(), _cell(number))
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
    several = len(set(summary.loc[summary["data"] == data, "kind"])) > 1
    return _two_lines(data, f"{f'{kind}: ' if several else ''}{METRICS[metric].label}")


def _two_lines(data: str, text: str) -> str:
    """Two short lines: on a mobile screen there is little room above a panel."""
    return f"{short_label(data, TITLE)}<br>{text}"


def _positions(rows: pd.DataFrame, axis: str) -> Array:
    values = rows[axis].to_numpy(dtype=float)
    return (100 * values).round(6) if axis == "train" else values


def _add_method(figure: go.Figure, name: str, rows: pd.DataFrame, x: Array, cell: dict[str, int]) -> None:
    style, is_first = style_of(name), all(trace.legendgroup != name for trace in figure.data)
    mean, sd = rows["mean"].to_numpy(dtype=float), rows["sd"].to_numpy(dtype=float)
    known = np.isfinite(mean) & np.isfinite(sd)
    if known.any():
        middle, width = mean[known], sd[known]
        # On a logarithmic axis a band cannot reach 0.
        low = np.maximum(middle - width, np.minimum(middle, 1e-3 * np.abs(middle)))
        figure.add_trace(band(x[known], low, middle + width, style.colour, name=name, legendgroup=name), **cell)
    hover = f"{name}<br>%{{x:,.4~g}}: %{{y:.4~g}} (%{{customdata:.2~g}})"
    options = line_and_markers(style) | {"customdata": sd, "legendgroup": name, "showlegend": is_first}
    add_curve(figure, x, mean, name, hover, **options, **cell)


def _add_paper(figure: go.Figure, name: str, rows: pd.DataFrame, x: Array, cell: dict[str, int]) -> None:
    mean, sd = rows["paper_mean"].to_numpy(dtype=float), rows["paper_sd"].to_numpy(dtype=float)
    marker = {"symbol": "diamond-open", "size": 8, "color": style_of(name).colour}
    errors = {"array": sd, "thickness": 1, "width": 3}
    options = {"mode": "markers", "marker": marker, "error_y": errors, "legendgroup": PAPER, "showlegend": False}
    add_curve(figure, x, mean, f"{name}, paper", f"{name}, paper<br>%{{x:,.4~g}}: %{{y:.4~g}}", **options, **cell)


MAX_NAMES = 30
"""Up to this many relations are named below the figure; others are named on hover."""

ROW = 24
"""Height in pixels of one relation in a chart that grows with their number."""


def score_bands(standings: pd.DataFrame, metric: str, *, dark: bool = False) -> go.Figure:
    """Mean scores over the splits, one line per method, with a band of one standard deviation on both sides.

    Relations are sorted by the best method's mean, so that the lines fall from left to right.

    Args:
        standings: rows of `mrwtd.evaluation.standings_over_splits` for single relations.
        metric: the name of the metric to show.
        dark: for a dark background.

    >>> rows = pd.DataFrame({"relation": ["a", "b"], "metric": "auprc", "method": "CP", "value": [0.2, 0.6],
    ...     "spread": [0.1, 0.1], "n": 3, "best": True})
    >>> figure = score_bands(rows, "auprc")
    >>> figure.data[1].x
    ('b', 'a')
    """
    scores = standings[standings["metric"] == metric]
    best = scores[scores["best"]].drop_duplicates("relation").set_index("relation")["value"]
    best = best.sort_values(ascending=False)
    order = [*best.index, *[name for name in scores["relation"].unique() if name not in best.index]]
    labels = [escape_label(str(name)) for name in order]
    several, bounds = len(order) > 1, METRICS[metric].bounds
    figure = go.Figure()
    for number, (method, rows) in enumerate(scores.groupby("method", sort=False)):
        rows = rows.set_index("relation").reindex(order)
        mean, sd = rows["value"].to_numpy(), np.nan_to_num(rows["spread"].to_numpy())
        style, name = style_of(str(method), number), escape_label(str(method))
        if several:
            low, high = np.clip(mean - sd, *bounds), np.clip(mean + sd, *bounds)
            figure.add_trace(band(np.array(labels, dtype=object), low, high, style.colour, legendgroup=name))
        # A band of one relation has no width: its methods are side by side, each with an error bar.
        errors = {"array": sd, "visible": not several, "thickness": 1.5}
        options = line_and_markers(style) | {"customdata": np.column_stack([sd, rows["n"]]), "error_y": errors}
        hover = f"<b>{name}</b><br>%{{x}}: %{{y:.4~g}} ± %{{customdata[0]:.3~g}} over %{{customdata[1]}} splits"
        add_curve(figure, labels if several else [name], mean, name, hover, legendgroup=name, **options)
    set_grid(figure, dark)
    figure.update_xaxes(tickangle=-40 if several else 0, tickfont={"size": 11}, showticklabels=len(order) <= MAX_NAMES)
    figure.update_yaxes(title=axis_title(METRICS[metric].label))
    figure.update_layout(COMPACT, showlegend=several)
    return figure


def dumbbells(rows: pd.DataFrame, metric: str, first: str = "A", second: str = "B", *, dark: bool = False) -> go.Figure:
    """Two scores of each relation, joined by a line: where a run, or another way to read the data, gains or loses.

    Args:
        rows: relation, metric and the columns A and B, as `mrwtd.analysis.run_differences.score_differences` has them.
        metric: the name of the metric to show.
        first: the name of A.
        second: the name of B.
        dark: for a dark background.

    >>> rows = pd.DataFrame({"relation": ["likes"], "metric": "auprc", "A": [0.2], "B": [0.5]})
    >>> [trace.name for trace in dumbbells(rows, "auprc", "before", "after").data]
    [None, 'before', 'after']
    """
    rows = rows[rows["metric"] == metric]
    relations = rows["relation"].astype(str)
    positions, gap = np.arange(len(rows)), np.full(len(rows), np.nan)
    a, b = rows["A"].to_numpy(dtype=float), rows["B"].to_numpy(dtype=float)
    figure = go.Figure(
        go.Scatter(
            x=np.column_stack([a, b, gap]).ravel(), y=np.column_stack([positions, positions, gap]).ravel(),
            mode="lines", line={"color": shades(dark).unknown, "width": 3}, hoverinfo="skip", showlegend=False,
        )
    )  # fmt: skip
    for name, values, colour, symbol in ((first, a, ORANGE, "circle-open"), (second, b, BLUE, "circle")):
        marker = {"color": colour, "symbol": symbol, "size": 10, "line": {"width": 2, "color": colour}}
        # Unclipped: a score of 0 is a full circle.
        options = {"mode": "markers", "marker": marker, "text": relations.map(escape_label), "cliponaxis": False}
        label = escape_label(name)
        add_curve(figure, values, positions, label, f"%{{text}}<br>{label}: %{{x:.4~g}}", **options)
    figure.update_xaxes(
        title=axis_title(METRICS[metric].label), gridcolor=shades(dark).line, zeroline=False, rangemode="tozero"
    )
    figure.update_yaxes(
        tickmode="array", tickvals=positions, ticktext=[short_label(name, 22) for name in relations],
        range=[len(rows) - 0.4, -0.6], showgrid=False, zeroline=False, tickfont={"size": 11},
    )  # fmt: skip
    figure.update_layout(COMPACT, height=max(220, 90 + ROW * len(rows)))
    return figure
