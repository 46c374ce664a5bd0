"""Slow, dense, independent versions of the objective and its losses: loops over entries, in plain Python floats."""

import math

import numpy as np

from mrwtd.data.relational import RelationalData


def hinge(z: float) -> float:
    if z <= 0:
        return 0.5 - z
    return (1 - z) ** 2 / 2 if z < 1 else 0.0


def softplus(z: float) -> float:
    return z + math.log1p(math.exp(-z)) if z > 0 else math.log1p(math.exp(z))


def entry_loss(name: str, y: float, x: float, extras: list[float]) -> float:
    """The loss of one entry; x is a_i R a_jᵀ without the bias."""
    if name == "ordinal":
        return sum(softplus(-(x - cut)) if y > level else softplus(x - cut) for level, cut in enumerate(extras))
    x = x + extras[0]
    if name == "quadratic":
        return (y - x) ** 2 / 2
    if name == "smooth-hinge":
        return hinge(y * x)
    if name == "logistic":
        return softplus(-y * x)
    if name == "huber":
        d = abs(x - y)
        return d * d / 2 if d <= 1 else d - 0.5
    if name == "poisson":
        rate = math.exp(x)
        return rate - y * x - ((y - y * math.log(y)) if y > 0 else 0.0)
    raise ValueError(name)


def dense_objective(
    data: RelationalData,
    names: list[str],
    lam: float,
    A: np.ndarray,
    R: np.ndarray,
    extras: list[list[float]],
    positive_weight: float = 1.0,
) -> float:
    """Equation 3 of the paper, over the full n × n × m tensors of weights and values: both halves where undirected."""
    n, m = data.n_objects, data.n_relations
    W, Y = np.zeros((m, n, n)), np.zeros((m, n, n))
    for i, j, k, y, w in zip(data.i, data.j, data.k, data.y, data.w, strict=True):
        cells = {(i, j)} if data.relations[k].directed else {(i, j), (j, i)}
        for cell in cells:
            Y[(k, *cell)] = y
            W[(k, *cell)] = w * (positive_weight if data.relations[k].kind == "binary" and y > 0 else 1.0)
    total = lam / 2 * sum(float(v) ** 2 for v in [*A.ravel(), *R.ravel()])
    for k in range(m):
        for i in range(n):
            for j in range(n):
                if W[k, i, j] > 0:
                    x = sum(A[i, f] * R[k, f, g] * A[j, g] for f in range(A.shape[1]) for g in range(A.shape[1]))
                    total += W[k, i, j] * entry_loss(names[k], Y[k, i, j], float(x), list(extras[k]))
    return total
