"""Networks as ECharts options: one, or two side by side that share places, zoom and legend.

A panel is a stack of layers, each with edges of one look; the legend turns layers on and off. Nodes lie on top. Edges
are lines between fixed places, so that what two panels show can be compared place by place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..typing import Array, IntArray
from .colours import AMBER, BLUE, GREEN, GREY, ORANGE, PINK, SKY
from .network_series import MAX_ARROWS, Layer, Panel, Stroke, edge_series, frame, mark_series, node_series, view_range

MAX_EDGES = 8_000
"""More edges are a blot, and slow to draw."""

MAX_NODES = 2_000

MAX_LABELS = 130
"""Up to so many nodes all names are written, unless asked otherwise."""

STROKES = {
    "known": Stroke("#8A939C", "#7D8893", width=1.0, opacity=0.55),
    "missed": Stroke(PINK, PINK, "dotted", 1.8),
    "unchecked": Stroke(BLUE, SKY, "dashed", 1.4, 0.75),
    "false alarm": Stroke(ORANGE, "#F08A3C", "dashed", 1.8),
    "hit": Stroke(GREEN, "#2FC79A", "solid", 2.2),
}
"""The look of each outcome; what comes later lies on top."""

RELATION_COLOURS = (BLUE, ORANGE, GREEN, PINK, AMBER, SKY, GREY)
BENDS = (0.0, 0.08, -0.08, 0.16, -0.16, 0.24, -0.24)
"""The colour of each relation that is overlaid, and how far its edges swing out."""


@dataclass(frozen=True)
class NetworkChart:
    """An ECharts option, and what its items stand for.

    Attributes:
        option: what to draw.
        items: for each series that can be clicked, the object (one column) or pair (two) of each of its items.
    """

    option: dict[str, Any]
    items: Mapping[str, IntArray]

    def item(self, series: str, index: int) -> tuple[int, ...]:
        """The object or the pair that an item of a series stands for; empty where there is no such item."""
        held = self.items.get(series)
        if held is None or not 0 <= index < len(held):
            return ()
        return tuple(int(position) for position in held[index])


def network(
    panels: Sequence[Panel],
    places: Array,
    nodes: IntArray,
    texts: Sequence[str],
    *,
    labels: bool | None = None,
    marked: Sequence[int] = (),
    chosen: tuple[int, int] | None = None,
    file: str = "network",
    dark: bool = False,
) -> NetworkChart:
    """One network, or several side by side on the same places.

    >>> edges = Layer("hit", np.array([0]), np.array([1]), ["ann – bob"], STROKES["hit"])
    >>> picture = network([Panel("MrWTD", [edges])], np.array([[0.0, 0.0], [1.0, 1.0]]), np.arange(2), ["ann", "bob"])
    >>> picture.item("edges-0-0", 0), picture.item("nodes-0", 1)
    ((0, 1), (1,))

    Args:
        panels: what to draw.
        places: a place for every object, shown or not.
        nodes: the objects to show.
        texts: the name of every object.
        labels: whether names are written beside nodes; where None, if there are few.
        marked: objects to point out.
        chosen: a pair to point out.
        file: the name of the downloaded picture.
        dark: whether the background is dark.
    """
    items: dict[str, IntArray] = {}
    series: list[dict[str, Any]] = []
    many = max((sum(len(layer.i) for layer in panel.layers) for panel in panels), default=0) > MAX_ARROWS
    named = len(nodes) * len(panels) <= MAX_LABELS if labels is None else labels
    for number, panel in enumerate(panels):
        for level, layer in enumerate(panel.layers):
            key = f"edges-{number}-{level}"
            items[key] = np.column_stack([layer.i, layer.j])
            series.append(edge_series(key, number, layer, places, directed=panel.directed, many=many, dark=dark))
        if chosen is not None:
            series.append(mark_series(number, chosen, places, directed=panel.directed, dark=dark))
        key = f"nodes-{number}"
        items[key] = np.asarray(nodes).reshape(-1, 1)
        series.append(node_series(key, number, nodes, places, texts, set(marked), named=named, dark=dark))
    # What lies on top comes first. Of layers that share a name, the lowest, which is solid, stands for all.
    legend = {layer.name: layer.stroke.dash for panel in panels for layer in reversed(panel.layers)}
    option = frame(panels, view_range(places[nodes], named=named), legend, file, dark=dark)
    option["baseOption"]["series"] = series
    return NetworkChart(option, items)


def outcome_layers(edges: pd.DataFrame, texts: Sequence[str]) -> list[Layer]:
    """A layer for each outcome, whether it has edges or not, so that legends stay as they are.

    >>> edges = pd.DataFrame({"i": [0], "j": [1], "outcome": ["hit"]})
    >>> [layer.name for layer in outcome_layers(edges, ["a – b"]) if len(layer.i)]
    ['hit']
    """
    layers = []
    for outcome, stroke in STROKES.items():
        own = np.flatnonzero(edges["outcome"] == outcome)
        i, j = (edges[end].to_numpy()[own] for end in ("i", "j"))
        layers.append(Layer(outcome, i, j, [texts[at] for at in own.tolist()], stroke))
    return layers


def relation_layers(name: str, number: int, edges: pd.DataFrame, texts: Sequence[str]) -> list[Layer]:
    """One relation in a colour of its own: known ties solid, predicted ones dashed, missed ones dotted.

    >>> edges = pd.DataFrame({"i": [0, 1], "j": [1, 2], "outcome": ["hit", "known"]})
    >>> [(layer.name, layer.stroke.dash) for layer in relation_layers("lunch", 0, edges, ["", ""])]
    [('lunch', 'solid'), ('lunch', 'dotted'), ('lunch', 'dashed')]
    """
    colour = RELATION_COLOURS[number % len(RELATION_COLOURS)]
    groups = {"solid": ("known",), "dotted": ("missed",), "dashed": ("unchecked", "false alarm", "hit")}
    layers = []
    for dash, outcomes in groups.items():
        own = np.flatnonzero(edges["outcome"].isin(outcomes))
        # Each relation swings out differently, or ties of the same pair would hide each other.
        stroke = Stroke(colour, colour, dash, 1.3, 0.6 if dash == "solid" else 0.9, bend=BENDS[number % len(BENDS)])
        i, j = (edges[end].to_numpy()[own] for end in ("i", "j"))
        layers.append(Layer(name, i, j, [texts[at] for at in own.tolist()], stroke))
    return layers
