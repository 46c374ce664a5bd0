"""`Likelihood`: how the values of one relation depend on x = a_i R_k a_jᵀ + b_k, in a Gibbs sampler.

The draws of A and R_k need a likelihood that is Gaussian in x. Where it is not, variables are added that make it
Gaussian. Given these, each entry is an observation of x with a precision ω and a target z. A new likelihood is a module
with a subclass: its own parameters, such as a noise or cut points, and `draw`, which gives ω and z.
"""

from typing import ClassVar

import numpy as np

from ...data.relations import Relation
from ...typing import Array


class Likelihood:
    """The likelihood of the entries of one relation, with the state of its own parameters.

    The weight w of an entry is a power on its likelihood.

    Attributes of the class:
        loss: the loss (`mrwtd.model.losses`) with the same meaning of x; it gives the start and maps predictions.
        unit: the unit of x. Relations of one unit share a prior of R_k.
        moves: whether the size of x has its own moves (`gibbs.scale_moves`), as Gibbs draws change it slowly.

    Args:
        relation: the relation.
        y: the values of its entries, as they enter the likelihood.
        w: the weights of its entries, above 0.
    """

    loss: ClassVar[str]
    unit: ClassVar[str] = "log-odds"
    moves: ClassVar[bool] = True

    def __init__(self, relation: Relation, y: Array, w: Array):
        self.y, self.w = y, w

    def parameters(self) -> Array:
        """A copy of its own parameters, which is part of the stored states; their number depends on the relation."""
        return np.empty(0)

    def start(self, extras: Array) -> float:
        """Start from the extras of a regularized fit with the loss; returns the bias b_k."""
        return float(extras[0])

    def draw(self, x: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """√ω and √ω z of each entry, given x; own parameters are drawn before."""
        raise NotImplementedError

    def log_likelihood(self, x: Array) -> float:
        """The log-likelihood of all entries, without the added variables."""
        raise NotImplementedError
