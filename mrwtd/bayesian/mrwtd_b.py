"""MrWTD-B: Bayesian MrWTD with a likelihood for each kind of relation, beyond the paper. It has no λ.

Pólya–Gamma variables make logistic likelihoods conjugate: given one for each entry, every unknown has a conditional
Gaussian, as with Gaussian noise. `likelihoods` has one module for each kind.

The posterior has many modes, and a chain stays in the first that it finds. So there are several chains, which start
from fits to random weights of the entries, as those of an ensemble. On Kinship one chain of 200 sweeps scores 0.52 at
10% and 0.68 at 25%, sixteen of 12 sweeps 0.58 and 0.75.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from ..data.relational import RelationalData
from ..data.relations import Relation
from ..model.losses import LOSSES
from ..model.method import METHODS, Style
from ..model.parameters import Number, Parameter, named
from ..model.progress import Callback
from ..typing import Array, Int32Array
from .bayesian_factors import BayesianFactors
from .likelihoods.counts import Counts
from .likelihoods.gaussian import Gaussian
from .likelihoods.likelihood import Likelihood
from .likelihoods.logistic import Logistic
from .likelihoods.ordinal import Ordinal

LIKELIHOODS: Mapping[str, type[Likelihood]] = {
    "binary": Logistic,
    "ordinal": Ordinal,
    "count": Counts,
    "real": Gaussian,
}
"""The likelihood of each kind of relation."""


@METHODS.register
class MrWTDB(BayesianFactors):
    """The posterior of φ_k(A R_k Aᵀ + b_k), by Gibbs sampling.

    All kinds are fitted together, in one chain:

        binary: logistic. `decision_function` gives the log-odds of the posterior mean of the probability.
        ordinal: logistic with cut points. The prediction is the median level; `predict_std` is that of the expected
            level, a number between levels.
        count: negative binomial, of the counts or of bundles of them, both overdispersed as the data is. The prediction
            is the posterior mean of exp(x).
        real: Gaussian noise of learned size.

    An undirected pair is one observation and counts once, not once for each direction: counted twice, the standard
    deviation would be too small by up to √2.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = MrWTDB(rank=2, sweeps=40, burn_in=20).fit(train)
    >>> p, sd = model.predict_proba(test), model.predict_std(test)
    >>> bool((p > 0).all() and (p < 1).all() and (sd > 0).all() and (sd < 0.5).all())
    True
    >>> levels = MrWTDB(rank=2, sweeps=40, burn_in=20).fit(mrwtd.load_dataset("monastery"))
    >>> levels.cuts_["esteem"].shape  # between four levels
    (3,)

    Learned attributes besides those of every sampler:
        cuts_: the posterior mean of the cut points of each ordinal relation.

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
    relation_seconds = 1.5e-4

    _scored_states: Sequence[tuple[Array, ...]] | None = None
    """During a fit: the states whose predictions are scored."""

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
        return LIKELIHOODS[relation.kind]

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        super()._fit(train, callback)
        self._scored_states = None

    def _scorer(self, held: RelationalData) -> Callable[[tuple[Array, ...], bool], float]:
        """As for every sampler, with the mean cut points of the same states."""
        score, stored = super()._scorer(held), list[tuple[Array, ...]]()

        def score_with_cuts(state: tuple[Array, ...], stores: bool) -> float:
            if stores:
                stored.append(state)
            self._scored_states = stored if stores else [state]
            return score(state, stores)

        return score_with_cuts

    @property
    def cuts_(self) -> dict[str, Array]:
        """The posterior mean of the cut points of each ordinal relation."""
        states = self.samples_ if self._scored_states is None else self._scored_states
        parameters = np.mean([state[3] for state in states], axis=0)
        parts = zip(self.relations_, self._parameter_slices(), strict=True)
        return {relation.name: parameters[part] for relation, part in parts if relation.kind == "ordinal"}

    def _extras(self, k: int) -> Array:
        """The mean cut points: x and they are means over the same states, so the predicted level is the median."""
        relation = self.relations_[k]
        return self.cuts_[relation.name] if relation.kind == "ordinal" else super()._extras(k)

    def _expected(self, x: Array, state: tuple[Array, ...], entries: RelationalData, relations: Int32Array) -> Array:
        """The expected value at the entries in one state; for levels it is not a level."""
        expected, parts = super()._expected(x, state, entries, relations), self._parameter_slices()
        for position, k in enumerate(relations):
            if self.relations_[k].kind == "ordinal":
                part, cut_points = entries.slice(position), state[3][parts[k]]
                above = LOSSES["logistic"].probability(x[part, None] - cut_points)
                expected[part] = above.sum(axis=1)
        return expected
