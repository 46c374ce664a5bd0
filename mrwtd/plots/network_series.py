"""Parts of a network as ECharts options: edges, nodes, and everything around them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..typing import Array, IntArray
from .colours import AMBER, background, shades, text_colour

MAX_ARROWS = 1_500
"""Up to this many edges have arrows and full strokes."""

BEND = 0.12
"""Curvature of directed edges, so that both directions between two nodes are visible."""

ICONS = {
    "solid": "roundRect",
    "dashed": "path://M0 0h6v3h-6z M10 0h6v3h-6z M20 0h6v3h-6z",
    "dotted": "path://M0 0h3v3h-3z M7 0h3v3h-3z M14 0h3v3h-3z M21 0h3v3h-3z",
}
"""Icon of a stroke in the legend, by its dash."""


@dataclass(frozen=True)
class Stroke:
    """Style of edges: colour on a light and on a dark background, dash, width, opacity and curvature."""

    light: str
    dark: str
    dash: str = "solid"
    width: float = 1.6
    opacity: float = 0.9
    bend: float = 0.0


@dataclass(frozen=True)
class Layer:
    """Edges of one style.

    Attributes:
        name: name in the legend; layers of one name are turned off together.
        i, j: the indices of the two ends of each edge.
        texts: the tooltip of each edge.
        stroke: the style.
    """

    name: str
    i: IntArray
    j: IntArray
    texts: Sequence[str]
    stroke: Stroke


@dataclass(frozen=True)
class Panel:
    """One network: its title, its layers from bottom to top, and whether edges are directed."""

    title: str
    layers: Sequence[Layer]
    directed: bool = False


def edge_series(
    key: str, panel: int, layer: Layer, positions: Array, *, directed: bool, many: bool, dark: bool
) -> dict[str, Any]:
    """The edges of a layer as lines; directed ones are curved and end in an arrow.

    If there are `many`, all are thin and without arrows.

    >>> layer = Layer("hit", np.array([0]), np.array([1]), ["a – b"], Stroke("#000000", "#FFFFFF"))
    >>> edge_series("e", 0, layer, np.eye(2), directed=False, many=False, dark=True)["data"]
    [{'coords': [[1.0, 0.0], [0.0, 1.0]], 'name': 'a – b'}]
    """
    start, end = positions[layer.i], positions[layer.j]
    arrows = directed and not many
    if arrows:
        # An arrow that ends in the middle of its node would be hidden by it.
        direction = end - start
        length = np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-9)
        end = end - direction / length * np.minimum(0.02, 0.3 * length)
    stroke = layer.stroke
    width = 0.45 * stroke.width if many else stroke.width
    line = {
        "color": stroke.dark if dark else stroke.light,
        "type": stroke.dash,
        "width": width,
        "opacity": 0.6 * stroke.opacity if many else stroke.opacity,
        "curveness": stroke.bend + BEND * arrows,
    }
    pairs = np.stack([start, end], axis=1).round(4).tolist()
    return {
        "type": "lines",
        "id": key,
        "name": layer.name,
        "coordinateSystem": "cartesian2d",
        "xAxisIndex": panel,
        "yAxisIndex": panel,
        "symbol": ["none", "arrow"] if arrows else "none",
        "symbolSize": 6,
        "lineStyle": line,
        "emphasis": {"lineStyle": {"width": width + 2, "opacity": 1}},
        "select": {"lineStyle": {"width": width + 3, "color": AMBER, "opacity": 1}},
        "selectedMode": "single",
        "progressive": 0,
        "z": 2,
        "tooltip": {"formatter": "{b}<br>{a}"},
        "data": [{"coords": pair, "name": text} for pair, text in zip(pairs, layer.texts, strict=True)],
    }


def node_series(
    key: str, panel: int, nodes: IntArray, positions: Array, texts: Sequence[str], marked: set[int], *, named: bool,
    dark: bool, symbols: Sequence[str] = (),
) -> dict[str, Any]:  # fmt: skip
    """The nodes as points, or with the symbol of each object, and with their names beside them if `named`.

    >>> node_series("n", 0, np.array([1]), np.eye(2), ["a", "b"], set(), named=True, dark=False)["data"]
    [{'value': [0.0, 1.0], 'name': 'b'}]
    """
    size = 11 if len(nodes) <= 100 else 8 if len(nodes) <= 500 else 5
    data: list[dict[str, Any]] = []
    for node, (x, y) in zip(nodes.tolist(), positions[nodes].round(4).tolist(), strict=True):
        item: dict[str, Any] = {"value": [x, y], "name": texts[node]}
        if symbols:
            item["symbol"] = symbols[node]
        if node in marked:
            item |= {"itemStyle": {"color": AMBER}, "symbolSize": size + 5, "label": {"show": True}}
        data.append(item)
    colour = "#C8D0D8" if dark else "#3C4A57"
    style = {"color": colour, "borderColor": background(dark), "borderWidth": 1, "opacity": 1}
    return {
        "type": "scatter",
        "id": key,
        "name": "objects",
        "xAxisIndex": panel,
        "yAxisIndex": panel,
        "symbolSize": size,
        "itemStyle": style,
        "select": {"itemStyle": style},
        "selectedMode": "single",
        "large": False,
        "progressive": 0,
        "z": 4,
        "label": {
            "show": named, "formatter": "{b}", "position": "right", "distance": 3, "fontSize": 11,
            "color": text_colour(dark), "width": 110, "overflow": "truncate",
        },
        "labelLayout": {"hideOverlap": True},
        "emphasis": {"label": {"show": True}},
        "tooltip": {"formatter": "{b}"},
        "data": data,
    }  # fmt: skip


def mark_series(
    panel: int, chosen: tuple[int, int], positions: Array, *, directed: bool = False, dark: bool = False
) -> dict[str, Any]:
    """A broad line below a highlighted pair.

    >>> mark_series(0, (0, 1), np.eye(2), dark=False)["silent"]
    True
    """
    coords = positions[list(chosen)].round(4).tolist()
    return {
        "type": "lines", "id": f"chosen-{panel}", "coordinateSystem": "cartesian2d", "xAxisIndex": panel,
        "yAxisIndex": panel, "silent": True, "z": 1, "data": [{"coords": coords}],
        "lineStyle": {"color": AMBER, "width": 9, "opacity": 0.55 if dark else 0.45, "curveness": BEND * directed},
    }  # fmt: skip


def view_range(positions: Array, *, named: bool = False) -> tuple[Array, Array]:
    """Lower and upper limits of both axes, with room for nodes and names.

    >>> low, high = view_range(np.array([[0.0, 0.0], [1.0, 1.0]]))
    >>> bool((low < 0).all() and (high > 1).all())
    True
    """
    if not len(positions):
        return np.zeros(2), np.ones(2)
    low, high = positions.min(axis=0), positions.max(axis=0)
    room = np.maximum(0.06 * (high - low), 0.02)
    return low - room, high + room * np.array([2.0 if named else 1.0, 1.0])


def base_option(
    panels: Sequence[Panel], limits: tuple[Array, Array], legend: Mapping[str, str], file: str, *, dark: bool
) -> dict[str, Any]:
    """Everything but the series: one grid per panel, the shared zoom, the legend, tooltips and tools.

    On a narrow screen the legend has two lines, and panels are one above the other.

    >>> two = [Panel("a", []), Panel("b", [])]
    >>> base_option(two, (np.zeros(2), np.ones(2)), {}, "net", dark=False)["baseOption"]["dataZoom"][0]
    {'type': 'inside', 'filterMode': 'none', 'xAxisIndex': [0, 1]}
    """
    count = len(panels)
    numbers, several = range(count), count > 1
    border = {"show": True, "borderColor": shades(dark).line, "borderWidth": 1} if several else {}
    inside = {"top": 54 if several else 30, "bottom": 6, **border}
    first = 17 if several else 13
    height = (100 - first) / count
    stacked = [
        {"left": 4, "right": 4, "width": "auto", "top": f"{first + height * number}%", "height": f"{height - 6}%"}
        for number in numbers
    ]
    titles = [
        {
            "text": panel.title, "left": f"{100 * number / count + 50 / count}%", "top": 28, "textAlign": "center",
            "textStyle": {"fontSize": 13, "fontWeight": 600},
        }
        for number, panel in enumerate(panels)
        if several
    ]  # fmt: skip
    stacked_titles = [{"left": "50%", "top": f"{first - 5 + height * number}%"} for number in numbers if several]
    x_axes, y_axes = (
        [{"gridIndex": number, "type": "value", "show": False, "min": low, "max": high} for number in numbers]
        for low, high in np.column_stack(limits).tolist()
    )
    zoom = {"type": "inside", "filterMode": "none"}
    return {
        "baseOption": {
            "animation": False,
            "title": titles,
            "grid": [
                {"left": f"{100 * number / count + 0.5}%", "width": f"{100 / count - 1}%", **inside}
                for number in numbers
            ],
            "xAxis": x_axes,
            "yAxis": y_axes,
            "dataZoom": [zoom | {"xAxisIndex": [*numbers]}, zoom | {"yAxisIndex": [*numbers]}],
            "legend": {
                "data": [{"name": name, "icon": ICONS[dash]} for name, dash in legend.items()],
                "top": 0, "left": 0, "right": 90, "itemWidth": 24, "itemHeight": 3,
            },
            "tooltip": {"confine": True},
            "toolbox": {
                "right": 4, "top": 0, "itemSize": 14,
                "feature": {
                    "restore": {"title": "Whole network"},
                    "saveAsImage": {
                        "name": file, "title": "Picture (PNG)", "pixelRatio": 2, "backgroundColor": background(dark),
                    },
                },
            },
        },
        "media": [{"query": {"maxWidth": 560}, "option": {"grid": stacked, "title": stacked_titles}}],
    }  # fmt: skip
