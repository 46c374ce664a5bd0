"""`MrWTD`: multi-relational weighted tensor decomposition, the method of the paper, as an estimator."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, ClassVar, Self

import numpy as np

from ..data.relational import RelationalData
from ..data.relations import Relation
from ..typing import Array, BoolArray
from . import lambda_search
from .cancellation import defer_cancellation
from .diagnostics import Diagnostic
from .distributed.partitioned import Partition, Partitions
from .factor_model import FactorModel, sorted_cuts
from .fit_checks import MOSTLY, check_refits, factors_in_use
from .initialization import make_start, sample_fraction
from .layout import Factors
from .learned import is_flag, numbers, one_number
from .losses import Loss
from .method import Style
from .objective import Objective
from .parameters import MRWTD, Parameter, positive_weights
from .progress import Callback, Stage, with_stage
from .refits import Member, refit
from .scaling import no_scales
from .snapshots import SnapshotRecorder
from .solver import Solution, SolverOptions, solve

WARM_UP_TOL = 1e-3

LARGE, LARGE_TOL = 600_000, 10.0
"""From this many entries on, if they are plenty, a fit stops at this multiple of `tol` (benchmarks/stopping)."""

MEMBER_LAM, MEMBER_TOL = 0.3, 4.0
"""λ and tolerance of the members of an ensemble as multiples of those of the fit: averaging also regularizes."""


@dataclass(frozen=True)
class Problem:
    """The objective of a fit, and its start."""

    objective: Objective
    make_start: Callable[[], Array]

    @cached_property
    def start(self) -> Array:
        """The start of the fits at all λ."""
        return self.make_start()


class MrWTD(FactorModel):
    """Each relation is φ_k(A R_k Aᵀ + b_k), with one A for all, fitted to the known entries only.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = MrWTD(rank=2, lam=1.0).fit(train)
    >>> model.A_.shape, model.R_.shape, model.b_.shape
    ((15, 2), (2, 2, 2), (2,))
    >>> model.predict(test)[:3]
    array([-1., -1., -1.])

    Args:
        rank: the number of latent factors; None is 20, or a fifth of the number of objects if that is less, and "auto"
            searches it on held-out training entries.
        loss: a name for all relations, {relation or kind: name}, or "auto" for the default of each kind.
        lam: the L2 regularization strength λ, or "auto" for a search on held-out training entries.
        init: "spectral", "eigen" (the paper's) or "random".
        positive_weight: a factor on positive entries of binary relations: a number or {relation: number}.
        standardize: centre and scale real values inside the fit, and divide the loss of counts by their dispersion.
        ensemble: from 2 up, the number of refits to random weights of the entries (a Bayesian bootstrap) to average.
        snapshots: the number of states of the fit to store, for a replay.
        max_iter: the maximum number of iterations per fit; ten times as many if λ is searched.
        tol: stop when the objective falls by less than this fraction of itself in five iterations; ten times it with
            600,000 entries or more, 40 for each number in A and R: the last iterations then gain nothing.
        seed: the seed of every random choice.
        n_jobs: the number of processes that fit the members of an ensemble; the results do not depend on it.

    Learned attributes besides those of every method:
        A_, R_, b_: the factors of the fit to all entries; b_ is 0 for ordinal relations.
        cuts_: {relation: ascending cut points} of ordinal relations.
        lam_, lam_path_: the λ used, and the scores along the search for it (empty if λ was given).
        objective_: the lowest objective of the fit to all entries.
        evaluations_: the number of evaluations of the objective; those of a warm-up count by its fraction of entries.
        partitioned_: whether it was fitted to partitions on a cluster.
        members_: the factors of each refit of an ensemble, whose predictions are averaged; else those of the fit.
        snapshots_: the stored states of the fit.
    """

    evaluations_: Annotated[int, one_number(0, whole=True)]
    partitioned_: Annotated[bool, is_flag]
    dispersions_: Annotated[Array, numbers("m", positive=True)]

    parameters: ClassVar[Mapping[str, Parameter]] = MRWTD

    name, order, style = "MrWTD", 0, Style("#0072B2")

    _given_start: Array | None = None  # the start of a fit at a given λ, instead of its own

    def __init__(
        self,
        rank: int | str | None = None,
        loss: str | Mapping[str, str] = "auto",
        lam: float | str = "auto",
        init: str = "spectral",
        positive_weight: float | Mapping[str, float] = 1.0,
        standardize: bool = True,
        ensemble: int = 1,
        snapshots: int = 0,
        max_iter: int = 300,
        tol: float = 1e-4,
        seed: int = 0,
        n_jobs: int = 1,
    ):
        super().__init__(rank, loss, lam, max_iter, tol, seed)
        self.init = init
        self.positive_weight = positive_weight
        self.standardize = standardize
        self.ensemble = ensemble
        self.snapshots = snapshots
        self.n_jobs = n_jobs

    def fit(
        self,
        train: RelationalData | Sequence[Partition],
        callback: Callback | None = None,
        held_out: RelationalData | None = None,
        backend: str | None = None,
    ) -> Self:
        """Learn from the training entries; with `backend="dask"`, from partitions of them on a cluster's workers.

        The callback gets one `Iteration` per step. If it returns True, the fit stops with the best result so far. With
        `held_out` entries, the trace has their score at each iteration; nothing is learned from them.
        """
        self._partitions = None
        try:
            if backend is not None:
                self._partitions = Partitions(train, backend)
                train = self._partitions.sample_for(self)
            return super().fit(train, callback, held_out)  # type: ignore[arg-type]  # which it checks
        finally:
            del self._partitions

    def _scales(self, train: RelationalData, losses: list[Loss]) -> Array:
        return super()._scales(train, losses) if self.standardize else no_scales(len(losses))

    def _prepare(self, train: RelationalData) -> list[Loss]:
        losses = super()._prepare(train)
        # The divisor of each relation's loss: 1, but for counts that vary more than Poisson ones.
        sizes = [loss.dispersion(train.y[train.slice(k)]) for k, loss in enumerate(losses)]
        self.dispersions_ = np.array(sizes if self.standardize else [1.0] * len(sizes))
        return losses

    def _objective(self, data: RelationalData, losses: list[Loss], lam: float) -> Objective:
        rank = vars(self).get("rank_") or self.rank_for(data.n_objects)  # new objects do not change that of the fit
        pattern = self._pattern(rank, data.relations)
        return Objective(
            data, losses, rank if pattern is None else pattern.shape[-1], lam,
            y=self._scaled(data), positive_weight=positive_weights(self.positive_weight, data.relations),
            relation_weight=1 / self.dispersions_, pattern=pattern,
        )  # fmt: skip

    def _pattern(self, rank: int, relations: Sequence[Relation]) -> BoolArray | None:
        """Where R_k may differ from 0, (m, c, c) or (c, c) for c columns of A; None for everywhere."""
        return None

    def _problem(self, data: RelationalData) -> Problem:
        self.train_, self.partitioned_ = data, False
        objective = self._objective(data, self._all_losses(), 1.0)
        return Problem(objective, lambda: self._start(objective))

    def _solve(self, problem: Problem, lam: float, start: Array | None, options: SolverOptions) -> Solution:
        return solve(problem.objective.with_lam(lam), problem.start if start is None else start, options)

    def _fit_all(self, train: RelationalData, callback: Callback | None, start: Array | None) -> None:
        partitions = self._partitions
        losses = self._prepare(train if partitions is None else partitions.typical())
        objective = self._objective(train, losses, self.lam_)
        self.train_, self.partitioned_ = train, False
        if partitions is not None:
            self.train_, self.partitioned_, self.largest_ = None, True, partitions.largest_counts()
            self.sampling_rates_ = partitions.sampling_rates()
            objective = partitions.objective(objective, self)
        problem = Problem(objective, lambda: self._start(objective))
        recorder = SnapshotRecorder(self.snapshots, objective.layout)
        options = self._final_options(with_stage(callback, Stage("fit"), recorder.add), problem)
        start, stopped = self._given_start if start is None else start, False
        if start is None:
            start, stopped = self._warm_start(objective, callback)
        recorder.add_start(start)
        if stopped:  # one iteration on all entries turns a stopped warm-up into a result
            with defer_cancellation():
                solution = solve(objective, start, replace(options, max_iter=1))
        else:
            solution = solve(objective, start, options)
            stopped = solution.reason == "stopped"
        refits = [] if stopped or self.ensemble == 1 else self._refits(objective, solution, callback)
        stopped = stopped or (self.ensemble > 1 and len(refits) < self.ensemble)
        self._finish(problem, solution, "fit" if stopped else "", recorder)
        self._add_refits(problem, refits)

    def _refits(self, objective: Objective, fit: Solution, callback: Callback | None) -> list[Solution]:
        """The members of an ensemble, fits to random weights of the entries: all of them, or those before a stop."""

        def members() -> Iterator[Member]:
            for number in range(self.ensemble):
                member = self._reweighted(objective, number)
                # With plenty of entries, all starts lead to the same minimum.
                yield member, fit.theta if self._sample_fraction(objective) < 1 else self._start(member, number + 1)

        # The entries of a cluster are in its workers, which divide the work of each member.
        n_jobs = 1 if self.partitioned_ else self.n_jobs
        options = SolverOptions(self._max_iterations(), MEMBER_TOL * self.tol)
        refits = refit(members(), self.ensemble, options, callback, n_jobs)
        objective.evaluations += sum(solution.evaluations for solution in refits)
        return refits

    def _reweighted(self, objective: Objective, number: int) -> Objective:
        """The objective of member `number`."""
        return objective.with_lam(MEMBER_LAM * objective.lam).reweighted([self.seed, number, 2])

    def _explains_entries(self) -> bool:
        # The weights of refits on a cluster are known to its workers only.
        return len(self.members_) == 1 or not self.partitioned_

    def _member_objective(self, data: RelationalData, number: int) -> Objective:
        objective = super()._member_objective(data, number)
        return objective if len(self.members_) == 1 else self._reweighted(objective, number)

    def _finish(
        self, problem: Problem, solution: Solution, stopped: str = "", recorder: SnapshotRecorder | None = None
    ) -> None:
        super()._finish(problem, solution, stopped)
        recorder = recorder or SnapshotRecorder(self.snapshots, problem.objective.layout)
        recorder.add_end(len(solution.trace), solution.theta)
        self.snapshots_ = recorder.snapshots()
        # The evaluations of a search are in its path.
        self.evaluations_ = 0 if stopped == "search" else problem.objective.evaluations

    def _add_refits(self, problem: Problem, refits: list[Solution]) -> None:
        """Make predictions the mean of the refits. A single refit is no ensemble, and worse than the fit."""
        if len(refits) > 1:
            self.members_ = tuple(self._learned(problem, refit.theta) for refit in refits)
        self.converged_ = self.converged_ and all(refit.converged for refit in refits)
        self.diagnostics_ = (*self.diagnostics_, *check_refits(refits))

    def _check_rank(self, problem: Problem, solution: Solution) -> list[Diagnostic]:
        objective, n = problem.objective, problem.objective.layout.n_objects
        r = self.rank_for(n)
        factors, entries = objective.layout.unpack(solution.theta), objective.entries
        numbers = factors.A.size + objective.numbers_in_R
        used = self._factors_in_use(factors)
        if r > n:
            return [Diagnostic("rank_above_objects", values={"rank": r, "n_objects": n})]
        if self.lam_ == 0 and numbers > entries:
            return [Diagnostic("underdetermined", values={"rank": r, "numbers": numbers, "entries": entries})]
        if solution.converged and not lambda_search.is_degenerate(factors) and used <= MOSTLY * r:
            return [Diagnostic("rank_unused", values={"rank": r, "used": used, "lam": self.lam_})]
        return []

    def _factors_in_use(self, factors: Factors) -> int:
        """How much of the rank a fit uses."""
        return factors_in_use(factors.A)

    def _learned(self, problem: Problem, theta: Array) -> Factors:
        """The factors of a solution, with cut points in ascending order."""
        factors = lambda_search.without_noise(problem.objective.layout.unpack(theta))
        return sorted_cuts(factors, problem.objective.losses)

    def _store(self, problem: Problem, theta: Array) -> None:
        vars(self).update(vars(self._with_factors(self._learned(problem, theta))))

    def _collapsed(self, problem: Problem, theta: Array) -> bool:
        return lambda_search.is_degenerate(problem.objective.layout.unpack(theta))

    def _resumable(self, problem: Problem, theta: Array) -> bool:
        # A factor that has shrunk to zero stays zero at a smaller λ.
        A = problem.objective.layout.unpack(theta).A
        return factors_in_use(A) == int(min(A.shape))

    def _warm_start(self, objective: Objective, callback: Callback | None) -> tuple[Array, bool]:
        """The start, and whether the user stopped the warm-up that led to it.

        With plenty of entries, a fit to some of them comes first: it costs a fraction of a fit to all.
        """
        fraction = self._sample_fraction(objective)
        if fraction == 1:
            return self._start(objective), False
        sample = objective.sample(fraction, np.random.default_rng([self.seed, 0, 1]))
        # λ in proportion: the same regularization per entry.
        smaller = self._objective(sample, list(objective.losses), objective.lam * fraction)
        tol = max(self.tol, WARM_UP_TOL)
        options = SolverOptions(self.max_iter, tol, with_stage(callback, Stage("warm-up")))
        solution = solve(smaller, self._start(smaller), options)
        objective.evaluations += round(solution.evaluations * fraction)
        return solution.theta, solution.reason == "stopped"

    def _final_options(self, callback: Callback | None, problem: Problem) -> SolverOptions:
        options = super()._final_options(callback, problem)
        large = problem.objective.entries >= LARGE and self._sample_fraction(problem.objective) < 1
        return replace(options, tol=LARGE_TOL * options.tol) if large else options

    def _sample_fraction(self, objective: Objective) -> float:
        """The fraction of the entries that a warm-up fits; 1 if there is none."""
        layout = objective.layout
        fraction = sample_fraction(layout.n_objects, layout.n_relations, layout.rank, objective.entries)
        return fraction if self.init == "spectral" else 1.0

    def _start(self, objective: Objective, number: int = 0) -> Array:
        return objective.layout.pack(make_start(self.init, objective, np.random.default_rng([self.seed, number])))
