"""What the compiled passes of the Gibbs samplers share: a draw from a row's conditional Gaussian.

A row x with features f_e, weights ω_e and values z_e at its entries, and the prior N(μ, Λ⁻¹), has the conditional

    N(P⁻¹ h, P⁻¹),   P = Λ + Σ_e ω_e f_e f_eᵀ,   h = Λ μ + Σ_e ω_e z_e f_e

The √ω f of 64 entries at a time are gathered into a small buffer, with √ω z below them, and the products of the buffer
with itself are added to a Gram matrix, which is P, h and Σ ω z² in one. The random numbers come from outside, so that
a draw does not depend on which thread makes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[Any]

WIDTH = 64
"""Entries in a buffer."""

try:
    import numba

    compiled = numba.njit(nogil=True, fastmath=True, cache=True)
    COMPILED = True
except ImportError:
    COMPILED = False


def draw(P: Array, h: Array, noise: Array) -> Array:
    """P⁻¹ h + L⁻ᵀ noise, where L Lᵀ = P: with standard normal noise, a draw from N(P⁻¹ h, P⁻¹).

    >>> draw(np.diag([4.0, 1.0]), np.array([8.0, 3.0]), np.array([1.0, 0.0]))
    array([2.5, 3. ])
    """
    from scipy.linalg import cholesky, solve_triangular

    root = cholesky(P, lower=True, check_finite=False)
    half = solve_triangular(root, h, lower=True, check_finite=False) + noise
    return np.asarray(solve_triangular(root, half, lower=True, trans="T", check_finite=False))


if COMPILED:

    @compiled
    def add_gram(buffer: Array, width: int, gram: Array) -> None:  # pragma: no cover - compiled
        """Add buffer bufferᵀ to the upper half of gram."""
        for f in range(buffer.shape[0]):
            for g in range(f, buffer.shape[0]):
                total = 0.0
                for t in range(width):
                    total += buffer[f, t] * buffer[g, t]
                gram[f, g] += total

    @compiled
    def draw_from_gram(
        gram: Array, scale: float, Lambda: Array, shift: Array, noise: Array, P: Array, h: Array, out: Array
    ) -> None:  # pragma: no cover - compiled
        """`draw` for P and h from the upper half of scale · gram and from the prior; P and h are work space."""
        r = h.size
        for f in range(r):
            h[f] = shift[f] + scale * gram[f, r]
            for g in range(f, r):
                P[f, g] = Lambda[f, g] + scale * gram[f, g]
        for f in range(r):
            for g in range(f):
                for c in range(f, r):
                    P[f, c] -= P[g, f] * P[g, c]
            root = np.sqrt(P[f, f])
            for c in range(f, r):
                P[f, c] /= root
        for f in range(r):
            for g in range(f):
                h[f] -= P[g, f] * h[g]
            h[f] /= P[f, f]
        for f in range(r - 1, -1, -1):
            total = h[f] + noise[f]
            for g in range(f + 1, r):
                total -= P[f, g] * out[g]
            out[f] = total / P[f, f]
