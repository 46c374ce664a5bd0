"""Bipartite graphs: files that put each node on one of two sides are two-mode data, if all ties connect the sides."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...table import Table
from ...two_mode import NUMBERED, two_mode_note

SIDES = ("bipartite", "type")
"""Node attributes with the side of a node: that of NetworkX, 0 or 1, and that of igraph, true or false."""


def sides_of(nodes: Mapping[str, Mapping[str, Any]]) -> dict[str, bool]:
    """Whether each node is on the second side, from the attributes of the nodes; empty if they do not say it.

    >>> sides_of({"ann": {"bipartite": 0}, "party": {"bipartite": 1}})
    {'ann': False, 'party': True}
    """
    for name in SIDES:
        sides = {node: _side(attributes.get(name)) for node, attributes in nodes.items()}
        if set(sides.values()) == {False, True}:
            return {node: bool(side) for node, side in sides.items()}
    return {}


def _side(value: Any) -> bool | None:
    texts = {"0": False, "1": True, "0.0": False, "1.0": True, "false": False, "true": True}
    return texts.get(str(value).lower()) if isinstance(value, str | int | float) else None


def with_sides(table: Table, sides: Mapping[str, bool]) -> Table:
    """The table as two-mode data, if all ties connect two sides and those of a directed relation in one direction.

    Undirected ties become ties from the first side to the second.

    >>> table = Table.from_names(["party", "bob"], ["attends"] * 2, ["ann", "party"], declared={})
    >>> typed = with_sides(table, {"party": True, "ann": False, "bob": False})
    >>> typed.declared, typed.i.tolist(), typed.j.tolist()
    ({'attends': {'directed': True, 'types': ('mode 1', 'mode 2')}}, [2, 1], [0, 0])
    """
    second = np.array([sides.get(name, False) for name in table.objects], dtype=bool)
    starts_second = second[table.i]
    if second.all() or not second.any() or (starts_second == second[table.j]).any():
        return table
    m = len(table.relations)
    n_ties, n_second = (np.bincount(table.k, flags, m) for flags in (None, starts_second))
    is_directed = np.array([table.declared.get(name, {}).get("directed") is True for name in table.relations])
    if (is_directed & (n_second > 0) & (n_second < n_ties)).any():  # both directions: two-mode data has one
        return table
    is_reverse = is_directed & (n_second > 0)
    declared = {
        name: {**table.declared.get(name, {}), "directed": True, "types": NUMBERED[::-1] if reverse else NUMBERED}
        for name, reverse in zip(table.relations, is_reverse, strict=True)
    }
    swapped = starts_second & ~is_directed[table.k]
    i, j = np.where(swapped, table.j, table.i), np.where(swapped, table.i, table.j)
    note = two_mode_note(NUMBERED, int(np.count_nonzero(~second)), int(np.count_nonzero(second)))
    object_types = {name: NUMBERED[int(side)] for name, side in zip(table.objects, second, strict=True)}
    return replace(table, i=i, j=j, declared=declared, object_types=object_types, notes=(*table.notes, note))
