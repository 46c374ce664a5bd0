"""Where the objects of a network stand: one place for each, shared by all that is drawn of it.

    spring     ties pull, all pairs push: for networks of at most `MAX_SPRING_OBJECTS` objects
    spectral   leading eigenvectors of the normalised ties: in proportion to the number of ties
    embedding  the first two principal axes of A: objects that the model takes for alike stand together

Places lie between 0 and 1 on both axes. They depend on the data and on nothing random, so that they come out the same
every time.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from ..analysis.projection import project
from ..data.observed import observed
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..typing import Array, IndexArray

MAX_SPRING_OBJECTS = 500
"""Up to so many objects springs take about a second."""

LAYOUTS = ("spring", "spectral", "embedding")

STEPS, EIGEN_STEPS = 120, 80
EVEN = 0.5
"""How much of a place is its rank: eigenvectors alone crowd most objects into a corner."""


def node_positions(how: str, ties: csr_array, A: Array | None = None) -> Array:
    """A place for each object: (n, 2), from 0 to 1.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> node_positions("spring", tie_matrix(data, "marriage")).shape
    (15, 2)

    Args:
        how: one of `LAYOUTS`.
        ties: (n, n), symmetric, such as `tie_matrix` gives.
        A: factors of the objects, for "embedding".
    """
    if how not in LAYOUTS:
        raise DataError(Problem(f"the layout {how!r}", f"one of {', '.join(LAYOUTS)}"))
    if how == "embedding":
        if A is None:
            raise DataError(Problem("a layout by embedding without factors", "factors A"))
        return _even(project(A).points)
    tied = np.flatnonzero(np.diff(ties.indptr))
    among = ties[tied][:, tied].tocsr()
    places = np.zeros((ties.shape[0], 2))
    if tied.size:
        found = _spring(among) if how == "spring" and tied.size <= MAX_SPRING_OBJECTS else _even(_spectral(among))
        places[tied] = found
    return _with_loners(places, np.setdiff1d(np.arange(ties.shape[0]), tied))


def tie_matrix(data: RelationalData, relation: str, tie_from: float = 1.0) -> csr_array:
    """Who has a tie with whom, either way, as a symmetric matrix of ones.

    >>> import mrwtd
    >>> tie_matrix(mrwtd.load_dataset("florentine"), "marriage").nnz
    40
    """
    data = observed(data)
    k, n = data.relation_index(relation), data.n_objects
    at = data.slice(k)
    binary = data.relations[k].kind == "binary"
    tied = (data.y[at] > 0 if binary else data.original_values(k) >= tie_from) & (data.i[at] != data.j[at])
    i, j = data.i[at][tied], data.j[at][tied]
    ties = csr_array((np.ones(2 * i.size), (np.append(i, j), np.append(j, i))), shape=(n, n))
    ties.data[:] = 1.0
    return ties


def _spectral(ties: csr_array) -> Array:
    """The second and third eigenvector of D^−½ (W + τ/n) D^−½; the τ holds components together."""
    n = ties.shape[0]
    if n <= 3:
        return np.array([[0.0, 0.0], [1.0, 0.3], [0.4, 1.0]])[:n]
    tau = 0.1 * float(ties.sum()) / n
    root = 1 / np.sqrt(np.asarray(ties.sum(axis=1)).ravel() + tau)
    # The first eigenvector is known. A fixed number of steps finds the next as well as a picture needs, on any graph.
    first = (1 / root) / np.linalg.norm(1 / root)
    vectors = np.cos(np.outer(np.arange(n), [1.0, 2.0, 3.0, 5.0]))
    for _ in range(EIGEN_STEPS):
        scaled = root[:, None] * vectors
        # Half the identity is added, which makes the largest eigenvalues the ones farthest from 0.
        vectors = 0.5 * vectors + 0.5 * root[:, None] * (ties @ scaled + tau / n * scaled.sum(axis=0))
        vectors = np.linalg.qr(vectors - np.outer(first, first @ vectors))[0]
    chosen = vectors[:, :2] * root[:, None]
    # An eigenvector's sign is chance: let the largest entry be positive.
    largest = chosen[np.abs(chosen).argmax(axis=0), [0, 1]]
    return np.asarray(chosen * np.where(largest < 0, -1.0, 1.0))


def _spring(ties: csr_array) -> Array:
    """Fruchterman and Reingold's forces, and a weak pull to the middle that keeps components in sight."""
    n = ties.shape[0]
    if n == 1:
        return np.array([[0.5, 0.5]])
    turn = np.arange(n) * 2.399963  # the golden angle: a start in which no two share a place
    places = _even(_spectral(ties)) - 0.5 + 0.02 * np.column_stack([np.cos(turn), np.sin(turn)])
    ideal = 1 / np.sqrt(n)
    i, j = ties.nonzero()
    for step in range(STEPS):
        # Σ_j (p_i − p_j) / |p_i − p_j|² is a product of matrices: no array of all differences is needed.
        lengths = (places**2).sum(axis=1)
        nearness = 1 / np.maximum(lengths[:, None] + lengths[None, :] - 2 * places @ places.T, 1e-6)
        np.fill_diagonal(nearness, 0.0)
        push = ideal**2 * (nearness.sum(axis=1)[:, None] * places - nearness @ places)
        along = places[j] - places[i]
        along *= np.linalg.norm(along, axis=1, keepdims=True) / ideal
        pull = np.column_stack([np.bincount(i, along[:, axis], n) for axis in (0, 1)])
        force = push + pull - 0.5 * places
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        most = 0.1 * (1 - step / STEPS) ** 1.5 + 1e-3
        places = places + force / length * np.minimum(length, most)
    return _scaled(places)


def _scaled(places: Array) -> Array:
    low, high = places.min(axis=0), places.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    return np.asarray(np.where(high > low, (places - low) / span, 0.5))


def _even(places: Array) -> Array:
    """Places of which half is the value and half the rank. The outermost do not decide the scale."""
    outside = min(0.01, 10 / len(places))
    low, high = np.quantile(places, [outside, 1 - outside], axis=0)
    clipped = np.clip(places, low, np.maximum(high, low))
    ranks = places.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable") / max(len(places) - 1, 1)
    return _scaled((1 - EVEN) * _scaled(clipped) + EVEN * ranks)


def _with_loners(places: Array, loners: IndexArray) -> Array:
    """Objects without a tie stand in rows along the lower side."""
    if not loners.size:
        return places
    wide = int(np.ceil(np.sqrt(8.0 * loners.size)))
    rows = -(-loners.size // wide)
    strip = min(0.3, 0.05 * rows + 0.03)
    placed = places.copy()
    placed[:, 1] = strip + (1 - strip) * placed[:, 1]
    number = np.arange(loners.size)
    placed[loners, 0] = (number % wide + 0.5) / wide
    placed[loners, 1] = (strip - 0.03) * (rows - 1 - number // wide) / max(rows - 1, 1) if rows > 1 else 0.0
    return placed
