"""MMMF+: MrWTD on each relation alone. What it lacks beside MrWTD is what the relations learn from each other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..data.relational import RelationalData
from ..model.layout import Factors
from ..model.losses import Loss
from ..model.mrwtd import MrWTD
from ..model.objective import Objective
from ..model.search import vanished
from .slices import SliceBySlice

Array = npt.NDArray[np.float64]


class MMMFPlus(SliceBySlice):
    """Each relation is φ_k(A_k R_k A_kᵀ + b_k): MrWTD without a common A.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = MMMFPlus(rank=2, lam=1.0).fit(train)
    >>> model.A_.shape, model.R_.shape, model.b_.shape
    ((2, 15, 2), (2, 2, 2), (2,))

    Args:
        rank: how many latent factors an object has, in each relation.
        loss: as of `MrWTD`.
        lam: the strength λ of the L2 regularisation, one for all relations, or "auto" for a search.
        max_iter: at most so many iterations a relation.
        tol: stop when the objective falls by less than this share of itself in five iterations.
        seed: of every random choice.

    Learned attributes, besides those of every method:
        A_, R_, b_: the factors of each relation, (m, n, r) and (m, r, r), and its bias, 0 for ordinal ones.
        cuts_: {relation: ascending cut points} of ordinal relations.
        lam_, lam_path_: the λ used, and the scores along the search for it (empty where λ was given).
    """

    A_: Array
    R_: Array

    def _objective(self, data: RelationalData, y: Array, loss: Loss) -> Objective:
        return Objective(data, [loss], int(self.rank), 1.0, y=y)

    def _start(self, objective: Objective) -> Array:
        return MrWTD(rank=self.rank, seed=self.seed)._start(objective)

    def _vanished(self, factors: Factors) -> bool:
        return vanished(factors)

    def _keep_factors(self, factors: list[Factors]) -> None:
        self.A_ = np.stack([own.A for own in factors])
        self.R_ = np.concatenate([own.R for own in factors])

    def _sides(self, k: int) -> tuple[Array, Array]:
        return self.A_[k] @ self.R_[k], self.A_[k]


METHODS = {"MMMF+": MMMFPlus}
