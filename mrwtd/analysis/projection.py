"""The principal axes of A, and its rows as points of two or three dimensions.

The columns of A have no order and no meaning alone: for any orthonormal V, the pair (A V, Vᵀ R_k V) predicts the same
as (A, R_k), because

    (A V) (Vᵀ R_k V) (A V)ᵀ = A R_k Aᵀ.

The principal axes are the V that sorts the variance of the rows of A: the first column of A V varies most. A is
rotated but not centred, so the origin remains an object without known relationships.

Points are the first principal axes, t-SNE or multidimensional scaling. Principal axes are cheap and show true
distances, except for the part along the other axes. t-SNE keeps neighbours together and says little about far
distances; scaling (SMACOF) keeps all distances as well as possible. Both work on pairs of objects, so above a limit
they place a sample, and every other object between its nearest of the sample.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import DataError, Problem
from ..typing import Array, IndexArray

MAX_OBJECTS = {"t-SNE": 2_000, "MDS": 600}
"""The number of objects placed by their pairs; t-SNE then takes about ten seconds, scaling a few."""

NEAREST = 5
"""The number of placed objects that determine the position of another."""


@dataclass(frozen=True)
class Rotation:
    """An orthonormal basis of the latent space.

    Attributes:
        basis: (r, r), one axis per column, the one with the most variance first.
        variance_fractions: the fraction of the variance of the rows of A along each axis.
    """

    basis: Array
    variance_fractions: Array

    def transform(self, A: Array, dimensions: int | None = None) -> Array:
        """The rows of A in these coordinates, A V: all columns, or the first `dimensions`, padded with zeros."""
        points: Array = A @ self.basis
        if dimensions is None:
            return points
        return np.pad(points, ((0, 0), (0, max(dimensions - points.shape[1], 0))))[:, :dimensions]

    def transform_relations(self, R: Array) -> Array:
        """R_k, or all of them, in these coordinates: Vᵀ R_k V."""
        return np.asarray(self.basis.T @ R @ self.basis)


def principal_axes(A: Array) -> Rotation:
    """The principal axes of the rows of A. Each axis points towards its farthest object.

    >>> A = np.array([[0.0, 3.0], [0.0, -1.0], [1.0, 0.0]])
    >>> rotation = principal_axes(A)
    >>> rotation.transform(A)[:, 0].argmax(), rotation.variance_fractions.round(2).tolist()
    (np.int64(0), [0.93, 0.07])
    """
    variances, basis = np.linalg.eigh(np.cov(A.T, bias=True).reshape(A.shape[1], -1))
    variances, basis = np.clip(variances[::-1], 0, None), basis[:, ::-1]
    points = A @ basis
    farthest = points[np.abs(points).argmax(axis=0), np.arange(A.shape[1])]
    total = variances.sum()
    return Rotation(basis * np.where(farthest < 0, -1.0, 1.0), variances / total if total > 0 else variances)


def align_signs(points: Array, like: Array) -> Array:
    """The points with the signs of their axes flipped to agree with those of `like`.

    >>> align_signs(np.array([[1.0], [-2.0]]), np.array([[-1.0], [1.0]])).ravel().tolist()
    [-1.0, 2.0]
    """
    axes = min(points.shape[1], like.shape[1])
    agree = ((points - points.mean(axis=0))[:, :axes] * (like - like.mean(axis=0))[:, :axes]).sum(axis=0)
    signs = np.ones(points.shape[1])
    signs[:axes] = np.where(agree < 0, -1.0, 1.0)
    return points * signs


def axis_scales(points: Array) -> Array:
    """The typical size of a coordinate on each axis: its root mean square.

    >>> axis_scales(np.array([[3.0, 0.0], [-3.0, 0.0]])).tolist()
    [3.0, 0.0]
    """
    return np.asarray(np.sqrt(np.mean(points**2, axis=0)))


@dataclass(frozen=True)
class Projection:
    """Points to draw.

    Attributes:
        points: (n, 2) or (n, 3).
        axes: a label for each dimension.
        placed: the number of objects placed by their pairs; the others are between their nearest of these.
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
        A: the factors, one row per object.
        method: one of `PROJECTIONS`.
        dimensions: 2 or 3.
        perplexity: of t-SNE: the approximate number of neighbours of an object.
        seed: of the sample, and of t-SNE.
    """
    if method not in PROJECTIONS:
        raise DataError(Problem(f"the projection {method!r}", f"one of {', '.join(PROJECTIONS)}"))
    if dimensions not in (2, 3):
        raise DataError(Problem(f"{dimensions} dimensions", "2 or 3"))
    if method == "PCA" or len(A) <= 3:
        return _principal(A, dimensions)
    n = len(A)
    sample = np.arange(n)
    if n > MAX_OBJECTS[method]:
        sample = np.sort(np.random.default_rng(seed).choice(n, MAX_OBJECTS[method], replace=False))
    start = _principal(A, dimensions).points[sample]
    placed = PLACEMENTS[method](A[sample], start, perplexity, seed)
    points = placed if sample.size == n else _interpolate(A, placed, sample)
    return Projection(points, tuple(f"{method} {number + 1}" for number in range(dimensions)), sample.size)


def _principal(A: Array, dimensions: int) -> Projection:
    rotation = principal_axes(A)
    fractions = [*rotation.variance_fractions, *[0.0] * dimensions][:dimensions]
    of = " of the variance" if dimensions == 2 else ""  # three dimensions leave little room for labels
    axes = tuple(f"axis {number} ({fraction:.0%}{of})" for number, fraction in enumerate(fractions, start=1))
    return Projection(rotation.transform(A, dimensions), axes, len(A))


def _tsne(A: Array, start: Array, perplexity: float, seed: int) -> Array:
    from sklearn.manifold import TSNE

    scale = start[:, 0].std()
    points = TSNE(
        n_components=start.shape[1],
        # With more neighbours than a third of the objects, all positions are alike.
        perplexity=max(1.0, min(perplexity, (len(A) - 1) / 3)),
        init=(start / scale * 1e-4 if scale > 0 else start).astype(np.float32),
        random_state=seed,
    ).fit_transform(A)
    return np.asarray(points, dtype=np.float64)


def _scaling(A: Array, start: Array, perplexity: float, seed: int) -> Array:  # noqa: ARG001
    from scipy.spatial.distance import pdist, squareform
    from sklearn.manifold import smacof

    distances = pdist(A)
    if not distances.any():
        return start
    points, _ = smacof(
        squareform(distances), n_components=start.shape[1], init=start, n_init=1, max_iter=200, normalized_stress=False
    )
    return np.asarray(points, dtype=np.float64)


def _interpolate(A: Array, placed: Array, sample: IndexArray) -> Array:
    """Every object at the mean of its nearest placed ones, weighted by closeness; placed ones stay."""
    from scipy.spatial import cKDTree

    distances, nearest = map(np.asarray, cKDTree(A[sample]).query(A, k=NEAREST))
    closeness = 1 / (distances**2 + 1e-12)
    points: Array = (closeness[:, :, None] * placed[nearest]).sum(axis=1) / closeness.sum(axis=1, keepdims=True)
    points[sample] = placed
    return points


PLACEMENTS: dict[str, Callable[[Array, Array, float, int], Array]] = {"t-SNE": _tsne, "MDS": _scaling}
"""Functions that place objects by their pairs, by name."""

PROJECTIONS = ("PCA", *PLACEMENTS)
"""The names of all projections."""
