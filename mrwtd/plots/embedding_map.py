"""Objects as points in two or three dimensions, coloured by class or by number."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ..typing import AnyArray, Array, BoolArray, IndexArray
from .colours import AMBER, BLUE, GREEN, GREY, ORANGE, PINK, SKY, background, shades
from .figure_layout import LEFT_HOVER, NO_AUTOMARGIN, TITLE, axis_title, colour_bar, escape_label, margins

MAX_SVG = 1_000
"""More points than this are drawn by WebGL, which is faster for many points and slower to start."""

MAX_DRAWN = 20_000
"""Of more objects than this, a random sample is drawn, plus those that are marked: browsers cannot draw them all."""

MAX_CLASSES = 12
"""The largest classes have a colour each; all others share one."""

Limits = tuple[tuple[float, float], tuple[float, float]]
"""The range of each of two axes."""

PALETTE = (BLUE, ORANGE, GREEN, PINK, AMBER, SKY)
SYMBOLS = ("circle", "diamond", "square", "cross")
UNKNOWN = "unknown"
AXES_HELP = "Percentages: how much of the differences between objects an axis shows."
"""Caption for the numbers beside principal axes."""


@dataclass(frozen=True)
class Colouring:
    """What the colours mean: one class or one number per object; None or NaN is unknown.

    Attributes:
        title: title of the legend.
        classes: a class for each object, or
        numbers: a number for each.
        order: the classes in the order of the legend; by default the most frequent first.
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
    limits: Limits | None = None,
    dark: bool = False,
) -> go.Figure:
    """A figure with one point per object. The first of a point's custom data is the index of its object.

    >>> points = np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> colouring = Colouring("team", classes=["red", "blue", "red"])
    >>> [trace.name for trace in embedding(points, ("x", "y"), ("ann", "bob", "cat"), colouring).data]
    ['red', 'blue']

    Args:
        points: (n, 2) or (n, 3).
        axes: a label for each dimension.
        objects: the name of each object.
        colouring: what the colours mean.
        weights: sizes of the points; None for points of one size.
        marked: indices of objects that get a ring and a name.
        picked: indices of selected objects: all others are faded; in two dimensions only.
        names: whether to write the names beside the points.
        true_scale: whether both axes have the same scale, so that distances are true.
        limits: a fixed range for each of two axes.
        dark: for a dark background.
    """
    sizes, drawn = _sizes(len(points), weights), _sample(len(points), [*marked, *picked])
    canvas = _Canvas(points, tuple(map(escape_label, objects)), sizes, drawn, frozenset(picked), names, dark)
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
    """The data behind the points: one row per object, with its coordinates and its class or number.

    >>> point_table(np.eye(2), ("axis 1", "axis 2"), ("ann", "bob"), Colouring("team", classes=["red", "blue"]))
      object  axis 1  axis 2  team
    0    ann     1.0     0.0   red
    1    bob     0.0     1.0  blue
    """
    table = pd.DataFrame({"object": list(objects)} | dict(zip(axes, points.T, strict=True)))
    title = f"{colouring.title} (colour)" if colouring.title in table.columns else colouring.title
    return table.assign(**{title: colouring.classes if colouring.numbers is None else colouring.numbers})


def grouped(classes: Sequence[Any], order: Sequence[str] = ()) -> tuple[AnyArray, list[str]]:
    """The class of each object as text, the smallest ones merged as "other", and the classes in legend order.

    >>> grouped(["a", None, "b", "b"])
    (array(['a', 'unknown', 'b', 'b'], dtype=object), ['b', 'a', 'unknown'])
    """
    column = pd.Series(list(classes), dtype=object)
    known = column.notna().to_numpy()
    text = np.where(known, column.astype(str).to_numpy(dtype=object), UNKNOWN)
    counts = pd.Series(text[known]).value_counts(sort=True)
    listed = [name for name in order if name in counts.index] or list(counts.index)
    if len(listed) > MAX_CLASSES:
        largest = set(counts.index[: MAX_CLASSES - 1])
        text = np.array([name if name in largest or name == UNKNOWN else "other" for name in text], dtype=object)
        listed = [*(name for name in listed if name in largest), "other"]
    return text, [*listed, *([UNKNOWN] if not known.all() else [])]


def legend(colouring: Colouring) -> list[tuple[str, str, str]]:
    """Name, colour and symbol of each class, for a legend shared by several figures; empty for numbers.

    >>> legend(Colouring("team", classes=["red", "blue", "red"]))
    [('red', '#0072B2', 'circle'), ('blue', '#D55E00', 'circle')]
    """
    if colouring.classes is None:
        return []
    _, listed = grouped(colouring.classes, colouring.order)
    return [(name, *_class_style(number, name)) for number, name in enumerate(listed)]


def _class_style(number: int, name: str) -> tuple[str, str]:
    if name in (UNKNOWN, "other"):
        return GREY, "circle"
    return PALETTE[number % len(PALETTE)], SYMBOLS[number // len(PALETTE) % len(SYMBOLS)]


def _sizes(n: int, weights: Array | None) -> Array:
    sizes = np.full(n, 10.0 if n <= 300 else 7.0 if n <= MAX_SVG else 5.0)
    if weights is None:
        return sizes
    filled = np.nan_to_num(weights - min(0.0, float(np.nanmin(weights, initial=0.0))))
    largest = filled.max(initial=0.0)
    # The area, not the width, follows the number; the smallest stays visible.
    return sizes * (0.5 + 1.3 * np.sqrt(filled / largest)) if largest > 0 else sizes


def _sample(n: int, required: Sequence[int]) -> BoolArray:
    """Which objects are drawn."""
    drawn = np.full(n, n <= MAX_DRAWN)
    if n > MAX_DRAWN:
        drawn[np.random.default_rng(0).choice(n, MAX_DRAWN, replace=False)] = True
        drawn[np.asarray(required, dtype=np.intp)] = True
    return drawn


@dataclass(frozen=True)
class _Canvas:
    """What the traces of a figure have in common."""

    points: Array
    objects: tuple[str, ...]
    sizes: Array
    drawn: BoolArray
    picked: frozenset[int]
    names: bool
    dark: bool

    def scatter(self, indices: IndexArray, **options: Any) -> Any:
        """A trace of some of the objects, of the type that suits the number of points and dimensions."""
        points, text = self.points[indices], [self.objects[index] for index in indices]
        if points.shape[1] == 3:
            return go.Scatter3d(x=points[:, 0], y=points[:, 1], z=points[:, 2], **{"text": text} | options)
        trace = go.Scattergl if self.many else go.Scatter
        # Points that are not selected are faded, but still visible.
        defaults: dict[str, Any] = {"text": text, "unselected": {"marker": {"opacity": 0.25}}}
        if self.picked:
            defaults["selectedpoints"] = np.flatnonzero(np.isin(indices, list(self.picked))).tolist()
        return trace(x=points[:, 0], y=points[:, 1], **defaults | options)

    def add_points(
        self, figure: go.Figure, indices: IndexArray, name: str, marker: dict[str, Any], data: list[Any], hover: str
    ) -> None:
        """Add a trace of some of the objects, with their names beside them if requested."""
        names = {"textposition": "top center", "textfont": {"size": 10}} if self.names else {}
        mode = "markers+text" if self.names else "markers"
        marker = {"size": self.size(indices), "line": self.edge} | marker
        hover = f"<b>%{{text}}</b><br>{hover}<extra></extra>"
        options = {"name": name, "marker": marker, "customdata": data, "hovertemplate": hover, "mode": mode}
        figure.add_trace(self.scatter(indices, **options, **names))

    def size(self, indices: IndexArray) -> Array:
        """Width of points in pixels; Plotly draws those of three dimensions larger."""
        return self.sizes[indices] * (0.6 if self.points.shape[1] == 3 else 1.0)

    @property
    def edge(self) -> dict[str, Any]:
        """A rim in the colour of the page, which separates overlapping points; many points are transparent instead."""
        return {"width": 0.0 if self.many else 0.8, "color": background(self.dark)}

    @property
    def many(self) -> bool:
        """Whether there are too many points to tell them apart."""
        return len(self.points) > MAX_SVG


def _add_classes(figure: go.Figure, canvas: _Canvas, colouring: Colouring) -> None:
    classes, listed = grouped(colouring.classes or [], colouring.order)
    title = escape_label(colouring.title)
    for number, name in enumerate(listed):
        indices = np.flatnonzero((classes == name) & canvas.drawn)
        colour, symbol = _class_style(number, name)
        marker = {"color": colour, "symbol": symbol, "opacity": 0.6 if canvas.many else 0.9}
        # Lists: a selection returns arrays in another shape.
        data, name = indices[:, None].tolist(), escape_label(name)
        canvas.add_points(figure, indices, name, marker, data, f"{title}: {name}")
    figure.update_layout(showlegend=len(listed) > 1)


def _add_numbers(figure: go.Figure, canvas: _Canvas, colouring: Colouring, numbers: Array) -> None:
    title, palette = escape_label(colouring.title), shades(canvas.dark)
    scale = [[0, "#24506F" if canvas.dark else "#C6DBEF"], [0.5, palette.middle], [1, palette.high]]
    known = np.isfinite(numbers)
    for is_known in (True, False):
        indices = np.flatnonzero((known == is_known) & canvas.drawn)
        if not indices.size:
            continue
        marker: dict[str, Any] = {"color": palette.unknown, "opacity": 0.7 if canvas.many else 0.95}
        if is_known:
            marker |= {"color": numbers[indices], "colorscale": scale, "colorbar": colour_bar(title)}
            marker["line"] = canvas.edge | {"color": "#8FA3B3" if canvas.dark else "#5B6B79"}
        data = [[int(index), float(numbers[index])] for index in indices]
        hover = f"{title}: {'%{customdata[1]:,.4~g}' if is_known else UNKNOWN}"
        canvas.add_points(figure, indices, title if is_known else UNKNOWN, marker, data, hover)
    figure.update_layout(showlegend=False)


def _add_marked(figure: go.Figure, canvas: _Canvas, indices: IndexArray) -> None:
    ring = {"color": "#F0E442" if canvas.dark else "#000000", "width": 2.5}
    bold = "{}" if canvas.many else "<b>{}</b>"  # WebGL would show the tags
    names = {"text": [bold.format(canvas.objects[index]) for index in indices], "textposition": "bottom center"}
    options = {"name": "marked", "showlegend": False, "hoverinfo": "skip", **names}
    options["mode"] = "markers+text" if indices.size <= 10 else "markers"
    options["marker"] = {"size": canvas.size(indices) + 9, "color": "rgba(0,0,0,0)", "line": ring}
    if canvas.points.shape[1] == 2:
        options["unselected"] = {"marker": {"opacity": 1}}
    figure.add_trace(canvas.scatter(indices, **options))


def _arrange(figure: go.Figure, axes: Sequence[str], true_scale: bool, limits: Limits | None, dark: bool) -> None:
    palette = shades(dark)
    lines = {"gridcolor": palette.line, "showgrid": True, "zeroline": True, "zerolinecolor": palette.unknown}
    side: dict[str, Any] = lines | {"showticklabels": False, "ticks": ""}
    labels = [escape_label(axis) for axis in axes]
    figure.update_layout(
        **margins(left=TITLE + 4, bottom=TITLE + 4),
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.0, "x": 0, "itemsizing": "constant"},
        hoverlabel=LEFT_HOVER,
        modebar={"orientation": "v"},
        dragmode="pan" if len(axes) == 2 else "turntable",
    )
    if len(axes) == 3:
        scene: dict[str, Any] = {
            f"{letter}axis": side | {"title": axis_title(label, 11), "showbackground": False}
            for letter, label in zip("xyz", labels, strict=True)
        }
        camera = {"eye": {"x": 1.35, "y": 1.35, "z": 0.85}}
        figure.update_layout(scene=scene | {"aspectmode": "cube", "camera": camera})
        return
    x, y = (side | NO_AUTOMARGIN | {"title": {"text": label, "standoff": 6}} for label in labels)
    if true_scale:
        y |= {"scaleanchor": "x", "constrain": "range"}
        x |= {"constrain": "range"}
    if limits is not None:
        x |= {"range": list(limits[0])}
        y |= {"range": list(limits[1])}
    figure.update_layout(xaxis=x, yaxis=y)
