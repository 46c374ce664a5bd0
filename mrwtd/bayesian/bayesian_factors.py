"""`BayesianFactors`: BTF and MrWTD-B as estimators, which differ in the likelihood of each kind of relation alone.

Paper: an undirected pair counts once here, where the penalised methods count it twice. There the sum runs over both
halves of a symmetric tensor by convention, and a factor 2 on the whole loss is no more than half the λ. A likelihood
has no λ to make up for it: a pair that was seen once would be taken for two independent observations that happen to
agree. Every precision that the data adds would double, and the spread of a prediction fall by up to √2, below what the
data warrants.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from ..data.relational import RelationalData
from ..data.relations import Relation
from ..errors import Problem
from ..model.cost import OPERATIONS, Size
from ..model.diagnostics import Diagnostic, RankError
from ..model.initialization import make_start
from ..model.lambda_search import collapsed
from ..model.layout import Factors
from ..model.learned import Rule, numbers, states
from ..model.losses import LOSSES
from ..model.objective import Objective, reconstruct
from ..model.progress import Callback, Stage, with_stage
from ..model.solver import Solution, solve
from ..typing import Array, Int32Array
from .sampler import Chain, Sampler

START_LAM, START_ITERATIONS, START_TOL = 3.0, 100, 1e-3
"""The penalised fit where a chain begins. The chain soon forgets it; only far from any mode would it cost sweeps."""

MOST_UNKNOWNS = 2_600
"""R_k is drawn as a whole: its system takes the square of this in numbers, and the cube in operations."""

SLOW = 2e10
"""Operations a sweep from which on the user is told what they are for: several seconds."""


class BayesianFactors(Sampler):
    """The posterior of A R_k Aᵀ + b_k, by Gibbs sampling.

    Learned attributes, besides those of every sampler:
        A_, R_, b_: the last state kept. It is one draw, not a mean: states differ by rotations of A as well.
    """

    learned: ClassVar[Mapping[str, Rule]] = {
        "samples_": states(("n", "r"), ("m", "r", "r"), ("m",)),
        "A_": numbers("n", "r"),
        "R_": numbers("m", "r", "r"),
        "b_": numbers("m"),
    }

    A_: Array
    R_: Array
    b_: Array

    def _relations_seconds(self, size: Size) -> float:
        # R_k is drawn as a whole: one system of all its unknowns for each relation.
        rank = self.rank_for(size.n_objects)
        unknowns = rank * rank if size.directed else rank * (rank + 1) / 2
        return unknowns**2 * (unknowns / 3 + size.n_objects) * size.n_relations / OPERATIONS

    def _likelihood(self, relation: Relation) -> str:
        """The loss that stands for the relation's likelihood: "logistic", or "quadratic" for a Gaussian."""
        raise NotImplementedError

    def _values(self, train: RelationalData) -> Array:
        """The training values as the likelihood sees them; sets `scales_`."""
        raise NotImplementedError

    def _check(self, train: RelationalData) -> None:
        super()._check(train)
        unknowns = self._unknowns(train)
        if unknowns > MOST_UNKNOWNS:
            whole = any(relation.directed for relation in train.relations)  # else R_k is symmetric
            most = int(MOST_UNKNOWNS**0.5 if whole else ((8 * MOST_UNKNOWNS + 1) ** 0.5 - 1) / 2)
            found = f"rank = {self.rank}, where each relation is a system of {unknowns:,} unknowns"
            raise RankError(Problem(found, f"at most {MOST_UNKNOWNS:,} unknowns: rank {most}"), largest_rank=most)

    def _unknowns(self, train: RelationalData) -> int:
        r = self.rank_for(train.n_objects)
        return r * r if any(relation.directed for relation in train.relations) else r * (r + 1) // 2

    def _chain(self, train: RelationalData, callback: Callback | None) -> tuple[Chain, bool]:
        from .gibbs.bilinear_chain import BilinearChain

        self.losses_ = {relation.name: self._likelihood(relation) for relation in train.relations}
        y, rng = self._values(train), np.random.default_rng(self.seed)
        work = self._unknowns(train) ** 2 * (self._unknowns(train) / 3 + train.n_objects) * train.n_relations
        if work > SLOW:
            size = {"n_relations": train.n_relations, "unknowns": self._unknowns(train), "billions": work / 1e9}
            self.diagnostics_ = (Diagnostic("slow_sweeps", values=size),)
        found, objective = self._start(train, y, rng, callback)
        start = objective.layout.unpack(found.theta)
        b = np.array([extra[0] for extra in start.extras])
        logistic = [name == "logistic" for name in self.losses_.values()]
        return BilinearChain(train, y, logistic, start, b, rng), found.reason == "stopped"

    def _start(
        self, train: RelationalData, y: Array, rng: np.random.Generator, callback: Callback | None
    ) -> tuple[Solution, Objective]:
        """A penalised fit, with the largest of a few λ that does not shrink it to zero."""
        losses = [LOSSES[name] for name in self.losses_.values()]
        objective = Objective(train, losses, self.rank_, START_LAM, y=y)
        theta = objective.layout.pack(make_start("spectral", objective, rng))
        for _ in range(4):
            found = solve(
                objective,
                theta,
                max_iter=START_ITERATIONS,
                tol=START_TOL,
                callback=with_stage(callback, Stage("start")),
            )
            if found.reason == "stopped" or not collapsed(objective, found.theta):
                break
            objective = objective.with_lam(objective.lam / 10)
        return found, objective

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        super()._fit(train, callback)
        self.A_, self.R_, self.b_ = self.samples_[-1]

    def _draw(self, state: tuple[Array, ...], entries: RelationalData, relations: Int32Array) -> Array:
        A, R, b = state
        return reconstruct(Factors(A, R, ()), b, entries, relations)
