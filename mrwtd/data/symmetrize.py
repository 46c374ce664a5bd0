"""`symmetrize`: make directed relations undirected."""

from dataclasses import replace
from typing import Any

import numpy as np

from ..typing import Array, IndexArray, Int8Array
from .negatives import represented_by_either
from .published import TEST, VALID
from .relational import RelationalData
from .validation import entry_keys, is_one, ordered_pairs


def symmetrize(data: RelationalData) -> RelationalData:
    """The data with every relation undirected.

    The two directions of a pair become one entry: binary entries are combined by OR, counts and levels by the
    maximum, real numbers by the mean. If only one direction is known, its value is used. Weights are averaged; entries
    of weight 0 are unobserved. Undirected relations do not change, nor do relations between two types of objects. A
    pair has two chances to be sampled as a negative, so a sampled one represents about half as many pairs as before. A
    pair is a published test entry if one of its directions is.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("monastery")
    >>> len(data), len(symmetrize(data))
    (3060, 1530)
    """
    directed = sum(relation.directed and not relation.is_two_mode for relation in data.relations)
    if not directed:
        return data
    if not is_one(data.w):
        data = data.subset(data.w > 0)
    relations = [replace(relation, directed=relation.is_two_mode) for relation in data.relations]
    i, j = ordered_pairs(relations, data.i, data.j, data.k)
    key = entry_keys(i, j, data.k, data.n_objects)
    order = np.argsort(key, kind="stable")
    first = np.flatnonzero(np.diff(key[order], prepend=-1))
    sizes = np.diff(np.append(first, key.size))
    rows = order[first]
    values = data.y[order]
    y = np.maximum.reduceat(values, first) if first.size else values
    real = np.array([relation.kind == "real" for relation in relations])[data.k[rows]]
    if real.any():
        y = np.where(real, np.add.reduceat(values, first) / sizes, y)
    w = None if is_one(data.w) or not first.size else np.add.reduceat(data.w[order], first) / sizes
    represents = None if is_one(data.represents) or not first.size else _represented(data, order, first)
    note = f"{directed} directed relation{'s' * (directed > 1)} made undirected: both directions of a pair as one entry"
    about: dict[str, Any] = {
        "notes": (*data.notes, note), "represents": represents, "object_types": data.object_types,
        "part": None if data.part is None else _part(data.part[order], first),
    }  # fmt: skip
    return RelationalData(data.objects, relations, i[rows], j[rows], data.k[rows], y, w, data.attributes, **about)


def _represented(data: RelationalData, order: IndexArray, first: IndexArray) -> Array:
    """The number of pairs that each combined entry represents; with a listed cell among the two, one."""
    rows = order[first]
    each = np.minimum.reduceat(data.represents[order], first)
    two_cells = (
        np.array([relation.directed and not relation.is_two_mode for relation in data.relations])[data.k[rows]]
        & (data.i != data.j)[rows]
    )
    return np.asarray(np.where(two_cells, represented_by_either(each), each))


def _part(part: Int8Array, first: IndexArray) -> Int8Array:
    """The part of each combined entry: test if one of the two is a test entry, otherwise valid if one is for that."""
    if not first.size:
        return part
    combined = np.zeros(first.size, dtype=np.int8)
    for code in (VALID, TEST):
        combined[np.logical_or.reduceat(part == code, first)] = code
    return combined
