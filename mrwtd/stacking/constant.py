"""`Constant`: the mean or median of each relation, a component for data in which nothing else can be learned."""

from __future__ import annotations

import time
from typing import Annotated

import numpy as np

from ..data.relational import RelationalData
from ..metrics.predictions import mean_of, median_of
from ..model.learned import numbers
from ..model.method import Method
from ..model.progress import Callback, Iteration, trace_frame
from ..typing import Array, Int32Array


class Constant(Method):
    """One value for all pairs of a relation: the median level, or the mean of other kinds.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("airports").select_relations(["flights"])
    >>> set(Constant().fit(data).predict(data)) == {data.y.mean()}
    True

    Learned attributes besides those of every method:
        values_: the value of each relation.
    """

    name, family = "Constant", "heuristic"

    values_: Annotated[Array, numbers("m")]

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        start, self.values_ = time.perf_counter(), np.zeros(train.n_relations)
        for k, relation in enumerate(train.relations):
            part = train.slice(k)
            y, pairs = train.y[part], train.w[part] * train.represents[part]
            if y.size:
                self.values_[k] = median_of(y, pairs) if relation.kind == "ordinal" else mean_of(y, pairs)
        self.trace_ = trace_frame([])
        error = 0.5 * float(train.w @ (train.y - self.predict(train)) ** 2)
        score = None if self._held_out is None else self._watch(self._score)(self._held_out)
        step = Iteration(1, error, 0.0, time.perf_counter() - start, score)
        self.trace_, self.converged_ = trace_frame([step]), True
        if callback is not None:
            callback(step)

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        return np.asarray(self.values_[relations[entries.k]])
