"""Networks as ECharts options: one, or two side by side that share positions, zoom and legend.

A panel is a stack of layers, each with edges of one style; the legend turns layers on and off. Nodes are on top. Nodes
have fixed positions, so that two panels can be compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..typing import Array, IntArray
from . import network_series as parts
from .colours import AMBER, BLUE, GREEN, GREY, ORANGE, PINK, SKY
from .network_series import Layer, Panel, Stroke

MAX_EDGES = 8_000
"""More edges cannot be distinguished, and are slow to draw."""

MAX_NODES = 2_000

MAX_LABELS = 130
"""By default, names are written up to this many nodes."""

STROKES = {
    "known": Stroke("#8A939C", "#7D8893", width=1.0, opacity=0.55),
    "missed": Stroke(PINK, PINK, "dotted", 1.8),
    "unchecked": Stroke(BLUE, SKY, "dashed", 1.4, 0.75),
    "false alarm": Stroke(ORANGE, "#F08A3C", "dashed", 1.8),
    "hit": Stroke(GREEN, "#2FC79A", "solid", 2.2),
}
"""The style of each outcome; later ones are on top."""

RELATION_COLOURS = (BLUE, ORANGE, GREEN, PINK, AMBER, SKY, GREY)
BENDS = (0.0, 0.08, -0.08, 0.16, -0.16, 0.24, -0.24)
"""Colour and curvature of the edges of each relation in an overlay."""


SYMBOLS = {"circle": "Circles", "rect": "Squares", "diamond": "Diamonds", "triangle": "Triangles"}
"""The symbols of types of objects, and their names."""


@dataclass(frozen=True)
class NetworkChart:
    """An ECharts option, and the objects of its items.

    Attributes:
        option: the ECharts option.
        items: for each clickable series, the object (one column) or pair (two columns) of each of its items.
    """

    option: dict[str, Any]
    items: Mapping[str, IntArray]

    def item(self, series: str, index: int) -> tuple[int, ...]:
        """The object or pair of an item of a series; empty if there is no such item."""
        items = self.items.get(series, ())
        return tuple(int(position) for position in items[index]) if 0 <= index < len(items) else ()


def network(
    panels: Sequence[Panel],
    positions: Array,
    nodes: IntArray,
    texts: Sequence[str],
    *,
    labels: bool | None = None,
    marked: Sequence[int] = (),
    chosen: tuple[int, int] | None = None,
    types: Sequence[str] = (),
    file: str = "network",
    dark: bool = False,
) -> NetworkChart:
    """One network, or several side by side with the same positions.

    >>> edges = Layer("hit", np.array([0]), np.array([1]), ["ann – bob"], STROKES["hit"])
    >>> picture = network([Panel("MrWTD", [edges])], np.array([[0.0, 0.0], [1.0, 1.0]]), np.arange(2), ["ann", "bob"])
    >>> picture.item("edges-0-0", 0), picture.item("nodes-0", 1)
    ((0, 1), (1,))

    Args:
        panels: the networks.
        positions: the position of every object, shown or not.
        nodes: the objects to show.
        texts: the name of every object.
        labels: whether names are written beside nodes; None for only if there are few.
        marked: objects to highlight.
        chosen: a pair to highlight.
        types: the type of every object, shown by its symbol; empty if objects have no types.
        file: the name of the downloaded image.
        dark: for a dark background.
    """
    items: dict[str, IntArray] = {}
    series: list[dict[str, Any]] = []
    many = max((sum(len(layer.i) for layer in panel.layers) for panel in panels), default=0) > parts.MAX_ARROWS
    by_type = type_symbols(types)
    symbols = [by_type[name] for name in types if by_type]
    named = len(nodes) * len(panels) <= MAX_LABELS if labels is None else labels
    for number, panel in enumerate(panels):
        for level, layer in enumerate(panel.layers):
            key = f"edges-{number}-{level}"
            items[key] = np.column_stack([layer.i, layer.j])
            series.append(
                parts.edge_series(key, number, layer, positions, directed=panel.directed, many=many, dark=dark)
            )
        if chosen is not None:
            series.append(parts.mark_series(number, chosen, positions, directed=panel.directed, dark=dark))
        key = f"nodes-{number}"
        items[key] = np.asarray(nodes).reshape(-1, 1)
        series.append(
            parts.node_series(
                key, number, nodes, positions, texts, set(marked), named=named, dark=dark, symbols=symbols
            )
        )
    # Top layers come first. Of layers with the same name, the legend shows the lowest one, which is solid.
    legend = {layer.name: layer.stroke.dash for panel in panels for layer in reversed(panel.layers)}
    option = parts.base_option(panels, parts.view_range(positions[nodes], named=named), legend, file, dark=dark)
    option["baseOption"]["series"] = series
    return NetworkChart(option, items)


def type_symbols(types: Sequence[str]) -> dict[str, str]:
    """The symbol of each type of objects, in the order of `SYMBOLS`; empty if there are more types than symbols.

    >>> type_symbols(["woman", "woman", "event"])
    {'woman': 'circle', 'event': 'rect'}
    """
    names = dict.fromkeys(types)
    return dict(zip(names, SYMBOLS, strict=False)) if len(names) <= len(SYMBOLS) else {}


def outcome_layers(edges: pd.DataFrame, texts: Sequence[str]) -> list[Layer]:
    """One layer per outcome, even if it has no edges, so that legends stay the same.

    >>> edges = pd.DataFrame({"i": [0], "j": [1], "outcome": ["hit"]})
    >>> [layer.name for layer in outcome_layers(edges, ["a – b"]) if len(layer.i)]
    ['hit']
    """
    return [_layer(outcome, edges, [outcome], texts, stroke) for outcome, stroke in STROKES.items()]


def relation_layers(name: str, number: int, edges: pd.DataFrame, texts: Sequence[str]) -> list[Layer]:
    """One relation in one colour: known ties solid, predicted ones dashed, missed ones dotted.

    >>> edges = pd.DataFrame({"i": [0, 1], "j": [1, 2], "outcome": ["hit", "known"]})
    >>> [(layer.name, layer.stroke.dash) for layer in relation_layers("lunch", 0, edges, ["", ""])]
    [('lunch', 'solid'), ('lunch', 'dotted'), ('lunch', 'dashed')]
    """
    colour = RELATION_COLOURS[number % len(RELATION_COLOURS)]
    groups = {"solid": ["known"], "dotted": ["missed"], "dashed": ["unchecked", "false alarm", "hit"]}
    layers = []
    for dash, outcomes in groups.items():
        # Relations have different curvatures, or ties of the same pair would hide each other.
        stroke = Stroke(colour, colour, dash, 1.3, 0.6 if dash == "solid" else 0.9, bend=BENDS[number % len(BENDS)])
        layers.append(_layer(name, edges, outcomes, texts, stroke))
    return layers


def _layer(name: str, edges: pd.DataFrame, outcomes: list[str], texts: Sequence[str], stroke: Stroke) -> Layer:
    rows = np.flatnonzero(edges["outcome"].isin(outcomes))
    i, j = (edges[end].to_numpy()[rows] for end in ("i", "j"))
    return Layer(name, i, j, [texts[row] for row in rows.tolist()], stroke)
