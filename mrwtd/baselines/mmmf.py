"""MMMF: fast maximum-margin matrix factorisation of each relation alone, φ(U_k V_kᵀ + b_k), by L-BFGS.

The relations are fitted one after another with one λ, and their objectives add up to one: the trace shows the sum,
with the starting value of those whose turn is still to come.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..data.relational import RelationalData
from ..model import kernels
from ..model.cancellation import Cancelled, raise_if_cancelled
from ..model.factor_model import has_cuts
from ..model.lambda_search import COLLAPSED, NOISE
from ..model.layout import Factors
from ..model.learned import Rule, numbers
from ..model.losses import LOSSES, Loss
from ..model.method_registry import METHODS, Style
from ..model.parameters import losses_of
from ..model.progress import Callback, Iteration
from ..model.regularized import RegularizedMethod
from ..model.solver import Solution, solve
from ..typing import Array, Int32Array
from .pair_objective import PairObjective
from .running_score import RunningScore

LARGE_MARGIN = {"binary": "smooth-hinge"}
"""What "auto" means by kind, where it is not what MrWTD means by it."""


@METHODS.register
class MMMF(RegularizedMethod):
    """Each relation is φ_k(U_k V_kᵀ + b_k), fitted to its known entries only, with nothing shared.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = MMMF(rank=2, lam=1.0).fit(train)
    >>> model.U_.shape, model.V_.shape, model.b_.shape
    ((2, 15, 2), (2, 15, 2), (2,))

    Undirected entries enter in both directions, and their prediction is the mean of both.

    Args:
        rank: how many latent factors an object has, in each relation and on each side of it.
        loss: as of `MrWTD`, but "auto" is the smooth hinge for binary relations.
        lam: the strength λ of the L2 regularisation, one for all relations, or "auto" for a search.
        max_iter: at most so many iterations a relation.
        tol: stop when the objective falls by less than this share of itself in five iterations.
        seed: of every random choice.

    Learned attributes, besides those of every method:
        U_, V_, b_: the factors of each relation, (m, n, r), and its bias, 0 for ordinal ones.
        cuts_: {relation: ascending cut points} of ordinal relations.
        lam_, lam_path_: the λ used, and the scores along the search for it (empty where λ was given).
    """

    name, order, style = "MMMF", 6, Style("#009E73", "dot", "diamond")
    per_relation = True

    learned: ClassVar[Mapping[str, Rule]] = {"U_": numbers("m", "n", "r"), "V_": numbers("m", "n", "r")}

    U_: Array
    V_: Array

    def _losses(self, train: RelationalData) -> list[Loss]:
        named = self.loss
        if isinstance(named, Mapping) or (isinstance(named, str) and named == "auto"):
            named = LARGE_MARGIN | ({} if isinstance(named, str) else dict(named))
        return losses_of(named, train.relations)

    def _problem(self, data: RelationalData) -> list[Slice]:
        slices, y = [], self._scaled(data)
        for k, (relation, loss) in enumerate(zip(data.relations, self._losses(data), strict=True)):
            own = data.select_relations([relation.name])
            objective = PairObjective(own, y[data.slice(k)], loss, self.rank_for(data.n_objects), 1.0)
            slices.append(Slice(objective, self.seed))
            raise_if_cancelled()
        return slices

    def _solve(
        self,
        problem: list[Slice],
        lam: float,
        before: Array | None,
        max_iter: int,
        tol: float,
        callback: Callback | None,
        score: Callable[[int, Array], float] | None = None,
    ) -> Solution:
        began, trace, reasons, spent = time.perf_counter(), list[Iteration](), list[str](), 0
        objectives = [own.objective.with_lam(lam) for own in problem]
        thetas = [own.start for own in problem] if before is None else resumed(problem, before)
        values = [objective(theta)[0] for objective, theta in zip(objectives, thetas, strict=True)]
        if score is not None:
            for k, theta in enumerate(thetas):
                score(k, theta)
        for k, objective in enumerate(objectives):
            others = sum(values) - values[k]

            def tell(seen: Iteration, k: int = k, others: float = others) -> object:
                assert seen.theta is not None
                whole = Iteration(
                    len(trace) + 1, seen.objective + others, seen.gradient_norm,
                    time.perf_counter() - began - self.watched_, None if score is None else score(k, seen.theta),
                )  # fmt: skip
                trace.append(whole)
                return callback(whole) if callback is not None else False

            try:
                found = solve(objective, thetas[k], max_iter=max_iter, tol=tol, callback=tell)
            except Cancelled:
                if not trace:
                    raise
                reasons.append("stopped")
                break
            thetas[k], values[k] = found.theta, found.value
            reasons.append(found.reason)
            spent += found.evaluations
            if found.reason == "stopped":
                break
        reason = next((reason for reason in ("stopped", "failed", "max_iter") if reason in reasons), "converged")
        return Solution(np.concatenate(thetas), sum(values), tuple(trace), reason, spent)

    def _scorer(self, problem: list[Slice], held: RelationalData) -> Callable[[int, Array], float]:
        """The score of all relations, given the factors of one: the others stand as they were when last asked for."""
        whole = RunningScore(held.relations)
        parts = [held.select_relations([relation.name]) for relation in held.relations]

        def score(k: int, theta: Array) -> float:
            alone = self._for_relation(k)
            alone._keep(problem[k : k + 1], theta)
            return whole.after(self.relations_[k].name, alone._score(parts[k]))

        return score

    def _collapsed(self, problem: list[Slice], theta: Array) -> bool:
        return all(map(is_degenerate, unpacked(problem, theta)))

    def _keep(self, problem: list[Slice], theta: Array) -> None:
        factors = unpacked(problem, theta)
        halves = [np.split(np.zeros_like(own.A) if is_degenerate(own, NOISE) else own.A, 2) for own in factors]
        self.U_, self.V_ = np.stack(halves, axis=1)
        self.b_, self.cuts_ = np.zeros(len(factors)), {}
        for k, (relation, own) in enumerate(zip(self.relations_, factors, strict=True)):
            if has_cuts(LOSSES[self.losses_[relation.name]]):
                self.cuts_[relation.name] = np.sort(own.extras[0])
            else:
                self.b_[k] = own.extras[0][0]

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        x = np.zeros(len(entries))
        i, j = entries.i.view(np.uint32), entries.j.view(np.uint32)
        for own, k in enumerate(relations):
            at = entries.slice(own)
            x[at] = products(self.U_[k], self.V_[k], i[at], j[at])
            if not self.relations_[k].directed:
                x[at] = 0.5 * (x[at] + products(self.U_[k], self.V_[k], j[at], i[at]))
            x[at] += self.b_[k]
        return x


class Slice:
    """What is to be solved for one relation, and where L-BFGS begins where it has no earlier solution to begin with."""

    def __init__(self, objective: PairObjective, seed: int):
        self.objective, self.seed = objective, seed

    @cached_property
    def start(self) -> Array:
        """Computed when it is asked for: it takes as long as many iterations."""
        return self.objective.start(self.seed)


def unpacked(problem: list[Slice], theta: Array) -> list[Factors]:
    """The factors of each relation: A holds U, and V below it."""
    parts = np.split(theta, np.cumsum([own.objective.layout.size for own in problem])[:-1])
    return [own.objective.layout.unpack(part) for own, part in zip(problem, parts, strict=True)]


def resumed(problem: list[Slice], theta: Array) -> list[Array]:
    """Where each relation goes on. What has vanished starts anew: zero attracts, and nothing leaves it again."""
    pairs = zip(problem, unpacked(problem, theta), strict=True)
    return [own.start if is_degenerate(found) else own.objective.layout.pack(found) for own, found in pairs]


def is_degenerate(factors: Factors, below: float = COLLAPSED) -> bool:
    """Whether nothing but the bias is left of U Vᵀ + b."""
    U, V = np.split(factors.A, 2)
    return bool(np.sqrt(np.mean(U**2) * np.mean(V**2)) * factors.rank < below)


def products(U: Array, V: Array, i: npt.NDArray[np.uint32], j: npt.NDArray[np.uint32]) -> Array:
    """u_i · v_j for each pair.

    >>> U, V = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> products(U, V, np.array([0, 1], dtype=np.uint32), np.array([1, 1], dtype=np.uint32))
    array([2., 4.])
    """
    x, starts = np.zeros(i.size), np.array([0, i.size])
    for chunk in kernels.chunks(U.shape[1]):
        u, v = np.ascontiguousarray(U[None, :, chunk]), np.ascontiguousarray(V[:, chunk])
        kernels.add_products(starts, i, j, u, v, x)
    return x
