"""BPTF: Bayesian probabilistic tensor factorization, x = Σ_f U_if V_jf T_kf, by Gibbs sampling (Xiong and others).

    y ~ N(x, 1/α),   α ~ Gamma(1/2, 1/2),   rows of U, V and T normal, with Gaussian–Wishart priors

The prior mean of T is 1: by default the relations are alike. With `chain`, relations are ordered as in time, and
T_k ~ N(T_{k−1}, Λ⁻¹). Every relation is centred, as the authors of BPTF do with all ratings: with plain ±1, Kinship
loses 0.04 at 10% (and Synth-B gains 0.03). An entry's weight is a power on its likelihood.

An undirected entry is fitted in both directions, and its prediction is the mean of both. With a U and a V,
⟨U_i, V_j, T_k⟩ and ⟨U_j, V_i, T_k⟩ are two different numbers, and both are fitted to the known value. The price is that
one observation counts as two: if the data outweighs the prior, every posterior variance is halved. `predict_std`
corrects it by a factor √2 (a composite likelihood adjusted by its magnitude), which brings the coverage of 90%
intervals from 65–83% back to the 80–95% of directed relations (benchmarks/coverage.py). Counting each pair once in the
likelihood costs accuracy: half the weight leaves the chain at x = 0 on small data, and the likelihood of the mean of
both directions scores 0.20 instead of 0.29 on Kinship at 5%. BTF and MrWTD-B, with one A for both ends, need no
doubling (`bayesian_factors`).
"""

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np

from ..data.relational import RelationalData
from ..model.cancellation import raise_if_cancelled
from ..model.kernels import add_row_products
from ..model.learned import numbers, states
from ..model.method import METHODS, Style
from ..model.parameters import Flag, Parameter, named
from ..model.progress import Callback
from ..model.scaling import standard_scales
from ..model.threads import SERIAL_BELOW, ShouldStop, thread_map, threads_for
from ..typing import Array, Int32Array
from .gibbs.conditionals import draw
from .gibbs.cp_draws import RowEntries, draw_rows
from .gibbs.gaussian_wishart import Gaussian, GaussianWishart, normal, wishart
from .gibbs.relation_draws import gamma
from .sampler import Chain, MakeChain, Sampler

BLOCKS = 16
"""The number of blocks of rows of large data. Fixed, so that sums do not depend on the number of threads."""

TWICE = np.sqrt(2.0)
"""The standard deviation of an undirected relation is too small by this: each of its observations counts twice."""

BETA = 1.0
START_VARIANCE = 0.1


@METHODS.register
class BPTF(Sampler):
    """The posterior of Σ_f U_if V_jf T_kf with Gaussian noise, by Gibbs sampling.

    Real values, counts and levels are centred and scaled to unit deviation, and predicted in the unit of the data.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = BPTF(rank=2, sweeps=40, burn_in=20).fit(train)
    >>> model.decision_function(test).shape, bool((model.predict_std(test) > 0).all())
    ((106,), True)

    Args:
        rank: the number of latent factors.
        lam: not used, as the priors learn their scales; every method has it.
        chain: whether the relations are a sequence, each close to the previous one.
        sweeps: the number of times that every unknown is drawn.
        burn_in: the number of first sweeps whose states are not stored.
        samples: the maximum number of stored states.
        seed: the seed of every random choice.

    Learned attributes besides those of every sampler:
        U_, V_, T_: the last stored state. It is one draw, not a mean.
        b_: the mean of each binary relation, which is added to x.
    """

    parameters: ClassVar[Mapping[str, Parameter]] = named(Flag("chain"))

    name, order, style = "BPTF", 8, Style("#E69F00", "longdash", "triangle-up")

    samples_: Annotated[tuple[tuple[Array, ...], ...], states(("n", "r"), ("n", "r"), ("m", "r"))]
    U_: Annotated[Array, numbers("n", "r")]
    V_: Annotated[Array, numbers("n", "r")]
    T_: Annotated[Array, numbers("m", "r")]
    b_: Annotated[Array, numbers("m")]

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

    def _chains(self, train: RelationalData, callback: Callback | None) -> tuple[list[MakeChain], bool]:
        self.scales_ = standard_scales(train, self._all_losses())
        y = self._scaled(train).copy()
        values = [y[train.slice(k)] for k in range(train.n_relations)]
        self.b_ = np.array([part.mean() if part.size else 0.0 for part in values])
        for part, mean in zip(values, self.b_, strict=True):
            part -= mean
        return [lambda: CPChain(train, y, self.rank_, bool(self.chain), np.random.default_rng(self.seed))], False

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        super()._fit(train, callback)
        self.U_, self.V_, self.T_ = self.samples_[-1]

    def predict_std(self, entries: RelationalData) -> Array:
        """The posterior standard deviation of the prediction, without the noise of a single observation.

        That of an undirected relation is √2 times that of the states: each of its pairs counts twice in the fit.
        """
        aligned, relations = self._align(entries)
        undirected = np.array([not self.relations_[k].directed for k in relations], dtype=bool)[aligned.k]
        return np.asarray(np.where(undirected, TWICE, 1.0) * super().predict_std(entries))

    def _draw(self, state: tuple[Array, ...], entries: RelationalData, relations: Int32Array) -> Array:
        U, V, T = state
        x: Array = self.b_[relations[entries.k]]
        for position, k in enumerate(relations):
            part = entries.slice(position)
            i, j = entries.i[part].view(np.uint32), entries.j[part].view(np.uint32)
            directed = self.relations_[k].directed
            t = T[k] if directed else 0.5 * T[k]
            for source, target in ((i, j),) if directed else ((i, j), (j, i)):
                if source.size < len(U):  # few of the rows are needed
                    x[part] += np.einsum("ef,f,ef->e", U[source], t, V[target])
                else:
                    add_row_products(source, target, U * t, V, x[part])
        return x


class CPChain(Chain):
    """A state of U, V, T, the precision α of the noise and the parameters of the priors, given entries.

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
        data: the known entries, with weights above 0.
        y: their values, centred.
        rank: the number of columns of U, V and T.
        ordered: whether T has the chain prior.
        rng: the source of every random choice.
    """

    def __init__(self, data: RelationalData, y: Array, rank: int, ordered: bool, rng: np.random.Generator):
        self.data, self.y, self.ordered, self.rng = data, y, ordered, rng
        scale = (START_VARIANCE / rank) ** 0.25  # the variance of x is far below that of the values
        self.U, self.V = (rng.normal(scale=scale, size=(data.n_objects, rank)) for _ in range(2))
        self.T = rng.normal(loc=1.0, scale=0.1, size=(data.n_relations, rank))
        self.prior = GaussianWishart(np.zeros(rank), BETA, float(rank))
        self.relation_prior = GaussianWishart(np.ones(rank), BETA, float(rank))
        self.sources = RowEntries.of(data, y, source=True)
        undirected = not any(relation.directed for relation in data.relations)
        raise_if_cancelled()
        self.targets = self.sources if undirected else RowEntries.of(data, y, source=False)
        raise_if_cancelled()
        weighted = self.sources.root.size > 0
        self.weight = float(self.sources.root @ self.sources.root) if weighted else float(self.sources.other.size)
        self.threads = threads_for(self.sources.other.size)
        self.blocks = 1 if self.sources.other.size < SERIAL_BELOW else BLOCKS
        self.alpha, self.squares = 1.0, float("nan")

    def sweep(self, should_stop: ShouldStop | None = None, /) -> bool:
        """Draw every unknown once, given the others. False if `should_stop` ended it before."""
        if self._draw_rows(self.sources, self.U, self.V, should_stop) is None:
            return False
        grams = self._draw_rows(self.targets, self.V, self.U, should_stop)
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
        """Minus the log-likelihood of the training entries after a sweep, in which undirected ones count twice."""
        return 0.5 * (self.alpha * self.squares - self.weight * float(np.log(self.alpha / (2 * np.pi))))

    def state(self) -> tuple[Array, ...]:
        """Copies of U, V and T."""
        return self.U.copy(), self.V.copy(), self.T.copy()

    def _draw_rows(
        self, entries: RowEntries, rows: Array, other: Array, should_stop: ShouldStop | None
    ) -> Array | None:
        """Draw all rows of U or V; returns Σ v vᵀ with v = (U_i ∘ V_j, y) for each relation, None if stopped."""
        prior, noise = self.prior.draw(rows, self.rng), self.rng.normal(size=rows.shape)

        def draw_block(block: tuple[int, int]) -> Array:
            return draw_rows(entries, block, other, self.T, self.alpha, prior.precision, prior.mean, noise, rows)

        blocks = entries.blocks(self.blocks)
        grams = thread_map(draw_block, blocks, self.threads, should_stop)
        return np.asarray(np.sum(grams, axis=0)) if len(grams) == len(blocks) else None

    def _neighbours(self, k: int, rows: Gaussian) -> tuple[int, Array]:
        """The number of rows that are the prior mean of T_k, and their mean."""
        if not self.ordered:
            return 1, rows.mean
        near = [self.T[k - 1] if k else rows.mean, *self.T[k + 1 : k + 2]]
        return len(near), np.mean(near, axis=0)


def chain_prior(prior: GaussianWishart, rows: Array, rng: np.random.Generator) -> Gaussian:
    """Mean of the first row and precision of every step, where each row is normal around the previous one.

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
