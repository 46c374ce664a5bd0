"""Dense, independent versions of the baselines: full n × n matrices, and linear systems instead of closed forms."""

import numpy as np

from mrwtd.data.relational import RelationalData

from .reference import entry_loss


def dense_slices(data: RelationalData, y: np.ndarray) -> np.ndarray:
    """Y (m, n, n), 0 where nothing is known."""
    Y = np.zeros((data.n_relations, data.n_objects, data.n_objects))
    for i, j, k, value, w in zip(data.i, data.j, data.k, y, data.w, strict=True):
        Y[k, i, j] = value * w
        if not data.relations[k].directed:
            Y[k, j, i] = value * w
    return Y


def rescal_objective(Y: np.ndarray, A: np.ndarray, R: np.ndarray, lam: float) -> float:
    """Half the squared residuals of all pairs, and the penalty."""
    residuals = Y - np.stack([A @ slice_ @ A.T for slice_ in R])
    return 0.5 * (residuals**2).sum() + 0.5 * lam * ((A**2).sum() + (R**2).sum())


def best_r(Y: np.ndarray, A: np.ndarray, lam: float) -> np.ndarray:
    """The best R for a given A, by the r² × r² normal equations of vec(Y) ≈ (A ⊗ A) vec(R)."""
    r = A.shape[1]
    Z = np.kron(A, A)
    system = Z.T @ Z + lam * np.eye(r * r)
    return np.stack([np.linalg.solve(system, Z.T @ slice_.reshape(-1)).reshape(r, r) for slice_ in Y])


def next_a(Y: np.ndarray, A: np.ndarray, R: np.ndarray, lam: float) -> np.ndarray:
    """The update of A: ridge regression of [Y_k, Y_kᵀ] on the products [A R_kᵀ, A R_k] of the A before."""
    n, r = A.shape
    target = np.hstack([part for slice_ in Y for part in (slice_, slice_.T)])
    basis = np.hstack([part.T for slice_ in R for part in (A @ slice_.T, A @ slice_)])
    stacked = np.vstack([basis.T, np.sqrt(lam) * np.eye(r)])
    return np.linalg.lstsq(stacked, np.vstack([target.T, np.zeros((r, n))]), rcond=None)[0].T


def cp_objective(
    data: RelationalData, names: list[str], lam: float, U: np.ndarray, V: np.ndarray, C: np.ndarray, biases: list[float]
) -> float:
    """The objective of CP with factors of sources and targets, entry by entry."""
    total = lam / 2 * float((U**2).sum() + (V**2).sum())
    for relation, row in zip(data.relations, C, strict=True):
        total += lam / 2 * float((row**2).sum()) * (1.0 if relation.directed else 0.5)
    for i, j, k, y, w in zip(data.i, data.j, data.k, data.y, data.w, strict=True):
        there = sum(U[i, f] * C[k, f] * V[j, f] for f in range(U.shape[1]))
        back = sum(U[j, f] * C[k, f] * V[i, f] for f in range(U.shape[1]))
        directed = data.relations[k].directed
        x = there if directed else (there + back) / 2
        total += (1 if directed or i == j else 2) * w * entry_loss(names[k], y, float(x), [biases[k]])
    return total


def mmmf_objective(
    data: RelationalData, name: str, lam: float, U: np.ndarray, V: np.ndarray, extras: list[float]
) -> float:
    """The objective of one relation over full matrices of values, both directions of an undirected entry."""
    cells: dict[tuple[int, int], tuple[float, float]] = {}
    for i, j, y, w in zip(data.i, data.j, data.y, data.w, strict=True):
        cells[i, j] = y, w
        if not data.relations[0].directed:
            cells[j, i] = y, w
    total = lam / 2 * float((U**2).sum() + (V**2).sum())
    for (i, j), (y, w) in cells.items():
        total += w * entry_loss(name, y, float(U[i] @ V[j]), extras)
    return total
