"""Fits at many λ, each from the previous one: a whole path takes seconds on small data."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .....data.relational import RelationalData
from .....metrics.ranking_curve import average_precision
from .....model.initialization import make_start
from .....model.lambda_search import is_degenerate
from .....model.layout import Factors
from .....model.losses import LOSSES
from .....model.objective import Objective, reconstruct
from .....model.solver import SolverOptions, solve
from .....typing import Array


@dataclass(frozen=True)
class LambdaFit:
    """The fit at one λ.

    Attributes:
        lam: the λ.
        A, R, b: the factors and biases; A and R are exactly 0 if the fit has collapsed.
        collapsed: whether all factors are zero.
        loss: the mean loss of a training entry.
    """

    lam: float
    A: Array
    R: Array
    b: Array
    collapsed: bool
    loss: float

    def scores(self, data: RelationalData) -> Array:
        """Average precision of each relation; NaN if it has only one class."""
        x = reconstruct(Factors(self.A, self.R, ()), self.b, data)
        slices = [data.slice(k) for k in range(data.n_relations)]
        return np.array([average_precision(data.y[entries], x[entries]) for entries in slices])

    def matrix(self, k: int) -> Array:
        """x of relation k for all pairs of objects."""
        return np.asarray(self.A @ self.R[k] @ self.A.T + self.b[k])


def fit_lambdas(
    train: RelationalData, rank: int, lams: Sequence[float], *, seed: int = 0, max_iter: int = 150
) -> list[LambdaFit]:
    """Logistic fits of binary relations at increasing λ.

    λ increases because zero is a stationary point: a collapsed fit would not recover at a smaller λ.

    >>> import mrwtd
    >>> fits = fit_lambdas(mrwtd.load_dataset("florentine"), rank=2, lams=[0.1, 1.0, 1000.0])
    >>> [fit.collapsed for fit in fits]
    [False, False, True]
    """
    objective = Objective(train, [LOSSES["logistic"]] * train.n_relations, rank, 1.0, threads=1)
    total = float(objective.coefficients.sum())
    theta = objective.layout.pack(make_start("spectral", objective, np.random.default_rng(seed)))
    fits = []
    for lam in sorted(lams):
        theta = solve(objective.with_lam(lam), theta, SolverOptions(max_iter, tol=1e-4)).theta
        factors = objective.layout.unpack(theta).copy()
        collapsed = is_degenerate(factors)
        A, R = (np.zeros_like(array) if collapsed else array for array in (factors.A, factors.R))
        b = np.array([extra[0] for extra in factors.extras])
        fits.append(LambdaFit(float(lam), A, R, b, collapsed, objective.data_term(theta)[0] / total))
    return fits


def probabilities(x: Array) -> Array:
    """P(tie) for scores x.

    >>> probabilities(np.array([0.0]))
    array([0.5])
    """
    return LOSSES["logistic"].probability(x)
