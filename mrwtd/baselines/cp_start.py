"""The start of CP with factors of sources and of targets: the decomposition of a small core.

Let Y_k be the matrix of minus the derivative of the loss at the best constants, as in the start of MrWTD. U₀ has the
leading eigenvectors of Σ_k Y_k Y_kᵀ, V₀ those of Σ_k Y_kᵀ Y_k: more of them than factors, because noise hides a weak
factor behind the first ones. The core T_k = U₀ᵀ Y_k V₀, divided by the fraction of known pairs and by the curvature of
the loss, is decomposed from several random starts,

    minimize  ½ Σ_k ‖T_k − P diag(c_k) Qᵀ‖² + ε/2 (‖P‖² + ‖Q‖² + ‖C‖²),

and U₀P, V₀Q and C are the start. Unlike eigenvectors, which any rotation could replace, they are near the factors that
the fit looks for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array

from ..data.possible_pairs import possible_pairs
from ..model.cancellation import raise_if_cancelled
from ..model.initialization import balance, eigen, leading_vectors, residual
from ..model.objective import Objective
from ..typing import Array

WIDTH, TRIALS, STEPS = 3, 4, 100
"""The vectors on each side of the core per factor; the starts of its decomposition, and the iterations of each."""

OPERATIONS, OF_A_STEP = 4e9, 6
"""With many factors and relations, the core is smaller and has fewer starts: the limit is this number of operations, of
which an iteration takes six for each number of the core and factor."""

RIDGE = 1e-3
"""ε, for a core of norm 1: it balances the three sides of a factor."""


def compressed_start(
    objective: Objective, extras: tuple[Array, ...], rng: np.random.Generator, rank: int
) -> tuple[Array, Array]:
    """A = [U V], and the weights C of the factors in the relations.

    >>> import mrwtd
    >>> from mrwtd.model.losses import LOSSES
    >>> data = mrwtd.load_dataset("florentine")
    >>> objective = Objective(data, [LOSSES["logistic"]] * 2, rank=4, lam=1.0)
    >>> A, C = compressed_start(objective, (np.zeros(1),) * 2, np.random.default_rng(0), rank=2)
    >>> A.shape, C.shape
    ((15, 4), (2, 2))
    """
    data, m = objective.data, objective.layout.n_relations
    slices, curvatures = zip(*(residual(objective, k, extra) for k, extra in enumerate(extras)), strict=True)
    width, trials = effort(data.n_objects, m, rank)
    U, V = _leading(slices, width, rng), _leading([Y.T for Y in slices], width, rng)
    pairs = [max(possible_pairs(data, k, with_self=True).count, 1) for k in range(m)]
    known = np.maximum(np.diff(data.bounds), 1) / np.array(pairs, dtype=np.float64)
    core = np.stack([U.T @ (Y @ V) / scale for Y, scale in zip(slices, known * np.array(curvatures), strict=True)])
    norm = float(np.linalg.norm(core)) or 1.0
    problem = Core(core / norm, rank)
    P, Q, C = problem.unpack(problem.solve(trials, rng))
    return balance(np.hstack([U @ P, V @ Q]), norm * C)


def equal_sides(
    objective: Objective, extras: tuple[Array, ...], rng: np.random.Generator, rank: int
) -> tuple[Array, Array]:
    """The paper's start, the same for sources and targets."""
    A, R = eigen(objective, extras, rng, rank)
    return np.hstack([A, A]), np.diagonal(R, axis1=1, axis2=2)


TWO_SIDED_STARTS: dict[str, Callable[[Objective, tuple[Array, ...], np.random.Generator, int], tuple[Array, Array]]] = {
    "spectral": compressed_start,
    "eigen": equal_sides,
}
"""The initializations that need factors of both sides, by name."""


def corners(weights: Array, directed: bool) -> Array:
    """The R of a relation whose objects have factors as a source, and then factors as a target.

    >>> corners(np.array([3.0]), False).tolist()
    [[0.0, 1.5], [1.5, 0.0]]
    """
    r = weights.size
    R = np.zeros((2 * r, 2 * r))
    R[:r, r:] = np.diag(weights) if directed else np.diag(weights / 2)
    return R if directed else R + R.T


def effort(n_objects: int, n_relations: int, rank: int) -> tuple[int, int]:
    """The vectors on each side of the core, and the number of starts of its decomposition.

    >>> effort(n_objects=1000, n_relations=5, rank=10), effort(n_objects=1000, n_relations=50, rank=100)
    ((30, 4), (100, 1))
    """
    widths = [min(n_objects, factor * rank) for factor in range(WIDTH, 0, -1)]
    operations = [float(OF_A_STEP * STEPS * n_relations * width**2 * rank) for width in widths]
    position = next((p for p, total in enumerate(operations) if total <= OPERATIONS), len(widths) - 1)
    return widths[position], int(np.clip(OPERATIONS // operations[position], 1, TRIALS))


def _leading(slices: Sequence[csr_array], count: int, rng: np.random.Generator) -> Array:
    """The leading eigenvectors of Σ_k Y_k Y_kᵀ."""

    def product(X: Array) -> Array:
        total = np.zeros_like(X)
        for Y in slices:
            raise_if_cancelled()
            total += Y @ (Y.T @ X)
        return total

    return leading_vectors(product, slices[0].shape[0], count, rng)


@dataclass(frozen=True)
class Core:
    """The core T (m, s, s), and the number of factors of its decomposition."""

    T: Array
    rank: int

    def unpack(self, theta: Array) -> tuple[Array, Array, Array]:
        """P, Q (s, r) and C (m, r)."""
        s = self.T.shape[1]
        P, Q, C = np.split(theta.reshape(-1, self.rank), [s, 2 * s])
        return P, Q, C

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient of the regularised squares."""
        raise_if_cancelled()
        P, Q, C = self.unpack(theta)
        PC = P * C[:, None, :]
        errors = PC @ Q.T - self.T
        errors_by_Q = errors @ Q
        slope_P = (errors_by_Q * C[:, None, :]).sum(axis=0)
        slope_Q = np.matmul(errors.transpose(0, 2, 1), PC).sum(axis=0)
        gradient = np.concatenate([slope_P, slope_Q, (P * errors_by_Q).sum(axis=1)]).reshape(-1)
        value = 0.5 * float(np.vdot(errors, errors)) + 0.5 * RIDGE * float(theta @ theta)
        return value, gradient + RIDGE * theta

    def solve(self, trials: int, rng: np.random.Generator) -> Array:
        """The best of the minima from several random starts."""
        m, s, _ = self.T.shape
        starts = rng.normal(scale=s**-0.5, size=(trials, (2 * s + m) * self.rank))
        results = [minimize(self, start, jac=True, method="L-BFGS-B", options={"maxiter": STEPS}) for start in starts]
        return np.asarray(min(results, key=lambda result: float(result.fun)).x)
