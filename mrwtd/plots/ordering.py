"""Order of the objects along the sides of an adjacency matrix: objects with similar ties are close together.

Every object has a profile: a row with a column for each other object, relation and direction. Rows and columns are
divided by the root of their sum plus its mean, so that neither popular nor isolated objects dominate. The leading
singular vectors, as points of unit length, are clustered (Ward linkage), and the leaves of the tree are the order.
Objects with ties to the same others are close together, whether they have a tie to each other or not.
"""

from typing import Any

import numpy as np

from ..data.relational import RelationalData
from ..typing import Array, IndexArray

MAX_CLUSTERED = 1000
"""Of more objects, a sample of this size is clustered, as clustering takes an n × n array; others join the nearest."""

DIMENSIONS = 8
"""Number of singular vectors that represent a profile."""


def similarity_order(data: RelationalData) -> IndexArray:
    """Indices of the objects in an order where objects with similar ties are close together.

    >>> import pandas as pd
    >>> ties = [("a", "c"), ("c", "e"), ("a", "e"), ("b", "d"), ("d", "f"), ("b", "f")]
    >>> frame = pd.DataFrame(ties, columns=["source", "target"]).assign(relation="knows")
    >>> data = RelationalData.from_frame(frame, directed=False)
    >>> order = "".join(data.objects[index] for index in similarity_order(data))
    >>> sorted("".join(sorted(half)) for half in (order[:3], order[3:]))
    ['ace', 'bdf']
    """
    points = _points(data.observed())
    n = len(points)
    if n <= MAX_CLUSTERED:
        return _leaves(points)
    from scipy.spatial import cKDTree

    landmarks = np.sort(np.random.default_rng(0).choice(n, MAX_CLUSTERED, replace=False))
    leaf = np.argsort(_leaves(points[landmarks]))
    _, nearest = cKDTree(points[landmarks]).query(points)
    return np.argsort(leaf[nearest], kind="stable")


def attribute_order(data: RelationalData, name: str) -> IndexArray:
    """Indices of the objects sorted by an attribute, unknown values last; equal ones in order of similarity.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("aucs")
    >>> data.attributes["group"].iloc[attribute_order(data, "group")].dropna().is_monotonic_increasing
    True
    """
    order = similarity_order(data)
    values = data.attributes[name].iloc[order].reset_index(drop=True)
    within = np.asarray(values.sort_values(kind="stable", na_position="last").index, dtype=np.intp)
    return order[within]


def sortable_attributes(data: RelationalData) -> tuple[str, ...]:
    """Attributes worth sorting by: numbers that differ, and texts that at least two objects share, but not all.

    >>> import mrwtd
    >>> sortable_attributes(mrwtd.load_dataset("aucs"))
    ('group', 'role')
    """
    counts = data.attributes.nunique()
    numbers = set(data.attributes.select_dtypes("number").columns)
    return tuple(str(name) for name in counts.index if 1 < counts[name] < data.n_objects + (name in numbers))


def _points(data: RelationalData) -> Array:
    """The leading singular vectors of the profiles: one point of unit length per object."""
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import svds

    n, m = data.n_objects, data.n_relations
    strength = np.concatenate([_strength(data, k) for k in range(m)])
    known = strength != 0
    i, j, strength = data.i[known].astype(np.int64), data.j[known].astype(np.int64), strength[known]
    k = data.k[known].astype(np.int64)
    directed = np.array([relation.directed for relation in data.relations])[k]
    # A directed relation has separate columns for incoming and outgoing ties.
    rows = np.concatenate([i, j])
    columns = np.concatenate([2 * k * n + j, (2 * k + directed) * n + i])
    profiles = csr_array((np.tile(strength, 2), (rows, columns)), shape=(n, 2 * m * n))
    profiles = _scale_rows(_scale_rows(profiles).T).T.tocsr()
    if n <= MAX_CLUSTERED:
        values, vectors = np.linalg.eigh((profiles @ profiles.T).toarray())
        u, s = vectors[:, ::-1][:, :DIMENSIONS], np.sqrt(np.clip(values[::-1][:DIMENSIONS], 0, None))
    else:
        start = np.random.default_rng(0).random(n)
        u, s, _ = svds(profiles, k=DIMENSIONS, v0=start)
    points: Array = u * s
    length = np.linalg.norm(points, axis=1, keepdims=True)
    points /= np.where(length > 0, length, 1.0)
    return points


def _scale_rows(matrix: Any) -> Any:
    """Rows of a sparse matrix divided by the root of their sum plus its mean."""
    from scipy.sparse import diags_array

    sums = np.asarray(abs(matrix).sum(axis=1)).ravel()
    shift = sums.sum() / max(np.count_nonzero(sums), 1)
    return diags_array(1 / np.sqrt(sums + (shift or 1.0))) @ matrix


def _strength(data: RelationalData, k: int) -> Array:
    """Values of a relation, scaled to a size of about 1: 1 for a tie and 0 for none."""
    values = data.original_values(k)
    kind = data.relations[k].kind
    if kind == "binary":
        return (values > 0).astype(np.float64)
    if kind == "count":
        values = np.log1p(values)
    if kind == "real" and values.size:
        values = values / (np.abs(values).max() or 1.0)  # squares do not overflow
        values = values - values.mean()
    size = np.sqrt(np.mean(values**2)) if values.size else 0.0
    return values / size if size > 0 else np.zeros(values.size)


def _leaves(points: Array) -> IndexArray:
    from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
    from scipy.spatial.distance import pdist

    distances = pdist(points)
    tree = linkage(distances, "ward")
    # Ordering the leaves costs much more than the tree itself.
    if len(points) <= 250:
        tree = optimal_leaf_ordering(tree, distances)
    return np.asarray(leaves_list(tree).astype(np.intp))
