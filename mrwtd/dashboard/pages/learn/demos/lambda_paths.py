"""A fit at many λ, each from the one before: seconds for a whole path on small data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .....data.relational import RelationalData
from .....metrics.ranking_curve import average_precision
from .....model.initialization import make_start
from .....model.lambda_search import is_degenerate
from .....model.losses import LOSSES
from .....model.objective import Objective, reconstruct
from .....model.solver import solve
from .....typing import Array


@dataclass(frozen=True)
class Stop:
    """Where a path stands at one λ.

    Attributes:
        lam: the λ.
        A, R, b: the factors and biases; A and R are exactly 0 where the fit has collapsed.
        collapsed: whether λ has pressed every factor to zero.
        loss: the mean loss of a training entry.
    """

    lam: float
    A: Array
    R: Array
    b: Array
    collapsed: bool
    loss: float

    def scores(self, data: RelationalData) -> Array:
        """The average precision of each relation of the data; NaN where it has one class only."""
        x = self.reconstruct(data)
        slices = [data.slice(k) for k in range(data.n_relations)]
        return np.array([average_precision(data.y[at], x[at]) for at in slices])

    def reconstruct(self, data: RelationalData) -> Array:
        """x at each entry of data with the relations of the fit."""
        from .....model.layout import Factors

        return reconstruct(Factors(self.A, self.R, ()), self.b, data)

    def matrix(self, k: int) -> Array:
        """x of relation k for all pairs of objects."""
        return np.asarray(self.A @ self.R[k] @ self.A.T + self.b[k])


def lam_path(
    train: RelationalData, rank: int, lams: Sequence[float], *, seed: int = 0, max_iter: int = 150
) -> list[Stop]:
    """Logistic fits of binary relations at ascending λ.

    The way is up, because zero attracts: a fit that has collapsed would stay there on the way down.

    >>> import mrwtd
    >>> stops = lam_path(mrwtd.load_dataset("florentine"), rank=2, lams=[0.1, 1.0, 1000.0])
    >>> [stop.collapsed for stop in stops]
    [False, False, True]
    """
    losses = [LOSSES["logistic"]] * train.n_relations
    objective = Objective(train, losses, rank, 1.0, threads=1)
    total = float(objective.coefficients.sum())
    theta = objective.layout.pack(make_start("spectral", objective, np.random.default_rng(seed)))
    stops = []
    for lam in sorted(lams):
        theta = solve(objective.with_lam(lam), theta, max_iter=max_iter, tol=1e-4).theta
        found = objective.layout.unpack(theta).copy()
        gone = is_degenerate(found)
        stops.append(
            Stop(
                float(lam),
                np.zeros_like(found.A) if gone else found.A,
                np.zeros_like(found.R) if gone else found.R,
                np.array([extra[0] for extra in found.extras]),
                gone,
                objective.data_term(theta)[0] / total,
            )
        )
    return stops


def probabilities(x: Array) -> Array:
    """P(tie) where the reconstruction is x.

    >>> probabilities(np.array([0.0]))
    array([0.5])
    """
    return LOSSES["logistic"].probability(x)
