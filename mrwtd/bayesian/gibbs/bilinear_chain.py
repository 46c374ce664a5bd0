"""The Gibbs sampler of x = a_i R_k a_jᵀ + b_k for BTF and MrWTD-B.

    entry              an observation of x with a precision ω and a target z, which its likelihood gives
                       (`mrwtd.bayesian.likelihoods`)
    rows of A          N(μ, Λ⁻¹), or N(μ_c, Λ⁻¹) in cluster c, with Gaussian–Wishart priors (`row_priors`)
    R_k                normal around a shared mean, with a learned scale (`relation_draws`); both are those of the unit
                       of x, because log-odds are much larger than standardized values
    b_k                N(0, 10)

The entry's weight w is a power on its likelihood. Paper: an undirected pair counts once here, not twice. It is one
observation: counted twice, the posterior is too sure, and on Kinship at 10% scores 0.45 instead of 0.58 (BTF).

A sweep draws ω and z, each (R_k, b_k) as one block, the prior of the R_k, that of the rows, then the rows of A one
after the other, and at last the size of x (`scale_moves`). Every relation has its own random generator, so threads
over relations do not change the result.
"""

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from ...data.relational import RelationalData
from ...model.cancellation import Cancelled
from ...model.diagnostics import Diagnostic
from ...model.layout import Factors
from ...model.objective import reconstruct
from ...model.threads import ShouldStop, thread_map, threads_for
from ...typing import Array
from ..likelihoods.gaussian import draw_noise, noise_groups
from ..likelihoods.joint import LogLikelihoods
from ..likelihoods.likelihood import Likelihood
from .bilinear_draws import Meetings, draw_rows
from .relation_conditional import Ends, Prior, draw_relation, products_of
from .relation_draws import RelationPrior, Unknowns
from .row_priors import Clusters, OneGaussian, RowPrior
from .scale_moves import move_size

UNITS = ("log-odds", "log-rate", "deviations")
"""Of x, in the order in which their priors are drawn."""

BIAS_PRECISION = 0.1
FIRST_MOVES, MOVE_ENTRIES = 4, 20_000
"""The size of x moves in the first sweeps, and then the less often the more multiples of this number of entries."""

REFUSED = 0.7
"""The fraction of refused rows from which on a diagnostic is reported."""


class BilinearChain:
    """A state of A, R, b and the parameters of their priors, given entries.

    >>> import mrwtd
    >>> from mrwtd.bayesian.likelihoods.logistic import Logistic
    >>> data, rng = mrwtd.load_dataset("florentine"), np.random.default_rng(0)
    >>> start = Factors(rng.normal(size=(15, 2)), np.zeros((2, 2, 2)), ())
    >>> values = zip(data.relations, data.y.reshape(2, 105))
    >>> likelihoods = [Logistic(relation, y, np.ones(105)) for relation, y in values]
    >>> chain = BilinearChain(data, likelihoods, start, np.zeros(2), rng)
    >>> before = chain.minus_log_likelihood()
    >>> for _ in range(20):
    ...     _ = chain.sweep()
    >>> chain.minus_log_likelihood() < before
    True

    Args:
        data: the known entries, with weights above 0.
        likelihoods: the likelihood of each relation, with the values of its entries.
        start, b: the start of the chain.
        rng: the source of every random choice.
        clusters: whether rows belong to clusters, and the size of x has its own moves.
        meetings: those of the data, if another chain has made them.
    """

    def __init__(
        self,
        data: RelationalData,
        likelihoods: Sequence[Likelihood],
        start: Factors,
        b: Array,
        rng: np.random.Generator,
        *,
        clusters: bool = False,
    ):
        self.data, self.likelihoods, self.rng = data, tuple(likelihoods), rng
        self.A, self.R, self.b = np.array(start.A), np.array(start.R), np.array(b)
        r = self.A.shape[1]
        self.row_prior: RowPrior = Clusters.of(self.A, rng) if clusters else OneGaussian(len(self.A), r)
        self.moves = clusters
        units = [likelihood.unit for likelihood in self.likelihoods]
        members = [np.flatnonzero(np.array(units) == unit) for unit in UNITS]
        self.relation_priors = [
            (group, RelationPrior(r, tuple(data.relations[k] for k in group))) for group in members if group.size
        ]
        self.root, self.value = np.ones(len(data)), np.zeros(len(data))
        self.refused = self._sweeps = 0
        self._rngs = rng.spawn(data.n_relations)
        self._threads = threads_for(len(data))
        self._slices = [data.slice(k) for k in range(data.n_relations)]
        self._ends = [Ends.of(data.i[part], data.j[part]) for part in self._slices]
        self._products: Array | None = None
        self._noises = noise_groups(data.relations, self.likelihoods)
        self.x = self._reconstruct()
        self._draw_priors()
        self.rows = self.row_prior.draw(self.A, rng)

    def sweep(self, should_stop: ShouldStop | None = None, /) -> bool:
        """Draw every unknown once, given the others. False if `should_stop` ended it before."""
        for group in self._noises:
            draw_noise([(member, self.x[self._slices[k]]) for k, member in group.items()], self.rng)
        self._products = products_of(self.A, self._ends)
        drawn = thread_map(self._draw_relation, range(len(self._slices)), self._threads, should_stop)
        if len(drawn) < len(self._slices):
            return False
        try:
            meetings = self.meetings
        except Cancelled:
            return False
        self._draw_priors()
        self.rows = self.row_prior.draw(self.A, self.rng)
        noise, chance = self.rng.normal(size=self.A.shape), np.zeros((len(self.A), 2))
        for column in range(1 + (len(self.rows.means) > 1)):
            chance[:, column] = self.rng.random(len(self.A))
        self.refused += draw_rows(
            meetings, self.root, self.value - self.root * self.b[self.data.k], self.R, self.rows, noise, chance,
            self.A, self.row_prior.cluster,
        )  # fmt: skip
        self.x = self._reconstruct()
        self._sweeps += 1
        if self.moves and (self._sweeps <= FIRST_MOVES or self._sweeps % (1 + len(self.data) // MOVE_ENTRIES) == 0):
            self._move()
        return True

    def minus_log_likelihood(self) -> float:
        """Minus the log-likelihood of the training entries at the state."""
        return -self._log_likelihood(range(len(self._slices)), self.x)

    def _log_likelihood(self, members: Iterable[int], x: Array) -> float:
        """The log-likelihood of some relations, given x of all entries."""
        return sum(self.likelihoods[k].log_likelihood(x[self._slices[k]]) for k in members)

    def state(self) -> tuple[Array, ...]:
        """Copies of A, R, b and the parameters of all likelihoods."""
        parameters = np.concatenate([likelihood.parameters() for likelihood in self.likelihoods])
        return self.A.copy(), self.R.copy(), self.b.copy(), parameters

    def diagnostics(self, sweeps: int) -> list[Diagnostic]:
        """The diagnostics after this number of sweeps."""
        if not self.refused:
            return []
        with_diagonal = int(np.count_nonzero(np.diff(self.meetings.diagonal_offsets)))
        fraction = self.refused / max(1, sweeps * with_diagonal)
        if fraction <= REFUSED:
            return []
        return [Diagnostic("diagonal_mixes_slowly", values={"share": fraction})]

    @cached_property
    def meetings(self) -> Meetings:
        """Made by the first sweep, as it takes a while: a cancelled start does not need it."""
        return Meetings.of(self.data)

    def _reconstruct(self) -> Array:
        return reconstruct(Factors(self.A, self.R, ()), self.b, self.data)

    def _draw_priors(self) -> None:
        for members, prior in self.relation_priors:
            prior.draw(self.R[members], self.rng)

    def _prior_of(self, k: int) -> tuple[float, Array]:
        """The scale and the mean of R_k."""
        for members, prior in self.relation_priors:
            if k in members:
                return prior.tau, prior.mean(int(np.searchsorted(members, k)))
        raise LookupError(k)

    def _move(self) -> None:
        """For each prior of R_k: stretch its relations, without and with their biases, and shift these biases."""
        for members, prior in self.relation_priors:
            if not self.likelihoods[members[0]].moves:
                continue
            log_likelihoods = LogLikelihoods([self.likelihoods[k] for k in members])
            x = np.concatenate([self.x[self._slices[k]] for k in members])
            x, factor, b = move_size(log_likelihoods, x, self.b[members], prior, BIAS_PRECISION, self.rng)
            self.R[members] *= factor
            self.b[members] = b
            for k, part in zip(members, np.split(x, np.cumsum(log_likelihoods.counts)[:-1]), strict=True):
                self.x[self._slices[k]] = part

    def _draw_relation(self, k: int) -> None:
        """The likelihood of relation k, then R_k and b_k."""
        part, unknowns = self._slices[k], Unknowns.of(self.A.shape[1], self.data.relations[k].directed)
        if part.stop > part.start:
            self.root[part], self.value[part] = self.likelihoods[k].draw(self.x[part], self._rngs[k])
        prior = Prior(unknowns, *self._prior_of(k), BIAS_PRECISION)
        self.R[k], self.b[k] = draw_relation(
            self._ends[k], self.root[part], self.value[part], self.A, self._products, self.R[k], prior, self._rngs[k]
        )
