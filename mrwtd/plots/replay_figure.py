"""A fit played again, as one figure: points, held-out predictions and objective move together.

The browser holds all snapshots as frames of an animation, so that the slider needs no server and points glide from one
snapshot to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..analysis.interpretation import format_score
from ..analysis.replay_frames import Replay
from ..typing import IndexArray
from .colours import BLUE, GREY, ORANGE, SKY, shades
from .embedding_map import MAX_SVG, Colouring, embedding

MOVE = 450
"""Milliseconds from one snapshot to the next."""

POINTS_TO, BESIDE, BAR = 0.62, 0.70, 0.06
"""Where the points end and the small figures beside them begin, and room for a bar of colours: shares of the width."""

POINTS_FROM, BELOW = 0.44, 0.30
"""On a narrow screen, where the points begin and the small figures below them end: shares of the height."""


def replay_figure(
    film: Replay, objects: Sequence[str], colouring: Colouring, *, narrow: bool = False, dark: bool = False
) -> go.Figure:
    """The points, with the curve and the objective beside them, a slider over the snapshots and a button to play them.

    It opens at the first snapshot. A step is as long along both axes of the points, as on the map. On a narrow screen
    the small figures are below the points. Of more than `MAX_SVG` objects as many are shown, at random.

    >>> import mrwtd
    >>> from mrwtd.analysis.replay_frames import replay
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> film = replay(mrwtd.MrWTD(rank=2, lam=0.3, snapshots=5).fit(train), test, "marriage")
    >>> figure = replay_figure(film, test.objects, Colouring("wealth", numbers=np.arange(15.0)))
    >>> len(figure.frames) == len(figure.layout.sliders[0].steps) == len(film.iterations)
    True
    """
    some = sample_objects(len(objects))
    own = _part(colouring, some)
    axes = [f"axis {number} ({share:.0%} in the end)" for number, share in enumerate(film.variance_fractions, 1)]
    figure = embedding(
        film.points[0][some], axes, [objects[at] for at in some], own,
        true_scale=True, limits=_limits(film), dark=dark,
    )  # fmt: skip
    clouds = [[int(data[0]) for data in trace.customdata] for trace in figure.data]
    last = film.curves[film.iterations[-1]]
    figure.add_traces([_still(last), *_moving(film, 0, dark)])
    moving = [*range(len(clouds)), len(clouds) + 1, len(clouds) + 3]
    figure.frames = [
        go.Frame(
            name=str(iteration),
            data=[
                *({"x": film.points[at][some[cloud], 0], "y": film.points[at][some[cloud], 1]} for cloud in clouds),
                *(_places(trace) for trace in _moving(film, at, dark)[::2]),
            ],
            traces=moving,
        )
        for at, iteration in enumerate(film.iterations)
    ]
    _arrange(figure, film, narrow, dark)
    return figure


def sample_objects(n: int) -> IndexArray:
    """The positions of the objects that take part.

    >>> len(sample_objects(10)), len(sample_objects(10_000)) == MAX_SVG
    (10, True)
    """
    if n <= MAX_SVG:
        return np.arange(n)
    return np.sort(np.random.default_rng(0).choice(n, MAX_SVG, replace=False))


def _part(colouring: Colouring, some: IndexArray) -> Colouring:
    classes = None if colouring.classes is None else [colouring.classes[at] for at in some]
    return replace(colouring, classes=classes, numbers=None if colouring.numbers is None else colouring.numbers[some])


def _still(last: pd.DataFrame) -> go.Scatter:
    """What the curve is compared with: that of the end, or the line of exact predictions."""
    dotted = {"color": GREY, "width": 1.5, "dash": "dot"}
    if "recall" in last:
        line = dotted | {"shape": "vh"}
        return go.Scatter(x=last["recall"], y=last["precision"], name="in the end", line=line, **_on(2))
    ends = [float(last["truth"].min()), float(last["truth"].max())] if len(last) else [0.0, 1.0]
    return go.Scatter(x=ends, y=ends, name="exact", line=dotted, **_on(2))


def _moving(film: Replay, at: int, dark: bool) -> list[go.Scatter]:
    """The curve of a snapshot, the whole course of the objective, and the dot on it."""
    now, colour = film.curves[film.iterations[at]], SKY if dark else BLUE
    if "recall" in now:
        line = {"color": colour, "width": 2.5, "shape": "vh"}
        curve = go.Scatter(x=now["recall"], y=now["precision"], name="now", line=line, **_on(2))
    else:
        marker = {"color": colour, "size": 5, "opacity": 0.5}
        options = _on(2) | {"mode": "markers"}
        curve = go.Scatter(x=now["truth"], y=now["predicted"], name="now", marker=marker, **options)
    course = film.objective
    away = np.abs(course["iteration"].to_numpy(dtype=float) - film.iterations[at])
    nearest = course.iloc[away.argsort(kind="stable")[:1]]  # none where the fit ended at its start
    dot = {"x": nearest["iteration"].tolist(), "y": nearest["objective"].tolist()}
    return [
        curve,
        go.Scatter(x=course["iteration"], y=course["objective"], name="objective", line={"color": GREY}, **_on(3)),
        go.Scatter(
            **dot, name="now", marker={"color": ORANGE, "size": 12}, **_on(3) | {"mode": "markers", "cliponaxis": False}
        ),
    ]


def _places(trace: go.Scatter) -> dict[str, Any]:
    return {"x": trace.x, "y": trace.y}


def _on(number: int) -> dict[str, Any]:
    return {"xaxis": f"x{number}", "yaxis": f"y{number}", "mode": "lines", "showlegend": False}


def _limits(film: Replay) -> tuple[tuple[float, float], tuple[float, float]]:
    """Ranges that hold the points of every snapshot."""
    low, high = film.points.min(axis=(0, 1)), film.points.max(axis=(0, 1))
    room = 0.06 * np.where(high > low, high - low, 1.0)
    return ((float(low[0] - room[0]), float(high[0] + room[0])), (float(low[1] - room[1]), float(high[1] + room[1])))


def _arrange(figure: go.Figure, film: Replay, narrow: bool, dark: bool) -> None:
    side = {"gridcolor": shades(dark).line, "showgrid": True, "zeroline": False, "tickfont": {"size": 10}}
    binary = "recall" in film.curves[film.iterations[-1]]
    below, above = ("recall", "precision") if binary else ("held-out value", "prediction")
    bars = [trace.marker.colorbar for trace in figure.data if trace.marker.colorscale is not None]
    first, second, third = _domains(narrow, bool(bars))
    figure.update_layout(
        xaxis={"anchor": "y", "domain": first[0]},
        yaxis={"anchor": "x", "domain": first[1]},
        xaxis2=side | {"anchor": "y2", "domain": second[0], "title": _title(below)},
        yaxis2=side | {"anchor": "x2", "domain": second[1], "title": _title(above)},
        xaxis3=side | {"anchor": "y3", "domain": third[0], "title": _title("iteration")},
        yaxis3=side | {"anchor": "x3", "domain": third[1], "title": _title("objective")},
        margin={"l": 8, "r": 8, "t": 78, "b": 8},
        showlegend=False,
        dragmode=False,
        modebar={"orientation": "v", "remove": ["zoom", "pan", "resetScale"]},
        sliders=[_slider(film, dark)],
        updatemenus=[_buttons(dark)],
    )
    if binary:
        figure.update_layout(xaxis2_range=[0, 1.02], yaxis2_range=[0, 1.05])
    else:
        figure.update_layout(yaxis2_range=_values(film))
    course = film.objective["objective"]
    if (course > 0).all() and course.max() > 20 * course.min():
        figure.update_layout(yaxis3_type="log")
    for bar in bars:
        bar.update(len=first[1][1] - first[1][0], y=1, yanchor="top", x=first[0][1], xanchor="left")


def _domains(narrow: bool, bar: bool) -> tuple[tuple[list[float], list[float]], ...]:
    """The parts of the width and the height that points, curve and objective take."""
    if narrow:
        return ([0, 0.88 if bar else 1], [POINTS_FROM, 1]), ([0.04, 0.46], [0, BELOW]), ([0.58, 1], [0, BELOW])
    beside = [BESIDE + BAR * bar, 1]
    return ([0, POINTS_TO], [0, 1]), (beside, [0.6, 1]), (beside, [0, 0.4])


def _title(text: str) -> dict[str, Any]:
    return {"text": text, "standoff": 6, "font": {"size": 11}}


def _values(film: Replay) -> list[float]:
    """A range for all values, and for what is predicted of them in the end: what a fit begins with may be far off."""
    last = film.curves[film.iterations[-1]]
    if not len(last):
        return [0.0, 1.0]
    low, high = float(last.to_numpy().min()), float(last.to_numpy().max())
    return [low - 0.05 * (high - low), high + 0.05 * (high - low) + 1e-9]


def _slider(film: Replay, dark: bool) -> dict[str, Any]:
    ink, look = "#E6EAEE" if dark else "#1B2530", shades(dark)
    whole = int(film.objective["iteration"].max()) if len(film.objective) else film.iterations[-1]
    # A move lasts at most as long as its frame.
    go_there = {"mode": "immediate", "frame": {"duration": MOVE, "redraw": False}, "transition": {"duration": MOVE}}
    return {
        "active": 0,
        "x": 0.27,
        "len": 0.68,
        "y": 1.0,
        "yanchor": "bottom",
        "pad": {"t": 0, "b": 14},
        "bgcolor": look.line,
        "bordercolor": look.line,
        "activebgcolor": ORANGE,
        "tickcolor": look.unknown,
        "ticklen": 3,
        "font": {"size": 1, "color": "rgba(0,0,0,0)"},  # a label for each step would overlap; the one of now is enough
        "currentvalue": {"prefix": "", "xanchor": "left", "offset": 12, "font": {"size": 13, "color": ink}},
        "steps": [
            {
                "method": "animate",
                "label": f"Iteration {iteration} of {whole}" + _score(score),
                "args": [[str(iteration)], go_there],
            }
            for iteration, score in zip(film.iterations, film.scores, strict=True)
        ],
    }


def _score(score: float) -> str:
    # What the score is stands below the figure: a longer line would be cut on a narrow screen.
    return "" if np.isnan(score) else f": score {format_score(score)}"


def _buttons(dark: bool) -> dict[str, Any]:
    play = {
        "mode": "immediate",
        "fromcurrent": False,
        "frame": {"duration": MOVE + 150, "redraw": False},
        "transition": {"duration": MOVE, "easing": "linear"},
    }
    stop = {"mode": "immediate", "frame": {"duration": 0, "redraw": False}, "transition": {"duration": 0}}
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
        "font": {"color": "#12171D", "size": 13},
        "buttons": [
            {"label": "▶", "method": "animate", "args": [None, play]},
            {"label": "❚❚", "method": "animate", "args": [[None], stop]},
        ],
    }
