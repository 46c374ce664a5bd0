"""Moves of the size of x, which Gibbs draws change very slowly where the likelihood is logistic.

Pólya–Gamma variables ω depend on |x|, and x on ω, so that a few hundred sweeps do not bring x to its size. Here ω is
integrated out. Two moves stretch the whole model, R → cR with its prior (M → cM, τ → τ/c², τ_M → τ_M/c²): one does not
change the biases b, the other stretches those of logistic relations as well; a sweep has one of them. One move shifts
each bias b_k.

The densities of R and M do not change with c, except for the Jacobian, which cancels. What is left of a stretch is

    log p(y | x_c) + log Gamma(τ/c²) + log Gamma(τ_M/c²) − 4 log c   (and log N(cb) + m log c with the biases)

as the density of log c: with the measure dc/c, a group move leaves the posterior unchanged (Liu and Sabatti). All of
them are drawn by slice sampling.
"""

from collections.abc import Callable

import numpy as np

from ...typing import Array
from ..likelihoods.joint import LogLikelihoods
from .relation_draws import RelationPrior, log_gamma
from .slice_sampling import slice_sample

WIDTHS = {"stretch": 0.3, "bias": 1.0}
"""The widths of the first intervals."""


def move_size(
    log_likelihoods: LogLikelihoods, x: Array, b: Array, prior: RelationPrior, precision: float,
    rng: np.random.Generator,
) -> tuple[Array, float, Array]:  # fmt: skip
    """Stretch and shift relations with a common prior of R, which follows: the new x, the factor of R and the new b.

    Args:
        log_likelihoods: those of the relations.
        x: that of their entries.
        b: their biases.
        prior: that of R before the moves.
        precision: of the normal prior of the biases.
        rng: the source of randomness.
    """
    counts, with_biases = log_likelihoods.counts, bool(rng.random() < 0.5)
    fixed = 0.0 if with_biases else np.repeat(b, counts)
    moving = x - fixed
    factor = draw_stretch(log_likelihoods, fixed, moving, prior, b if with_biases else b[:0], precision, rng)
    prior.stretch(factor)
    x = fixed + factor * moving
    b = factor * b if with_biases else b
    changes = draw_shifts(lambda steps: log_likelihoods(x + np.repeat(steps, counts)), b, precision, rng)
    return x + np.repeat(changes, counts), factor, b + changes


def draw_stretch(
    log_likelihoods: Callable[[Array], Array], fixed: Array | float, moving: Array, prior: RelationPrior, biases: Array,
    precision: float, rng: np.random.Generator,
) -> float:  # fmt: skip
    """The factor c, where x is fixed + c moving.

    `biases` are those that are stretched, of a normal prior with this precision; `prior` is that of R before the move.
    """
    squares = precision * float(biases @ biases)

    def log_density(steps: Array) -> Array:
        step = float(steps[0])
        c = float(np.exp(step))
        scales = sum(log_gamma(scale / c**2) - 2 * step for scale in (prior.tau, prior.tau_mean))
        value = float(log_likelihoods(fixed + c * moving).sum())
        return np.array([value + scales - 0.5 * squares * c**2 + biases.size * step])

    return float(np.exp(slice_sample(log_density, 1, WIDTHS["stretch"], rng)[0]))


def draw_shifts(
    log_likelihoods: Callable[[Array], Array], biases: Array, precision: float, rng: np.random.Generator
) -> Array:
    """The changes of the biases of several relations, whose log-likelihoods follow from the changes."""

    def log_density(steps: Array) -> Array:
        return log_likelihoods(steps) - 0.5 * precision * (biases + steps) ** 2

    return slice_sample(log_density, biases.size, WIDTHS["bias"], rng)
