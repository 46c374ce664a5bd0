"""A training as it goes: the objective and the held-out score by iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..analysis.interpretation import format_parameter
from ..typing import Array
from .colours import SHORT_DASHES, shades, style_of
from .labels import safe
from .margins import NUMBERS, STILL, TICKS, TITLE, around

Curves = tuple[Sequence[float], Sequence[float]]

MAX_TICKS = 7
"""With more half decades than this, only whole ones are written at an axis."""


A_LINE, NAMES_A_LINE = 20, 5
"""Pixels of a line of names below the curves, and how many stand in it."""

PROGRESS_TITLES = {"objective": "objective by iteration, first = 1", "score": "held-out score by iteration"}
"""What is drawn of a training, and what stands above it."""


def progress_figure(
    curves: Mapping[str, Curves],
    parts: Sequence[str] = tuple(PROGRESS_TITLES),
    *,
    score: str = "score",
    dark: bool = False,
    height: int = 260,
) -> go.Figure:
    """The objective of each method as a share of where it began, and the held-out score where one is watched.

    `score` is what that score is called.

    >>> figure = progress_figure({"MrWTD": ([10.0, 5.0], [0.1, 0.4]), "RESCAL": ([], [])})
    >>> [trace.y.tolist() for trace in figure.data]
    [[1.0, 0.5], [0.1, 0.4]]
    >>> figure = progress_figure({"MrWTD": ([10.0, 5.0], [0.1, 0.4])}, ["score"])
    >>> [trace.y.tolist() for trace in figure.data]
    [[0.1, 0.4]]
    >>> progress_figure({"BPTF": ([-10.0, -15.0], [])}).data[0].y.tolist()
    [1.0, 0.5]
    >>> [text.text for text in progress_figure({"BPTF": ([10.0, 5.0], [])}).layout.annotations]
    ['objective by iteration, first = 1']
    """
    watched = any(len(scores) for _, scores in curves.values())
    parts = [part for part in parts if watched or part != "score"] or ["objective"]
    titles = [PROGRESS_TITLES[part].replace("held-out score", f"held-out {score}") for part in parts]
    figure = make_subplots(1, len(parts), subplot_titles=titles, horizontal_spacing=0.12)
    named = set[str]()
    for number, (method, (objective, watched_scores)) in enumerate(curves.items()):
        dash = style_of(method, number).dash  # Plotly's own long ones would leave fragments of a curve that wanders
        line = {"color": style_of(method, number).colour, "dash": SHORT_DASHES.get(dash, dash), "width": 2}
        first = objective[0] if len(objective) else 0.0
        shares = 1 + (np.asarray(objective) - first) / (abs(first) or 1.0)  # that of a likelihood may be below 0
        values = {"objective": shares, "score": np.asarray(watched_scores)}
        for column, part in enumerate(parts, start=1):
            if len(values[part]):
                figure.add_trace(_curve(method, values[part], line, legend=method not in named), 1, column)
                named.add(method)
    rule = shades(dark).line
    figure.update_xaxes(rangemode="tozero", gridcolor=rule, zeroline=False, nticks=6, **STILL)
    figure.update_yaxes(gridcolor=rule, zeroline=False, **STILL)
    below = A_LINE * (-(-len(named) // NAMES_A_LINE) - 1)  # further lines of names take no room from the curves
    figure.update_layout(
        height=height + below,
        legend={"orientation": "h", "yanchor": "top", "y": -0.14 * height / (height + below)},
        showlegend=True,
        **around(left=NUMBERS, top=30, bottom=TICKS),
    )
    figure.update_annotations(font_size=13)
    return figure


def progress_frame(curves: Mapping[str, Curves]) -> pd.DataFrame:
    """The same as a table: method, iteration, objective, and the score where one is watched.

    >>> progress_frame({"MrWTD": ([10.0, 5.0], [0.1, 0.4])})
      method  iteration  objective  score
    0  MrWTD          1       10.0    0.1
    1  MrWTD          2        5.0    0.4
    """
    rows = [
        (method, number, value, watched)
        for method, (objective, score) in curves.items()
        for number, (value, watched) in enumerate(zip_longest(objective, score, fillvalue=np.nan), start=1)
    ]
    return pd.DataFrame(rows, columns=["method", "iteration", "objective", "score"])


def _curve(
    method: str, values: np.ndarray[tuple[int], np.dtype[np.float64]], line: dict[str, object], legend: bool = True
) -> go.Scatter:
    return go.Scatter(
        x=np.arange(1, len(values) + 1), y=values, name=safe(method), legendgroup=method, line=line, mode="lines",
        showlegend=legend, hovertemplate=f"{safe(method)}<br>iteration %{{x}}: %{{y:.4~g}}<extra></extra>",
    )  # fmt: skip


def search_figure(
    values: Sequence[float], scores: Sequence[float], chosen: float, *, name: str, log: bool, dark: bool = False
) -> go.Figure:
    """The held-out score along a search for λ or for a rank, with what was chosen marked.

    >>> figure = search_figure([0.1, 1.0, 10.0], [0.2, 0.5, 0.3], 1.0, name="λ", log=True)
    >>> figure.data[1].y.tolist()
    [0.5]
    """
    order = np.argsort(values, kind="stable")
    x, y = np.asarray(values, dtype=float)[order], np.asarray(scores, dtype=float)[order]
    colour = style_of("MrWTD").colour
    at = int(np.argmin(np.abs(x - chosen)))
    tells = f"{name} = %{{x:.3~g}}<br>held-out score %{{y:.4~g}}<extra></extra>"
    figure = go.Figure(
        [
            go.Scatter(x=x, y=y, mode="lines+markers", line={"color": colour}, hovertemplate=tells, showlegend=False),
            go.Scatter(
                x=x[at : at + 1], y=y[at : at + 1], mode="markers", marker={"size": 13, "color": colour},
                hovertemplate=tells, showlegend=False,
            ),
        ]
    )  # fmt: skip
    rule = shades(dark).line
    # What was chosen is said above the curve, where no line can cross it.
    side = "left" if at == 0 else "right" if at == len(x) - 1 else "center"
    figure.add_vline(x=x[at], line={"color": colour, "dash": "dot", "width": 1})
    figure.add_annotation(
        x=np.log10(x[at]) if log else x[at], y=1, yref="paper", xanchor=side, yanchor="bottom", showarrow=False,
        text=f"<b>chosen: {name} = {format_parameter(x[at])}</b>", font={"size": 12},
    )  # fmt: skip
    ticks = _decades(x) if log else x
    figure.update_xaxes(
        title_text=name, type="log" if log else "linear", gridcolor=rule, zeroline=False,
        tickvals=ticks, ticktext=[format_parameter(value) for value in ticks], **STILL,
    )  # fmt: skip
    figure.update_yaxes(title_text="held-out score", gridcolor=rule, rangemode="tozero", zeroline=False, **STILL)
    figure.update_layout(height=240, **around(left=NUMBERS + TITLE, top=26, bottom=TICKS + TITLE))
    return figure


def _decades(values: Array) -> Array:
    """The half decades within the values, or whole ones where these are many: what people read on such an axis."""
    low, high = np.round(2 * np.log10([values.min(), values.max()]))
    halves = np.arange(low, high + 1)
    return np.asarray(10.0 ** (halves / 2 if halves.size <= MAX_TICKS else halves[halves % 2 == 0] / 2))
