"""`Constant`: the mean or median of each relation, a component for data in which nothing else can be learned."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ..baselines.heuristics import Heuristic
from ..data.relational import RelationalData
from ..metrics.predictions import mean_of, median_of
from ..model.learned import numbers
from ..typing import Array, Int32Array


class Constant(Heuristic):
    """One value for all pairs of a relation: the median level, or the mean of other kinds.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("airports").select_relations(["flights"])
    >>> set(Constant().fit(data).predict(data)) == {data.y.mean()}
    True

    Learned attributes besides those of every method:
        values_: the value of each relation.
    """

    name = "Constant"

    values_: Annotated[Array, numbers("m")]

    def _count(self, train: RelationalData) -> None:
        self.values_ = np.zeros(train.n_relations)
        for k, relation in enumerate(train.relations):
            part = train.slice(k)
            y, pairs = train.y[part], train.w[part] * train.represents[part]
            if y.size:
                self.values_[k] = median_of(y, pairs) if relation.kind == "ordinal" else mean_of(y, pairs)

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        return np.asarray(self.values_[relations[entries.k]])
