"""The tensor seen from another side: one matrix per source or per target instead of one per relation.

    relation   X_k[i, j] = a_i R_k a_jᵀ         objects × objects, one R for each relation: the usual model
    source     X_i[j, k] = a_j R_i c_kᵀ         objects × relations, one R for each source
    target     X_j[i, k] = a_i R_j c_kᵀ         objects × relations, one R for each target

The usual model has factors of objects only: relations are independent given these. Turned, relations have factors too,
so that one which repeats another is recognized. This is what small data with many similar relations needs, such as
Nations. Any method for directed two-mode data can be fitted to a turned tensor.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Self

import numpy as np

from ...data.relational import RelationalData
from ...data.relations import Relation
from ...errors import DataError, Problem
from ...model.method import Method
from ...model.predictor import Predictor
from ...typing import Array, Int32Array

VIEWS = ("relation", "source", "target")
"""What has a matrix each."""

OBJECT, RELATION = "object", "relation"


def turn(data: RelationalData, view: str) -> RelationalData:
    """Binary directed data with one matrix per source or target; its objects are the objects and the relations.

    >>> import mrwtd
    >>> turn(mrwtd.load_dataset("nations"), "source")
    RelationalData(69 objects, 14 relations, 10,010 entries)
    """
    if view not in VIEWS:
        raise DataError(Problem(f"the view {view!r}", f"one of {', '.join(VIEWS)}"))
    if any(relation.kind != "binary" or not relation.directed for relation in data.relations):
        raise DataError(Problem("relations that are not binary and directed", "binary directed relations only"))
    if view == VIEWS[0]:
        return data
    n, m = data.n_objects, data.n_relations
    names = [f"{OBJECT} {name}" for name in data.objects] + [f"{RELATION} {each.name}" for each in data.relations]
    slices = [Relation(name, "binary", True, types=(OBJECT, RELATION)) for name in data.objects]
    slice_of, rows = (data.i, data.j) if view == "source" else (data.j, data.i)
    types = [OBJECT] * n + [RELATION] * m
    return RelationalData(names, slices, rows, n + data.k, slice_of, data.y, data.w, object_types=types)


class TurnedModels(Predictor):
    """The mean of x of a method that was fitted to the tensor from several sides.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("nations").split(train=0.2, seed=0)
    >>> model = TurnedModels(lambda: mrwtd.MrWTD(rank=2, lam=1.0, max_iter=5), ("source", "target")).fit(train)
    >>> model.decision_function(test).shape == test.y.shape
    True
    """

    def __init__(self, make: Callable[[], Method], views: Sequence[str] = VIEWS[1:]):
        self.make, self.views = make, tuple(views)

    def fit(self, train: RelationalData) -> Self:
        """Fit one method for each view."""
        self.models_: Mapping[str, Method] = {view: self.make().fit(turn(train, view)) for view in self.views}
        first = next(iter(self.models_.values()))
        self.objects_, self.relations_, self.object_types_ = train.objects, train.relations, train.object_types
        self.rank_, self.trace_ = first.rank_, first.trace_
        name = next(iter(first.losses_.values()))
        self.losses_ = dict.fromkeys((relation.name for relation in train.relations), name)
        self.scales_ = np.tile([0.0, 1.0], (train.n_relations, 1))
        nothing = train.subset(np.zeros(0, dtype=np.intp))
        self._no_pairs = {view: turn(nothing, view) for view in self.views}
        return self

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        x = np.zeros(len(entries))
        for view in self.views:
            if view == VIEWS[0]:
                x += self.models_[view]._reconstruct(entries, relations)
                continue
            for position, k in enumerate(relations.tolist()):
                part = entries.slice(position)
                if part.stop > part.start:
                    x[part] += self._of_relation(view, k, entries.i[part], entries.j[part])
        return x / len(self.views)

    def _of_relation(self, view: str, k: int, i: Int32Array, j: Int32Array) -> Array:
        """x between the objects i and j in relation k of the fit, in one view."""
        slices, rows = (i, j) if view == "source" else (j, i)
        order = np.lexsort((rows, slices))
        columns = np.full(i.size, len(self.objects_) + k, dtype=np.int32)
        pairs = self._no_pairs[view]._with(i=rows[order], j=columns, k=slices[order], y=np.ones(i.size))
        x = np.empty(i.size)
        x[order] = self.models_[view].decision_function(pairs)
        return x
