"""The edges of a network to show: those around some objects, up to a readable number."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..typing import BoolArray, IndexArray

PREDICTED = ("hit", "false alarm", "unchecked")
"""The outcomes of pairs above the threshold."""

PRIORITY = (*PREDICTED, "missed", "known")
"""The order in which edges are chosen if not all can be shown."""


@dataclass(frozen=True)
class VisibleNetwork:
    """The visible part of a network.

    Attributes:
        edges: the edges that are drawn.
        nodes: the objects that are drawn, by position.
        left_out: the number of edges that are not drawn.
    """

    edges: pd.DataFrame
    nodes: IndexArray
    left_out: int


def neighbourhood(edges: pd.DataFrame, centres: Iterable[int], depth: int = 1) -> pd.DataFrame:
    """The edges among the objects that are at most `depth` steps from the centres, along any edge.

    >>> path = pd.DataFrame({"i": [0, 1, 2], "j": [1, 2, 3]})
    >>> neighbourhood(path, [0], depth=2)
       i  j
    0  0  1
    1  1  2
    """
    i, j = edges["i"].to_numpy(), edges["j"].to_numpy()
    reached = np.zeros(1 + max(i.max(initial=0), j.max(initial=0), *centres, 0), dtype=bool)
    reached[list(centres)] = True
    for _ in range(depth):
        step = reached[i] | reached[j]
        reached[i[step]] = True
        reached[j[step]] = True
    near: pd.DataFrame = edges[reached[i] & reached[j]]
    return near


def select_visible(
    edges: pd.DataFrame, max_edges: int, max_nodes: int, always: Iterable[int] = (), n_objects: int | None = None
) -> VisibleNetwork:
    """Choose the edges and objects to draw: predictions first, the best ones first.

    >>> edges = pd.DataFrame({"i": [0, 1], "j": [1, 2], "score": [2.0, 1.0], "outcome": ["known", "hit"]})
    >>> select_visible(edges, max_edges=1, max_nodes=9).edges["outcome"].tolist()
    ['hit']

    Args:
        edges: i, j, score and outcome of each.
        max_edges: the number of edges drawn at most; predictions take at most half where others wait.
        max_nodes: the number of objects drawn at most.
        always: objects that are always drawn.
        n_objects: if given, all objects are drawn, with or without edges.
    """
    priority = edges["outcome"].map({name: place for place, name in enumerate(PRIORITY)}).to_numpy(dtype=np.intp)
    predicted = priority < len(PREDICTED)
    # Predictions are ordered by score alone, whatever their outcome.
    order = np.lexsort((-edges["score"].to_numpy(), np.where(predicted, 0, priority)))
    fits = _first_objects(edges, order, max_nodes, always)
    order = order[fits[order]]
    first, rest = order[predicted[order]], order[~predicted[order]]
    room = max((max_edges + 1) // 2, max_edges - rest.size)
    visible = np.concatenate([first[:room], rest[: max_edges - min(first.size, room)]])
    chosen = edges.iloc[np.sort(visible)]
    ends = chosen[["i", "j"]].to_numpy().ravel()
    nodes = np.arange(n_objects) if n_objects is not None else np.union1d(ends, list(always))
    return VisibleNetwork(chosen, nodes.astype(np.intp), len(edges) - len(chosen))


def _first_objects(edges: pd.DataFrame, order: IndexArray, max_nodes: int, always: Iterable[int]) -> BoolArray:
    """Whether both ends of each edge are among the first `max_nodes` objects, in the given order of the edges."""
    i, j = edges["i"].to_numpy(), edges["j"].to_numpy()
    named = np.concatenate([np.fromiter(always, dtype=np.intp), np.column_stack([i, j])[order].ravel()])
    objects, first = np.unique(named, return_index=True)
    chosen = objects[np.argsort(first)[:max_nodes]]
    return np.asarray(np.isin(i, chosen) & np.isin(j, chosen))
