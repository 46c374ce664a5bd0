"""Levels, with a proportional-odds likelihood: logistic noise around x, and cut points.

Between the cut points θ_(c−1) and θ_c the logistic distribution function rises by

    P(y = c) = σ(x − θ_(c−1)) σ(θ_c − x) (1 − exp(θ_(c−1) − θ_c)),   σ(t) = 1 / (1 + exp(−t))

(the lowest level has no first factor, the highest no second, and neither has the third). As a function of x these are
two logistic likelihoods, so Pólya–Gamma variables make it Gaussian without approximation, and a power w of it as well.
The cut points are drawn one after the other by slice sampling, given x and without these variables: given them too, a
cut point could move only by the distance to the next latent value.
"""

import math
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from ...data.relations import Relation
from ...typing import Array
from ..gibbs.polya_gamma import draw_precisions
from ..gibbs.slice_sampling import slice_sample_one
from .likelihood import Likelihood

RATE = 0.2
"""Distances between cut points are exponential with this rate."""

WIDTH = 0.5
"""The width of the first interval of a slice."""

LEAST = 0.1
"""The least distance between cut points at the start."""


class Ordinal(Likelihood):
    """P(y ≤ c) = σ(θ_c − x). The cut point that splits the values best is 0, as b_k is in its place.

    >>> relation = Relation("r", "ordinal", directed=True, levels=(1, 2, 3))
    >>> likelihood = Ordinal(relation, np.array([0.0, 1.0, 2.0]), np.ones(3))
    >>> likelihood.start(np.array([-1.0, 2.0])), likelihood.parameters()
    (1.0, array([0., 3.]))
    """

    loss: ClassVar[str] = "ordinal"

    def __init__(self, relation: Relation, y: Array, w: Array):
        super().__init__(relation, y, w)
        n_cuts = max(len(relation.levels) - 1, 1)
        above = np.array([w @ (y > c) for c in range(n_cuts)]) / (w.sum() or 1.0)
        self.fixed = int(np.abs(above - 0.5).argmin())
        self.cuts: Array = np.arange(n_cuts, dtype=np.float64) - self.fixed

    def parameters(self) -> Array:
        """The cut points."""
        return self.cuts.copy()

    def start(self, extras: Array) -> float:
        """From the cut points of a fit, which has no bias."""
        gaps = np.maximum(np.diff(extras), LEAST)
        self.cuts = np.concatenate([[0.0], np.cumsum(gaps)])
        self.cuts -= self.cuts[self.fixed]
        return -float(extras[self.fixed])

    def draw(self, x: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """√ω and √ω z, after the cut points."""
        self._draw_cuts(x, rng)
        roots, ends = np.zeros((2, x.size)), np.array([self.of_values(0), self.of_values(1)])
        inside = np.isfinite(ends)
        for side in (0, 1):
            part = inside[side]
            roots[side, part] = draw_precisions(self.w[part], x[part] - ends[side, part], rng)
        root = np.hypot(*roots)  # the square of the root of a tiny weight would be 0
        fractions = roots / root
        value = 0.5 * (self.w / root) * (1.0 * inside[0] - inside[1])
        return root, value + (fractions * roots * np.where(inside, ends, 0.0)).sum(axis=0)

    def log_likelihood(self, x: Array) -> float:
        """The log-likelihood of all entries."""
        return float(log_likelihood(x, self.of_values(0), self.of_values(1), self.w).sum() + self.of_cuts())

    def of_cuts(self) -> float:
        """The part of the log-likelihood that does not depend on x."""
        totals = np.bincount(self.y.astype(np.intp), self.w, minlength=self.cuts.size + 1)
        return float(totals[1:-1] @ np.log(-np.expm1(-np.diff(self.cuts))))

    def ends(self) -> Array:
        """The cut points, between −∞ and ∞."""
        return np.concatenate([[-np.inf], self.cuts, [np.inf]])

    def of_values(self, side: int) -> Array:
        """The cut point below each value (side 0) or above it (side 1); infinite at the ends."""
        return np.asarray(self.ends()[self.y.astype(np.intp) + side])

    def _draw_cuts(self, x: Array, rng: np.random.Generator) -> None:
        levels = [self.y == level for level in range(self.cuts.size + 1)]
        for c in range(self.cuts.size):
            if c != self.fixed:
                below, above = ((self.w[part], x[part]) for part in (levels[c], levels[c + 1]))
                self.cuts[c] += slice_sample_one(self._log_density(c, below, above), WIDTH, rng)

    def _log_density(self, c: int, below: tuple[Array, Array], above: tuple[Array, Array]) -> Callable[[float], float]:
        """Of cut point c moved by a step, but for a constant.

        `below` and `above` are w and x of the entries of both neighbouring levels.
        """
        (w_below, x_below), (w_above, x_above) = below, above
        low, cut, high = self.ends()[c : c + 3].tolist()
        weight_below, weight_above = float(w_below.sum()), float(w_above.sum())

        def log_density(step: float) -> float:
            moved = cut + step
            if not low < moved < high:
                return -math.inf
            value = -float(w_below @ np.logaddexp(0, x_below - moved) + w_above @ np.logaddexp(0, moved - x_above))
            for weight, gap in ((weight_below, moved - low), (weight_above, high - moved)):
                if gap < math.inf:
                    value += weight * math.log(-math.expm1(-gap)) - RATE * gap
            return value

        return log_density


def log_likelihood(x: Array, low: Array, high: Array, w: Array) -> Array:
    """w log(σ(x − low) σ(high − x)) of each entry: what depends on x.

    >>> log_likelihood(np.zeros(2), np.array([-np.inf, 0.0]), np.array([0.0, 1000.0]), np.ones(2)).round(2).tolist()
    [-0.69, -0.69]
    """
    below, above = low - x, x - high
    rest = np.log((1 + np.exp(-np.abs(below))) * (1 + np.exp(-np.abs(above))))
    return np.asarray(-w * (np.maximum(below, 0) + np.maximum(above, 0) + rest))
