"""The principal axes of A, and every R_k in their coordinates.

The columns of A are in no order and mean nothing alone: for any orthonormal V the pair (A V, Vᵀ R_k V) predicts what
(A, R_k) does, because

    (A V) (Vᵀ R_k V) (A V)ᵀ = A R_k Aᵀ.

Principal axes are the V that sorts the variance of the rows of A: the first column of A V varies most. A is turned and
not shifted, so that the origin stays what it is, an object of which nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..typing import Array


@dataclass(frozen=True)
class Rotation:
    """An orthonormal basis of the latent space.

    Attributes:
        basis: (r, r), an axis a column, the one of most variance first.
        variance_fractions: the share of the variance of the rows of A along each axis.
    """

    basis: Array
    variance_fractions: Array

    def transform(self, A: Array) -> Array:
        """The rows of A in these coordinates: A V."""
        turned: Array = A @ self.basis
        return turned

    def transform_relations(self, R: Array) -> Array:
        """R_k, or all of them, in these coordinates: Vᵀ R_k V."""
        turned: Array = self.basis.T @ R @ self.basis
        return turned


def principal_axes(A: Array) -> Rotation:
    """The principal axes of the rows of A. Each points to where its farthest object is.

    >>> A = np.array([[0.0, 3.0], [0.0, -1.0], [1.0, 0.0]])
    >>> turned = principal_axes(A)
    >>> turned.transform(A)[:, 0].argmax(), turned.variance_fractions.round(2).tolist()
    (np.int64(0), [0.93, 0.07])
    """
    variances, basis = np.linalg.eigh(np.cov(A.T, bias=True).reshape(A.shape[1], -1))
    variances, basis = np.clip(variances[::-1], 0, None), basis[:, ::-1]
    turned = A @ basis
    farthest = turned[np.abs(turned).argmax(axis=0), np.arange(A.shape[1])]
    total = variances.sum()
    return Rotation(basis * np.where(farthest < 0, -1.0, 1.0), variances / total if total > 0 else variances)


def align_signs(points: Array, like: Array) -> Array:
    """The points with some of their axes turned round, so that each runs as that of the others does.

    >>> align_signs(np.array([[1.0], [-2.0]]), np.array([[-1.0], [1.0]])).ravel().tolist()
    [-1.0, 2.0]
    """
    axes = min(points.shape[1], like.shape[1])
    agree = ((points - points.mean(axis=0))[:, :axes] * (like - like.mean(axis=0))[:, :axes]).sum(axis=0)
    signs = np.ones(points.shape[1])
    signs[:axes] = np.where(agree < 0, -1.0, 1.0)
    return points * signs


def axis_scales(points: Array) -> Array:
    """How large a coordinate typically is on each axis: the root of its mean square.

    >>> axis_scales(np.array([[3.0, 0.0], [-3.0, 0.0]])).tolist()
    [3.0, 0.0]
    """
    return np.asarray(np.sqrt(np.mean(points**2, axis=0)))
