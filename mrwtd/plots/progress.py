"""A training as it goes: the objective and the held-out score by iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from .colours import look, shades
from .margins import NUMBERS, STILL, TICKS, TITLE, around

Curves = tuple[Sequence[float], Sequence[float]]


def progress_figure(curves: Mapping[str, Curves], *, dark: bool = False, height: int = 260) -> go.Figure:
    """The objective of each method as a share of where it began, and the held-out score where one is watched.

    >>> figure = progress_figure({"MrWTD": ([10.0, 5.0], [0.1, 0.4]), "RESCAL": ([], [])})
    >>> [trace.y.tolist() for trace in figure.data]
    [[1.0, 0.5], [0.1, 0.4]]
    """
    figure = make_subplots(1, 2, subplot_titles=("objective, its first = 1", "held-out score"), horizontal_spacing=0.12)
    for number, (method, (objective, score)) in enumerate(curves.items()):
        line = {"color": look(method, number).colour, "dash": look(method, number).dash, "width": 2}
        if len(objective):
            values = np.asarray(objective) / (abs(objective[0]) or 1.0)
            figure.add_trace(_curve(method, values, line), 1, 1)
        if len(score):
            figure.add_trace(_curve(method, np.asarray(score), line, legend=not len(objective)), 1, 2)
    rule = shades(dark).line
    figure.update_xaxes(title_text="iteration", rangemode="tozero", gridcolor=rule, **STILL)
    figure.update_yaxes(gridcolor=rule, zeroline=False, **STILL)
    figure.update_layout(
        height=height,
        legend={"orientation": "h", "y": -0.3},
        showlegend=True,
        **around(left=NUMBERS, top=30, bottom=TICKS + TITLE),
    )
    figure.update_annotations(font_size=13)
    return figure


def _curve(
    method: str, values: np.ndarray[tuple[int], np.dtype[np.float64]], line: dict[str, object], legend: bool = True
) -> go.Scatter:
    return go.Scatter(
        x=np.arange(1, len(values) + 1), y=values, name=method, legendgroup=method, line=line, mode="lines",
        showlegend=legend, hovertemplate=f"{method}<br>iteration %{{x}}: %{{y:.4~g}}<extra></extra>",
    )  # fmt: skip


def path_figure(
    values: Sequence[float], scores: Sequence[float], chosen: float, *, name: str, log: bool, dark: bool = False
) -> go.Figure:
    """The held-out score along a search for λ or for a rank, with what was chosen marked.

    >>> figure = path_figure([0.1, 1.0, 10.0], [0.2, 0.5, 0.3], 1.0, name="λ", log=True)
    >>> figure.data[1].y.tolist()
    [0.5]
    """
    order = np.argsort(values, kind="stable")
    x, y = np.asarray(values, dtype=float)[order], np.asarray(scores, dtype=float)[order]
    colour = look("MrWTD").colour
    at = int(np.argmin(np.abs(x - chosen)))
    tells = f"{name} = %{{x:.3~g}}<br>held-out score %{{y:.3f}}<extra></extra>"
    figure = go.Figure(
        [
            go.Scatter(x=x, y=y, mode="lines+markers", line={"color": colour}, hovertemplate=tells, showlegend=False),
            go.Scatter(
                x=x[at : at + 1], y=y[at : at + 1], mode="markers+text", text=[f"{name} = {x[at]:.3g}"],
                textposition="bottom center", marker={"size": 13, "color": colour}, hovertemplate=tells,
                showlegend=False,
            ),
        ]
    )  # fmt: skip
    rule = shades(dark).line
    figure.update_layout(
        xaxis={
            "title": {"text": name}, "type": "log" if log else "linear", "gridcolor": rule, "zeroline": False, **STILL,
        },
        yaxis={
            "title": {"text": "held-out score"}, "gridcolor": rule, "rangemode": "tozero", "zeroline": False, **STILL,
        },
        height=240,
        **around(left=NUMBERS + TITLE, top=12, bottom=TICKS + TITLE),
    )  # fmt: skip
    return figure
