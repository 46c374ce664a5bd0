"""`symmetrize`: make directed relations undirected."""

from dataclasses import replace

import numpy as np

from .relational import RelationalData
from .validation import entry_keys, is_one


def symmetrize(data: RelationalData) -> RelationalData:
    """The data with every relation undirected.

    The two directions of a pair become one entry: binary entries are combined by OR, counts and levels by the
    maximum, real numbers by the mean. If only one direction is known, its value is used. Weights are averaged; entries
    of weight 0 are unobserved. Undirected relations do not change.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("monastery")
    >>> len(data), len(symmetrize(data))
    (3060, 1530)
    """
    directed = sum(relation.directed for relation in data.relations)
    if not directed:
        return data
    if not is_one(data.w):
        data = data.subset(data.w > 0)
    relations = [replace(relation, directed=False) for relation in data.relations]
    i, j = np.minimum(data.i, data.j), np.maximum(data.i, data.j)
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
    note = f"{directed} directed relation{'s' * (directed > 1)} made undirected: both directions of a pair as one entry"
    return RelationalData(
        data.objects, relations, i[rows], j[rows], data.k[rows], y, w, data.attributes, (*data.notes, note)
    )
