"""`BayesianFactors`: the base class of BTF and MrWTD-B, which differ only in the likelihood of each kind of relation.

Paper: an undirected pair counts once here, twice in the regularized methods. There the sum is over both halves of a
symmetric tensor by convention, and a factor 2 on the loss is the same as half the λ. A likelihood has no λ to
compensate: one observation would count as two independent ones that happen to agree. Every precision that the data
adds would double, and the standard deviation of a prediction would be too small by up to √2.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from ..data.relational import RelationalData
from ..data.relations import Relation
from ..errors import Problem
from ..model.cancellation import Cancelled
from ..model.cost import OPERATIONS, STEP_SECONDS, Cost, Size, evaluation_seconds
from ..model.diagnostics import Diagnostic, RankError
from ..model.initialization import make_start
from ..model.lambda_search import is_degenerate
from ..model.layout import Factors
from ..model.learned import numbers, states
from ..model.objective import Objective, reconstruct
from ..model.progress import Callback, Stage, with_stage
from ..model.scaling import standard_scales
from ..model.solver import SolverOptions, solve
from ..typing import Array, Int32Array
from .likelihoods.likelihood import Likelihood
from .sampler import Chain, MakeChain, Sampler

if TYPE_CHECKING:
    from .gibbs.bilinear_draws import Meetings

START_LAM, START_ITERATIONS, START_TOL = 3.0, 100, 1e-3
"""The regularized fit that starts a chain; a start far from any mode would cost sweeps."""

SEVERAL_LAM = 0.5
"""The λ of several starts as a fraction of that of one: their mean also regularizes."""

MANY_ENTRIES = 10
"""With this many entries for each number there is one mode, and each start continues from the first."""

MAX_BYTES = 1 << 31
"""The sums at all objects from which a relation is drawn take at most two gigabytes."""

SLOW = 2e10
"""From this number of operations per sweep on, several seconds, a diagnostic explains them."""


def _n_parameters(method: Any) -> int:
    """The number of parameters of all likelihoods."""
    return int(method._parameter_slices()[-1].stop)


@cache
def _n_own_parameters(kind: Callable[..., Likelihood], relation: Relation) -> int:
    """The number of parameters of the likelihood of a relation."""
    none = np.empty(0)
    return int(kind(relation, none, none).parameters().size)


class BayesianFactors(Sampler):
    """The posterior of A R_k Aᵀ + b_k, by Gibbs sampling.

    Learned attributes besides those of every sampler:
        A_, R_, b_: the last stored state. It is one draw, not a mean: states also differ by rotations of A.
    """

    samples_: Annotated[tuple[tuple[Array, ...], ...], states(("n", "r"), ("m", "r", "r"), ("m",), (_n_parameters,))]
    A_: Annotated[Array, numbers("n", "r")]
    R_: Annotated[Array, numbers("m", "r", "r")]
    b_: Annotated[Array, numbers("m")]

    clustered: ClassVar[bool] = False
    """Whether the rows of A belong to clusters (`gibbs.row_priors`)."""

    def cost(self, size: Size) -> Cost:
        """The time and memory of the chains and of their starts."""
        chains, cost = self._n_chains(), super().cost(size)
        if chains == 1:
            return cost
        start = START_ITERATIONS * max(evaluation_seconds(size, self.rank_for(size.n_objects)), STEP_SECONDS / 2)
        return replace(cost, seconds=cost.seconds + chains * start)

    def _relations_seconds(self, size: Size) -> float:
        return self._operations(size) / OPERATIONS

    def _unknowns(self, size: Size) -> int:
        """The number of unknowns of each R_k, which is symmetric if all relations are undirected."""
        rank = self.rank_for(size.n_objects)
        return rank * rank if size.directed else rank * (rank + 1) // 2

    def _operations(self, size: Size) -> float:
        """The operations of drawing all R_k once."""
        from .gibbs.relation_conditional import operations

        rank, entries = self.rank_for(size.n_objects), size.entries / size.n_relations
        return size.n_relations * operations(rank, self._unknowns(size), size.n_objects, entries)

    def _likelihood(self, relation: Relation) -> type[Likelihood]:
        """The likelihood of a relation."""
        raise NotImplementedError

    def _parameter_slices(self) -> list[slice]:
        """The parameters of the likelihood of each relation in those of a state."""
        kinds: list[Callable[..., Likelihood]] = [self._likelihood(relation) for relation in self.relations_]
        sizes = [_n_own_parameters(kind, relation) for kind, relation in zip(kinds, self.relations_, strict=True)]
        return [slice(end - size, end) for size, end in zip(sizes, accumulate(sizes), strict=True)]

    def _values(self, train: RelationalData) -> Array:
        """The training values as they enter the likelihood; sets `scales_`."""
        self.scales_ = standard_scales(train, self._all_losses())
        return self._scaled(train)

    def _check(self, train: RelationalData) -> None:
        super()._check(train)
        rank = self.rank_for(train.n_objects)
        bytes_of_rank = 4 * train.n_objects * rank**2
        if bytes_of_rank > MAX_BYTES:
            largest = int((MAX_BYTES / (4 * train.n_objects)) ** 0.5)
            problem = f"rank = {rank}, where a relation is drawn from {bytes_of_rank / 1e9:.1f} GB of sums"
            expected = f"at most {MAX_BYTES / 1e9:.1f} GB: rank {largest}"
            raise RankError(Problem(problem, expected), largest_rank=largest)

    def _chains(self, train: RelationalData, callback: Callback | None) -> tuple[list[MakeChain], bool]:
        from .gibbs.bilinear_chain import BilinearChain

        kinds = [self._likelihood(relation) for relation in train.relations]
        self.losses_ = {relation.name: kind.loss for relation, kind in zip(train.relations, kinds, strict=True)}
        y, rng = self._values(train), np.random.default_rng(self.seed)
        size = Size.of(train)
        operations, unknowns = self._operations(size), self._unknowns(size)
        if operations > SLOW:
            values = {"n_relations": train.n_relations, "unknowns": unknowns, "billions": operations / 1e9}
            self.diagnostics_ = (Diagnostic("slow_sweeps", values=values),)
        starts, stopped = self._starts(train, y, rng, callback)
        rngs = [rng, *rng.spawn(len(starts) - 1)]
        meetings: list[Meetings] = []  # they are the same for all chains

        def make_chain(number: int) -> Chain:
            start = starts[number]
            likelihoods = [
                kind(relation, y[train.slice(k)], train.w[train.slice(k)])
                for k, (kind, relation) in enumerate(zip(kinds, train.relations, strict=True))
            ]
            b = np.array([each.start(extras) for each, extras in zip(likelihoods, start.extras, strict=True)])
            chain = BilinearChain(train, likelihoods, start, b, rngs[number], clusters=self.clustered)
            if meetings:
                chain.meetings = meetings[0]
            elif len(starts) > 1:
                with suppress(Cancelled):
                    meetings.append(chain.meetings)
            return chain

        return [partial(make_chain, number) for number in range(len(starts))], stopped

    def _starts(
        self, train: RelationalData, y: Array, rng: np.random.Generator, callback: Callback | None
    ) -> tuple[list[Factors], bool]:
        """A regularized fit for each chain, with the largest of a few λ that does not shrink it to zero.

        Several chains start from fits to random weights of the entries, as the members of an ensemble do.
        """
        losses = self._all_losses()
        dispersions = np.array([loss.dispersion(y[train.slice(k)]) for k, loss in enumerate(losses)])
        objective = Objective(train, losses, self.rank_, START_LAM, y=y, relation_weight=1 / dispersions)
        options = SolverOptions(START_ITERATIONS, START_TOL, with_stage(callback, Stage("start")))
        starts, n_chains, first = list[Factors](), self._n_chains(), None
        if n_chains > 1:
            objective = objective.with_lam(SEVERAL_LAM * START_LAM)
        many = len(train) > MANY_ENTRIES * objective.layout.size
        for number in range(n_chains):
            chosen = objective if n_chains == 1 else objective.reweighted([self.seed, number, 6])
            theta = first if many and first is not None else chosen.layout.pack(make_start("spectral", chosen, rng))
            for _ in range(4):
                solution = solve(chosen, theta, options)
                if solution.reason == "stopped" or not is_degenerate(chosen.layout.unpack(solution.theta)):
                    break
                chosen = chosen.with_lam(chosen.lam / 10)
            first = solution.theta if first is None else first
            starts.append(chosen.layout.unpack(solution.theta))
            if solution.reason == "stopped":
                return starts, True
        return starts, False

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        super()._fit(train, callback)
        self.A_, self.R_, self.b_, _ = self.samples_[-1]

    def _draw(self, state: tuple[Array, ...], entries: RelationalData, relations: Int32Array) -> Array:
        A, R, b, _ = state
        return reconstruct(Factors(A, R, ()), b, entries, relations)
