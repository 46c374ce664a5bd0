"""Animation of a fit: points, held-out predictions and objective move together.

The browser has all snapshots as frames of an animation: the slider needs no server, and points glide from one
snapshot to the next.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..analysis.interpretation import format_score
from ..analysis.replay_frames import Replay
from ..typing import IndexArray
from .colours import BLUE, GREY, ORANGE, SKY, background, shades, text_colour
from .embedding_map import MAX_SVG, Colouring, Limits, embedding
from .figure_layout import margins

DURATION = 450
"""Milliseconds from one snapshot to the next."""

MAP_RIGHT, PANELS_LEFT, BAR = 0.62, 0.70, 0.06
"""Right end of the map, left end of the panels next to it, and room for a colour bar: fractions of the width."""

MAP_BOTTOM, PANELS_TOP = 0.44, 0.30
"""On a narrow screen, lower end of the map and upper end of the panels below it: fractions of the height."""


def replay_figure(
    replay: Replay, objects: Sequence[str], colouring: Colouring, *, narrow: bool = False, dark: bool = False
) -> go.Figure:
    """A map of the objects, with the curve and the objective next to it, a slider over the snapshots and a play button.

    It opens at the first snapshot. Both axes of the map have the same scale. On a narrow screen the panels are below
    the map. Of more than `MAX_SVG` objects, a random sample is shown.

    >>> import mrwtd
    >>> from mrwtd.analysis.replay_frames import replay_frames
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> replay = replay_frames(mrwtd.MrWTD(rank=2, lam=0.3, snapshots=5).fit(train), test, "marriage")
    >>> figure = replay_figure(replay, test.objects, Colouring("wealth", numbers=np.arange(15.0)))
    >>> len(figure.frames) == len(figure.layout.sliders[0].steps) == len(replay.iterations)
    True
    """
    sample = sample_objects(len(objects))
    axes = [
        f"axis {n} ({fraction:.0%} of the variance at the end)"
        for n, fraction in enumerate(replay.variance_fractions, 1)
    ]
    points, names, colours = replay.points[0][sample], [objects[index] for index in sample], _subset(colouring, sample)
    figure = embedding(points, axes, names, colours, true_scale=True, limits=_limits(replay), dark=dark)
    clouds = [sample[[int(data[0]) for data in trace.customdata]] for trace in figure.data]
    figure.add_traces([_reference(replay.curves[replay.iterations[-1]]), *_moving(replay, 0, dark)])
    moving = [*range(len(clouds)), len(clouds) + 1, len(clouds) + 3]
    figure.frames = [
        go.Frame(
            name=str(iteration),
            data=[
                *({"x": points[cloud, 0], "y": points[cloud, 1]} for cloud in clouds),
                *({"x": trace.x, "y": trace.y} for trace in _moving(replay, number, dark)[::2]),
            ],
            traces=moving,
        )
        for number, (iteration, points) in enumerate(zip(replay.iterations, replay.points, strict=True))
    ]
    _arrange(figure, replay, narrow, dark)
    return figure


def sample_objects(n: int) -> IndexArray:
    """Indices of the objects that are shown.

    >>> len(sample_objects(10)), len(sample_objects(10_000)) == MAX_SVG
    (10, True)
    """
    if n <= MAX_SVG:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MAX_SVG, replace=False))


def _subset(colouring: Colouring, sample: IndexArray) -> Colouring:
    classes = None if colouring.classes is None else [colouring.classes[index] for index in sample]
    return replace(colouring, classes=classes, numbers=None if colouring.numbers is None else colouring.numbers[sample])


def _reference(last: pd.DataFrame) -> go.Scatter:
    """What the curve is compared with: the final curve, or the line of exact predictions."""
    dotted = {"color": GREY, "width": 1.5, "dash": "dot"}
    if "recall" in last:
        line = dotted | {"shape": "vh"}
        return go.Scatter(x=last["recall"], y=last["precision"], name="at the end", line=line, **_in_panel(2))
    ends = [float(last["truth"].min()), float(last["truth"].max())] if len(last) else [0.0, 1.0]
    return go.Scatter(x=ends, y=ends, name="exact", line=dotted, **_in_panel(2))


def _moving(replay: Replay, number: int, dark: bool) -> list[go.Scatter]:
    """The curve of a snapshot, the objective of all iterations, and the dot on it."""
    iteration, objective = replay.iterations[number], replay.objective
    values, colour = replay.curves[iteration], SKY if dark else BLUE
    if "recall" in values:
        line = {"color": colour, "width": 2.5, "shape": "vh"}
        curve = go.Scatter(x=values["recall"], y=values["precision"], name="now", line=line, **_in_panel(2))
    else:
        marker = {"color": colour, "size": 5, "opacity": 0.5}
        options = _in_panel(2) | {"mode": "markers"}
        curve = go.Scatter(x=values["truth"], y=values["predicted"], name="now", marker=marker, **options)
    distance = np.abs(objective["iteration"].to_numpy(dtype=float) - iteration)
    nearest = objective.iloc[distance.argsort(kind="stable")[:1]]  # empty if the fit stopped at its start
    x, y = (nearest[name].tolist() for name in ("iteration", "objective"))
    options = _in_panel(3) | {"mode": "markers", "cliponaxis": False}
    line = {"color": GREY}
    return [
        curve,
        go.Scatter(x=objective["iteration"], y=objective["objective"], name="objective", line=line, **_in_panel(3)),
        go.Scatter(x=x, y=y, name="now", marker={"color": ORANGE, "size": 12}, **options),
    ]


def _in_panel(number: int) -> dict[str, Any]:
    return {"xaxis": f"x{number}", "yaxis": f"y{number}", "mode": "lines", "showlegend": False}


def _limits(replay: Replay) -> Limits:
    """Axis limits that include the points of every snapshot."""
    low, high = replay.points.min(axis=(0, 1)), replay.points.max(axis=(0, 1))
    room = 0.06 * np.where(high > low, high - low, 1.0)
    x, y = np.column_stack([low - room, high + room]).tolist()
    return (x[0], x[1]), (y[0], y[1])


def _arrange(figure: go.Figure, replay: Replay, narrow: bool, dark: bool) -> None:
    side = {"gridcolor": shades(dark).line, "showgrid": True, "zeroline": False, "tickfont": {"size": 10}}
    last = replay.curves[replay.iterations[-1]]
    binary = "recall" in last
    x_title, y_title = ("recall", "precision") if binary else ("held-out value", "prediction")
    bars = [trace.marker.colorbar for trace in figure.data if trace.marker.colorscale is not None]
    first, second, third = _domains(narrow, bool(bars))
    figure.update_layout(
        xaxis={"anchor": "y", "domain": first[0]},
        yaxis={"anchor": "x", "domain": first[1]},
        xaxis2=side | {"anchor": "y2", "domain": second[0], "title": _title(x_title)},
        yaxis2=side | {"anchor": "x2", "domain": second[1], "title": _title(y_title)},
        xaxis3=side | {"anchor": "y3", "domain": third[0], "title": _title("iteration")},
        yaxis3=side | {"anchor": "x3", "domain": third[1], "title": _title("objective")},
        showlegend=False,
        dragmode=False,
        modebar={"orientation": "v", "remove": ["zoom", "pan", "resetScale"]},
        sliders=[_slider(replay, dark)],
        updatemenus=[_buttons(dark)],
        **margins(top=78),
    )
    if binary:
        figure.update_layout(xaxis2_range=[0, 1.02], yaxis2_range=[0, 1.05])
    else:
        figure.update_layout(yaxis2_range=_value_range(last))
    objective = replay.objective["objective"]
    if (objective > 0).all() and objective.max() > 20 * objective.min():
        figure.update_layout(yaxis3_type="log")
    for bar in bars:
        bar.update(len=first[1][1] - first[1][0], y=1, yanchor="top", x=first[0][1], xanchor="left")


def _domains(narrow: bool, bar: bool) -> tuple[tuple[list[float], list[float]], ...]:
    """Horizontal and vertical domains of map, curve and objective."""
    if narrow:
        return ([0, 0.88 if bar else 1], [MAP_BOTTOM, 1]), ([0.04, 0.46], [0, PANELS_TOP]), ([0.58, 1], [0, PANELS_TOP])
    right = [PANELS_LEFT + BAR * bar, 1]
    return ([0, MAP_RIGHT], [0, 1]), (right, [0.6, 1]), (right, [0, 0.4])


def _title(text: str) -> dict[str, Any]:
    return {"text": text, "standoff": 6, "font": {"size": 11}}


def _value_range(last: pd.DataFrame) -> list[float]:
    """Range of the true values and the final predictions: the first predictions may be far off."""
    if not len(last):
        return [0.0, 1.0]
    low, high = float(last.to_numpy().min()), float(last.to_numpy().max())
    return [low - 0.05 * (high - low), high + 0.05 * (high - low) + 1e-9]


def _slider(replay: Replay, dark: bool) -> dict[str, Any]:
    palette = shades(dark)
    iterations = replay.objective["iteration"]
    last = int(iterations.max()) if len(iterations) else replay.iterations[-1]
    current = {"size": 13, "color": text_colour(dark)}
    return {
        "active": 0,
        "x": 0.27,
        "len": 0.68,
        "y": 1.0,
        "yanchor": "bottom",
        "pad": {"t": 0, "b": 14},
        "bgcolor": palette.line,
        "bordercolor": palette.line,
        "activebgcolor": ORANGE,
        "tickcolor": palette.unknown,
        "ticklen": 3,
        "font": {"size": 1, "color": "rgba(0,0,0,0)"},  # labels of all steps would overlap; the current one is enough
        "currentvalue": {"prefix": "", "xanchor": "left", "offset": 12, "font": current},
        "steps": [
            {
                "method": "animate",
                # The name of the score is below the figure: a longer line would be cut off on a narrow screen.
                "label": f"Iteration {iteration} of {last}"
                + ("" if np.isnan(score) else f": score {format_score(score)}"),
                "args": [[str(iteration)], _animation(DURATION, DURATION)],
            }
            for iteration, score in zip(replay.iterations, replay.scores, strict=True)
        ],
    }


def _animation(frame: int, transition: int, **options: str) -> dict[str, Any]:
    """Options of an animation. A transition lasts at most as long as its frame."""
    frames = {"mode": "immediate", "frame": {"duration": frame, "redraw": False}}
    return frames | {"transition": {"duration": transition, **options}}


def _buttons(dark: bool) -> dict[str, Any]:
    play = _animation(DURATION + 150, DURATION, easing="linear") | {"fromcurrent": False}
    stop = _animation(0, 0)
    return {
        "type": "buttons",
        "direction": "left",
        "showactive": False,
        "x": 0,
        "xanchor": "left",
        "y": 1.0,
        "yanchor": "bottom",
        "pad": {"b": 22},
        "bgcolor": SKY if dark else "#F1F5F8",
        "bordercolor": shades(dark).line,
        "font": {"color": background(dark=True), "size": 13},
        "buttons": [
            {"label": "▶", "method": "animate", "args": [None, play]},
            {"label": "❚❚", "method": "animate", "args": [[None], stop]},
        ],
    }
