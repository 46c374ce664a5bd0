"""MMMF+: MrWTD on each relation alone. What it lacks beside MrWTD is what the relations learn from each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.relational import RelationalData
from ..metrics import selection_score
from ..model import search
from ..model.layout import Factors
from ..model.method import Method
from ..model.mrwtd import MrWTD
from ..model.objective import reconstruct
from ..model.solver import Callback, Iteration

Array = npt.NDArray[np.float64]


class MMMFPlus(Method):
    """Each relation is φ_k(A_k R_k A_kᵀ + b_k): MrWTD without a common A.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = MMMFPlus(rank=2, lam=1.0).fit(train)
    >>> model.A_.shape, model.R_.shape, model.b_.shape
    ((2, 15, 2), (2, 2, 2), (2,))

    The objective in the trace is the sum over the relations that have had their turn.

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
    b_: Array
    cuts_: dict[str, Array]
    lam_: float
    lam_path_: pd.DataFrame

    def __init__(
        self,
        rank: int = 20,
        loss: str | Mapping[str, str] = "auto",
        lam: float | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-5,
        seed: int = 0,
    ):
        self.rank = rank
        self.loss = loss
        self.lam = lam
        self.max_iter = max_iter
        self.tol = tol
        self.seed = seed
