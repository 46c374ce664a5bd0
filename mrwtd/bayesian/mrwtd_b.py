"""MrWTD-B: Bayesian MrWTD with a logistic likelihood for binary relations, beyond the paper. It has no λ.

Pólya–Gamma variables make the logistic likelihood conjugate: given one for each entry, every unknown has a conditional
Gaussian, as with Gaussian noise.

The posterior has many modes, and a chain stays in the first that it finds. So there are several chains, which start
from fits to random weights of the entries, as those of an ensemble. On Kinship one chain of 200 sweeps scores 0.52 at
10% and 0.68 at 25%, sixteen of 12 sweeps 0.58 and 0.75.
"""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ..data.relational import RelationalData
from ..data.relations import Relation
from ..model.method import METHODS, Style
from ..model.parameters import Number, Parameter, named
from ..typing import Array
from .bayesian_factors import BayesianFactors
from .likelihoods.gaussian import Gaussian
from .likelihoods.likelihood import Likelihood
from .likelihoods.logistic import Logistic


@METHODS.register
class MrWTDB(BayesianFactors):
    """The posterior of φ_k(A R_k Aᵀ + b_k), by Gibbs sampling.

    Binary relations are logistic, and `decision_function` gives the log-odds of the posterior mean of the probability.
    Real ones have Gaussian noise of learned size. Counts and levels have no special likelihood: log(1 + count) and the
    level are used as real numbers, and predictions are mapped back.

    An undirected pair is one observation and counts once, not once for each direction: counted twice, the standard
    deviation would be too small by up to √2.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = MrWTDB(rank=2, sweeps=40, burn_in=20).fit(train)
    >>> p, sd = model.predict_proba(test), model.predict_std(test)
    >>> bool((p > 0).all() and (p < 1).all() and (sd > 0).all() and (sd < 0.5).all())
    True

    Args:
        rank: the number of latent factors.
        lam: not used, as the priors learn their scales; every method has it.
        sweeps: the number of times that every unknown is drawn, in all chains together.
        burn_in: the number of first sweeps whose states are not stored, in all chains together.
        samples: the maximum number of stored states.
        chains: the maximum number of chains; fewer if each would have less than 12 sweeps, or if the first agree.
        seed: the seed of every random choice.
    """

    parameters: ClassVar[Mapping[str, Parameter]] = named(Number("chains", low=1, high=1_000, whole=True))
    clustered = True

    name, order, style = "MrWTD-B", 4, Style("#A6761D", "longdash", "star")

    def __init__(
        self,
        rank: int | None = None,
        lam: float | str = "auto",
        sweeps: int = 200,
        burn_in: int = 50,
        samples: int = 100,
        chains: int = 16,
        seed: int = 0,
    ):
        super().__init__(rank, lam, sweeps, burn_in, samples, seed)
        self.chains = chains

    def _likelihood(self, relation: Relation) -> type[Likelihood]:
        return Logistic if relation.kind == "binary" else Gaussian

    def _values(self, train: RelationalData) -> Array:
        y = train.y.copy()
        for k, relation in enumerate(train.relations):
            values = y[train.slice(k)]
            if relation.kind == "count":
                np.log1p(values, out=values)
            if relation.kind != "binary" and values.size:
                self.scales_[k] = values.mean(), values.std() or 1.0
                values -= self.scales_[k, 0]
                values /= self.scales_[k, 1]
        return y

    def _value(self, x: Array, k: int) -> Array:
        value = super()._value(x, k)
        return np.expm1(np.minimum(value, LARGEST)) if self.relations_[k].kind == "count" else value


LARGEST = 40.0
"""The largest log(1 + count) that is mapped back: e⁴⁰ is above any real count."""
