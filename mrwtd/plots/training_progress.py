"""Progress of a training: the objective and the held-out score by iteration, and the path of a search."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..analysis.interpretation import format_parameter
from ..typing import Array
from .colours import method_line, shades, style_of
from .figure_layout import NO_AUTOMARGIN, NUMBERS, TICKS, TITLE, add_curve, escape_label, margins, set_grid

Curves = tuple[Sequence[float], Sequence[float]]

MAX_TICKS = 7
"""With more half decades than this, only whole decades have a tick label."""

GAP = 0.12
"""The space between two panels as a fraction of the figure."""

LINE_HEIGHT, NAMES_PER_LINE = 20, 5
"""Of the legend below the curves."""

PROGRESS_TITLES = {"objective": "objective by iteration, first = 1", "score": "held-out score by iteration"}
"""The panels of a training, and their titles."""


def progress_figure(
    curves: Mapping[str, Curves],
    parts: Sequence[str] = tuple(PROGRESS_TITLES),
    *,
    score: str = "score",
    dark: bool = False,
    height: int = 260,
) -> go.Figure:
    """Objective of each method relative to its first value, and the held-out score where it was recorded.

    `score` is the name of that score.

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
    scored = any(len(scores) for _, scores in curves.values())
    parts = [part for part in parts if scored or part != "score"] or ["objective"]
    titles = [PROGRESS_TITLES[part].replace("held-out score", f"held-out {score}") for part in parts]
    traces, in_legend = list[dict[str, Any]](), set[str]()
    for number, (method, (objective, scores)) in enumerate(curves.items()):
        line = method_line(method, number) | {"width": 2}
        first = objective[0] if len(objective) else 0.0
        relative = 1 + (np.asarray(objective) - first) / (abs(first) or 1.0)  # the objective may be negative
        values = {"objective": relative, "score": np.asarray(scores)}
        name = escape_label(method)
        for column, part in enumerate(parts, start=1):
            if len(values[part]):
                iterations, hover = np.arange(1, len(values[part]) + 1), f"{name}<br>iteration %{{x}}: %{{y:.4~g}}"
                traces.append(
                    {"type": "scatter", "mode": "lines", "x": iterations, "y": values[part], "name": name,
                     "hovertemplate": f"{hover}<extra></extra>", "legendgroup": method, "line": line,
                     "showlegend": method not in in_legend, "xaxis": f"x{column}", "yaxis": f"y{column}"}
                )  # fmt: skip
                in_legend.add(method)
    # Further lines of the legend make the figure higher, not the curves lower.
    below = LINE_HEIGHT * (-(-len(in_legend) // NAMES_PER_LINE) - 1)
    legend = {"orientation": "h", "yanchor": "top", "y": -0.18 * height / (height + below)}
    options = {"height": height + below, "legend": legend, "showlegend": True}
    # Plotly takes several times as long to make subplots and to update a layout that is already there.
    layout = options | _side_by_side(titles, dark) | margins(left=NUMBERS, top=30, bottom=TICKS)
    return go.Figure({"data": traces, "layout": layout})


def _side_by_side(titles: Sequence[str], dark: bool) -> dict[str, Any]:
    """The axes of panels in a row, and a title above each."""
    layout: dict[str, Any] = {"annotations": []}
    width = (1 - GAP * (len(titles) - 1)) / len(titles)
    for number, title in enumerate(titles):
        left, suffix = number * (width + GAP), str(number + 1) if number else ""
        axis = {"gridcolor": shades(dark).line, "zeroline": False, **NO_AUTOMARGIN}
        layout[f"xaxis{suffix}"] = axis | {
            "anchor": f"y{suffix}", "domain": [left, left + width], "rangemode": "tozero", "nticks": 6
        }  # fmt: skip
        layout[f"yaxis{suffix}"] = axis | {"anchor": f"x{suffix}", "domain": [0.0, 1.0]}
        place = {"x": left + width / 2, "xref": "paper", "xanchor": "center", "y": 1.0, "yref": "paper"}
        text = {"text": title, "font": {"size": 13}, "yanchor": "bottom", "showarrow": False}
        layout["annotations"].append(place | text)
    return layout


def progress_frame(curves: Mapping[str, Curves]) -> pd.DataFrame:
    """Progress as a table: method, iteration, objective, and the score where it was recorded.

    >>> progress_frame({"MrWTD": ([10.0, 5.0], [0.1, 0.4])})
      method  iteration  objective  score
    0  MrWTD          1       10.0    0.1
    1  MrWTD          2        5.0    0.4
    """
    rows = [
        (method, iteration, *values)
        for method, columns in curves.items()
        for iteration, values in enumerate(zip_longest(*columns, fillvalue=np.nan), start=1)
    ]
    return pd.DataFrame(rows, columns=["method", "iteration", "objective", "score"])


def search_figure(
    values: Sequence[float], scores: Sequence[float], chosen: float, *, name: str, dark: bool = False
) -> go.Figure:
    """Held-out score along a search for λ or for a rank, with the chosen value marked.

    >>> figure = search_figure([0.1, 1.0, 10.0], [0.2, 0.5, 0.3], 1.0, name="λ")
    >>> figure.data[1].y.tolist()
    [0.5]
    """
    order = np.argsort(values, kind="stable")
    x, y = np.asarray(values, dtype=float)[order], np.asarray(scores, dtype=float)[order]
    best = int(np.argmin(np.abs(x - chosen)))
    colour = style_of("MrWTD").colour
    figure, hover = go.Figure(), f"{name} = %{{x:.3~g}}<br>held-out score %{{y:.4~g}}"
    add_curve(figure, x, y, None, hover, mode="lines+markers", line={"color": colour}, showlegend=False)
    marker = {"size": 13, "color": colour}
    add_curve(figure, x[[best]], y[[best]], None, hover, mode="markers", marker=marker, showlegend=False)
    # The chosen value is written above the curve, where no line can cross it.
    side = "left" if best == 0 else "right" if best == len(x) - 1 else "center"
    figure.add_vline(x=x[best], line={"color": colour, "dash": "dot", "width": 1})
    figure.add_annotation(
        x=np.log10(x[best]), y=1, yref="paper", xanchor=side, yanchor="bottom", showarrow=False,
        text=f"<b>chosen: {name} = {format_parameter(x[best])}</b>", font={"size": 12},
    )  # fmt: skip
    ticks = _decades(x)
    set_grid(figure, dark, zeroline=False, **NO_AUTOMARGIN)
    figure.update_xaxes(
        title_text=name,
        type="log",
        tickvals=ticks,
        ticktext=[format_parameter(tick) for tick in ticks],
    )
    figure.update_yaxes(title_text="held-out score", rangemode="tozero")
    figure.update_layout(height=240, **margins(left=NUMBERS + TITLE, top=26, bottom=TICKS + TITLE))
    return figure


def rank_figure(path: pd.DataFrame, chosen: int, *, dark: bool = False) -> go.Figure:
    """Held-out score of each rank with its standard error, and the chosen rank marked.

    >>> path = pd.DataFrame({"rank": [2, 3, 5], "score": [0.2, 0.5, 0.3], "noise": 0.1})
    >>> rank_figure(path, 3).layout.xaxis.ticktext
    ('2', '3', '5')
    """
    ranks = path["rank"].tolist()
    figure = search_figure(ranks, path["score"].tolist(), chosen, name="rank", dark=dark)
    figure.data[0].error_y = {"type": "data", "array": path["noise"].tolist(), "thickness": 1, "width": 4}
    figure.update_xaxes(tickvals=ranks, ticktext=[str(rank) for rank in ranks])
    return figure


def _decades(values: Array) -> Array:
    """Half decades within the range of the values, or whole decades if there are many."""
    low, high = np.round(2 * np.log10([values.min(), values.max()]))
    halves = np.arange(low, high + 1)
    return np.asarray(10.0 ** (halves / 2 if halves.size <= MAX_TICKS else halves[halves % 2 == 0] / 2))
