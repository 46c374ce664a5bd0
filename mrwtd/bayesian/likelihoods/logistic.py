"""Binary values, logistic."""

from typing import ClassVar

import numpy as np

from ...model import losses
from ...typing import Array
from ..gibbs.polya_gamma import draw_precisions
from .likelihood import Likelihood


class Logistic(Likelihood):
    """P(y = ±1) = 1 / (1 + exp(−yx)).

    Given ω ~ Pólya–Gamma(w, x), it is a Gaussian in x with precision ω and target wy / 2ω (Polson, Scott and Windle).
    """

    loss: ClassVar[str] = "logistic"

    def draw(self, x: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """√ω and √ω z."""
        root = draw_precisions(self.w, x, rng)
        return root, 0.5 * self.w * self.y / root

    def log_likelihood(self, x: Array) -> float:
        """The log-likelihood of all entries."""
        if not (self.w == 1).all():
            return float(log_likelihood(x, self.y, self.w).sum())
        return -losses.Logistic.total(self.y, x)[0]


def log_likelihood(x: Array, y: Array, w: Array) -> Array:
    """w log P(y) of each entry. Without the slope that a loss computes too, it takes half the time.

    >>> log_likelihood(np.array([0.0, 1000.0]), np.array([1.0, -1.0]), np.ones(2)).round(2).tolist()
    [-0.69, -1000.0]
    """
    size = np.abs(x)
    value = np.log1p(np.exp(-size))
    size -= y * x
    size *= 0.5
    value += size  # max(−yx, 0) = (|x| − yx) / 2
    value *= w
    return np.negative(value, out=value)
