"""The prior of the R_k: normal around a common mean of the relations, with a learned scale.

    R_k ~ N(M, 1/τ),   M ~ N(0, 1/τ_M),   τ, τ_M ~ Gamma(1/2, 1/2)

entry by entry, in the sense of the norm: the density is proportional to exp(−τ/2 ‖R_k − M‖²). The common mean transfers
information between relations with few entries. Directed and undirected relations have separate M.
"""

import numpy as np

from ...data.relations import Relation
from ...typing import Array
from .relation_draws import Unknowns

SHAPE, RATE = 0.5, 0.5


class RelationPrior:
    """The common means and the scales, redrawn by `draw`; a draw of R_k needs `tau` and `mean(k)`.

    >>> prior = RelationPrior(2, (Relation("likes", "binary", directed=False),))
    >>> prior.draw(np.ones((1, 2, 2)), np.random.default_rng(0))
    >>> prior.mean(0).shape  # the upper half of M
    (3,)
    """

    def __init__(self, rank: int, relations: tuple[Relation, ...]):
        self.unknowns = [Unknowns.of(rank, relation.directed) for relation in relations]
        self.tau, self.tau_mean = 1.0, 1.0
        self.means = {unknowns.directed: np.zeros(unknowns.size) for unknowns in self.unknowns}

    def mean(self, k: int) -> Array:
        """The free numbers of M for relation k."""
        return self.means[self.unknowns[k].directed]

    def draw(self, R: Array, rng: np.random.Generator) -> None:
        """Draw the means, then the scales, given all R_k."""
        packed = [unknowns.pack(R_k) for unknowns, R_k in zip(self.unknowns, R, strict=True)]
        pairs = [*zip(self.unknowns, packed, strict=True)]
        for directed in self.means:
            members = [values for unknowns, values in pairs if unknowns.directed == directed]
            precision = len(members) * self.tau + self.tau_mean
            weight = Unknowns.of(R.shape[1], directed).weight
            noise = rng.normal(size=weight.size) / np.sqrt(precision * weight)
            self.means[directed] = self.tau / precision * np.sum(members, axis=0) + noise
        squares = [unknowns.weight @ (values - self.mean(k)) ** 2 for k, (unknowns, values) in enumerate(pairs)]
        self.tau = gamma(rng, sum(unknowns.size for unknowns in self.unknowns), float(np.sum(squares)))
        means = [(Unknowns.of(R.shape[1], directed).weight, mean) for directed, mean in self.means.items()]
        self.tau_mean = gamma(rng, sum(mean.size for _, mean in means), sum(float(w @ mean**2) for w, mean in means))


def gamma(rng: np.random.Generator, count: float, squares: float) -> float:
    """A precision given the number and the sum of squares of normal numbers, from its Gamma(1/2, 1/2) prior.

    >>> round(gamma(np.random.default_rng(0), 1e6, 4e6), 2)
    0.25
    """
    return float(rng.gamma(SHAPE + 0.5 * count) / (RATE + 0.5 * squares))
