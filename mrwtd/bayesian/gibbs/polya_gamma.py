"""Pólya–Gamma variables, accurate at every tilt and every weight.

PG(h, z) is what makes a logistic likelihood of power h conjugate. Its Laplace transform is

    E exp(−tω) = (cosh(z/2) / cosh √(z²/4 + t/2))^h

`polyagamma` draws it, but is not accurate everywhere: for h = 1 its draws are 60 times too large from |z| ≈ 170 on, for
h = 49 they are wrong by 46 standard deviations from |z| ≈ 25 on; their variance is 5% too large for h between 1 and 4
unless h is whole; and it refuses h below about 0.0005. For large u, cosh(u) = e^u / 2 up to a factor 1 + e^(−2u), which
gives the transform of an inverse Gaussian of mean h / 2|z| and shape h² / 4: from |z| = `FAR` on, the difference is
too small for 64 bits. As the transform is a power of h, PG(h, z) is the sum of one for the whole part of h and one for
the rest.

For h = 1 the density of x = 4ω is at every tilt that of an inverse Gaussian of mean 2/|z| and shape 1, times the
constant 1 + e^(−|z|), times

    Σ (−1)ⁿ (2n + 1) exp(−2n(n + 1)/x) = Π (1 − exp(−4n/x))³        (Jacobi)

which is in (0, 1). So a draw of the inverse Gaussian is accepted with this probability, and the rejected ones, a
fraction of 1 / (1 + e^|z|), are drawn by `polyagamma`: less than half of all.
"""

from collections.abc import Callable

import numpy as np

from ...typing import Array
from .conditionals import compiled

FAR = 100.0
"""From this tilt on, the inverse Gaussian is used."""

FAR_LARGE = 14.0
"""The same for h above 1; the difference is 10⁻⁶."""

NEAR = 3.0
"""Below this tilt, `polyagamma` is faster: many draws of the inverse Gaussian would be rejected."""

SPLIT = 6.0
"""From 1 to this h, the whole part is drawn separately."""

SMALL = 1e-3
"""Weights below this get the mean instead of a draw: such an entry hardly changes anything, and its draws are mostly
indistinguishable from 0."""


def draw_precisions(h: Array, z: Array, rng: np.random.Generator) -> Array:
    """√ω with ω ~ PG(h, z), for each h above 0 and tilt z.

    >>> draw_precisions(np.ones(2), np.array([0.0, 1e4]), np.random.default_rng(0)).round(3)
    array([0.605, 0.007])
    >>> bool((draw_precisions(np.full(2, 1e-320), np.zeros(2), np.random.default_rng(0)) > 0).all())
    True
    """
    from polyagamma import random_polyagamma

    z, fast = np.abs(z), compiled()
    if fast and (h == 1).all() and 2 * np.count_nonzero(z >= NEAR) > z.size:
        return _draw_of_unit_weight(fast.unit_polya_gamma, z, rng)
    small, far = h < SMALL, z > np.where(h > 1, FAR_LARGE, FAR)
    split = (h > 1) & (h < SPLIT) & ~far
    if not small.any() and not far.any() and not split.any():
        return np.asarray(np.sqrt(random_polyagamma(h, z, random_state=rng)))
    root = np.empty(z.shape)
    near = ~small & ~far & ~split
    root[near] = np.sqrt(random_polyagamma(h[near], z[near], random_state=rng))
    if split.any():
        whole = np.floor(h[split])
        omega = random_polyagamma(whole, z[split], method="devroye", random_state=rng)
        root[split] = np.hypot(np.sqrt(omega), draw_precisions(h[split] - whole, z[split], rng))
    far &= ~small
    root[far] = np.sqrt(rng.wald(h[far] / (2 * z[far]), h[far] ** 2 / 4))
    # The mean is h tanh(z/2) / 2z. Its root is made of roots, as h itself may be too small for a product.
    tilt = np.maximum(z[small], 1e-8)
    root[small] = np.sqrt(h[small]) * np.sqrt(np.tanh(tilt / 2) / (2 * tilt))
    return root


def _draw_of_unit_weight(
    propose: Callable[[Array, Array, Array, Array], None], z: Array, rng: np.random.Generator
) -> Array:
    from polyagamma import random_polyagamma

    root = np.empty(z.size)
    propose(np.maximum(z, NEAR), rng.standard_normal(z.size), rng.random(z.size), root)
    rest = (root < 0) | (z < NEAR)
    root[rest] = np.sqrt(random_polyagamma(1.0, z[rest], random_state=rng))
    return root
