"""RESCAL: Y_k ≈ A R_k Aᵀ, where Y_k has the known values and 0 elsewhere, by alternating closed-form updates (ASALSAN).

    F(A, R) = Σ_k ½‖Y_k − A R_k Aᵀ‖² + λ/2 ‖A‖² + Σ_k λ/2 ‖R_k‖²

With G = AᵀA = V diag(s) Vᵀ and M_k = Aᵀ Y_k A, the best R_k for a given A, and the A at which ∂F/∂A is 0 with the A's
on the right fixed, are

    R_k = V [ (Vᵀ M_k V)_fg / (s_f s_g + λ) ]_fg Vᵀ
    A   = (Σ_k Y_k A R_kᵀ + Y_kᵀ A R_k) (Σ_k R_k G R_kᵀ + R_kᵀ G R_k + λI)⁻¹

Y_k is sparse and only multiplied with A, once per sweep, and ‖Y − A R Aᵀ‖² = ‖Y‖² − 2⟨R, M⟩ + ⟨R, G R G⟩: a sweep costs
O(nnz·r + n·r² + m·r³), and nothing is n × n. The update of R never raises F; that of A may, so the result is the best
sweep.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, ClassVar

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
from ..model.learned import is_none
from ..model.losses import Loss
from ..model.method import METHODS, Method, Style, Variant
from ..model.objective import BATCH, Objective
from ..model.parameters import AUTO, Choice, Parameter, named
from ..model.progress import Iteration
from ..model.solver import WINDOW, Solution, SolverOptions
from ..model.threads import thread_map, threads_for
from ..typing import Array

CODINGS = {"signs": "±1", "binary": "1 and 0", "centred": "±1 less their mean"}
"""The values of the known entries of a binary relation; all others are 0."""

SINGULAR = 1e-12
"""Eigenvalues below this fraction of the largest count as 0."""

DIVERGED = 1e50
"""Without regularization A may grow from sweep to sweep; beyond this number nothing can be computed."""


def _is_coding(value: Any, _: Method) -> bool:
    return isinstance(value, str) and value in CODINGS


def _are_scores(value: Any, _: Method) -> bool:
    """A number for each coding that was compared; NaN where nothing could be scored."""
    return (
        isinstance(value, dict)
        and value.keys() <= CODINGS.keys()
        and all(isinstance(score, float) for score in value.values())
    )


@METHODS.register
class RESCAL(FactorModel):
    """Y_k ≈ A R_k Aᵀ over all pairs; those that are not known count as 0.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = RESCAL(rank=2, lam=1.0).fit(train)
    >>> model.A_.shape, model.R_.shape
    ((15, 2), (2, 2, 2))

    Values that are not binary are standardized, so that 0 is their mean. Weights multiply the values, so an entry of
    weight 0 is the same as an unknown one. In two-mode data, pairs that cannot exist count as 0 too: unlike other
    methods, this one spends a part of its factors on them.

    Args:
        rank: the number of latent factors.
        lam: the L2 regularization strength λ, or "auto" for a search on held-out training entries.
        coding: the values of known binary entries, where unknown pairs count as 0: "signs" (±1, as in the paper of
            MrWTD), "binary" (1 and 0, as in that of RESCAL), "centred" (±1 minus the mean of the relation, so that 0
            is an average pair), or "auto" for the best one on the held-out entries of the search.
        max_iter: the maximum number of sweeps.
        tol: stop when five sweeps improve F by less than this fraction of the total improvement over A = 0.
        seed: the seed of the start.

    Learned attributes besides those of every method with a λ:
        coding_, coding_scores_: the coding used, and the held-out score of each that was compared.
    """

    name, order, style = "RESCAL", 5, Style("#D55E00", "dash", "square")
    relative_cost = 0.15
    parameters: ClassVar[Mapping[str, Parameter]] = named(
        Choice("coding", options={AUTO: "the best on held-out entries", **CODINGS})
    )

    loss = "quadratic"

    train_: Annotated[None, is_none]
    coding_: Annotated[str, _is_coding]
    coding_scores_: Annotated[dict[str, float], _are_scores]

    def __init__(
        self,
        rank: int | str | None = None,
        lam: float | str = "auto",
        coding: str = AUTO,
        max_iter: int = 200,
        tol: float = 1e-3,
        seed: int = 0,
    ):
        super().__init__(rank, self.loss, lam, max_iter, tol, seed)
        self.coding = coding

    def _options(self, train: RelationalData) -> tuple[str, ...]:
        if self.coding != AUTO:
            return (self.coding,)
        return tuple(CODINGS) if any(relation.kind == "binary" for relation in train.relations) else ("signs",)

    def _use_option(self, option: str, scores: Mapping[str, float]) -> None:
        self.coding_, self.coding_scores_ = option, dict(scores)

    def fits_of_search(self) -> int:
        """A search takes about as long as this many fits: one for each coding at a given λ."""
        return super().fits_of_search() if self.coding != AUTO else len(CODINGS) * max(super().fits_of_search(), 1)

    def _scales(self, train: RelationalData, losses: list[Loss]) -> Array:
        scales = super()._scales(train, losses)
        for k, relation in enumerate(train.relations):
            y = train.y[train.slice(k)]
            if relation.kind == "binary" and self.coding_ == "binary":
                scales[k] = -1.0, 2.0
            elif relation.kind == "binary" and self.coding_ == "centred" and y.size:
                scales[k] = y.mean(), 1.0
        return scales

    def _problem(self, data: RelationalData) -> FilledTensor:
        return FilledTensor(data, self._scaled(data), self.rank_for(data.n_objects))

    def _solve(self, problem: FilledTensor, lam: float, start: Array | None, options: SolverOptions) -> Solution:
        A = None if start is None else problem.layout.unpack(start).A
        # A factor that is zero at one λ stays zero at a smaller one.
        if A is None or has_dead_factors(A):
            A = problem.start(self.seed)
        return alternate(problem, A, lam, options)

    def _store(self, problem: FilledTensor, theta: Array) -> None:
        factors = without_noise(problem.layout.unpack(theta)).copy()
        self.A_, self.R_, self.b_, self.cuts_ = factors.A, factors.R, np.zeros(factors.R.shape[0]), {}
        self.members_ = (Factors(self.A_, self.R_, tuple(np.zeros((factors.R.shape[0], 1)))),)
        self.snapshots_, self.train_ = (), None

    def _collapsed(self, problem: FilledTensor, theta: Array) -> bool:
        return is_degenerate(problem.layout.unpack(theta))

    def _objective(self, data: RelationalData, losses: list[Loss], lam: float) -> Objective:
        expected = (
            "another method, such as MrWTD: RESCAL learns from unknown pairs too, so known entries are not enough"
        )
        raise DataError(Problem("new objects or an explanation with RESCAL", expected))


METHODS.register(Variant("RESCAL-signs", RESCAL, {"coding": "signs"}, 5, Style("#A6761D", "dash", "square-open")))


@dataclass(frozen=True)
class Sweep:
    """One sweep from A: the best R for it, F of both, the norm of ∂F/∂A there, and the next A."""

    R: Array
    value: float
    gradient_norm: float
    next_a: Array


class FilledTensor:
    """The slices Y_k, 0 at unknown pairs, as products with A."""

    def __init__(self, data: RelationalData, y: Array, rank: int):
        self.data = data
        self.layout = Layout(data.n_objects, data.n_relations, rank, ())
        self._i, self._j = data.i.view(np.uint32), data.j.view(np.uint32)
        # An undirected pair is stored once and counts in both directions; a pair of one object with itself, once.
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
                relation = slice(k, k + 1)
                P, Q = self.products(relation, V)
                total += self.products(relation, Q[0])[0][0] + (0 if P is Q else self.products(relation, P[0])[1][0])
            return total

        if seed not in self._starts:
            rng = np.random.default_rng(seed)
            self._starts[seed] = leading_vectors(both, self.layout.n_objects, self.layout.rank, rng)
        return self._starts[seed]

    def products(self, relations: slice, A: Array) -> tuple[Array, Array]:
        """Y_k A and Y_kᵀ A of neighbouring relations, all directed or none; the same array if they are undirected."""
        bounds = self.data.bounds[relations.start : relations.stop + 1]
        part, directed = slice(bounds[0], bounds[-1]), self.data.relations[relations.start].directed
        parts = []
        for a in kernels.column_chunks(A):
            P = np.zeros((bounds.size - 1, *a.shape))
            Q = np.zeros_like(P) if directed else P
            kernels.add_outer(bounds - bounds[0], self._i[part], self._j[part], self._y[part], a, P, Q)
            parts.append((P, Q))
        YA = np.concatenate([P for P, _ in parts], axis=2)
        return YA, np.concatenate([Q for _, Q in parts], axis=2) if directed else YA

    def sweep(self, A: Array, lam: float, threads: int = 1) -> Sweep:
        """R from A, then the next A from both. The relations are independent up to their sums."""
        G = A.T @ A
        s, V = np.linalg.eigh(G)
        scale = np.outer(s, s) + lam
        inverse = np.divide(1.0, scale, out=np.zeros_like(scale), where=scale > SINGULAR * scale.max(initial=0.0))

        def update(relations: slice) -> tuple[Array, float, Array, Array]:
            YA, YtA = self.products(relations, A)
            M = A.T @ YA
            R = V @ (inverse * (V.T @ M @ V)) @ V.T
            Rt = R.transpose(0, 2, 1)
            gain = float(np.vdot(R, M)) - 0.5 * float(np.vdot(R, G @ R @ G)) - 0.5 * lam * float(np.vdot(R, R))
            return R, gain, (YA @ Rt + YtA @ R).sum(axis=0), (R @ G @ Rt + Rt @ G @ R).sum(axis=0)

        results = thread_map(update, self._groups, threads, is_cancelled)
        if len(results) < len(self._groups):
            raise Cancelled
        value = 0.5 * self.square + 0.5 * lam * float(np.trace(G)) - sum(gain for _, gain, _, _ in results)
        N = sum((part for _, _, part, _ in results), start=np.zeros_like(A))
        D = sum((part for *_, part in results), start=lam * np.eye(A.shape[1]))
        norm = float(np.linalg.norm(A @ D - N))
        next_a = N @ np.linalg.pinv(D, rcond=SINGULAR, hermitian=True)
        return Sweep(np.concatenate([R for R, *_ in results]), value, norm, next_a)


def _groups(data: RelationalData, rank: int) -> list[slice]:
    """Neighbouring relations, all directed or none, whose Y_k A are small enough to be processed together."""
    limit = max(1, BATCH // (data.n_objects * rank))
    starts = [0]
    for k, (previous, relation) in enumerate(pairwise(data.relations), start=1):
        if previous.directed != relation.directed or k - starts[-1] == limit:
            starts.append(k)
    return [slice(*ends) for ends in pairwise([*starts, data.n_relations])]


def alternate(problem: FilledTensor, A: Array, lam: float, options: SolverOptions) -> Solution:
    """Run sweeps until five of them improve F by almost nothing; the best one is the solution.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> problem = FilledTensor(data, data.y, rank=3)
    >>> solution = alternate(problem, problem.start(seed=0), 1.0, SolverOptions(max_iter=100, tol=1e-4))
    >>> solution.reason, solution.value < solution.trace[0].objective
    ('converged', True)
    """
    start_time, trace, reason = time.perf_counter(), list[Iteration](), "max_iter"
    threads = threads_for(len(problem.data))
    best, theta = np.inf, np.zeros(problem.layout.size)
    for number in range(1, options.max_iter + 1):
        try:
            sweep = problem.sweep(A, lam, threads)
        except Cancelled:
            if not trace:
                raise
            reason = "stopped"
            break
        point, now = problem.layout.pack(Factors(A, sweep.R, ())), time.perf_counter()
        if sweep.value < best:
            best, theta = sweep.value, point
        score = None if options.score is None else options.score(point)
        trace.append(Iteration(number, sweep.value, sweep.gradient_norm, now - start_time, score))
        start_time += time.perf_counter() - now  # scoring is not part of the time of the fit
        if options.callback is not None and options.callback(trace[-1]):
            reason = "stopped"
            break
        # F consists mostly of entries that no A explains, so the improvement over A = 0 is the measure.
        explained = 0.5 * problem.square - best
        if number > WINDOW and trace[-1 - WINDOW].objective - sweep.value <= options.tol * max(explained, 0.0):
            reason = "converged"
            break
        if np.abs(sweep.next_a).max() > DIVERGED:
            break
        A = sweep.next_a
    return Solution(theta, best, tuple(trace), reason, len(trace))
