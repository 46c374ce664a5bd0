"""Counts, with a negative binomial likelihood of bundles.

Many counts vary much more than a Poisson variable, but less than in proportion to their mean. So they are sums of n
bundles (Pólya–Aeppli, with a negative binomial n in place of a Poisson one):

    n ~ negative binomial with mean μ/φ and shape r,   y = the sum of n geometric numbers 1, 2, … with mean φ
    mean of y: μ = exp(x),   variance: (2φ − 1) μ + μ²/r

With φ = 1 the counts themselves are negative binomial. The numbers of bundles are drawn with the other unknowns. In x,

    P(n) ∝ exp(nt) / (1 + exp(t))^(n + r),   t = x − log φ − log r

is a Gaussian given ω ~ Pólya–Gamma(n + r, t), with precision ω and target (n − r) / 2ω + log φ + log r. Counts of
thousands are a few bundles each. Without bundles, the precision ω would be a hundred times too high for what such an
entry says about x, and the chain would hardly move.

Given x and without ω, n is drawn by Metropolis–Hastings steps, then φ and r by slice sampling. The weight of an entry
is a power on the probability of y and n together.
"""

from typing import ClassVar

import numpy as np
from scipy.special import gammaln

from ...data.relations import Relation
from ...model.losses import LOSSES
from ...typing import Array
from ..gibbs.polya_gamma import draw_precisions
from ..gibbs.slice_sampling import slice_sample_one
from .likelihood import Likelihood

MEAN = 2.0
"""The shape r is exponential with this mean."""

BETA = 0.5
"""Both parameters of the Beta prior of 1/φ."""

LEAST_ODDS, LARGEST_ODDS = -350.0, 20.0
"""The log-odds of 1/φ are between these: any count that is allowed can be one bundle."""

ROUNDS = 4
"""Draws of n, φ and r in each sweep: they depend on each other more than on x."""

WIDTH = 0.5
"""The width of the first interval of a slice, of log r and of the log-odds of 1/φ."""


class Counts(Likelihood):
    """A sum of n geometric numbers with mean φ, where n is negative binomial with mean exp(x)/φ and shape r.

    >>> y = np.array([0.0, 3.0, 500.0])
    >>> likelihood = Counts(Relation("calls", "count", directed=True), y, np.ones(3))
    >>> _ = likelihood.draw(np.log(y + 1), np.random.default_rng(0))
    >>> bool(((likelihood.bundles <= y) & ((likelihood.bundles > 0) == (y > 0))).all())
    True
    """

    loss: ClassVar[str] = "poisson"
    unit: ClassVar[str] = "log-rate"

    def __init__(self, relation: Relation, y: Array, w: Array):
        super().__init__(relation, y, w)
        self.size, self.shape = max(LOSSES["poisson"].dispersion(y), 1 + np.exp(-LARGEST_ODDS)), 1.0
        self.bundles = np.ceil(y / self.size)

    def parameters(self) -> Array:
        """The mean size φ of a bundle, and the shape r."""
        return np.array([self.size, self.shape])

    def draw(self, x: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """√ω and √ω z, after the bundles, their size and the shape."""
        for _ in range(ROUNDS):
            self._draw_bundles(x, rng)
            self._draw_size(x, rng)
            self._draw_shape(x, rng)
        n, r, offset = self.bundles, self.shape, np.log(self.size * self.shape)
        root = draw_precisions(self.w * (n + r), x - offset, rng)
        return root, 0.5 * self.w * (n - r) / root + root * offset

    def log_likelihood(self, x: Array) -> float:
        """The log-likelihood of the numbers of bundles."""
        n, r = self.bundles, self.shape
        choices = self.w @ (gammaln(n + r) - gammaln(r) - gammaln(n + 1))
        return float(choices + self._of_means(x - np.log(self.size * r)))

    def _draw_bundles(self, x: Array, rng: np.random.Generator) -> None:
        """A step of each number of bundles: it is 0 where y is 0, and from 1 to y elsewhere."""
        some = self.y > 0
        y, w, n, r = self.y[some], self.w[some], self.bundles[some], self.shape
        # P(n + 1) / P(n) = (n + r) (y − n) / (n (n + 1)) exp(odds), which is 1 near the mode.
        odds = -np.logaddexp(0, np.log(self.size * r) - x[some]) - np.log(self.size - 1)
        e = np.exp(odds)
        half = 0.5 * (1 + e * (r - y))
        mode = np.clip((np.sqrt(half * half + (1 + e) * e * r * y) - half) / (1 + e), 1.0, y)
        curvature = 1 / mode + 1 / (mode + 1) - 1 / (mode + r) + 1 / (y - mode + 1)
        proposal = n + np.rint(np.maximum(1.0, 2.0 / np.sqrt(curvature * w)) * rng.normal(size=n.size))
        inside = (proposal >= 1) & (proposal <= y)
        proposal = np.where(inside, proposal, n)
        before, after = (
            gammaln(m + r) - gammaln(m + 1) - gammaln(m) - gammaln(y - m + 1) + m * odds for m in (n, proposal)
        )
        accepted = np.log(rng.random(n.size)) < w * (after - before)
        self.bundles[some] = np.where(accepted, proposal, n)

    def _draw_size(self, x: Array, rng: np.random.Generator) -> None:
        """The log-odds of 1/φ: it is the probability that a bundle ends, and n depends on it too."""
        n, w, scores = self.bundles, self.w, x - np.log(self.shape)
        few, many = BETA + w @ n, BETA + w @ (self.y - n)
        odds = -np.log(self.size - 1)

        def log_density(step: float) -> float:
            if not LEAST_ODDS <= odds + step <= LARGEST_ODDS:
                return -np.inf
            ends, goes_on = -np.logaddexp(0, -odds - step), -np.logaddexp(0, odds + step)
            density = few * ends + many * goes_on
            return float(density + self._of_means(scores + ends))

        self.size = 1 + float(np.exp(-odds - slice_sample_one(log_density, WIDTH, rng)))

    def _draw_shape(self, x: Array, rng: np.random.Generator) -> None:
        shifted, total = x - np.log(self.size), self.w.sum()
        # Each number of bundles is looked up once: the gamma function costs more than the rest.
        numbers, place = np.unique(self.bundles, return_inverse=True)
        weights = np.bincount(place, self.w, minlength=1)

        def log_density(step: float) -> float:
            r = self.shape * float(np.exp(step))
            density = weights @ gammaln(numbers + r) - total * gammaln(r)
            return float(density + self._of_means(shifted - np.log(r), r) - r / MEAN + np.log(r))

        self.shape *= float(np.exp(slice_sample_one(log_density, WIDTH, rng)))

    def _of_means(self, t: Array, r: float | None = None) -> float:
        """The part of the log-likelihood of the numbers of bundles that depends on t."""
        n, r = self.bundles, self.shape if r is None else r
        return float(self.w @ (n * t - (n + r) * np.logaddexp(0, t)))
