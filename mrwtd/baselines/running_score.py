"""The score of all relations while they are fitted one after another."""

from collections.abc import Iterable

import numpy as np

from ..data.relations import Relation
from ..metrics import selection_score


class RunningScore:
    """The score of all relations, updated with that of one relation at a time.

    >>> from mrwtd.data.relations import Relation
    >>> running = RunningScore([Relation("likes", "binary", True), Relation("calls", "binary", True)])
    >>> [round(float(running.update(*score)), 3) for score in (("likes", 0.5), ("calls", 0.7), ("calls", 0.9))]
    [0.5, 0.6, 0.7]
    """

    def __init__(self, relations: Iterable[Relation]):
        self._kinds = {relation.name: relation.kind for relation in relations}
        self._scores = dict[str, float]()
        self._sums = {kind: np.zeros(2) for kind in self._kinds.values()}  # sum and number of the scores of a kind

    def update(self, relation: str, score: float) -> float:
        """Set the score of one relation; returns that of all: see `metrics.selection_score`."""
        sums = self._sums[self._kinds[relation]]
        for value, sign in ((self._scores.get(relation, np.nan), -1), (score, 1)):
            if not np.isnan(value):
                sums += sign * value, sign
        self._scores[relation] = score
        return selection_score((kind, total / count) for kind, (total, count) in self._sums.items() if count)
