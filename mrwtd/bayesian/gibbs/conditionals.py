"""A draw from the conditional Gaussian of some unknowns, on which every step of the Gibbs samplers rests.

Unknowns x with features f_e, weights ω_e and values z_e at their entries, and the prior N(μ, Λ⁻¹), have the conditional

    N(P⁻¹ h, P⁻¹),   P = Λ + Σ_e ω_e f_e f_eᵀ,   h = Λ μ + Σ_e ω_e z_e f_e

With v = √ω (f, z), the Gram matrix Σ v vᵀ has the sums in P and h, and Σ ω z². The random numbers always come from
outside, so that a draw does not depend on which thread makes it.
"""

from types import ModuleType

import numpy as np
from scipy.linalg.lapack import dpotrf, dtrtrs

from ...model.kernels import compiled_module
from ...typing import Array


def draw(P: Array, h: Array, noise: Array) -> Array:
    """P⁻¹ h + L⁻ᵀ noise, where L Lᵀ = P: with standard normal noise, a draw from N(P⁻¹ h, P⁻¹).

    >>> draw(np.diag([4.0, 1.0]), np.array([8.0, 3.0]), np.array([1.0, 0.0]))
    array([2.5, 3. ])
    """
    # LAPACK itself: SciPy's solve_triangular takes longer to check its arguments than to solve a small system, and
    # NumPy's cholesky copies the matrix twice, which takes longer than the rest.
    root, failed = dpotrf(P.T, lower=1, clean=0)
    if failed:
        raise np.linalg.LinAlgError("the precision of a conditional is not positive definite")
    half, _ = dtrtrs(root, h, lower=1)
    drawn, _ = dtrtrs(root, half + noise, lower=1, trans=1)
    return np.asarray(drawn)


def compiled() -> ModuleType | None:
    """The compiled passes, or None where NumPy does the same."""
    return compiled_module("mrwtd.bayesian.gibbs.compiled_draws")
