"""CP: the weighted CP decomposition with any loss, x = Σ_f a_if r_kf a_jf + b_k. It is MrWTD with R_k held diagonal."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..data.relational import RelationalData
from ..model import search
from ..model.mrwtd import MrWTD
from ..model.solver import Callback
from .penalised import withered

Array = npt.NDArray[np.float64]


class CP(MrWTD):
    """MrWTD with diagonal R_k: every factor is on its own. Parameters and learned attributes are those of MrWTD.

    It has one A for both sides, so x is the same in both directions, whether the relation is directed or not.

    >>> import mrwtd
    >>> model = CP(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
    >>> np.array_equal(model.R_[0], np.diag(np.diag(model.R_[0])))
    True
    """

    diagonal = True

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        super()._fit(train, callback)
        directed = [relation.name for relation in train.relations if relation.directed]
        if directed:
            one_way = f"CP gives both directions of a pair one score, also in the directed relations ({len(directed)})."
            self.messages_ = (*self.messages_, one_way)

    def _trial(self, fitted: RelationalData, held: RelationalData, callback: Callback | None) -> search.Trial:
        trial = super()._trial(fitted, held, callback)
        shape = fitted.n_objects, int(self.rank)

        def attempt(lam: float, before: Array | None, stage: str) -> search.Attempt:
            # With diagonal R a factor of zero is stationary by itself, so it would be missed at every smaller λ.
            fresh = before is None or withered(before[: shape[0] * shape[1]].reshape(shape))
            return trial(lam, None if fresh else before, stage)

        return attempt


METHODS = {"CP": CP}
