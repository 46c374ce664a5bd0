"""Starting values of the optimization: `spectral` (the default), `eigen` (the paper's) and `random`.

The biases, or cut points, start at the best constants. Let Y_k be the matrix of minus the derivative of the loss there:

    spectral  A: leading eigenvectors of Σ_k Y_k Y_kᵀ + Y_kᵀ Y_k; R_k: the projection Aᵀ Y_k A divided by the fraction
              of known pairs and by the curvature of the loss; then A and R_k are scaled to minimize the regularizer.
    eigen     Paper: A averages the leading eigenvectors of the slices; R_k has the eigenvalues on its diagonal.
    random    independent normal numbers that reconstruct values of about 1.

No n × n matrix is formed: only products of Y_k with a few vectors are computed.
"""

from collections.abc import Callable, Sequence

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.sparse import csr_array

from ..data.possible_pairs import possible_pairs
from ..errors import DataError, Problem
from ..typing import Array
from .cancellation import raise_if_cancelled
from .layout import Factors
from .objective import BATCH, Objective

SAMPLE = 200_000
"""The number of entries of a relation that is enough to find its best constants."""

ENTRIES_PER_PARAMETER = 20
"""The number of entries per number of A and R that is enough for a warm-up."""

BRACKETS = tuple(4.0**power for power in range(11))
"""The best bias is searched between these and their negatives, the smallest first."""

POWER_STEPS = 6
OVERSAMPLE = 8


def sample_fraction(n_objects: int, n_relations: int, rank: int, entries: int) -> float:
    """The fraction of the entries for a warm-up: 1, for none, unless there are more than twice what it needs.

    >>> sample_fraction(90, 1, 10, entries=30_000), sample_fraction(90, 1, 10, entries=100_000)
    (1.0, 0.2)
    """
    fraction = ENTRIES_PER_PARAMETER * (n_objects + n_relations * rank) * rank / max(entries, 1)
    return 1.0 if fraction > 0.5 else fraction


def make_start(name: str, objective: Objective, rng: np.random.Generator) -> Factors:
    """The initial factors of a fit.

    >>> import mrwtd
    >>> from mrwtd.model.losses import LOSSES
    >>> objective = Objective(mrwtd.load_dataset("florentine"), [LOSSES["logistic"]] * 2, rank=3, lam=1.0)
    >>> make_start("spectral", objective, np.random.default_rng(0)).A.shape
    (15, 3)
    """
    extras = constants(objective).extras
    A, R = STARTS[name](objective, extras, rng)
    undirected = [not relation.directed for relation in objective.data.relations]
    R[undirected] = 0.5 * (R[undirected] + R[undirected].transpose(0, 2, 1))
    if objective.pattern is not None:
        R *= objective.pattern
    return Factors(A, R, extras)


def constants(objective: Objective) -> Factors:
    """Zero factors, and the biases or cut points that fit best with them."""
    zeros = objective.layout.unpack(np.zeros(objective.layout.size))
    extras = tuple(best_constants(objective, k) for k in range(objective.data.n_relations))
    return Factors(zeros.A, zeros.R, extras)


def best_constants(objective: Objective, k: int) -> Array:
    """The bias, or the cut points, that fit relation k best if A R_k Aᵀ is 0."""
    loss, relation, part = objective.losses[k], objective.data.relations[k], objective.data.slice(k)
    size = loss.extras(relation)
    y, c = objective.y[part], objective.coefficients[part]
    if not c.all():
        y, c = y[c > 0], c[c > 0]
    if not y.size:
        return np.zeros(size)
    step = -(-y.size // SAMPLE)
    y, c = y[::step], c[::step] / c[::step].sum()
    x = np.zeros_like(y)
    if not np.isfinite(loss.evaluate(y, x, np.linspace(-0.1, 0.1, size) * (size > 1))[:2]).all():
        problem = f"the loss {loss.name!r}, which is not a finite number for some entries of {relation.name!r}"
        raise DataError(Problem(problem, "a loss with a finite value and slope for every entry"))

    def mean_loss(extras: Array) -> tuple[float, Array]:
        value, _, slopes = loss.evaluate(y, x, extras)
        # A little ridge: with only one class, the best bias would be infinite.
        return float(c @ value) + 5e-5 * float(extras @ extras), slopes @ c + 1e-4 * extras

    if size == 1:
        return np.array([find_root(lambda bias: float(mean_loss(np.array([bias]))[1][0]))])
    result = minimize(mean_loss, np.linspace(-0.1, 0.1, size), jac=True, method="L-BFGS-B")
    return np.asarray(np.sort(result.x))


def find_root(slope: Callable[[float], float]) -> float:
    """The root of an increasing function, 0 if it does not increase: many times as fast as a general minimizer.

    >>> round(find_root(lambda b: b - 20.0), 6), find_root(lambda b: -b)
    (20.0, 0.0)
    """
    low = next((-end for end in BRACKETS if -np.inf < slope(-end) <= 0), None)
    high = next((end for end in BRACKETS if 0 <= slope(end) < np.inf), None)
    return 0.0 if low is None or high is None else float(brentq(slope, low, high, xtol=1e-6))


def residual(objective: Objective, k: int, extras: Array) -> tuple[csr_array, float]:
    """Y_k as a sparse matrix, both halves of an undirected relation, and the mean curvature of the loss."""
    raise_if_cancelled()
    data, n, part, loss = objective.data, objective.data.n_objects, objective.data.slice(k), objective.losses[k]
    i, j, y, w = data.i[part], data.j[part], objective.y[part], objective.weights[part]
    zero, curvature = np.zeros(y.size), 1.0
    slope = loss.evaluate(y, zero, extras)[1]
    if y.size:
        shifted = loss.evaluate(y, zero + 1e-3, extras)[1]
        curvature = max(float(np.mean(shifted - slope)) / 1e-3, 0.05)
    half = csr_array((-slope * w, (i, j)), shape=(n, n))
    if not data.relations[k].directed:
        off = i != j
        half = half + csr_array(((-slope * w)[off], (j[off], i[off])), shape=(n, n))
    return half, curvature


def spectral(objective: Objective, extras: tuple[Array, ...], rng: np.random.Generator) -> tuple[Array, Array]:
    """Leading eigenvectors of all relations together."""
    slices, curvatures = zip(*(residual(objective, k, extra) for k, extra in enumerate(extras)), strict=True)
    n, rank = objective.data.n_objects, objective.layout.rank
    A = leading_vectors(_sum_of_squares(slices, rank), n, rank, rng)
    pairs = [max(possible_pairs(objective.data, k, with_self=True).count, 1) for k in range(len(slices))]
    known = np.maximum(np.diff(objective.data.bounds), 1) / np.array(pairs, dtype=np.float64)
    R = np.stack([A.T @ (Y @ A) / scale for Y, scale in zip(slices, known * np.array(curvatures), strict=True)])
    return balance(A, R)


def _sum_of_squares(slices: Sequence[csr_array], rank: int) -> Callable[[Array], Array]:
    """V ↦ Σ_k Y_k Y_kᵀ V + Y_kᵀ Y_k V. Small slices are joined side by side and multiplied at once."""
    limit = BATCH // (2 * slices[0].shape[0] * rank)
    if limit < 2:

        def product(Y: csr_array, V: Array) -> Array:
            raise_if_cancelled()
            return np.asarray(Y @ (Y.T @ V) + Y.T @ (Y @ V))

        return lambda V: sum((product(Y, V) for Y in slices), start=np.zeros_like(V))
    wide = [_side_by_side(slices[first : first + limit]) for first in range(0, len(slices), limit)]
    return lambda V: sum((W @ (W.T @ V) for W in wide), start=np.zeros_like(V))


def _side_by_side(slices: Sequence[csr_array]) -> csr_array:
    """All Y_k and Y_kᵀ side by side; with many of them, SciPy's `hstack` takes as long as a fit."""
    n = slices[0].shape[0]
    parts = [Y.tocoo() for Y in slices]
    offsets = np.repeat(np.arange(len(parts)) * n, [Y.nnz for Y in parts])
    i, j, y = (np.concatenate([getattr(Y, name) for Y in parts]) for name in ("row", "col", "data"))
    rows, columns = np.concatenate([i, j]), np.concatenate([j + offsets, i + offsets + n * len(parts)])
    return csr_array((np.concatenate([y, y]), (rows, columns)), shape=(n, 2 * n * len(parts)))


def eigen(
    objective: Objective, extras: tuple[Array, ...], rng: np.random.Generator, rank: int | None = None
) -> tuple[Array, Array]:
    """The paper's start: the average of the eigenvectors of all slices, with their eigenvalues."""
    n, rank = objective.data.n_objects, rank or objective.layout.rank
    A, R = np.zeros((n, rank)), np.zeros((objective.data.n_relations, rank, rank))
    for k in range(objective.data.n_relations):
        Y = _on_the_scale_of_x(objective, k, extras[k])
        V = leading_vectors(lambda V, Y=Y: Y @ (Y @ V), n, rank, rng)  # type: ignore[misc]
        values, rotation = np.linalg.eigh(np.asarray(V.T @ (Y @ V)))
        order = np.argsort(-values)
        V = V @ rotation[:, order]
        # The sign of an eigenvector is arbitrary: fix it, or the average would cancel by chance.
        V *= np.where(V.sum(axis=0) < 0, -1.0, 1.0)
        A += V / objective.data.n_relations
        R[k] = np.diag(values[order])
    return A, R


def _on_the_scale_of_x(objective: Objective, k: int, extras: Array) -> csr_array:
    """The values of relation k as a symmetric matrix."""
    data, n, part = objective.data, objective.data.n_objects, objective.data.slice(k)
    relation = data.relations[k]
    if relation.kind == "binary" or objective.losses[k].standardizes:
        half, scale = csr_array((objective.y[part], (data.i[part], data.j[part])), shape=(n, n)), 1.0
    else:
        # Paper: has neither counts nor levels. x is not on their scale: exp(x) overflows if x is a large count.
        half, curvature = residual(objective, k, extras)
        scale = 1 / (curvature if relation.directed else 2 * curvature)
    # Paper: slices are symmetric. A directed one enters by its symmetric part.
    return (half + half.T) * (0.5 * scale if relation.directed else scale)


def random(objective: Objective, extras: tuple[Array, ...], rng: np.random.Generator) -> tuple[Array, Array]:
    """Independent normal numbers."""
    del extras
    layout = objective.layout
    # Var(a R aᵀ) = r² s⁶ = 1 for entries of standard deviation s.
    s = layout.rank ** (-1 / 3)
    A = rng.normal(scale=s, size=(layout.n_objects, layout.rank))
    return A, rng.normal(scale=s, size=(layout.n_relations, layout.rank, layout.rank))


STARTS: dict[str, Callable[[Objective, tuple[Array, ...], np.random.Generator], tuple[Array, Array]]] = {
    "spectral": spectral,
    "eigen": eigen,
    "random": random,
}
"""The initializations by name."""


def leading_vectors(product: Callable[[Array], Array], n: int, rank: int, rng: np.random.Generator) -> Array:
    """Orthonormal columns that span the leading eigenvectors of a symmetric operator, by subspace iteration.

    >>> M = np.diag([5.0, 4.0, 0.1, 0.1])
    >>> abs(leading_vectors(lambda V: M @ M @ V, 4, 2, np.random.default_rng(0))).round(2)
    array([[1., 0.],
           [0., 1.],
           [0., 0.],
           [0., 0.]])
    """
    width = min(n, rank + OVERSAMPLE)
    V = np.linalg.qr(rng.normal(size=(n, width)))[0]
    for _ in range(POWER_STEPS):
        raise_if_cancelled()
        V = np.linalg.qr(product(V))[0]
    values, rotation = np.linalg.eigh(V.T @ product(V))
    V = V @ rotation[:, np.argsort(-values)][:, :rank]
    if rank > n:  # there are no more directions: the others start small
        V = np.hstack([V, rng.normal(scale=0.01 / np.sqrt(n), size=(n, rank - n))])
    return np.asarray(V)


def balance(A: Array, R: Array) -> tuple[Array, Array]:
    """A scaled by c and R by 1/c², which does not change A R Aᵀ, with the c that minimizes ‖A‖² + ‖R‖².

    >>> A, R = balance(np.ones((4, 1)), np.full((1, 1, 1), 8.0))
    >>> bool(np.isclose((A @ R[0] @ A.T)[0, 0], 8.0)), bool(np.isclose((A**2).sum(), 2 * (R**2).sum()))
    (True, True)
    """
    a, r = float(np.vdot(A, A)), float(np.vdot(R, R))
    if a == 0 or r == 0:
        return A, R
    c = (2 * r / a) ** (1 / 6)
    return A * c, R / c**2
