"""Moves of the size of x, which Gibbs draws change very slowly where the likelihood is logistic.

Pólya–Gamma variables ω depend on |x|, and x on ω, so that a few hundred sweeps do not bring x to its size. Here ω is
integrated out. Two moves stretch the whole model, R → cR with its prior (M → cM, τ → τ/c², τ_M → τ_M/c²): one leaves
the biases b alone, the other stretches those of logistic relations as well. One move shifts each bias b_k.

The densities of R and M do not change with c but for the Jacobian, which cancels. What is left of a stretch is

    log p(y | x_c) + log Gamma(τ/c²) + log Gamma(τ_M/c²) − 4 log c   (and log N(cb) + m log c with the biases)

as the density of log c: with the measure dc/c, a group move leaves the posterior alone (Liu and Sabatti). All of them
are drawn by slice sampling (Neal), which needs no step size.
"""

from collections.abc import Callable

import numpy as np

from ...typing import Array
from .relation_draws import RelationPrior, log_gamma

WIDTHS = {"stretch": 0.3, "bias": 1.0}
"""The widths of the first intervals."""

STEPS = 8
"""An interval is widened this often at most, in both directions together."""

MOST = 100
"""Points in an interval that are tried; floating point numbers run out before."""

LogDensity = Callable[[float], float]


def slice_sample(log_density: LogDensity, width: float, rng: np.random.Generator) -> float:
    """A draw that leaves the density alone, from the point 0.

    >>> rng, x, draws = np.random.default_rng(0), 0.0, []
    >>> for _ in range(2000):
    ...     x += slice_sample(lambda step: -0.5 * (x + step - 3) ** 2, 1.0, rng)
    ...     draws.append(x)
    >>> round(np.mean(draws)), round(np.std(draws))
    (3, 1)
    """
    level = log_density(0.0) - rng.exponential()
    low = -width * rng.random()
    high = low + width
    left = int(rng.integers(STEPS + 1))
    right = STEPS - left
    while left and log_density(low) > level:
        low, left = low - width, left - 1
    while right and log_density(high) > level:
        high, right = high + width, right - 1
    for _ in range(MOST):
        step = float(rng.uniform(low, high))
        if log_density(step) > level:
            return step
        low, high = (step, high) if step < 0 else (low, step)
    return 0.0


def draw_stretch(
    log_likelihood: Callable[[Array], float], fixed: Array, moving: Array, prior: RelationPrior, biases: Array,
    precision: float, rng: np.random.Generator,
) -> float:  # fmt: skip
    """The factor c, where x is fixed + c moving; R, M and the biases that are stretched too are up to the caller.

    `biases` are those that are stretched, of a normal prior with this precision; `prior` is that of R before the move.
    """
    squares = precision * float(biases @ biases)

    def log_density(step: float) -> float:
        c = float(np.exp(step))
        scales = sum(log_gamma(scale / c**2) - 2 * step for scale in (prior.tau, prior.tau_mean))
        return log_likelihood(fixed + c * moving) + scales - 0.5 * squares * c**2 + biases.size * step

    return float(np.exp(slice_sample(log_density, WIDTHS["stretch"], rng)))


def draw_shift(
    log_likelihood: Callable[[Array], float], x: Array, bias: float, precision: float, rng: np.random.Generator
) -> float:
    """The change of a bias, given x with it."""

    def log_density(step: float) -> float:
        return log_likelihood(x + step) - 0.5 * precision * (bias + step) ** 2

    return slice_sample(log_density, WIDTHS["bias"], rng)
