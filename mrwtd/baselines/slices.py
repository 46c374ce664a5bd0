"""`SliceBySlice`: one decomposition for each relation, which learns nothing from the others, and one λ for all.

The relations are fitted one after another, and their objectives add up to one: the trace shows the sum, with the
starting value of those whose turn is still to come.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from ..data.relational import RelationalData
from ..model import kernels
from ..model.factor_model import has_cuts
from ..model.layout import Factors, Layout
from ..model.losses import Loss, loss_named
from ..model.mrwtd import MrWTD
from ..model.solver import Callback, Iteration, Smooth, Solution, solve
from .penalised import Penalised

Array = npt.NDArray[np.float64]


class SliceObjective(Smooth, Protocol):
    """The objective of one relation."""

    @property
    def layout(self) -> Layout:
        """How theta is made up."""

    def with_lam(self, lam: float) -> SliceObjective:
        """The same with another λ."""


@dataclass(frozen=True)
class Slice:
    """What is to be solved for one relation, and where L-BFGS begins."""

    objective: Any
    start: Array


class SliceBySlice(Penalised):
    """What MMMF and MMMF+ share: x = p_i · q_j + b_k, with p and q from a solution of relation k alone."""

    usual: ClassVar[dict[str, str]] = {}
    """What "auto" means by kind, where it is not what MrWTD means by it."""

    b_: Array
    cuts_: dict[str, Array]

    def __init__(
        self,
        rank: int = 20,
        loss: str | Mapping[str, str] = "auto",
        lam: float | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-5,
        seed: int = 0,
    ):
        self.rank = rank
        self.loss = loss
        self.lam = lam
        self.max_iter = max_iter
        self.tol = tol
        self.seed = seed

    def _objective(self, data: RelationalData, y: Array, loss: Loss) -> SliceObjective:
        """The objective of one relation, which is all that the data holds."""
        raise NotImplementedError

    def _start(self, objective: Any) -> Array:
        """Where L-BFGS begins."""
        raise NotImplementedError

    def _vanished(self, factors: Factors) -> bool:
        """Whether nothing but the bias is left of a relation."""
        raise NotImplementedError

    def _keep_factors(self, factors: list[Factors]) -> None:
        """Set what `_sides` reads."""
        raise NotImplementedError

    def _sides(self, k: int) -> tuple[Array, Array]:
        """P and Q of relation k."""
        raise NotImplementedError

    def _check(self, train: RelationalData) -> None:
        super()._check(train)
        for loss, relation in zip(self._losses(train), train.relations, strict=True):
            loss.check(relation)

    def _losses(self, train: RelationalData) -> list[Loss]:
        named = self.loss
        if named == "auto" or isinstance(named, Mapping):
            named = self.usual | ({} if isinstance(named, str) else dict(named))
        return MrWTD(loss=named)._losses(train.relations)

    def _problem(self, data: RelationalData, y: Array) -> list[Slice]:
        slices = []
        for k, (relation, loss) in enumerate(zip(data.relations, self._losses(data), strict=True)):
            own = data.only([relation.name])
            objective = self._objective(own, y[data.slice(k)], loss)
            # Zero, where a relation without entries ends anyway, is where it begins.
            slices.append(Slice(objective, self._start(objective) if len(own) else np.zeros(objective.layout.size)))
        return slices

    def _solve(
        self,
        problem: list[Slice],
        lam: float,
        before: Array | None,
        max_iter: int,
        tol: float,
        callback: Callback | None,
    ) -> Solution:
        began, trace, reasons, spent = time.perf_counter(), list[Iteration](), list[str](), 0
        objectives = [own.objective.with_lam(lam) for own in problem]
        thetas = [own.start for own in problem]
        if before is not None:
            for k, theta in enumerate(split(problem, before)):
                # Zero attracts, and nothing leaves it again: what has vanished starts anew.
                if not self._vanished(objectives[k].layout.unpack(theta)):
                    thetas[k] = theta
        values = [objective(theta)[0] for objective, theta in zip(objectives, thetas, strict=True)]
        for k, objective in enumerate(objectives):
            if "stopped" in reasons:
                break
            others = sum(values) - values[k]

            def tell(seen: Iteration, others: float = others) -> object:
                seconds = time.perf_counter() - began
                trace.append(
                    replace(seen, number=len(trace) + 1, objective=seen.objective + others, seconds=seconds, theta=None)
                )
                return callback(trace[-1]) if callback is not None else False

            found = solve(objective, thetas[k], max_iter=max_iter, tol=tol, callback=tell)
            thetas[k], values[k] = found.theta, found.value
            reasons.append(found.reason)
            spent += found.evaluations
        reason = next((reason for reason in ("stopped", "max_iter") if reason in reasons), "converged")
        return Solution(np.concatenate(thetas), sum(values), tuple(trace), reason, spent)

    def _collapsed(self, problem: list[Slice], theta: Array) -> bool:
        return all(map(self._vanished, unpack(problem, theta)))

    def _keep(self, problem: list[Slice], theta: Array) -> None:
        factors = [own.copy() for own in unpack(problem, theta)]
        self._keep_factors(factors)
        losses = [loss_named(name) for name in self.losses_.values()]
        known = [
            (r.name, has_cuts(loss), own.extras[0])
            for r, loss, own in zip(self.relations_, losses, factors, strict=True)
        ]
        self.b_ = np.array([0.0 if cuts else extras[0] for _, cuts, extras in known])
        self.cuts_ = {name: np.sort(extras) for name, cuts, extras in known if cuts}

    def _extras(self, k: int) -> Array:
        cuts: Array = self.cuts_.get(self.relations_[k].name, self.b_[k : k + 1])
        return cuts

    def _reconstruct(self, entries: RelationalData, relations: npt.NDArray[np.int32]) -> Array:
        x = np.zeros(len(entries))
        i, j = entries.i.view(np.uint32), entries.j.view(np.uint32)
        for own, k in enumerate(relations):
            at = entries.slice(own)
            P, Q = self._sides(int(k))
            x[at] = product(P, Q, i[at], j[at])
            if not self.relations_[k].directed:
                x[at] = 0.5 * (x[at] + product(P, Q, j[at], i[at]))
            x[at] += self.b_[k]
        return x


def split(problem: list[Slice], theta: Array) -> list[Array]:
    """The piece of theta of each relation."""
    return np.split(theta, np.cumsum([own.start.size for own in problem])[:-1])


def unpack(problem: list[Slice], theta: Array) -> list[Factors]:
    """The factors of each relation."""
    return [own.objective.layout.unpack(part) for own, part in zip(problem, split(problem, theta), strict=True)]


def product(P: Array, Q: Array, i: npt.NDArray[np.uint32], j: npt.NDArray[np.uint32]) -> Array:
    """p_i · q_j for each pair.

    >>> P, Q = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> product(P, Q, np.array([0, 1], dtype=np.uint32), np.array([1, 1], dtype=np.uint32))
    array([2., 4.])
    """
    x, starts = np.zeros(i.size), np.array([0, i.size])
    for chunk in kernels.chunks(P.shape[1]):
        p, q = np.ascontiguousarray(P[None, :, chunk]), np.ascontiguousarray(Q[:, chunk])
        kernels.add_products(starts, i, j, p, q, x)
    return x
