"""`Constant`: one value for each relation, a component for data in which nothing else can be learned."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ..baselines.heuristics import Heuristic
from ..data.relational import RelationalData
from ..metrics.predictions import mean_of, median_of
from ..model.learned import numbers
from ..typing import Array, Int32Array


class Constant(Heuristic):
    """One value for all pairs of a relation: the median level, or the mean of real values.

    Of counts it is exp(mean of log(1 + y)) − 1: a single large count among few would decide their mean.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("airports").select_relations(["distance (km)"])
    >>> set(Constant().fit(data).predict(data).round(6)) == {data.y.mean().round(6)}
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
            if not y.size:
                continue
            if relation.kind == "ordinal":
                self.values_[k] = median_of(y, pairs)
            elif relation.kind == "count":
                self.values_[k] = np.expm1(mean_of(np.log1p(y), pairs))
            else:
                self.values_[k] = mean_of(y, pairs)

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        return np.asarray(self.values_[relations[entries.k]])
