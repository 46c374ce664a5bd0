"""RESCAL: Y_k ≈ A R_k Aᵀ, where Y_k holds what is known and 0 elsewhere, by alternating closed-form updates (ASALSAN).

    F(A, R) = Σ_k ½‖Y_k − A R_k Aᵀ‖² + λ/2 ‖A‖² + Σ_k λ/2 ‖R_k‖²

With G = AᵀA = V diag(s) Vᵀ and M_k = Aᵀ Y_k A, the best R_k for a given A, and the A at which ∂F/∂A vanishes while the
A's on the right are held, are

    R_k = V [ (Vᵀ M_k V)_fg / (s_f s_g + λ) ]_fg Vᵀ
    A   = (Σ_k Y_k A R_kᵀ + Y_kᵀ A R_k) (Σ_k R_k G R_kᵀ + R_kᵀ G R_k + λI)⁻¹

Y_k is sparse and only ever multiplied with A, once a sweep, and ‖Y − A R Aᵀ‖² = ‖Y‖² − 2⟨R, M⟩ + ⟨R, G R G⟩: a sweep
costs O(nnz·r + n·r² + m·r³), and nothing is n × n. The update of R never raises F; that of A may, so the best sweep is
kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..model import kernels
from ..model.cancellation import Cancelled, is_cancelled, raise_if_cancelled
from ..model.factor_model import FactorModel
from ..model.fit_checks import has_dead_factors
from ..model.initialization import leading_vectors
from ..model.lambda_search import is_degenerate, without_noise
from ..model.layout import Factors, Layout
from ..model.learned import Rule, is_none
from ..model.losses import LOSSES, Loss
from ..model.method_registry import METHODS, Style
from ..model.objective import BATCH, Objective
from ..model.parameters import Choice, Parameter, named
from ..model.progress import Callback, Iteration
from ..model.solver import WINDOW, Solution
from ..model.threads import thread_map, threads_for
from ..typing import Array

ZEROS = {"signed": "±1", "binary": "1 and 0", "centred": "±1 less their mean"}
"""What the known entries of a binary relation are, beside the 0 of all others."""

SINGULAR = 1e-12
"""Eigenvalues below this share of the largest count as 0."""


@METHODS.register
class RESCAL(FactorModel):
    """Y_k ≈ A R_k Aᵀ over all pairs, those that are not known included, as 0.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = RESCAL(rank=2, lam=1.0).fit(train)
    >>> model.A_.shape, model.R_.shape
    ((15, 2), (2, 2, 2))

    Values that are not binary are standardised, so that 0 is their mean; weights multiply the values, so that a
    weight of 0 is the same as not known.

    Args:
        rank: how many latent factors an object has.
        lam: the strength λ of the L2 regularisation, or "auto" for a search on held-out training entries.
        zeros: "signed" (±1 for known binary entries, as in the paper), "binary" (1 and 0, as in the original) or
            "centred" (±1 less the mean of the relation: 0 stands for an average pair, which is the fairest).
        max_iter: at most so many sweeps.
        tol: stop when five sweeps gain less than this share of all that is gained over A = 0.
        seed: of the start.
    """

    name, order, style = "RESCAL", 5, Style("#D55E00", "dash", "square")
    relative_cost = 0.15
    parameters: ClassVar[Mapping[str, Parameter]] = named(Choice("zeros", options=ZEROS))

    learned: ClassVar[Mapping[str, Rule]] = {"train_": is_none}

    def __init__(
        self,
        rank: int | None = None,
        lam: float | str = "auto",
        zeros: str = "signed",
        max_iter: int = 200,
        tol: float = 1e-3,
        seed: int = 0,
    ):
        self.rank = rank
        self.lam = lam
        self.zeros = zeros
        self.max_iter = max_iter
        self.tol = tol
        self.seed = seed

    def _losses(self, train: RelationalData) -> list[Loss]:
        return [LOSSES["quadratic"]] * train.n_relations

    def _scales(self, train: RelationalData, losses: list[Loss]) -> Array:
        scales = super()._scales(train, losses)
        for k, relation in enumerate(train.relations):
            y = train.y[train.slice(k)]
            if relation.kind == "binary" and self.zeros == "binary":
                scales[k] = -1.0, 2.0
            elif relation.kind == "binary" and self.zeros == "centred" and y.size:
                scales[k] = y.mean(), 1.0
        return scales

    def _problem(self, data: RelationalData) -> FilledTensor:
        return FilledTensor(data, self._scaled(data), self.rank_for(data.n_objects))

    def _solve(
        self,
        problem: FilledTensor,
        lam: float,
        before: Array | None,
        max_iter: int,
        tol: float,
        callback: Callback | None,
        score: Callable[[Array], float] | None = None,
    ) -> Solution:
        A = None if before is None else problem.layout.unpack(before).A
        # A factor that is gone at one λ does not come back at a smaller one.
        start = problem.start(self.seed) if A is None or has_dead_factors(A) else A
        return alternate(problem, start, lam, max_iter, tol, callback, score)

    def _keep(self, problem: FilledTensor, theta: Array) -> None:
        factors = without_noise(problem.layout.unpack(theta)).copy()
        self.A_, self.R_, self.b_, self.cuts_ = factors.A, factors.R, np.zeros(factors.R.shape[0]), {}
        self.members_ = (Factors(self.A_, self.R_, tuple(np.zeros((factors.R.shape[0], 1)))),)
        self.snapshots_, self.train_ = (), None

    def _collapsed(self, problem: FilledTensor, theta: Array) -> bool:
        return is_degenerate(problem.layout.unpack(theta))

    def _objective(self, data: RelationalData, losses: list[Loss], lam: float) -> Objective:
        expected = "MrWTD: RESCAL learns from the pairs that are not known too, so known entries do not tell"
        raise DataError(Problem("RESCAL asked for new objects or for reasons", expected))


@dataclass(frozen=True)
class Sweep:
    """One sweep from A: the best R for it, F of both, the norm of ∂F/∂A there, and the next A."""

    R: Array
    value: float
    gradient_norm: float
    following: Array


class FilledTensor:
    """The slices Y_k, 0 where nothing is known, as products with A."""

    def __init__(self, data: RelationalData, y: Array, rank: int):
        self.data = data
        self.layout = Layout(data.n_objects, data.n_relations, rank, ())
        self._i, self._j = data.i.view(np.uint32), data.j.view(np.uint32)
        # An undirected pair is stored once and enters in both directions; a pair of one object with itself, once.
        undirected = np.array([not relation.directed for relation in data.relations])[data.k]
        self._y = np.where(undirected & (data.i == data.j), 0.5, 1.0) * y * data.w
        counts = np.where(undirected, np.where(data.i == data.j, 4.0, 2.0), 1.0)
        self.square = float(counts @ self._y**2)
        """‖Y‖²"""
        self._groups = _groups(data, rank)
        self._starts: dict[int, Array] = {}

    def start(self, seed: int) -> Array:
        """The leading eigenvectors of Σ_k Y_k Y_kᵀ + Y_kᵀ Y_k."""

        def both(V: Array) -> Array:
            total = np.zeros_like(V)
            for k in range(self.layout.n_relations):
                raise_if_cancelled()
                own = slice(k, k + 1)
                P, Q = self.products(own, V)
                total += self.products(own, Q[0])[0][0] + (0 if P is Q else self.products(own, P[0])[1][0])
            return total

        if seed not in self._starts:
            rng = np.random.default_rng(seed)
            self._starts[seed] = leading_vectors(both, self.layout.n_objects, self.layout.rank, rng)
        return self._starts[seed]

    def products(self, relations: slice, A: Array) -> tuple[Array, Array]:
        """Y_k A and Y_kᵀ A of neighbouring relations, all directed or none; one array where they are undirected."""
        bounds = self.data.bounds[relations.start : relations.stop + 1]
        at, directed = slice(bounds[0], bounds[-1]), self.data.relations[relations.start].directed
        parts = []
        for chunk in kernels.chunks(A.shape[1]):
            a = np.ascontiguousarray(A[:, chunk])
            P = np.zeros((bounds.size - 1, *a.shape))
            Q = np.zeros_like(P) if directed else P
            kernels.add_outer(bounds - bounds[0], self._i[at], self._j[at], self._y[at], a, P, Q)
            parts.append((P, Q))
        YA = np.concatenate([P for P, _ in parts], axis=2)
        return YA, np.concatenate([Q for _, Q in parts], axis=2) if directed else YA

    def sweep(self, A: Array, lam: float, threads: int = 1) -> Sweep:
        """R from A, then the next A from both. The relations are independent until their sums."""
        G = A.T @ A
        s, V = np.linalg.eigh(G)
        scale = np.outer(s, s) + lam
        inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > SINGULAR * scale.max(initial=0.0))

        def some(relations: slice) -> tuple[Array, float, Array, Array]:
            YA, YtA = self.products(relations, A)
            M = A.T @ YA
            R = V @ (inverse * (V.T @ M @ V)) @ V.T
            Rt = R.transpose(0, 2, 1)
            gain = float(np.vdot(R, M)) - 0.5 * float(np.vdot(R, G @ R @ G)) - 0.5 * lam * float(np.vdot(R, R))
            return R, gain, (YA @ Rt + YtA @ R).sum(axis=0), (R @ G @ Rt + Rt @ G @ R).sum(axis=0)

        done = thread_map(some, self._groups, threads, is_cancelled)
        if len(done) < len(self._groups):
            raise Cancelled
        value = 0.5 * self.square + 0.5 * lam * float(np.trace(G)) - sum(gain for _, gain, _, _ in done)
        pull = sum((part for _, _, part, _ in done), start=np.zeros_like(A))
        D = sum((part for *_, part in done), start=lam * np.eye(A.shape[1]))
        norm = float(np.linalg.norm(A @ D - pull))
        following = pull @ np.linalg.pinv(D, rcond=SINGULAR, hermitian=True)
        return Sweep(np.concatenate([R for R, *_ in done]), value, norm, following)


def _groups(data: RelationalData, rank: int) -> list[slice]:
    """Neighbouring relations, all directed or none, whose Y_k A are small enough to be handled together."""
    most = max(1, BATCH // (data.n_objects * rank))
    starts = [0]
    for k, (one, two) in enumerate(pairwise(data.relations), start=1):
        if one.directed != two.directed or k - starts[-1] == most:
            starts.append(k)
    return [slice(*ends) for ends in pairwise([*starts, data.n_relations])]


def alternate(
    problem: FilledTensor,
    A: Array,
    lam: float,
    max_iter: int,
    tol: float,
    callback: Callback | None = None,
    score: Callable[[Array], float] | None = None,
) -> Solution:
    """Sweeps until five of them gain next to nothing; the best one is the solution.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> problem = FilledTensor(data, data.y, rank=3)
    >>> found = alternate(problem, problem.start(seed=0), lam=1.0, max_iter=100, tol=1e-4)
    >>> found.reason, found.value < found.trace[0].objective
    ('converged', True)
    """
    began, trace, reason = time.perf_counter(), list[Iteration](), "max_iter"
    threads = threads_for(len(problem.data))
    best, theta = np.inf, np.zeros(problem.layout.size)
    for number in range(1, max_iter + 1):
        try:
            done = problem.sweep(A, lam, threads)
        except Cancelled:
            if not trace:
                raise
            reason = "stopped"
            break
        if score is not None or done.value < best:
            reached = problem.layout.pack(Factors(A, done.R, ()))
        if done.value < best:
            best, theta = done.value, reached
        now = time.perf_counter()
        seen = Iteration(number, done.value, done.gradient_norm, now - began, None if score is None else score(reached))
        began += time.perf_counter() - now  # watching is not the fit's time
        trace.append(seen)
        if callback is not None and callback(seen):
            reason = "stopped"
            break
        # F itself is mostly the entries that no A explains, so what is gained over A = 0 is the measure.
        explained = 0.5 * problem.square - best
        if number > WINDOW and trace[-1 - WINDOW].objective - done.value <= tol * max(explained, 0.0):
            reason = "converged"
            break
        A = done.following
    return Solution(theta, best, tuple(trace), reason, len(trace))
