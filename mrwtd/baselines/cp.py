"""CP: the weighted CP decomposition with any loss, of sources, relations and targets.

    directed       x_ijk = Σ_f u_if c_kf v_jf + b_k
    undirected     x_ijk = Σ_f a_if c_kf a_jf + b_k

If any relation is directed, each object has factors u as a source and v as a target, and an undirected relation is
the mean of both directions, ½ Σ_f c_kf (u_if v_jf + v_if u_jf). If none is, u = v = a.

It is MrWTD with some numbers of R_k fixed at 0: A is [U V], and c_k is the diagonal of the upper right corner of R_k;
for an undirected relation, c_k / 2 is that of both corners. With one A for both sides, c_k is the diagonal of R_k.
"""

from collections.abc import Sequence

import numpy as np

from ..data.relations import Relation
from ..model.cost import Size
from ..model.fit_checks import DEAD, has_dead_factors
from ..model.initialization import constants
from ..model.layout import Factors
from ..model.method import METHODS, Style
from ..model.mrwtd import MrWTD, Problem
from ..model.objective import Objective
from ..typing import Array, BoolArray
from .cp_start import TWO_SIDED_STARTS, corners


def is_two_sided(relations: Sequence[Relation]) -> bool:
    """Whether objects have different factors as sources and as targets."""
    return any(relation.directed for relation in relations)


@METHODS.register
class CP(MrWTD):
    """MrWTD whose factors do not interact. Parameters and learned attributes are those of MrWTD.

    With a directed relation, A_ has the factors of each object as a source, and then those as a target.

    >>> import mrwtd
    >>> import numpy as np
    >>> model = CP(rank=2, lam=1.0).fit(mrwtd.load_dataset("florentine"))
    >>> np.array_equal(model.R_[0], np.diag(np.diag(model.R_[0])))
    True
    >>> CP(rank=2, lam=1.0).fit(mrwtd.load_dataset("nations")).A_.shape  # 14 countries, directed relations
    (14, 4)
    """

    name, order, style = "CP", 9, Style("#56B4E9", "longdashdot", "triangle-down")

    @property
    def sides(self) -> int:
        """2 if objects have different factors as sources and as targets, else 1."""
        return 2 if is_two_sided(self.relations_) else 1

    @property
    def columns(self) -> int:
        """The number of factors of an object, on both sides."""
        return self.sides * self.rank_

    def _pattern(self, rank: int, relations: Sequence[Relation]) -> BoolArray:
        factors, none = np.eye(rank, dtype=bool), np.zeros((rank, rank), dtype=bool)
        if not is_two_sided(relations):
            return factors
        one_way, both_ways = np.block([[none, factors], [none, none]]), np.block([[none, factors], [factors, none]])
        return np.stack([one_way if relation.directed else both_ways for relation in relations])

    def _start(self, objective: Objective, number: int = 0) -> Array:
        if self.sides == 1 or self.init == "random":
            return super()._start(objective, number)
        extras, rng = constants(objective).extras, np.random.default_rng([self.seed, number])
        A, C = TWO_SIDED_STARTS[self.init](objective, extras, rng, objective.layout.rank // 2)
        R = np.stack([corners(c, relation.directed) for c, relation in zip(C, objective.data.relations, strict=True)])
        return objective.layout.pack(Factors(A, R, extras))

    def _columns_per_factor(self, size: Size) -> int:
        return 2 if size.directed else 1

    def _resumable(self, problem: Problem, theta: Array) -> bool:
        # A column of zeros is a stationary point.
        return not has_dead_factors(problem.objective.layout.unpack(theta).A)

    def _factors_in_use(self, factors: Factors) -> int:
        sizes = np.linalg.norm(factors.A, axis=0).reshape(self.sides, -1).min(axis=0)
        return int((sizes >= DEAD * sizes.max()).sum())
