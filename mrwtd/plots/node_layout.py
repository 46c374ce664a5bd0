"""Positions of the objects of a network, shared by all figures of it.

    spring     ties pull, all pairs push: for networks of at most `MAX_SPRING_OBJECTS` objects
    spectral   leading eigenvectors of the normalized ties: takes time in proportion to the ties
    embedding  the first two principal axes of A: objects with similar factors are close together

Positions are between 0 and 1 on both axes. Nothing is random: the same data gives the same positions.
"""

import numpy as np
from scipy.sparse import csr_array

from ..analysis.projection import project
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..typing import Array, IndexArray

MAX_SPRING_OBJECTS = 500
"""Up to this many objects the spring layout takes about a second."""

LAYOUTS = ("spring", "spectral", "embedding")

STEPS, EIGEN_STEPS = 120, 80
RANK_WEIGHT = 0.5
"""Weight of an object's rank in its position: eigenvectors alone crowd most objects into a corner."""


def node_positions(how: str, ties: csr_array, A: Array | None = None) -> Array:
    """Position of each object: (n, 2), from 0 to 1.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> node_positions("spring", tie_matrix(data, "marriage")).shape
    (15, 2)

    Args:
        how: one of `LAYOUTS`.
        ties: (n, n), symmetric, as `tie_matrix` returns it.
        A: factors of the objects, for "embedding".
    """
    if how not in LAYOUTS:
        raise DataError(Problem(f"the layout {how!r}", f"one of {', '.join(LAYOUTS)}"))
    if how == "embedding":
        if A is None:
            raise DataError(Problem("a layout by embedding without factors", "the factors A, or another layout"))
        return _spread(project(A).points)
    tied = np.flatnonzero(np.diff(ties.indptr))
    ties_among = ties[tied][:, tied].tocsr()
    positions = np.zeros((ties.shape[0], 2))
    if tied.size:
        spring = how == "spring" and tied.size <= MAX_SPRING_OBJECTS
        positions[tied] = _spring(ties_among) if spring else _spread(_spectral(ties_among))
    return _with_isolated(positions, np.setdiff1d(np.arange(ties.shape[0]), tied))


def tie_matrix(data: RelationalData, relation: str, tie_from: float = 1.0) -> csr_array:
    """Ties of a relation in either direction, as a symmetric matrix of ones.

    >>> import mrwtd
    >>> tie_matrix(mrwtd.load_dataset("florentine"), "marriage").nnz
    40
    """
    data = data.select_relations([relation]).observed()
    tied = data.y > 0 if data.relations[0].kind == "binary" else data.original_values() >= tie_from
    i, j = (ends[tied & (data.i != data.j)] for ends in (data.i, data.j))
    ties = csr_array((np.ones(2 * i.size), (np.append(i, j), np.append(j, i))), shape=(data.n_objects,) * 2)
    ties.data[:] = 1.0
    return ties


def _spectral(ties: csr_array) -> Array:
    """The second and third eigenvector of D^−½ (W + τ/n) D^−½; τ keeps components together."""
    n = ties.shape[0]
    if n <= 3:
        return np.array([[0.0, 0.0], [1.0, 0.3], [0.4, 1.0]])[:n]
    tau = 0.1 * float(ties.sum()) / n
    root = 1 / np.sqrt(np.asarray(ties.sum(axis=1)).ravel() + tau)
    # The first eigenvector is known. A fixed number of steps finds the next well enough for a figure, on any graph.
    first = (1 / root) / np.linalg.norm(1 / root)
    vectors = np.cos(np.outer(np.arange(n), [1.0, 2.0, 3.0, 5.0]))
    for _ in range(EIGEN_STEPS):
        scaled = root[:, None] * vectors
        # Adding half the identity makes the largest eigenvalues the ones farthest from 0.
        vectors = 0.5 * vectors + 0.5 * root[:, None] * (ties @ scaled + tau / n * scaled.sum(axis=0))
        vectors = np.linalg.qr(vectors - np.outer(first, first @ vectors))[0]
    chosen = vectors[:, :2] * root[:, None]
    # The sign of an eigenvector is arbitrary: make its largest entry positive.
    largest = chosen[np.abs(chosen).argmax(axis=0), [0, 1]]
    return np.asarray(chosen * np.where(largest < 0, -1.0, 1.0))


def _spring(ties: csr_array) -> Array:
    """Fruchterman and Reingold's forces, and a weak pull to the middle that keeps components close."""
    n = ties.shape[0]
    if n == 1:
        return np.array([[0.5, 0.5]])
    angle = np.arange(n) * 2.399963  # the golden angle: no two objects start in the same position
    positions = _spread(_spectral(ties)) - 0.5 + 0.02 * np.column_stack([np.cos(angle), np.sin(angle)])
    ideal = 1 / np.sqrt(n)
    i, j = ties.nonzero()
    for step in range(STEPS):
        # Σ_j (p_i − p_j) / |p_i − p_j|² is a product of matrices: no array of all differences is needed.
        squares = (positions**2).sum(axis=1)
        nearness = 1 / np.maximum(squares[:, None] + squares[None, :] - 2 * positions @ positions.T, 1e-6)
        np.fill_diagonal(nearness, 0.0)
        push = ideal**2 * (nearness.sum(axis=1)[:, None] * positions - nearness @ positions)
        along = positions[j] - positions[i]
        along *= np.linalg.norm(along, axis=1, keepdims=True) / ideal
        pull = np.column_stack([np.bincount(i, along[:, axis], n) for axis in (0, 1)])
        force = push + pull - 0.5 * positions
        length = np.maximum(np.linalg.norm(force, axis=1, keepdims=True), 1e-9)
        max_step = 0.1 * (1 - step / STEPS) ** 1.5 + 1e-3
        positions = positions + force / length * np.minimum(length, max_step)
    return _scaled(positions)


def _scaled(positions: Array) -> Array:
    low, high = positions.min(axis=0), positions.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    return np.asarray(np.where(high > low, (positions - low) / width, 0.5))


def _spread(positions: Array) -> Array:
    """Positions of which half is the value and half the rank. Outliers do not determine the scale."""
    outside = min(0.01, 10 / len(positions))
    low, high = np.quantile(positions, [outside, 1 - outside], axis=0)
    clipped = np.clip(positions, low, np.maximum(high, low))
    ranks = positions.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable") / max(len(positions) - 1, 1)
    return _scaled((1 - RANK_WEIGHT) * _scaled(clipped) + RANK_WEIGHT * ranks)


def _with_isolated(positions: Array, isolated: IndexArray) -> Array:
    """Objects without a tie are in rows along the bottom."""
    if not isolated.size:
        return positions
    columns = int(np.ceil(np.sqrt(8.0 * isolated.size)))
    rows = -(-isolated.size // columns)
    strip = min(0.3, 0.05 * rows + 0.03)
    positions[:, 1] = strip + (1 - strip) * positions[:, 1]
    row, column = np.divmod(np.arange(isolated.size), columns)
    positions[isolated, 0] = (column + 0.5) / columns
    positions[isolated, 1] = (strip - 0.03) * (rows - 1 - row) / max(rows - 1, 1)
    return positions
