"""`MrWTD`: multi-relational weighted tensor decomposition, the method of the paper, as an estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from typing import Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.errors import DataError, Problem
from ..data.relational import RelationalData
from ..data.relations import KINDS, Relation
from ..metrics import relation_scores, selection_score
from . import search
from .advice import STOPPED, STOPPED_SEARCH, advice
from .factor_model import FactorModel, biases_of, has_cuts
from .losses import LOSSES, Loss, default_loss, loss_named
from .method import in_range, standard_scales, trace_frame
from .objective import Objective, reconstruct
from .partitioned import Partition, Partitions
from .snapshots import SnapshotKeeper
from .solver import Callback, Solution, solve, staged
from .starts import STARTS, make_start, perturbed, sample_share
from .stopping import Stopped, by_callback_only

Array = npt.NDArray[np.float64]

SEARCH_TOL = 3e-4
WARM_TOL = 1e-3
SEARCH_ITERATIONS = 150


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
        rank: how many latent factors an object has.
        loss: a name for all relations, {relation or kind: name}, or "auto", which goes by the kind of each relation.
        lam: the strength λ of the L2 regularisation, or "auto" for a search on held-out training entries.
        start: "spectral", "eigen" (the paper's) or "random".
        positive_weight: a factor on positive entries of binary relations: a number or {relation: number}.
        standardize: centre and scale real values inside the fit, and divide the loss of counts by their dispersion.
        ensemble: how many fits from perturbed starts to average.
        snapshots: how many states of the fit to keep for replaying it.
        max_iter: at most so many iterations a fit.
        tol: stop when the objective falls by less than this share of itself in five iterations.
        seed: of every random choice.

    Learned attributes, besides those of every method:
        A_, R_, b_: the factors, of an ensemble its member of least objective; b_ is 0 for ordinal relations.
        cuts_: {relation: ascending cut points} of ordinal relations.
        lam_, lam_path_: the λ used, and the scores along the search for it (empty where λ was given).
        objective_: the least objective reached.
        evaluations_: how often value and gradient were computed; those of a warm-up count by its share of the entries.
        members_: the factors of each fit of the ensemble.
        snapshots_: the kept states, each with its iteration and A, R and b.
    """

    lam_path_: pd.DataFrame

    diagonal = False
    """Whether R_k is held diagonal."""

    _begin: Array | None = None
    """Where the fit begins, in place of a start of its own."""

    def __init__(
        self,
        rank: int = 20,
        loss: str | Mapping[str, str] = "auto",
        lam: float | str = "auto",
        start: str = "spectral",
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
        self.start = start
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

    def _check(self, train: RelationalData) -> None:
        super()._check(train)
        in_range("rank", self.rank, 1, 10_000, whole=True)
        if self.lam != "auto":
            in_range("lam", self.lam, 0)
        in_range("ensemble", self.ensemble, 1, 1_000, whole=True)
        in_range("snapshots", self.snapshots, 0, 10_000, whole=True)
        in_range("max_iter", self.max_iter, 1, whole=True)
        in_range("tol", self.tol, 0, 1)
        in_range("seed", self.seed, 0, whole=True)
        if self.start not in STARTS:
            raise DataError(Problem(f"start = {self.start!r}", f"one of {', '.join(STARTS)}"))
        for loss, relation in zip(self._losses(train.relations), train.relations, strict=True):
            loss.check(relation)
        self._positive_weights(train.relations)

    def _losses(self, relations: tuple[Relation, ...]) -> list[Loss]:
        given = self.loss if isinstance(self.loss, Mapping) else {}
        _check_relations("loss", [name for name in given if name not in KINDS], relations)
        if not isinstance(self.loss, (str, Mapping)):
            raise DataError(Problem(f"loss = {self.loss!r}", f"a name ({', '.join(LOSSES)}), 'auto' or a mapping"))
        named = isinstance(self.loss, str)
        names = [self.loss if named else given.get(r.name, given.get(r.kind, "auto")) for r in relations]
        return [
            loss_named(default_loss(relation.kind) if name == "auto" else str(name))
            for name, relation in zip(names, relations, strict=True)
        ]

    def _positive_weights(self, relations: tuple[Relation, ...]) -> Array:
        given = self.positive_weight
        if isinstance(given, Mapping):
            _check_relations("positive_weight", given, relations)
            weights = [given.get(relation.name, 1.0) for relation in relations]
        else:
            weights = [given] * len(relations)
        for weight in weights:
            in_range("positive_weight", weight, 0)
        return np.array(weights, dtype=np.float64)

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        self.train_ = train if self._partitions is None else None
        search.fit_at_best(
            self,
            train,
            lambda fitted, held: self._trial(fitted, held, callback),
            lambda: self._fit_all(train, callback),
        )

    def _fit_all(self, train: RelationalData, callback: Callback | None) -> None:
        """Fit to all training entries, at the λ that is set."""
        spread = self._partitions
        losses = self._prepare(train if spread is None else spread.typical())
        objective = self._objective(train, losses, self.lam_)
        objective = objective if spread is None else spread.objective(objective, self)
        keeper = SnapshotKeeper(self.snapshots, objective.layout)
        score = None if self._held_out is None else self._watch(self._scorer(self._held_out, objective, losses))
        solutions: list[Solution] = []
        stopped = False
        for member in range(self.ensemble):
            stage = "fit" if self.ensemble == 1 else f"fit {member + 1} of {self.ensemble}"
            first = member == 0
            try:
                start, ended = self._warm_start(objective, member, callback)
                # What a stopped warm-up has learned is kept, by way of one iteration on all entries.
                with by_callback_only() if ended else nullcontext():
                    solution = solve(
                        objective,
                        start,
                        max_iter=1 if ended else self.max_iter,
                        tol=self.tol,
                        callback=staged(callback, stage, keeper.see if first else None),
                        score=score if first else None,
                    )
            except Stopped:
                if first:
                    raise
                stopped = True
                break
            solutions.append(solution)
            stopped = ended or solution.reason == "stopped"
            if stopped:
                break
        self._finish(objective, solutions, keeper, STOPPED if stopped else "")

    def _finish(
        self, objective: Objective, solutions: list[Solution], keeper: SnapshotKeeper, stopped: str = ""
    ) -> None:
        """Set all that is learned, from a solution for each member; `stopped` is what the user is told of a stop."""
        keeper.close(len(solutions[0].trace), solutions[0].theta)
        self.snapshots_ = keeper.kept()
        self._keep(objective, solutions)
        best = min(solutions, key=lambda one: one.value)
        self.trace_ = trace_frame(solutions[0].trace)
        self.converged_ = not stopped and all(one.converged for one in solutions)
        self.messages_ = tuple(advice(objective, best, self.lam_, self.max_iter, stopped))

    def _prepare(self, train: RelationalData) -> list[Loss]:
        """Set how each relation's values enter the objective, and give its loss."""
        losses = self._losses(train.relations)
        self.losses_ = {r.name: loss.name for r, loss in zip(train.relations, losses, strict=True)}
        self.scales_ = standard_scales(train, losses) if self.standardize else np.tile([0.0, 1.0], (len(losses), 1))
        self.dispersions_ = self._dispersions(train, losses)
        return losses

    def _dispersions(self, train: RelationalData, losses: list[Loss]) -> Array:
        """What each relation's loss is divided by: 1, but for counts that vary more than Poisson ones."""
        sizes = [loss.dispersion(train.y[train.slice(k)]) for k, loss in enumerate(losses)]
        return np.array(sizes if self.standardize else [1.0] * len(sizes))

    def _objective(self, data: RelationalData, losses: list[Loss], lam: float) -> Objective:
        y = data.y
        if (self.scales_ != [0.0, 1.0]).any():
            y = (y - self.scales_[data.k, 0]) / self.scales_[data.k, 1]
        return Objective(
            data, losses, int(self.rank), lam,
            y=y, positive_weight=self._positive_weights(data.relations), relation_weight=1 / self.dispersions_,
            diagonal=self.diagonal,
        )  # fmt: skip

    def _warm_start(self, objective: Objective, member: int, callback: Callback | None) -> tuple[Array, bool]:
        """The start; where entries are plenty, after a fit to some of them, which costs a fraction of one to all.

        And whether the user has stopped that fit.
        """
        if self._begin is not None:
            return self._begin, False
        layout = objective.layout
        share = sample_share(layout.n_objects, layout.n_relations, layout.rank, objective.entries)
        if share == 1 or self.start != "spectral":
            return self._start(objective, member), False
        some = objective.some(share, np.random.default_rng([self.seed, member, 1]))
        # λ in proportion: as much regularisation for each entry as in the whole.
        smaller = self._objective(some, list(objective.losses), objective.lam * share)
        found = solve(
            smaller,
            self._start(smaller, member),
            max_iter=self.max_iter,
            tol=max(self.tol, WARM_TOL),
            callback=staged(callback, "warm-up"),
        )
        objective.evaluations += round(found.evaluations * share)
        return found.theta, found.reason == "stopped"

    def _start(self, objective: Objective, member: int = 0) -> Array:
        rng = np.random.default_rng([self.seed, member])
        start = make_start(self.start, objective, rng)
        if member > 0:
            start = perturbed(start, objective, rng)
        return objective.layout.pack(start)

    def _trial(self, fitted: RelationalData, held: RelationalData, callback: Callback | None) -> search.Trial:
        """How a fit of one hold-out goes at any λ. The scales of values are those of its fitted part."""
        probe = copy(self)
        losses = probe._prepare(fitted)
        objective = probe._objective(fitted, losses, 1.0)
        start, score = probe._start(objective), probe._scorer(held, objective, losses)

        def attempt(lam: float, before: Array | None, stage: str) -> search.Attempt:
            own = objective.with_lam(lam)
            found = solve(
                own,
                start if before is None else before,
                max_iter=min(self.max_iter, SEARCH_ITERATIONS),
                tol=max(self.tol, SEARCH_TOL),
                callback=staged(callback, stage),
            )

            def keep() -> None:
                self.lam_, self.relations_, self.losses_ = lam, fitted.relations, probe.losses_
                self.scales_, self.dispersions_ = probe.scales_, probe.dispersions_
                self._finish(own, [found], SnapshotKeeper(self.snapshots, own.layout), STOPPED_SEARCH)
                self.evaluations_ = 0  # those of the search stand in its path

            gone, stopped = search.collapsed(objective, found.theta), found.reason == "stopped"
            return search.Attempt(found.theta, score(found.theta), gone, stopped, found.evaluations, keep)

        return attempt

    def _scorer(self, held: RelationalData, objective: Objective, losses: list[Loss]) -> Callable[[Array], float]:
        """The score of held-out entries as a function of theta: see `metrics.selection_score`."""
        kinds = [relation.kind for relation in held.relations]

        def score(theta: Array) -> float:
            factors = objective.layout.unpack(theta)
            given = reconstruct(factors, biases_of(factors, losses), held)
            for k, relation in enumerate(held.relations):
                if relation.kind != "binary":
                    at, (centre, scale) = held.slice(k), self.scales_[k]
                    given[at] = losses[k].predict(centre + scale * given[at], relation, np.sort(factors.extras[k]))
            return selection_score(zip(kinds, relation_scores(kinds, held.y, given, held.bounds), strict=True))

        return score

    def _keep(self, objective: Objective, solutions: list[Solution]) -> None:
        members = [search.without_noise(objective.layout.unpack(one.theta)).copy() for one in solutions]
        losses = [loss_named(name) for name in self.losses_.values()]
        for member in members:
            for loss, extra in zip(losses, member.extras, strict=True):
                if has_cuts(loss):
                    extra.sort()
        best = members[int(np.argmin([one.value for one in solutions]))]
        self.members_ = tuple(members)
        self.A_, self.R_, self.b_ = best.A, best.R, biases_of(best, losses)
        self.cuts_ = {
            relation.name: extra
            for relation, loss, extra in zip(self.relations_, losses, best.extras, strict=True)
            if has_cuts(loss)
        }
        self.objective_ = min(one.value for one in solutions)
        self.evaluations_ = objective.evaluations


def _check_relations(what: str, given: Iterable[str], relations: tuple[Relation, ...]) -> None:
    names = [relation.name for relation in relations]
    for name in given:
        if name not in names:
            raise DataError(Problem(f"the relation {name!r} in {what}", f"one of {', '.join(map(repr, names))}"))
