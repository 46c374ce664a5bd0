"""CP: the weighted CP decomposition with any loss, x = Σ_f a_if r_kf a_jf + b_k. It is MrWTD with diagonal R_k."""

from ..data.relational import RelationalData
from ..model.diagnostics import Diagnostic
from ..model.fit_checks import has_dead_factors
from ..model.method import METHODS, Style
from ..model.mrwtd import MrWTD, Problem
from ..model.progress import Callback
from ..typing import Array


@METHODS.register
class CP(MrWTD):
    """MrWTD with diagonal R_k: factors do not interact. Parameters and learned attributes are those of MrWTD.

    It has one A for both sides, so x is the same in both directions, whether the relation is directed or not.

    >>> import mrwtd
    >>> import numpy as np
    >>> model = CP(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
    >>> np.array_equal(model.R_[0], np.diag(np.diag(model.R_[0])))
    True
    """

    name, order, style = "CP", 9, Style("#56B4E9", "longdashdot", "triangle-down")

    diagonal = True

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        super()._fit(train, callback)
        directed = [relation.name for relation in train.relations if relation.directed]
        if directed:
            fact = Diagnostic("one_score_per_pair", values={"directed_relations": len(directed)})
            self.diagnostics_ = (*self.diagnostics_, fact)

    def _resumable(self, problem: Problem, theta: Array) -> bool:
        # With diagonal R a column of zeros is a stationary point.
        return not has_dead_factors(problem.objective.layout.unpack(theta).A)
