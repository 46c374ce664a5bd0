"""The prior of a set of rows: a Gaussian whose mean and precision are themselves unknown.

    Λ ~ Wishart(W₀, ν₀),   μ | Λ ~ N(μ₀, (β₀ Λ)⁻¹),   x_i | μ, Λ ~ N(μ, Λ⁻¹)

W₀⁻¹ = `spread` I, by default I, and ν₀ = the number of columns, as in Salakhutdinov and Mnih. Given n rows, mean and
precision have a distribution of the same form, from which `draw` takes one.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg.lapack import dtrtrs

from ...typing import Array


@dataclass(frozen=True)
class Gaussian:
    """Mean (r,) and precision (r, r) of rows."""

    mean: Array
    precision: Array


@dataclass(frozen=True)
class GaussianWishart:
    """The prior of a Gaussian's mean and precision: mean μ₀, β₀ rows' worth of belief in it, ν₀ degrees of freedom.

    >>> prior = GaussianWishart(np.zeros(2), beta=0.01, freedom=2.0)
    >>> rows = np.random.default_rng(0).normal(loc=5.0, scale=0.1, size=(1000, 2))
    >>> drawn = prior.draw(rows, np.random.default_rng(0))
    >>> drawn.mean.round(1), bool(50 < drawn.precision[0, 0] < 150)
    (array([5., 5.]), True)
    """

    mean: Array
    beta: float
    freedom: float
    spread: float = 1.0

    def draw(self, rows: Array, rng: np.random.Generator) -> Gaussian:
        """Mean and precision given the rows; with no rows, from the prior."""
        n, r = rows.shape
        centre = rows.mean(axis=0) if n else self.mean
        apart, away = rows - centre, centre - self.mean
        beta = self.beta + n
        inverse_scale = self.spread * np.eye(r) + apart.T @ apart + (self.beta * n / beta) * np.outer(away, away)
        precision = wishart(inverse_scale, self.freedom + n, rng)
        mean = (self.beta * self.mean + n * centre) / beta
        return Gaussian(normal(mean, beta * precision, rng), precision)


def wishart(inverse_scale: Array, freedom: float, rng: np.random.Generator) -> Array:
    """A draw from Wishart(W, ν), where W⁻¹ is given, by Bartlett's decomposition.

    >>> drawn = [wishart(np.eye(2), 5.0, np.random.default_rng(seed)) for seed in range(2000)]
    >>> np.mean(drawn, axis=0).round(0)  # ν W
    array([[5., 0.],
           [0., 5.]])
    """
    r = inverse_scale.shape[0]
    B = np.tril(rng.normal(size=(r, r)), -1)
    B[np.diag_indices(r)] = np.sqrt(rng.chisquare(freedom - np.arange(r)))
    # With W⁻¹ = L Lᵀ, L⁻ᵀ is a root of W, and so L⁻ᵀ B a root of the draw.
    root, _ = dtrtrs(np.linalg.cholesky(inverse_scale).T, B, lower=0)
    return np.asarray(root @ root.T)


def normal(mean: Array, precision: Array, rng: np.random.Generator) -> Array:
    """A draw from N(mean, precision⁻¹).

    >>> drawn = [normal(np.ones(1), np.full((1, 1), 100.0), np.random.default_rng(seed)) for seed in range(500)]
    >>> round(float(np.mean(drawn)), 1), round(float(np.std(drawn)), 1)
    (1.0, 0.1)
    """
    away, _ = dtrtrs(np.linalg.cholesky(precision).T, rng.normal(size=mean.size), lower=0)
    return np.asarray(mean + away)
