"""The rows of A as points of two or three dimensions: principal axes, t-SNE or multidimensional scaling.

Principal axes cost next to nothing and show distances as they are, less what the further axes hold. t-SNE keeps
neighbours together and says little of far distances; scaling (SMACOF) keeps all distances as well as it can. Both work
on pairs of objects, so beyond some number they place a sample, and every other object between its nearest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import DataError, Problem
from ..typing import Array, IndexArray
from .rotation import principal_axes

MAX_OBJECTS = {"t-SNE": 2_000, "MDS": 600}
"""How many objects are placed by their pairs; t-SNE of so many takes some ten seconds, scaling a few."""

NEAREST = 5
"""Between how many of those placed another object is put."""


@dataclass(frozen=True)
class Projection:
    """Points to draw.

    Attributes:
        points: (n, 2) or (n, 3).
        axes: a label for each dimension.
        placed: how many objects were placed by their pairs; the others stand between their nearest of these.
    """

    points: Array
    axes: tuple[str, ...]
    placed: int


def project(
    A: Array, method: str = "PCA", dimensions: int = 2, *, perplexity: float = 30.0, seed: int = 0
) -> Projection:
    """The rows of A as points.

    >>> project(np.diag([3.0, 2.0, 1.0])).axes
    ('axis 1 (75% of the variance)', 'axis 2 (25% of the variance)')

    Args:
        A: the factors, a row an object.
        method: one of `PROJECTIONS`.
        dimensions: 2 or 3.
        perplexity: of t-SNE: about how many neighbours an object has.
        seed: of the sample, and of t-SNE.
    """
    if method not in PROJECTIONS:
        raise DataError(Problem(f"the projection {method!r}", f"one of {', '.join(PROJECTIONS)}"))
    if dimensions not in (2, 3):
        raise DataError(Problem(f"{dimensions} dimensions", "2 or 3"))
    if method == "PCA" or len(A) <= 3:
        return _principal(A, dimensions)
    n = len(A)
    some = np.arange(n)
    if n > MAX_OBJECTS[method]:
        some = np.sort(np.random.default_rng(seed).choice(n, MAX_OBJECTS[method], replace=False))
    start = _principal(A, dimensions).points[some]
    placed = PLACINGS[method](A[some], start, perplexity, seed)
    points = placed if some.size == n else _between(A, A[some], placed, some)
    return Projection(points, tuple(f"{method} {number + 1}" for number in range(dimensions)), some.size)


def _principal(A: Array, dimensions: int) -> Projection:
    turned = principal_axes(A)
    points, shares = np.zeros((len(A), dimensions)), np.zeros(dimensions)
    kept = min(dimensions, A.shape[1])
    of = " of the variance" if dimensions == 2 else ""  # three dimensions leave little room for labels
    points[:, :kept], shares[:kept] = turned.transform(A)[:, :kept], turned.variance_fractions[:kept]
    return Projection(
        points,
        tuple(f"axis {number + 1} ({share:.0%}{of})" for number, share in enumerate(shares)),
        len(A),
    )


def _tsne(A: Array, start: Array, perplexity: float, seed: int) -> Array:
    from sklearn.manifold import TSNE

    scale = start[:, 0].std()
    found = TSNE(
        n_components=start.shape[1],
        # More neighbours than a third of the objects leave nothing to tell apart.
        perplexity=max(1.0, min(perplexity, (len(A) - 1) / 3)),
        init=(start / scale * 1e-4 if scale > 0 else start).astype(np.float32),
        random_state=seed,
    ).fit_transform(A)
    return np.asarray(found, dtype=np.float64)


def _scaling(A: Array, start: Array, perplexity: float, seed: int) -> Array:  # noqa: ARG001
    from scipy.spatial.distance import pdist, squareform
    from sklearn.manifold import smacof

    distances = pdist(A)
    if not distances.any():
        return start
    found, _ = smacof(
        squareform(distances), n_components=start.shape[1], init=start, n_init=1, max_iter=200, normalized_stress=False
    )
    return np.asarray(found, dtype=np.float64)


def _between(A: Array, landmarks: Array, placed: Array, some: IndexArray) -> Array:
    """Every object at the mean of its nearest landmarks, the nearer the more; landmarks where they are."""
    from scipy.spatial import cKDTree

    found = cKDTree(landmarks).query(A, k=NEAREST)
    distances, nearest = np.asarray(found[0]), np.asarray(found[1])
    closeness = 1 / (distances**2 + 1e-12)
    points: Array = (closeness[:, :, None] * placed[nearest]).sum(axis=1) / closeness.sum(axis=1, keepdims=True)
    points[some] = placed
    return points


PLACINGS: dict[str, Callable[[Array, Array, float, int], Array]] = {"t-SNE": _tsne, "MDS": _scaling}
"""What places objects by their pairs, by name."""

PROJECTIONS = ("PCA", *PLACINGS)
"""How objects can be placed."""
