"""MMMF: fast maximum-margin matrix factorization of each relation separately, φ(U_k V_kᵀ + b_k), by L-BFGS.

The relations are fitted one after another with the same λ. The trace has the sum of their objectives; those that are
not fitted yet count with their start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial
from typing import Annotated

import numpy as np
import numpy.typing as npt

from ..data.relational import RelationalData
from ..model.cancellation import Cancelled, raise_if_cancelled
from ..model.kernels import add_row_products
from ..model.lambda_search import COLLAPSED, NOISE
from ..model.layout import Factors
from ..model.learned import numbers
from ..model.losses import Loss
from ..model.method import METHODS, Style
from ..model.parameters import losses_of
from ..model.regularized import RegularizedMethod
from ..model.solver import Solution, SolverOptions, solve
from ..typing import Array, IndexArray, Int32Array
from .pair_objective import PairObjective
from .sequential import Progress, RunningScore

LARGE_MARGIN = {"binary": "smooth-hinge"}
"""The losses of "auto" that differ from those of MrWTD, by kind."""


@METHODS.register
class MMMF(RegularizedMethod):
    """Each relation is φ_k(U_k V_kᵀ + b_k), fitted to its known entries only, with nothing shared.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = MMMF(rank=2, lam=1.0).fit(train)
    >>> model.U_.shape, model.V_.shape, model.b_.shape
    ((2, 15, 2), (2, 15, 2), (2,))

    Undirected entries are fitted in both directions, and their prediction is the mean of both.

    Args:
        rank: the number of latent factors in each relation and on each side of it.
        loss: as in `MrWTD`, but "auto" is the smooth hinge for binary relations.
        lam: the L2 regularization strength λ of all relations, or "auto" for a search.
        max_iter: the maximum number of iterations per relation.
        tol: stop when the objective falls by less than this fraction of itself in five iterations.
        seed: the seed of every random choice.

    Learned attributes besides those of every method with a λ:
        U_, V_: the factors of each relation, (m, n, r).
    """

    name, order, style = "MMMF", 6, Style("#009E73", "dot", "diamond")
    per_relation = True

    U_: Annotated[Array, numbers("m", "n", "r")]
    V_: Annotated[Array, numbers("m", "n", "r")]

    def _losses(self, train: RelationalData) -> list[Loss]:
        named = self.loss
        if isinstance(named, Mapping) or (isinstance(named, str) and named == "auto"):
            named = LARGE_MARGIN | ({} if isinstance(named, str) else dict(named))
        return losses_of(named, train.relations)

    def _problem(self, data: RelationalData) -> list[Slice]:
        slices, y = [], self._scaled(data)
        for k, (relation, loss) in enumerate(zip(data.relations, self._losses(data), strict=True)):
            part = data.select_relations([relation.name])
            objective = PairObjective(part, y[data.slice(k)], loss, self.rank_for(data.n_objects), 1.0)
            slices.append(Slice(objective, self.seed))
            raise_if_cancelled()
        return slices

    def _solve(self, problem: list[Slice], lam: float, start: Array | None, options: SolverOptions) -> Solution:
        objectives = [part.objective.with_lam(lam) for part in problem]
        thetas = [part.start for part in problem] if start is None else resumed(problem, start)
        values = [objective(theta)[0] for objective, theta in zip(objectives, thetas, strict=True)]
        if options.score is not None:
            for k, theta in enumerate(thetas):
                options.score(k, theta)
        progress, reasons, evaluations = Progress(options.callback), list[str](), 0
        for k, objective in enumerate(objectives):
            progress.relation, progress.others = self.relations_[k].name, sum(values) - values[k]
            score = None if options.score is None else partial(options.score, k)
            try:
                solution = solve(objective, thetas[k], replace(options, callback=progress.add, score=score))
            except Cancelled:
                if not progress.trace:
                    raise
                reasons.append("stopped")
                break
            thetas[k], values[k] = solution.theta, solution.value
            reasons.append(solution.reason)
            evaluations += solution.evaluations
            if solution.reason == "stopped":
                break
        reason = next((reason for reason in ("stopped", "failed", "max_iter") if reason in reasons), "converged")
        return Solution(np.concatenate(thetas), sum(values), tuple(progress.trace), reason, evaluations)

    def _scorer(self, problem: list[Slice], held: RelationalData) -> Callable[[int, Array], float]:
        """The score of all relations as a function of the factors of one; the others have their latest score."""
        running = RunningScore(held.relations)
        parts = [held.select_relations([relation.name]) for relation in held.relations]

        def score(k: int, theta: Array) -> float:
            single = self._for_relation(k)
            single._store(problem[k : k + 1], theta)
            return running.update(self.relations_[k].name, single._score(parts[k]))

        return score

    def _collapsed(self, problem: list[Slice], theta: Array) -> bool:
        return all(map(is_degenerate, unpacked(problem, theta)))

    def _store(self, problem: list[Slice], theta: Array) -> None:
        factors = unpacked(problem, theta)
        halves = [np.split(np.zeros_like(part.A) if is_degenerate(part, NOISE) else part.A, 2) for part in factors]
        self.U_, self.V_ = np.stack(halves, axis=1)
        self.b_, self.cuts_ = np.zeros(len(factors)), {}
        for k, part in enumerate(factors):
            if self._loss(k).has_cuts:
                self.cuts_[self.relations_[k].name] = np.sort(part.extras[0])
            else:
                self.b_[k] = part.extras[0][0]

    def _candidate_scores(self, k: int, objects: IndexArray, side: str) -> Array:
        U, V = (self.U_[k], self.V_[k]) if side == "tail" else (self.V_[k], self.U_[k])
        scores: Array = U[objects] @ V.T
        if not self.relations_[k].directed:
            scores = 0.5 * (scores + V[objects] @ U.T)
        scores += self.b_[k]
        return scores

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        x = np.zeros(len(entries))
        i, j = entries.i.view(np.uint32), entries.j.view(np.uint32)
        for position, k in enumerate(relations):
            part = entries.slice(position)
            x[part] = products(self.U_[k], self.V_[k], i[part], j[part])
            if not self.relations_[k].directed:
                x[part] = 0.5 * (x[part] + products(self.U_[k], self.V_[k], j[part], i[part]))
            x[part] += self.b_[k]
        return x


class Slice:
    """The problem of one relation, and the start of L-BFGS without an earlier solution."""

    def __init__(self, objective: PairObjective, seed: int):
        self.objective, self.seed = objective, seed

    @cached_property
    def start(self) -> Array:
        """Computed on demand: it takes as long as many iterations."""
        return self.objective.start(self.seed)


def unpacked(problem: list[Slice], theta: Array) -> list[Factors]:
    """The factors of each relation: A is U with V below it."""
    parts = np.split(theta, np.cumsum([part.objective.layout.size for part in problem])[:-1])
    return [relation.objective.layout.unpack(part) for relation, part in zip(problem, parts, strict=True)]


def resumed(problem: list[Slice], theta: Array) -> list[Array]:
    """The start of each relation from an earlier solution. A collapsed one starts again: no fit leaves zero."""
    pairs = zip(problem, unpacked(problem, theta), strict=True)
    return [part.start if is_degenerate(factors) else part.objective.layout.pack(factors) for part, factors in pairs]


def is_degenerate(factors: Factors, below: float = COLLAPSED) -> bool:
    """Whether U Vᵀ is close to zero, so that only the bias is left."""
    U, V = np.split(factors.A, 2)
    return bool(np.sqrt(np.mean(U**2) * np.mean(V**2)) * factors.rank < below)


def products(U: Array, V: Array, i: npt.NDArray[np.uint32], j: npt.NDArray[np.uint32]) -> Array:
    """u_i · v_j for each pair.

    >>> U, V = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> products(U, V, np.array([0, 1], dtype=np.uint32), np.array([1, 1], dtype=np.uint32))
    array([2., 4.])
    """
    x = np.zeros(i.size)
    add_row_products(i, j, U, V, x)
    return x
