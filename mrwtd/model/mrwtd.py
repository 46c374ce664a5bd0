"""`MrWTD`: multi-relational weighted tensor decomposition, the method of the paper, as an estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from ..data.relational import RelationalData
from ..typing import Array
from . import lambda_search
from .cancellation import Cancelled, defer_cancellation
from .diagnostics import Diagnostic
from .distributed.partitioned import Partition, Partitions
from .factor_model import FactorModel, has_cuts
from .fit_checks import check_fit, check_refits, factors_in_use
from .initialization import make_start, sample_share
from .layout import Factors
from .learned import Rule, is_flag, numbers, one_number
from .losses import LOSSES, Loss
from .method_registry import Style
from .objective import Objective
from .parameters import MRWTD, Parameter, losses_of, positive_weights
from .progress import Callback, Stage, with_stage
from .snapshots import SnapshotKeeper
from .solver import Solution, solve

WARM_TOL = 1e-3

MEMBER_SHARE = 0.5
"""The λ of the members of an ensemble, as a share of the λ of the fit."""


@dataclass(frozen=True)
class Problem:
    """What a fit makes small, and where it starts."""

    objective: Objective
    make_start: Callable[[], Array]

    @cached_property
    def start(self) -> Array:
        """The start that the fits at several λ share."""
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
        rank: how many latent factors an object has; None is 20, or a fifth of the objects where that is less.
        loss: a name for all relations, {relation or kind: name}, or "auto", which goes by the kind of each relation.
        lam: the strength λ of the L2 regularisation, or "auto" for a search on held-out training entries.
        init: "spectral", "eigen" (the paper's) or "random".
        positive_weight: a factor on positive entries of binary relations: a number or {relation: number}.
        standardize: centre and scale real values inside the fit, and divide the loss of counts by their dispersion.
        ensemble: from 2 up, how many refits to random weights of the entries (a Bayesian bootstrap) to average.
        snapshots: how many states of the fit to keep for replaying it.
        max_iter: at most this many iterations per fit; ten times as many where λ is searched.
        tol: stop when the objective falls by less than this share of itself in five iterations.
        seed: of every random choice.

    Learned attributes, besides those of every method:
        A_, R_, b_: the factors of the fit to all entries; b_ is 0 for ordinal relations.
        cuts_: {relation: ascending cut points} of ordinal relations.
        lam_, lam_path_: the λ used, and the scores along the search for it (empty where λ was given).
        objective_: the least objective of the fit to all entries.
        evaluations_: how often value and gradient were computed, in a warm-up by its share of the entries.
        partitioned_: whether it was fitted to partitions on a cluster.
        members_: the factors of each refit of an ensemble, which predictions average; else those of the fit.
        snapshots_: the kept states of the fit.
    """

    learned: ClassVar[Mapping[str, Rule]] = {
        "evaluations_": one_number(0, whole=True),
        "partitioned_": is_flag,
        "dispersions_": numbers("m", positive=True),
    }

    parameters: ClassVar[Mapping[str, Parameter]] = MRWTD

    name, order, style = "MrWTD", 0, Style("#0072B2")

    partitioned_: bool

    _begin: Array | None = None  # where a fit at a given λ begins, in place of a start of its own
    _searched: bool = False  # whether the λ that is given was searched by another method

    def __init__(
        self,
        rank: int | None = None,
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
    ):
        self.rank = rank
        self.loss = loss
        self.lam = lam
        self.init = init
        self.positive_weight = positive_weight
        self.standardize = standardize
        self.ensemble = ensemble
        self.snapshots = snapshots
        self.max_iter = max_iter
        self.tol = tol
        self.seed = seed

    def fit(
        self,
        train: RelationalData | Sequence[Partition],
        callback: Callback | None = None,
        held_out: RelationalData | None = None,
        backend: str | None = None,
    ) -> Self:
        """Learn from the training entries; with `backend="dask"`, from partitions of them on a cluster's workers.

        The callback gets one `Iteration` a step, and returning True stops: the best so far is kept. With `held_out`
        entries, the trace has their score at each iteration; they are watched, never learned from.
        """
        self._partitions = None
        try:
            if backend is not None:
                self._partitions = Partitions(train, backend)
                train = self._partitions.sample_for(self)
            return super().fit(train, callback, held_out)  # type: ignore[arg-type]  # which it checks
        finally:
            del self._partitions

    def _losses(self, train: RelationalData) -> list[Loss]:
        return losses_of(self.loss, train.relations)

    def _scales(self, train: RelationalData, losses: list[Loss]) -> Array:
        return super()._scales(train, losses) if self.standardize else np.tile([0.0, 1.0], (len(losses), 1))

    def _prepare(self, train: RelationalData) -> list[Loss]:
        losses = super()._prepare(train)
        # What each relation's loss is divided by: 1, but for counts that vary more than Poisson ones.
        sizes = [loss.dispersion(train.y[train.slice(k)]) for k, loss in enumerate(losses)]
        self.dispersions_ = np.array(sizes if self.standardize else [1.0] * len(sizes))
        return losses

    def _objective(self, data: RelationalData, losses: list[Loss], lam: float) -> Objective:
        return Objective(
            data, losses, self.rank_for(data.n_objects), lam,
            y=self._scaled(data), positive_weight=positive_weights(self.positive_weight, data.relations),
            relation_weight=1 / self.dispersions_, diagonal=self.diagonal,
        )  # fmt: skip

    def _problem(self, data: RelationalData) -> Problem:
        self.train_, self.partitioned_ = data, False
        objective = self._objective(data, [LOSSES[name] for name in self.losses_.values()], 1.0)
        return Problem(objective, lambda: self._start(objective))

    def _solve(
        self,
        problem: Problem,
        lam: float,
        before: Array | None,
        max_iter: int,
        tol: float,
        callback: Callback | None,
        score: Callable[[Array], float] | None = None,
    ) -> Solution:
        start = problem.start if before is None else before
        return solve(problem.objective.with_lam(lam), start, max_iter=max_iter, tol=tol, callback=callback, score=score)

    def _fit_all(self, train: RelationalData, callback: Callback | None, before: Array | None) -> None:
        """Fit to all training entries, at the λ that is set, from a solution of the search where there is one."""
        partitions = self._partitions
        losses = self._prepare(train if partitions is None else partitions.typical())
        objective = self._objective(train, losses, self.lam_)
        self.train_, self.partitioned_ = train, False
        if partitions is not None:
            self.train_, self.partitioned_, self.largest_ = None, True, partitions.largest_counts()
            objective = partitions.objective(objective, self)
        problem = Problem(objective, lambda: self._start(objective))
        keeper = SnapshotKeeper(self.snapshots, objective.layout)
        score = None if self._held_out is None else self._watch(self._scorer(problem, self._held_out))
        before = self._begin if before is None else before
        start, ended = (before, False) if before is not None else self._warm_start(objective, callback)
        keeper.begin(start)
        # What a stopped warm-up has learned is kept, by way of one iteration on all entries.
        with defer_cancellation() if ended else nullcontext():
            solution = solve(
                objective,
                start,
                max_iter=1 if ended else self._most_iterations(),
                tol=self._last_tol(),
                callback=with_stage(callback, Stage("fit"), keeper.see),
                score=score,
            )
        stopped = ended or solution.reason == "stopped"
        refits = [] if stopped or self.ensemble == 1 else self._refits(objective, solution, callback)
        stopped = stopped or (self.ensemble > 1 and len(refits) < self.ensemble)
        self._finish(problem, solution, "fit" if stopped else "", keeper)
        self._add_refits(problem, refits)

    def _refits(self, objective: Objective, fit: Solution, callback: Callback | None) -> list[Solution]:
        """The members of an ensemble: fits to random weights of the entries; as many as there are before a stop."""
        refits: list[Solution] = []
        for number in range(self.ensemble):
            try:
                member = self._reweighted(objective, number)
                # Where entries are plenty, all starts lead to the same minimum.
                start = fit.theta if self._share(objective) < 1 else self._start(member, number + 1)
                stage = with_stage(callback, Stage("refit", number + 1, self.ensemble))
                refit = solve(member, start, max_iter=self._most_iterations(), tol=self.tol, callback=stage)
            except Cancelled:
                break
            if refit.reason == "stopped":
                break
            objective.evaluations += refit.evaluations
            refits.append(refit)
        return refits

    def _reweighted(self, objective: Objective, number: int) -> Objective:
        """What member `number` makes small. Averaging does some of the work of the regularisation."""
        return objective.with_lam(MEMBER_SHARE * objective.lam).reweighted([self.seed, number, 2])

    def _explains_entries(self) -> bool:
        # The workers of a cluster drew the weights of their refits, which are not here.
        return len(self.members_) == 1 or not self.partitioned_

    def _member_objective(self, data: RelationalData, number: int) -> Objective:
        objective = super()._member_objective(data, number)
        return objective if len(self.members_) == 1 else self._reweighted(objective, number)

    def _finish(
        self, problem: Problem, solution: Solution, stopped: str = "", keeper: SnapshotKeeper | None = None
    ) -> None:
        super()._finish(problem, solution, stopped)
        objective = problem.objective
        keeper = keeper or SnapshotKeeper(self.snapshots, objective.layout)
        keeper.close(len(solution.trace), solution.theta)
        self.snapshots_ = keeper.kept()
        # Those of a search are in its path.
        self.evaluations_ = 0 if stopped == "search" else objective.evaluations

    def _add_refits(self, problem: Problem, refits: list[Solution]) -> None:
        """Let predictions be the mean of the refits. One refit alone is no ensemble, and worse than the fit."""
        if len(refits) > 1:
            self.members_ = tuple(self._learned(problem, one.theta) for one in refits)
        self.converged_ = self.converged_ and all(one.converged for one in refits)
        self.diagnostics_ = (*self.diagnostics_, *check_refits(refits))

    def _checked_fit(self, problem: Problem, solution: Solution, stopped: str) -> list[Diagnostic]:
        searched = self._searched or self.lam == "auto"
        return check_fit(
            problem.objective, solution, self.lam_, searched=searched, stopped=stopped, constant=self._constant
        )

    def _learned(self, problem: Problem, theta: Array) -> Factors:
        """The factors of a solution, with cut points in ascending order."""
        factors = lambda_search.without_noise(problem.objective.layout.unpack(theta)).copy()
        for loss, extra in zip(problem.objective.losses, factors.extras, strict=True):
            if has_cuts(loss):
                extra.sort()
        return factors

    def _keep(self, problem: Problem, theta: Array) -> None:
        vars(self).update(vars(self._with_factors(self._learned(problem, theta))))

    def _collapsed(self, problem: Problem, theta: Array) -> bool:
        return lambda_search.collapsed(problem.objective, theta)

    def _resumable(self, problem: Problem, theta: Array) -> bool:
        """Whether all factors are there: one that has shrunk to nothing would not come back at a smaller λ."""
        A = problem.objective.layout.unpack(theta).A
        return factors_in_use(A) == int(min(A.shape))

    def _warm_start(self, objective: Objective, callback: Callback | None) -> tuple[Array, bool]:
        """The start; where entries are plenty, after a fit to some of them, which costs a fraction of one to all.

        And whether the user has stopped that fit.
        """
        share = self._share(objective)
        if share == 1:
            return self._start(objective), False
        some = objective.some(share, np.random.default_rng([self.seed, 0, 1]))
        # λ in proportion: as much regularisation for each entry as in the whole.
        smaller = self._objective(some, list(objective.losses), objective.lam * share)
        warm = solve(
            smaller,
            self._start(smaller),
            max_iter=self.max_iter,
            tol=max(self.tol, WARM_TOL),
            callback=with_stage(callback, Stage("warm-up")),
        )
        objective.evaluations += round(warm.evaluations * share)
        return warm.theta, warm.reason == "stopped"

    def _share(self, objective: Objective) -> float:
        """The share of the entries that a fit begins on."""
        layout = objective.layout
        share = sample_share(layout.n_objects, layout.n_relations, layout.rank, objective.entries)
        return share if self.init == "spectral" else 1.0

    def _start(self, objective: Objective, number: int = 0) -> Array:
        return objective.layout.pack(make_start(self.init, objective, np.random.default_rng([self.seed, number])))
