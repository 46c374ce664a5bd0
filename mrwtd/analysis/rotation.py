"""The principal axes of A, and every R_k in their coordinates.

The columns of A have no order and no meaning alone: for any orthonormal V, the pair (A V, Vᵀ R_k V) predicts the same
as (A, R_k), because

    (A V) (Vᵀ R_k V) (A V)ᵀ = A R_k Aᵀ.

The principal axes are the V that sorts the variance of the rows of A: the first column of A V varies most. A is
rotated but not centred, so the origin remains an object without known relationships.
"""

from dataclasses import dataclass

import numpy as np

from ..typing import Array


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
        rotated: Array = self.basis.T @ R @ self.basis
        return rotated


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
