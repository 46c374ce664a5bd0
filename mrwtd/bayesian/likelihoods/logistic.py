"""Binary values, logistic."""

from typing import ClassVar

import numpy as np

from ...model.losses import LOSSES
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
        return -float(self.w @ LOSSES["logistic"].value_and_slope(self.y, x)[0])
