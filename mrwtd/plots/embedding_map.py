"""Objects as points: two or three dimensions, coloured by classes or by numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..typing import AnyArray, Array, BoolArray, IndexArray
from .colours import AMBER, BLUE, GREEN, GREY, ORANGE, PINK, SKY, shades
from .labels import safe
from .margins import STILL, TITLE, around

MAX_SVG = 1_000
"""More points than this are drawn by WebGL, which is faster by then and slower to begin with."""

MAX_DRAWN = 20_000
"""Of more objects than this, so many are drawn at random, and those that are asked for: browsers give up in the end."""

MAX_CLASSES = 12
"""Classes beyond the largest ones share a colour."""

PALETTE = (BLUE, ORANGE, GREEN, PINK, AMBER, SKY)
SYMBOLS = ("circle", "diamond", "square", "cross")
UNKNOWN = "not known"
AXES_HELP = "Percentages: how much of the differences between objects an axis shows."
"""What the numbers beside principal axes are, for people."""


@dataclass(frozen=True)
class Colouring:
    """What colours stand for: classes or numbers, one for each object; None or NaN is not known.

    Attributes:
        title: what it is, for people.
        classes: a class for each object, or
        numbers: a number for each.
        order: the classes in the order of the legend; the most frequent first where it is not given.
    """

    title: str
    classes: Sequence[Any] | None = None
    numbers: Array | None = None
    order: Sequence[str] = field(default=())


def embedding(
    points: Array,
    axes: Sequence[str],
    objects: Sequence[str],
    colouring: Colouring,
    *,
    weights: Array | None = None,
    marked: Sequence[int] = (),
    picked: Sequence[int] = (),
    names: bool = False,
    true_scale: bool = False,
    limits: tuple[tuple[float, float], tuple[float, float]] | None = None,
    dark: bool = False,
) -> go.Figure:
    """A figure with a point for each object. The first of its custom data is the object's position.

    >>> points = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> colouring = Colouring("team", classes=["red", "blue", "red"])
    >>> [trace.name for trace in embedding(points, ("x", "y"), ("ann", "bob", "cat"), colouring).data]
    ['red', 'blue']

    Args:
        points: (n, 2) or (n, 3).
        axes: a label for each dimension.
        objects: the name of each object.
        colouring: what the colours stand for.
        weights: the larger, the larger the point; None for points of one size.
        marked: positions of objects to put a ring and a name on.
        picked: positions of objects that stand out, as all others step back; in two dimensions only.
        names: whether to write the names beside the points.
        true_scale: whether a step is as long along both axes, so that distances are those of the points.
        limits: the range of each of two axes, where it must not follow the points.
        dark: for a dark background.
    """
    canvas = _Canvas(
        points,
        tuple(map(safe, objects)),
        _sizes(len(points), weights),
        _drawn(len(points), [*marked, *picked]),
        frozenset(picked),
        names,
        dark,
    )
    figure = go.Figure()
    if colouring.numbers is not None:
        _add_numbers(figure, canvas, colouring, colouring.numbers)
    else:
        _add_classes(figure, canvas, colouring)
    if len(marked):
        _add_marked(figure, canvas, np.asarray(marked, dtype=np.intp))
    _arrange(figure, axes, true_scale, limits, dark)
    return figure


def point_table(points: Array, axes: Sequence[str], objects: Sequence[str], colouring: Colouring) -> pd.DataFrame:
    """The data behind the points: a row an object, with its place along each axis, and what its colour stands for.

    >>> point_table(np.eye(2), ("axis 1", "axis 2"), ("ann", "bob"), Colouring("team", classes=["red", "blue"]))
      object  axis 1  axis 2  team
    0    ann     1.0     0.0   red
    1    bob     0.0     1.0  blue
    """
    table = pd.DataFrame({"object": list(objects)} | dict(zip(axes, points.T, strict=True)))
    taken = colouring.title in table.columns
    values = colouring.classes if colouring.numbers is None else colouring.numbers
    return table.assign(**{f"{colouring.title} (colour)" if taken else colouring.title: values})


def grouped(classes: Sequence[Any], order: Sequence[str] = ()) -> tuple[AnyArray, list[str]]:
    """The class of each object as text, the smallest ones joined as "other", and the classes as a legend lists them.

    >>> grouped(["a", None, "b", "b"])
    (array(['a', 'not known', 'b', 'b'], dtype=object), ['b', 'a', 'not known'])
    """
    column = pd.Series(list(classes), dtype=object)
    known = column.notna().to_numpy()
    text = np.where(known, column.astype(str).to_numpy(dtype=object), UNKNOWN)
    counts = pd.Series(text[known]).value_counts(sort=True)
    listed = [name for name in order if name in counts.index] or list(counts.index)
    if len(listed) > MAX_CLASSES:
        kept = set(counts.index[: MAX_CLASSES - 1])
        text = np.array([own if own in kept or own == UNKNOWN else "other" for own in text], dtype=object)
        listed = [*(name for name in listed if name in kept), "other"]
    return text, [*listed, *([UNKNOWN] if not known.all() else [])]


def legend(colouring: Colouring) -> list[tuple[str, str, str]]:
    """The name, colour and symbol of each class, for a legend that several figures share; none where there are numbers.

    >>> legend(Colouring("team", classes=["red", "blue", "red"]))
    [('red', '#0072B2', 'circle'), ('blue', '#D55E00', 'circle')]
    """
    if colouring.classes is None:
        return []
    _, listed = grouped(colouring.classes, colouring.order)
    return [(name, *_look(number, name)) for number, name in enumerate(listed)]


def _look(number: int, name: str) -> tuple[str, str]:
    if name in (UNKNOWN, "other"):
        return GREY, "circle"
    return PALETTE[number % len(PALETTE)], SYMBOLS[number // len(PALETTE) % len(SYMBOLS)]


def _sizes(n: int, weights: Array | None) -> Array:
    usual = 10.0 if n <= 300 else 7.0 if n <= MAX_SVG else 5.0
    if weights is None:
        return np.full(n, usual)
    filled = np.nan_to_num(weights - min(0.0, float(np.nanmin(weights, initial=0.0))))
    top = filled.max(initial=0.0)
    # The area, not the width, follows the number; the least stays visible.
    return usual * (0.5 + 1.3 * np.sqrt(filled / top)) if top > 0 else np.full(n, usual)


def _drawn(n: int, asked: Sequence[int]) -> BoolArray:
    if n <= MAX_DRAWN:
        return np.ones(n, dtype=bool)
    drawn = np.zeros(n, dtype=bool)
    drawn[np.random.default_rng(0).choice(n, MAX_DRAWN, replace=False)] = True
    drawn[np.asarray(asked, dtype=np.intp)] = True
    return drawn


@dataclass(frozen=True)
class _Canvas:
    """What all traces of a figure share."""

    points: Array
    objects: tuple[str, ...]
    sizes: Array
    drawn: BoolArray
    picked: frozenset[int]
    names: bool
    dark: bool

    def scatter(self, own: IndexArray, **options: Any) -> Any:
        """A trace of some of the objects, of the kind that suits the number of points and dimensions."""
        points, text = self.points[own], [self.objects[at] for at in own]
        if points.shape[1] == 3:
            return go.Scatter3d(x=points[:, 0], y=points[:, 1], z=points[:, 2], **{"text": text} | options)
        kind = go.Scattergl if self.many else go.Scatter
        # What is not selected steps back, without vanishing.
        usual: dict[str, Any] = {"text": text, "unselected": {"marker": {"opacity": 0.25}}}
        if self.picked:
            usual["selectedpoints"] = [place for place, at in enumerate(own) if int(at) in self.picked]
        return kind(x=points[:, 0], y=points[:, 1], **usual | options)

    def labels(self) -> dict[str, Any]:
        """Whether names stand beside the points."""
        if not self.names:
            return {"mode": "markers"}
        return {"mode": "markers+text", "textposition": "top center", "textfont": {"size": 10}}

    def size(self, own: IndexArray) -> Array:
        """The width of points, in pixels; Plotly draws those of three dimensions larger."""
        return self.sizes[own] * (0.6 if self.points.shape[1] == 3 else 1.0)

    @property
    def edge(self) -> dict[str, Any]:
        """A rim in the colour of the page, which keeps points apart that overlap; many are better seen through."""
        return {"width": 0.0 if self.many else 0.8, "color": "#12171D" if self.dark else "#FFFFFF"}

    @property
    def many(self) -> bool:
        """Whether points are more than can be told apart."""
        return len(self.points) > MAX_SVG


def _add_classes(figure: go.Figure, canvas: _Canvas, colouring: Colouring) -> None:
    classes, listed = grouped(colouring.classes or [], colouring.order)
    title = safe(colouring.title)
    for number, name in enumerate(listed):
        own = np.flatnonzero((classes == name) & canvas.drawn)
        colour, symbol = _look(number, name)
        marker = {
            "color": colour,
            "symbol": symbol,
            "size": canvas.size(own),
            "opacity": 0.6 if canvas.many else 0.9,
            "line": canvas.edge,
        }
        figure.add_trace(
            canvas.scatter(
                own,
                name=safe(name),
                marker=marker,
                # Lists: a selection brings arrays back in another shape.
                customdata=own[:, None].tolist(),
                hovertemplate=f"<b>%{{text}}</b><br>{title}: {safe(name)}<extra></extra>",
                **canvas.labels(),
            )
        )
    figure.update_layout(showlegend=len(listed) > 1)


def _add_numbers(figure: go.Figure, canvas: _Canvas, colouring: Colouring, numbers: Array) -> None:
    title, look = safe(colouring.title), shades(canvas.dark)
    scale = [[0, "#24506F" if canvas.dark else "#C6DBEF"], [0.5, look.middle], [1, look.high]]
    known = np.isfinite(numbers)
    for is_known in (True, False):
        own = np.flatnonzero((known == is_known) & canvas.drawn)
        if not own.size:
            continue
        marker: dict[str, Any] = {"size": canvas.size(own), "opacity": 0.7 if canvas.many else 0.95}
        if is_known:
            marker |= {
                "color": numbers[own],
                "colorscale": scale,
                "line": {"width": 0.0 if canvas.many else 0.8, "color": "#8FA3B3" if canvas.dark else "#5B6B79"},
                "colorbar": {"title": {"text": title, "side": "right"}, "thickness": 10, "outlinewidth": 0},
            }
        else:
            marker |= {"color": look.unknown, "line": canvas.edge}
        says = "%{customdata[1]:,.4~g}" if is_known else UNKNOWN
        figure.add_trace(
            canvas.scatter(
                own,
                name=title if is_known else UNKNOWN,
                marker=marker,
                customdata=[[int(at), float(numbers[at])] for at in own],
                hovertemplate=f"<b>%{{text}}</b><br>{title}: {says}<extra></extra>",
                **canvas.labels(),
            )
        )
    figure.update_layout(showlegend=False)


def _add_marked(figure: go.Figure, canvas: _Canvas, own: IndexArray) -> None:
    ring = {"color": "#F0E442" if canvas.dark else "#000000", "width": 2.5}
    figure.add_trace(
        canvas.scatter(
            own,
            mode="markers+text" if own.size <= 10 else "markers",
            name="found",
            showlegend=False,
            # WebGL would write the tags.
            text=[canvas.objects[at] if len(canvas.points) > MAX_SVG else f"<b>{canvas.objects[at]}</b>" for at in own],
            textposition="bottom center",
            hoverinfo="skip",
            **({} if canvas.points.shape[1] == 3 else {"unselected": {"marker": {"opacity": 1}}}),
            marker={"size": canvas.size(own) + 9, "color": "rgba(0,0,0,0)", "line": ring},
        )
    )


def _arrange(
    figure: go.Figure,
    axes: Sequence[str],
    true_scale: bool,
    limits: tuple[tuple[float, float], tuple[float, float]] | None,
    dark: bool,
) -> None:
    look = shades(dark)
    side: dict[str, Any] = {
        "gridcolor": look.line,
        "showgrid": True,
        "zeroline": True,
        "zerolinecolor": look.unknown,
        "showticklabels": False,
        "ticks": "",
    }
    labels = [safe(axis) for axis in axes]
    figure.update_layout(
        **around(left=TITLE + 4, bottom=TITLE + 4),
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "itemsizing": "constant"},
        hoverlabel={"align": "left"},
        modebar={"orientation": "v"},
        dragmode="pan" if len(axes) == 2 else "turntable",
    )
    if len(axes) == 3:
        figure.update_layout(
            scene={
                f"{letter}axis": side | {"title": {"text": label, "font": {"size": 11}}, "showbackground": False}
                for letter, label in zip("xyz", labels, strict=True)
            }
            | {"aspectmode": "cube", "camera": {"eye": {"x": 1.35, "y": 1.35, "z": 0.85}}},
        )
        return
    x, y = (side | STILL | {"title": {"text": label, "standoff": 6}} for label in labels)
    if true_scale:
        y |= {"scaleanchor": "x", "constrain": "range"}
        x |= {"constrain": "range"}
    if limits is not None:
        x |= {"range": list(limits[0])}
        y |= {"range": list(limits[1])}
    figure.update_layout(xaxis=x, yaxis=y)
