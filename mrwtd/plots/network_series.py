"""The pieces of a network as ECharts options: its edges, its nodes, and the frame that holds them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..typing import Array, IntArray
from .colours import AMBER, shades

MAX_ARROWS = 1_500
"""Up to so many edges have arrows and full strokes."""

BEND = 0.12
"""How far edges with a direction swing out, so that both ways between two nodes are seen."""


ICONS = {
    "solid": "roundRect",
    "dashed": "path://M0 0h6v3h-6z M10 0h6v3h-6z M20 0h6v3h-6z",
    "dotted": "path://M0 0h3v3h-3z M7 0h3v3h-3z M14 0h3v3h-3z M21 0h3v3h-3z",
}
"""What a stroke looks like in the legend, by its dash."""


@dataclass(frozen=True)
class Stroke:
    """How edges look: colour on a light and on a dark background, dash, width, strength, and how far they swing out."""

    light: str
    dark: str
    dash: str = "solid"
    width: float = 1.6
    opacity: float = 0.9
    bend: float = 0.0


@dataclass(frozen=True)
class Layer:
    """Edges of one look.

    Attributes:
        name: what the legend says; layers of one name are turned off together.
        i, j: the two ends of each edge, by position.
        texts: what the pointer says of each.
        stroke: how they look.
    """

    name: str
    i: IntArray
    j: IntArray
    texts: Sequence[str]
    stroke: Stroke


@dataclass(frozen=True)
class Panel:
    """One network: its title, its layers from below, and whether edges have a direction."""

    title: str
    layers: Sequence[Layer]
    directed: bool = False


def edge_series(
    key: str, panel: int, layer: Layer, places: Array, *, directed: bool, many: bool, dark: bool
) -> dict[str, Any]:
    """The edges of a layer as lines; those with a direction are bent a little and end in an arrow.

    Where there are `many`, all are thin and without arrows.

    >>> layer = Layer("hit", np.array([0]), np.array([1]), ["a – b"], Stroke("#000000", "#FFFFFF"))
    >>> edge_series("e", 0, layer, np.eye(2), directed=False, many=False, dark=True)["data"]
    [{'coords': [[1.0, 0.0], [0.0, 1.0]], 'name': 'a – b'}]
    """
    begin, end = places[layer.i], places[layer.j]
    arrows = directed and not many
    if arrows:
        # An arrow that ends in the middle of its node is hidden by it.
        along = end - begin
        length = np.maximum(np.linalg.norm(along, axis=1, keepdims=True), 1e-9)
        end = end - along / length * np.minimum(0.02, 0.3 * length)
    begin, end = begin.round(4), end.round(4)
    stroke = layer.stroke
    width = 0.45 * stroke.width if many else stroke.width
    line = {
        "color": stroke.dark if dark else stroke.light,
        "type": stroke.dash,
        "width": width,
        "opacity": 0.6 * stroke.opacity if many else stroke.opacity,
        "curveness": stroke.bend + BEND * arrows,
    }
    pairs = zip(begin.tolist(), end.tolist(), layer.texts, strict=True)
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
        "data": [{"coords": [one, other], "name": text} for one, other, text in pairs],
    }


def node_series(
    key: str, panel: int, nodes: IntArray, places: Array, texts: Sequence[str], marked: set[int], *, named: bool,
    dark: bool,
) -> dict[str, Any]:  # fmt: skip
    """The nodes as points, with their names beside them where `named`.

    >>> node_series("n", 0, np.array([1]), np.eye(2), ["a", "b"], set(), named=True, dark=False)["data"]
    [{'value': [0.0, 1.0], 'name': 'b'}]
    """
    size = 11 if len(nodes) <= 100 else 8 if len(nodes) <= 500 else 5
    plain, special = ("#C8D0D8", AMBER) if dark else ("#3C4A57", AMBER)
    data: list[dict[str, Any]] = []
    for node, (x, y) in zip(nodes.tolist(), places[nodes].round(4).tolist(), strict=True):
        item: dict[str, Any] = {"value": [x, y], "name": texts[node]}
        if node in marked:
            item |= {"itemStyle": {"color": special}, "symbolSize": size + 5, "label": {"show": True}}
        data.append(item)
    look = {"color": plain, "borderColor": "#12171D" if dark else "#FFFFFF", "borderWidth": 1, "opacity": 1}
    return {
        "type": "scatter",
        "id": key,
        "name": "objects",
        "xAxisIndex": panel,
        "yAxisIndex": panel,
        "symbolSize": size,
        "itemStyle": look,
        "select": {"itemStyle": look},
        "selectedMode": "single",
        "large": False,
        "progressive": 0,
        "z": 4,
        "label": {
            "show": named, "formatter": "{b}", "position": "right", "distance": 3, "fontSize": 11,
            "color": "#E6EAEE" if dark else "#1B2530", "width": 110, "overflow": "truncate",
        },
        "labelLayout": {"hideOverlap": True},
        "emphasis": {"label": {"show": True}},
        "tooltip": {"formatter": "{b}"},
        "data": data,
    }  # fmt: skip


def mark_series(
    panel: int, chosen: tuple[int, int], places: Array, *, directed: bool = False, dark: bool = False
) -> dict[str, Any]:
    """A broad line below a pair that is pointed out.

    >>> mark_series(0, (0, 1), np.eye(2), dark=False)["silent"]
    True
    """
    coords = [places[end].round(4).tolist() for end in chosen]
    return {
        "type": "lines", "id": f"chosen-{panel}", "coordinateSystem": "cartesian2d", "xAxisIndex": panel,
        "yAxisIndex": panel, "silent": True, "z": 1, "data": [{"coords": coords}],
        "lineStyle": {"color": AMBER, "width": 9, "opacity": 0.55 if dark else 0.45, "curveness": BEND * directed},
    }  # fmt: skip


def view_range(places: Array, *, named: bool = False) -> tuple[Array, Array]:
    """The least and the greatest place on both axes, with room for nodes and names.

    >>> low, high = view_range(np.array([[0.0, 0.0], [1.0, 1.0]]))
    >>> bool((low < 0).all() and (high > 1).all())
    True
    """
    if not len(places):
        return np.zeros(2), np.ones(2)
    low, high = places.min(axis=0), places.max(axis=0)
    room = np.maximum(0.06 * (high - low), 0.02)
    return low - room, high + room * np.array([2.0 if named else 1.0, 1.0])


def frame(
    panels: Sequence[Panel], span: tuple[Array, Array], legend: Mapping[str, str], file: str, *, dark: bool
) -> dict[str, Any]:
    """All but the series: a grid for each panel, the zoom that they share, legend, pointer and tools.

    On a narrow screen the legend takes two lines, and panels stand one above the other.

    >>> two = [Panel("a", []), Panel("b", [])]
    >>> frame(two, (np.zeros(2), np.ones(2)), {}, "net", dark=False)["baseOption"]["dataZoom"][0]
    {'type': 'inside', 'filterMode': 'none', 'xAxisIndex': [0, 1]}
    """
    count = len(panels)
    every, look = list(range(count)), shades(dark)
    head = 30 if count == 1 else 54
    grids = [
        {"left": f"{100 * at / count + 0.5}%", "width": f"{100 / count - 1}%", "top": head, "bottom": 6} for at in every
    ]
    first = 13 if count == 1 else 17
    high = (100 - first) / count
    stacked = [
        {"left": 4, "right": 4, "width": "auto", "top": f"{first + high * at}%", "height": f"{high - 6}%"}
        for at in every
    ]
    titles = [
        {
            "text": panel.title, "left": f"{100 * at / count + 50 / count}%", "top": 28, "textAlign": "center",
            "textStyle": {"fontSize": 13, "fontWeight": 600},
        }
        for at, panel in enumerate(panels)
        if count > 1
    ]  # fmt: skip
    stacked_titles = [{"left": "50%", "top": f"{first - 5 + high * at}%"} for at in every if count > 1]
    narrow = {"grid": stacked, "title": stacked_titles}
    low, top = span

    def axis(at: int, side: int) -> dict[str, Any]:
        ends = {"min": float(low[side]), "max": float(top[side])}
        return {"gridIndex": at, "type": "value", "show": False, **ends}

    zoom = {"type": "inside", "filterMode": "none"}
    return {
        "baseOption": {
            "animation": False,
            "title": titles,
            "grid": [
                grid | ({"show": True, "borderColor": look.line, "borderWidth": 1} if count > 1 else {})
                for grid in grids
            ],
            "xAxis": [axis(at, 0) for at in every],
            "yAxis": [axis(at, 1) for at in every],
            "dataZoom": [zoom | {"xAxisIndex": every}, zoom | {"yAxisIndex": every}],
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
                        "name": file, "title": "Picture (PNG)", "pixelRatio": 2,
                        "backgroundColor": "#12171D" if dark else "#FFFFFF",
                    },
                },
            },
        },
        "media": [{"query": {"maxWidth": 560}, "option": narrow}],
    }  # fmt: skip
