"""The Gibbs sampler of x = a_i R_k a_jᵀ + b_k for BTF and MrWTD-B.

    binary, logistic   P(y = ±1) = 1 / (1 + exp(−yx)): given ω ~ Pólya–Gamma(w, x), a Gaussian in x with precision ω and
                       value wy / 2ω (Polson, Scott and Windle; `polya_gamma`)
    Gaussian           y ~ N(x, 1/α), α ~ Gamma(1/2, 1/2): one α for all binary relations, one for each other
    rows of A          N(μ, Λ⁻¹), or N(μ_c, Λ⁻¹) in cluster c, with Gaussian–Wishart priors (`row_priors`)
    R_k                normal around a shared mean, with a learned scale (`relation_draws`); logistic relations have
                       their own, because x is much larger there than standardized values
    b_k                N(0, 10)

The entry's weight w is a power on its likelihood. Paper: an undirected pair counts once here, not twice. It is one
observation: counted twice, the posterior is too sure, and on Kinship at 10% scores 0.45 instead of 0.58 (BTF).

A sweep draws α or ω, each (R_k, b_k) as one block, the prior of the R_k, that of the rows, then the rows of A one after
the other, and at last the size of x (`scale_moves`). Every relation has its own random generator, so threads over
relations do not change the result.
"""

from collections.abc import Sequence
from functools import cached_property, partial

import numpy as np

from ...data.relational import RelationalData
from ...model.cancellation import Cancelled
from ...model.diagnostics import Diagnostic
from ...model.layout import Factors
from ...model.losses import LOSSES
from ...model.objective import reconstruct
from ...model.threads import ShouldStop, thread_map, threads_for
from ...typing import Array
from .bilinear_draws import Meetings, draw_rows
from .conditionals import draw
from .polya_gamma import draw_precisions
from .relation_draws import RelationPrior, Unknowns, gamma
from .row_priors import Clusters, OneGaussian, RowPrior
from .scale_moves import draw_shift, draw_stretch

BIAS_PRECISION = 0.1
REFUSED = 0.7
"""The fraction of refused rows from which on a diagnostic is reported."""


class BilinearChain:
    """A state of A, R, b and the parameters of their priors, given entries.

    >>> import mrwtd
    >>> data, rng = mrwtd.load_dataset("florentine"), np.random.default_rng(0)
    >>> start = Factors(rng.normal(size=(15, 2)), np.zeros((2, 2, 2)), ())
    >>> chain = BilinearChain(data, data.y, [True, True], start, np.zeros(2), rng)
    >>> before = chain.minus_log_likelihood()
    >>> for _ in range(20):
    ...     _ = chain.sweep()
    >>> chain.minus_log_likelihood() < before
    True

    Args:
        data: the known entries, with weights above 0.
        y: their values as they enter the likelihood.
        logistic: for each relation, whether its likelihood is logistic; else it is Gaussian.
        start, b: the start of the chain.
        rng: the source of every random choice.
        clusters: whether rows belong to clusters, and the size of x has its own moves.
        meetings: those of the data, if another chain has made them.
    """

    def __init__(
        self,
        data: RelationalData,
        y: Array,
        logistic: Sequence[bool],
        start: Factors,
        b: Array,
        rng: np.random.Generator,
        *,
        clusters: bool = False,
        meetings: Meetings | None = None,
    ):
        self.data, self.y, self.logistic, self.rng = data, y, tuple(logistic), rng
        self.A, self.R, self.b = np.array(start.A), np.array(start.R), np.array(b)
        r = self.A.shape[1]
        self.row_prior: RowPrior = Clusters.of(self.A, rng) if clusters else OneGaussian(len(self.A), r)
        self.moves = clusters and any(self.logistic)
        if meetings is not None:
            self.meetings = meetings
        members = [np.flatnonzero(np.array(self.logistic) == kind) for kind in (True, False)]
        self.relation_priors = [
            (group, RelationPrior(r, tuple(data.relations[k] for k in group))) for group in members if group.size
        ]
        self.alpha = np.ones(data.n_relations)
        self.root, self.value = np.ones(len(data)), np.zeros(len(data))
        self.refused = 0
        self._rngs = rng.spawn(data.n_relations)
        self._threads = threads_for(len(data))
        self._slices = [data.slice(k) for k in range(data.n_relations)]
        self._sources = [np.unique(data.i[part], return_index=True) for part in self._slices]
        kinds = [relation.kind for relation in data.relations]
        gaussian = [k for k, logistic in enumerate(self.logistic) if not logistic and self.y[self._slices[k]].size]
        binary = [k for k in gaussian if kinds[k] == "binary"]
        self._noises = [group for group in (binary, *([k] for k in gaussian if kinds[k] != "binary")) if group]
        self.x = self._reconstruct()
        self._draw_priors()
        self.rows = self.row_prior.draw(self.A, rng)

    def sweep(self, should_stop: ShouldStop | None = None, /) -> bool:
        """Draw every unknown once, given the others. False if `should_stop` should_stop it before."""
        for group in self._noises:
            self._draw_noise(group)
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
        if self.moves:
            self._move()
        return True

    def minus_log_likelihood(self) -> float:
        """Minus the log-likelihood of the training entries at the state."""
        return -self._log_likelihood(self.x)

    def _log_likelihood(self, x: Array) -> float:
        return sum(self._log_likelihood_of(k, x[part]) for k, part in enumerate(self._slices))

    def _log_likelihood_of(self, k: int, x: Array) -> float:
        """The log-likelihood of relation k."""
        y, w = self.y[self._slices[k]], self.data.w[self._slices[k]]
        if self.logistic[k]:
            return -float(w @ LOSSES["logistic"].value_and_slope(y, x)[0])
        return -0.5 * float(w @ (self.alpha[k] * (y - x) ** 2 - np.log(self.alpha[k] / (2 * np.pi))))

    def state(self) -> tuple[Array, ...]:
        """Copies of A, R and b."""
        return self.A.copy(), self.R.copy(), self.b.copy()

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
        """Stretch logistic relations, without and with their biases, and shift these biases."""
        members, prior = self.relation_priors[0]
        logistic = np.array(self.logistic)
        of_logistic = logistic[self.data.k]
        for stretched in (np.zeros_like(logistic), logistic):
            fixed = np.where(stretched, 0.0, self.b)[self.data.k]
            fixed[~of_logistic] = self.x[~of_logistic]
            biases = self.b[stretched]
            c = draw_stretch(
                self._log_likelihood, fixed, self.x - fixed, prior, biases, BIAS_PRECISION, self.rng
            )  # fmt: skip
            self.R[members] *= c
            self.b[stretched] *= c
            prior.stretch(c)
            self.x = fixed + c * (self.x - fixed)
        for k in members.tolist():
            x = self.x[self._slices[k]]  # a view
            change = draw_shift(partial(self._log_likelihood_of, k), x, self.b[k], BIAS_PRECISION, self.rng)
            self.b[k] += change
            x += change

    def _draw_noise(self, group: list[int]) -> None:
        count = squares = 0.0
        for k in group:
            part = self._slices[k]
            w, apart = self.data.w[part], self.y[part] - self.x[part]
            count += float(w.sum())
            squares += float(w @ (apart * apart))
        self.alpha[group] = gamma(self.rng, count, squares)

    def _draw_relation(self, k: int) -> None:
        """The precisions ω of the entries of relation k, then R_k and b_k."""
        part, unknowns = self._slices[k], Unknowns.of(self.A.shape[1], self.data.relations[k].directed)
        G, h = np.zeros((unknowns.size + 1,) * 2), np.zeros(unknowns.size + 1)
        rows, first = self._sources[k]
        if rows.size:
            self._augment(k, part)
            starts = np.append(first, part.stop - part.start)
            G, h = unknowns.system(rows, starts, self.data.j[part], self.root[part], self.value[part], self.A)
        tau, mean = self._prior_of(k)
        precision = np.append(tau * unknowns.weight, BIAS_PRECISION)
        G[np.diag_indices_from(G)] += precision
        h[:-1] += precision[:-1] * mean
        drawn = draw(G, h, self._rngs[k].normal(size=h.size))
        self.R[k], self.b[k] = unknowns.unpack(drawn[:-1]), drawn[-1]

    def _augment(self, k: int, part: slice) -> None:
        """√ω, and √ω times the target of x."""
        w, y = self.data.w[part], self.y[part]
        if self.logistic[k]:
            self.root[part] = draw_precisions(w, self.x[part], self._rngs[k])
            self.value[part] = 0.5 * w * y / self.root[part]
        else:
            self.root[part] = np.sqrt(self.alpha[k] * w)
            self.value[part] = self.root[part] * y
