"""BTF: Bayesian tensor factorization, A R_k Aᵀ + b_k with Gaussian noise everywhere (after Sutskever and others).

A comparison that the paper does not have. It is MrWTD-B with a Gaussian likelihood for every relation.
"""

from ..data.relations import Relation
from ..model.method import METHODS, Style
from .bayesian_factors import BayesianFactors
from .likelihoods.gaussian import Gaussian
from .likelihoods.likelihood import Likelihood


@METHODS.register
class BTF(BayesianFactors):
    """The posterior of A R_k Aᵀ + b_k with Gaussian noise, by Gibbs sampling.

    Binary values are ±1. Real values, counts and levels are centred and scaled to unit deviation, and predicted in the
    unit of the data.

    An undirected pair is one observation and counts once, not once for each direction: counted twice, the standard
    deviation would be too small by up to √2.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = BTF(rank=2, sweeps=40, burn_in=20).fit(train)
    >>> model.decision_function(test).shape, bool((model.predict_std(test) > 0).all())
    ((106,), True)

    Args:
        rank: the number of latent factors.
        lam: not used, as the priors learn their scales; every method has it.
        sweeps: the number of times that every unknown is drawn.
        burn_in: the number of first sweeps whose states are not stored.
        samples: the maximum number of stored states.
        seed: the seed of every random choice.
    """

    name, order, style = "BTF", 10, Style("#7F7F7F", "5px,2px", "x")

    def _likelihood(self, relation: Relation) -> type[Likelihood]:
        return Gaussian
