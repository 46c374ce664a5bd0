"""Simple heuristics for comparison: Degree and Common neighbours. A method that is no better has learned nothing.

Both have `rank`, `lam` and `seed`, like every method, but do not use them.
"""

import time
from typing import Annotated, Any

import numpy as np
from scipy.sparse import csr_array

from ..data.relational import RelationalData
from ..model.learned import numbers
from ..model.method import METHODS, Method, Style
from ..model.progress import Callback, Iteration, trace_frame
from ..typing import Array, IndexArray, Int32Array

PRIOR = 2.0
"""The mean of an object includes this many average entries: a single entry is little evidence."""

SMALLEST_RATE = 1e-6
BLOCK = 100_000
"""The number of pairs processed at a time."""

CELLS = 10_000_000
"""The largest array of paths from some objects to all others."""


class Heuristic(Method):
    """The base class of methods that count instead of minimizing. A subclass has `_count` and `_reconstruct`."""

    family = "heuristic"

    def _count(self, train: RelationalData) -> None:
        """Set the learned attributes."""
        raise NotImplementedError

    def _fit(self, train: RelationalData, callback: Callback | None) -> None:
        start = time.perf_counter()
        self._count(train)
        self.trace_ = trace_frame([])
        # One iteration, whose objective is the squared error of the predictions for the training entries.
        error = 0.5 * float(train.w @ (train.y - self.predict(train)) ** 2)
        score = None if self._held_out is None else self._watch(self._score)(self._held_out)
        step = Iteration(1, error, 0.0, time.perf_counter() - start, score)
        self.trace_, self.converged_ = trace_frame([step]), True
        if callback is not None:
            callback(step)


@METHODS.register
class Degree(Heuristic):
    """x = mean + (source's mean − mean) + (target's mean − mean): an object with many ties has more of them.

    Means of objects are shrunk to that of the relation. Counts are multiplied instead: x is the log of the rate.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> Degree().fit(train).means_.shape  # source and target in each relation
    (2, 2, 15)
    """

    name, order, style = "Degree", 11, Style("#999933", "2px,4px", "hexagon")

    means_: Annotated[Array, numbers("m", 2, "n")]
    centres_: Annotated[Array, numbers("m")]

    def _count(self, train: RelationalData) -> None:
        m, n = train.n_relations, train.n_objects
        self.centres_, self.means_ = np.zeros(m), np.zeros((m, 2, n))
        for k, relation in enumerate(train.relations):
            part = train.slice(k)
            i, j, y, w = train.i[part], train.j[part], train.y[part], train.w[part]
            centre = float(w @ y) / float(w.sum()) if w.any() else 0.0
            off = i != j
            ends = [(i, y, w), (j, y, w)]
            if not relation.directed:  # one mean over both ends, in which a pair of an object with itself counts once
                both = np.concatenate([i, j[off]]), np.concatenate([y, y[off]]), np.concatenate([w, w[off]])
                ends = [both, both]
            for end, (objects, value, weight) in enumerate(ends):
                total = np.bincount(objects, weight * value, n) + PRIOR * centre
                self.means_[k, end] = total / (np.bincount(objects, weight, n) + PRIOR)
            self.centres_[k] = centre
            if relation.kind == "count":
                self.losses_[relation.name] = "poisson"
                self.means_[k] = np.log(np.maximum(self.means_[k], SMALLEST_RATE))
                self.centres_[k] = np.log(max(centre, SMALLEST_RATE))

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        k = relations[entries.k]
        return np.asarray(self.means_[k, 0, entries.i] + self.means_[k, 1, entries.j] - self.centres_[k])


def are_ties(value: Any, method: Method) -> bool:
    """Source, target and relation of each tie."""
    sizes = np.array([[len(method.objects_)], [len(method.objects_)], [len(method.relations_)]])
    return (
        isinstance(value, np.ndarray)
        and value.dtype == np.int32
        and value.ndim == 2
        and len(value) == len(sizes)
        and bool(((value >= 0) & (value < sizes)).all())
    )


def _paths_between_types(steps: csr_array, objects: IndexArray) -> Array:
    """The number of paths i → z ← w → j from each of some objects i to each j, with w ≠ i and z ≠ j."""
    first = steps[objects]
    paths: Array = (first @ steps.T @ steps).toarray()
    # If there is a tie i → j, the product includes i → z ← i → j and i → j ← w → j, and i → j ← i → j in both.
    row, j = first.nonzero()
    outgoing, incoming = (np.asarray(steps.sum(axis=axis)).reshape(-1) for axis in (1, 0))
    paths[row, j] -= outgoing[np.asarray(objects)[row]] + incoming[j] - 1
    return paths


@METHODS.register
class CommonNeighbours(Degree):
    """x = the number of paths i → z → j over known ties, minus a threshold that as many pairs pass as there are ties.

    In undirected relations these are the common neighbours. Relations that are not binary are scored by Degree.

    Between two types of objects there are no such paths. There, x is the number of paths of length 3, i → z ← w → j:
    woman i attended an event z with another woman w, who attended event j too.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine").select_relations(["marriage"])
    >>> sorted(set(CommonNeighbours().fit(data).decision_function(data).tolist()))
    [-0.5, 0.5, 1.5]
    """

    name, order = "Common neighbours", 12
    style = Style("#B8407F", "6px,2px,2px,2px", "pentagon")

    ties_: Annotated[Int32Array, are_ties]
    thresholds_: Annotated[Array, numbers("m")]

    def _count(self, train: RelationalData) -> None:
        binary = np.array([relation.kind == "binary" for relation in train.relations])
        tied = binary[train.k] & (train.y > 0) & (train.i != train.j)
        self.ties_ = np.stack([train.i[tied], train.j[tied], train.k[tied]])
        self.thresholds_ = np.zeros(train.n_relations)
        for k in np.flatnonzero(binary).tolist():
            part = train.slice(k)
            paths = np.sort(self._paths(k, train.i[part], train.j[part]))[::-1]
            positives = np.count_nonzero(train.y[part] > 0)
            last = paths[positives - 1] if positives else paths.max(initial=0.0) + 1
            self.thresholds_[k] = max(last, 1.0) - 0.5
        super()._count(train)

    def _known_ties(self, k: int) -> csr_array:
        """1 for each tie of relation k, undirected ones in both directions."""
        n = len(self.objects_)
        source, target = self.ties_[:2, self.ties_[2] == k]
        ties = csr_array((np.ones(source.size), (source, target)), shape=(n, n))
        return ties if self.relations_[k].directed else ties + ties.T

    def _paths(self, k: int, i: Int32Array, j: Int32Array) -> Array:
        """The number of z with ties i → z and z → j; between two types of objects, of paths of length 3."""
        out = self._known_ties(k)
        into = out.T.tocsr()
        paths = np.zeros(i.size)
        if self.relations_[k].is_two_mode:
            sources, row = np.unique(i.astype(np.intp), return_inverse=True)
            size = max(CELLS // len(self.objects_), 1)
            order = np.argsort(row, kind="stable")
            for first in range(0, sources.size, size):
                start, stop = np.searchsorted(row[order], [first, first + size])
                pairs = order[start:stop]
                counts = _paths_between_types(out, sources[first : first + size])
                paths[pairs] = counts[row[pairs] - first, j[pairs]]
            return paths
        for first in range(0, i.size, BLOCK):
            part = slice(first, first + BLOCK)
            paths[part] = np.asarray(out[i[part]].multiply(into[j[part]]).sum(axis=1)).reshape(-1)
        return paths

    def _candidate_scores(self, k: int, objects: IndexArray, side: str) -> Array:
        if self.relations_[k].kind != "binary":
            return super()._candidate_scores(k, objects, side)
        out = self._known_ties(k)
        steps = out if side == "tail" else out.T.tocsr()
        two_mode = self.relations_[k].is_two_mode
        paths: Array = _paths_between_types(steps, objects) if two_mode else (steps[objects] @ steps).toarray()
        return np.asarray(paths - self.thresholds_[k])

    def _reconstruct(self, entries: RelationalData, relations: Int32Array) -> Array:
        x = super()._reconstruct(entries, relations)
        for position, k in enumerate(relations):
            part = entries.slice(position)
            if self.relations_[k].kind == "binary":
                x[part] = self._paths(int(k), entries.i[part], entries.j[part]) - self.thresholds_[k]
        return x
