"""BPTF: Bayesian probabilistic tensor factorisation, x = Σ_f U_if V_jf T_kf, by Gibbs sampling (Xiong and others).

    y ~ N(x, 1/α),   α ~ Gamma(1/2, 1/2),   rows of U, V and T normal, with Gaussian–Wishart priors

The prior mean of T is 1: by default the relations are alike. With `chain`, relations are in order as if in time, and
T_k ~ N(T_{k−1}, Λ⁻¹). Every relation is centred, as the authors of BPTF do with all ratings: with ±1 as they are,
Kinship loses 0.04 at 10% (and Synth-B gains 0.03). An entry's weight is a power on its likelihood.

An undirected entry enters in both directions, and its prediction is the mean of both. With a U and a V, ⟨U_i, V_j, T_k⟩
and ⟨U_j, V_i, T_k⟩ are two different numbers, and both are fitted to what is known. The price is that one observation
counts as two: where the data outweighs the prior, every posterior variance is halved. `spread` makes up for it with a
factor √2 (a composite likelihood adjusted by its magnitude), which brings the coverage of 90% intervals from 65–83%
back to the 80–95% of directed relations (benchmarks/coverage.py). To count each pair once in the likelihood itself
costs accuracy: half the weight leaves the chain at x = 0 on small data, and the likelihood of the mean of both
directions scores 0.20 in place of 0.29 on Kinship at 5%. BTF and MrWTD-B, with one A for both ends, need no doubling
(`bayes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ..data.arguments import check_bool
from ..data.relational import RelationalData
from ..model import kernels
from ..model.cancellation import raise_if_cancelled
from ..model.diagnostics import Diagnostic
from ..model.learned import Rule, numbers, states
from ..model.losses import LOSSES
from ..model.method_registry import METHODS, Style
from ..model.parameters import Flag, Parameter, named
from ..model.progress import Callback
from ..model.scaling import standard_scales
from ..model.threads import SERIAL_BELOW, ShouldStop, thread_map, threads_for
from ..typing import AnyArray, Array, Int32Array
from .gibbs.conditionals import draw
from .gibbs.cp_draws import RowEntries, draw_rows
from .gibbs.gaussian_wishart import Gaussian, GaussianWishart, normal, wishart
from .gibbs.relation_prior import gamma
from .sampler import Chain, Sampler

BLOCKS = 16
"""Into how many blocks the rows of large data are cut. Fixed, so that sums do not depend on the number of threads."""

TWICE = np.sqrt(2.0)
"""By this the spread of an undirected relation is too small, each of whose observations enters twice."""

BETA = 1.0
START_VARIANCE = 0.1


@METHODS.register
class BPTF(Sampler):
    """The posterior of Σ_f U_if V_jf T_kf with Gaussian noise, by Gibbs sampling.

    Real values, counts and levels are centred and scaled to unit deviation, and predicted in their own unit.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = BPTF(rank=2, sweeps=40, burn_in=20).fit(train)
    >>> model.decision_function(test).shape, bool((model.predict_std(test) > 0).all())
    ((106,), True)

    Args:
        rank: how many latent factors there are.
        lam: of no use: the priors learn their scales. It is there because every method takes it.
        chain: whether the relations are a sequence, each near the one before.
        sweeps: how often every unknown is drawn.
        burn_in: sweeps at the beginning of which no state is kept.
        samples: at most so many states are kept.
        seed: of every random choice.

    Learned attributes, besides those of every sampler:
        U_, V_, T_: the last state kept. It is one draw, not a mean.
        b_: what is added to x: the mean of a binary relation.
    """

    parameters: ClassVar[Mapping[str, Parameter]] = named(Flag("chain"))

    name, order, style = "BPTF", 8, Style("#E69F00", "longdash", "triangle-up")

    learned: ClassVar[Mapping[str, Rule]] = {
        "samples_": states(("n", "r"), ("n", "r"), ("m", "r")),
        "U_": numbers("n", "r"),
        "V_": numbers("n", "r"),
        "T_": numbers("m", "r"),
        "b_": numbers("m"),
    }

    U_: Array
    V_: Array
    T_: Array
    b_: Array

    def __init__(
        self,
        rank: int | None = None,
        lam: float | str = "auto",
        chain: bool = False,
        sweeps: int = 200,
        burn_in: int = 50,
        samples: int = 100,
        seed: int = 0,
    ):
        super().__init__(rank, lam, sweeps, burn_in, samples, seed)
        self.chain = chain

    def _check(self, train: RelationalData) -> None:
        super()._check(train)
        check_bool("chain", self.chain)

    def _chain(self, train: RelationalData, callback: Callback | None) -> tuple[Chain, bool]:
        del callback
        self.scales_ = standard_scales(train, [LOSSES["quadratic"]] * train.n_relations)
        y = (train.y - self.scales_[train.k, 0]) / self.scales_[train.k, 1]
        parts = [train.slice(k) for k in range(train.n_relations)]
        self.b_ = np.array([y[at].mean() if at.stop > at.start else 0.0 for at in parts])
        for at, mean in zip(parts, self.b_, strict=True):
            y[at] -= mean
        return CPChain(train, y, self.rank_, bool(self.chain), np.random.default_rng(self.seed)), False

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        super()._fit(train, callback)
        self.U_, self.V_, self.T_ = self.samples_[-1]

    def predict_std(self, entries: RelationalData) -> Array:
        """The posterior standard deviation of the prediction, without the noise of a single observation.

        That of an undirected relation is √2 times what the states have: each of its pairs entered the fit twice.
        """
        aligned, relations = self._align(entries)
        undirected = np.array([not self.relations_[k].directed for k in relations], dtype=bool)[aligned.k]
        return np.asarray(np.where(undirected, TWICE, 1.0) * super().predict_std(entries))

    def _draw(self, state: tuple[Array, ...], entries: RelationalData, relations: Int32Array) -> Array:
        U, V, T = state
        x: Array = self.b_[relations[entries.k]]
        for own, k in enumerate(relations):
            at = entries.slice(own)
            i, j = entries.i[at].view(np.uint32), entries.j[at].view(np.uint32)
            directed = self.relations_[k].directed
            for source, target in ((i, j),) if directed else ((i, j), (j, i)):
                share = T[k] if directed else 0.5 * T[k]
                if source.size < len(U):  # of many objects and relations, few rows are asked for
                    x[at] += np.einsum("ef,f,ef->e", U[source], share, V[target])
                else:
                    add_products(source, target, U * share, V, x[at])
        return x


def add_products(i: AnyArray, j: AnyArray, U: Array, V: Array, x: Array) -> None:
    """x_e += U[i_e] · V[j_e], without a copy of the rows for every entry.

    >>> x = np.zeros(1)
    >>> add_products(np.array([0]), np.array([1]), np.array([[2.0], [0.0]]), np.array([[0.0], [3.0]]), x)
    >>> x
    array([6.])
    """
    for chunk in kernels.chunks(U.shape[1]):
        u, v = (np.ascontiguousarray(one[:, chunk]) for one in (U, V))
        kernels.add_products(np.array([0, i.size]), i, j, u[None], v, x)


class CPChain:
    """A state of U, V, T, the precision α of the noise, and what the priors learn, given entries.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> chain = CPChain(data, data.y, rank=2, ordered=False, rng=np.random.default_rng(0))
    >>> _ = chain.sweep()
    >>> before = chain.minus_log_likelihood()
    >>> for _ in range(20):
    ...     _ = chain.sweep()
    >>> chain.minus_log_likelihood() < before
    True

    Args:
        data: the known entries, of weights above 0.
        y: their values, centred.
        rank: how many columns U, V and T have.
        ordered: whether T has the chain prior.
        rng: of every random choice.
    """

    def __init__(self, data: RelationalData, y: Array, rank: int, ordered: bool, rng: np.random.Generator):
        self.data, self.y, self.ordered, self.rng = data, y, ordered, rng
        scale = (START_VARIANCE / rank) ** 0.25  # x of a variance a good deal below that of the values
        self.U, self.V = (rng.normal(scale=scale, size=(data.n_objects, rank)) for _ in range(2))
        self.T = rng.normal(loc=1.0, scale=0.1, size=(data.n_relations, rank))
        self.prior = GaussianWishart(np.zeros(rank), BETA, float(rank))
        self.relation_prior = GaussianWishart(np.ones(rank), BETA, float(rank))
        self.sources = RowEntries.of(data, y, source=True)
        one = not any(relation.directed for relation in data.relations)
        raise_if_cancelled()
        self.targets = self.sources if one else RowEntries.of(data, y, source=False)
        raise_if_cancelled()
        weighted = self.sources.root.size > 0
        self.weight = float(self.sources.root @ self.sources.root) if weighted else float(self.sources.other.size)
        self.threads = threads_for(self.sources.other.size)
        self.blocks = 1 if self.sources.other.size < SERIAL_BELOW else BLOCKS
        self.alpha, self.squares = 1.0, float("nan")

    def sweep(self, ended: ShouldStop | None = None, /) -> bool:
        """Draw every unknown once, given the others. False where `ended` said so before all were drawn."""
        if self._draw_rows(self.sources, self.U, self.V, ended) is None:
            return False
        grams = self._draw_rows(self.targets, self.V, self.U, ended)
        if grams is None:
            return False
        rows = (
            chain_prior(self.relation_prior, self.T, self.rng)
            if self.ordered
            else self.relation_prior.draw(self.T, self.rng)
        )
        noise = self.rng.normal(size=self.T.shape)
        for k, gram in enumerate(grams):
            count, mean = self._neighbours(k, rows)
            P = count * rows.precision + self.alpha * gram[:-1, :-1]
            self.T[k] = draw(P, count * (rows.precision @ mean) + self.alpha * gram[:-1, -1], noise[k])
        # Σ (T_k · f − y)² = t G tᵀ with t = (T_k, −1).
        t = np.hstack([self.T, -np.ones((len(self.T), 1))])
        self.squares = max(float(np.einsum("kf,kfg,kg->", t, grams, t)), 0.0)
        self.alpha = gamma(self.rng, self.weight, self.squares)
        return True

    def minus_log_likelihood(self) -> float:
        """Of the training entries after a sweep; an undirected one counts in both directions."""
        return 0.5 * (self.alpha * self.squares - self.weight * float(np.log(self.alpha / (2 * np.pi))))

    def state(self) -> tuple[Array, ...]:
        """U, V and T, in arrays of their own."""
        return self.U.copy(), self.V.copy(), self.T.copy()

    def diagnostics(self, sweeps: int) -> list[Diagnostic]:
        """Nothing more to report."""
        del sweeps
        return []

    def _draw_rows(self, rows: RowEntries, own: Array, other: Array, ended: ShouldStop | None) -> Array | None:
        """Draw all rows of U or V; returned is Σ v vᵀ with v = (U_i ∘ V_j, y) for each relation, None once `ended`."""
        prior, noise = self.prior.draw(own, self.rng), self.rng.normal(size=own.shape)

        def work(block: tuple[int, int]) -> Array:
            return draw_rows(rows, block, other, self.T, self.alpha, prior.precision, prior.mean, noise, own)

        blocks = rows.blocks(self.blocks)
        grams = thread_map(work, blocks, self.threads, ended)
        return np.asarray(np.sum(grams, axis=0)) if len(grams) == len(blocks) else None

    def _neighbours(self, k: int, rows: Gaussian) -> tuple[int, Array]:
        """How many rows the prior draws T_k to, and their mean."""
        if not self.ordered:
            return 1, rows.mean
        near = [self.T[k - 1] if k else rows.mean, *self.T[k + 1 : k + 2]]
        return len(near), np.mean(near, axis=0)


def chain_prior(prior: GaussianWishart, rows: Array, rng: np.random.Generator) -> Gaussian:
    """Mean of the first row and precision of every step, where each row is normal around the one before.

    >>> walk = np.cumsum(np.random.default_rng(0).normal(scale=0.1, size=(2000, 1)), axis=0)
    >>> drawn = chain_prior(GaussianWishart(np.zeros(1), 1.0, 1.0), walk, np.random.default_rng(0))
    >>> bool(90 < drawn.precision[0, 0] < 110)
    True
    """
    steps, away = np.diff(rows, axis=0), rows[0] - prior.mean
    inverse_scale = np.eye(rows.shape[1]) + steps.T @ steps + prior.beta / (prior.beta + 1) * np.outer(away, away)
    precision = wishart(inverse_scale, prior.freedom + len(rows), rng)
    mean = (prior.beta * prior.mean + rows[0]) / (prior.beta + 1)
    return Gaussian(normal(mean, (prior.beta + 1) * precision, rng), precision)
