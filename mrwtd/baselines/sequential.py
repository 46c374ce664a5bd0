"""Relations that are fitted one after another: the trace, the callback and the score of all of them."""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np

from ..data.relations import Relation
from ..metrics import selection_score
from ..model.cancellation import is_cancelled
from ..model.progress import Callback, Iteration


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


class Progress:
    """The iterations of several fits as those of one: the trace, the user's callback, and whether it stopped.

    `relation` is the one that is being fitted, `others` the objective of all others, `skipped` those that were not
    fitted before the stop, and `score` that of all relations if there are held-out entries.
    """

    def __init__(self, callback: Callback | None):
        self.trace: list[Iteration] = []
        self.relation, self.others, self.stopped = "", 0.0, False
        self.skipped: set[str] = set()
        self.score: Callable[[str, float], float] | None = None
        self._callback, self._previous = callback, ("", 0.0)

    def add(self, iteration: Iteration) -> object:
        """Add an iteration of the current relation."""
        if self.stopped and self.trace:
            return True
        if self._previous[0] != self.relation:
            self._previous = self.relation, self.trace[-1].seconds if self.trace else 0.0
        number, seconds = len(self.trace) + 1, self._previous[1] + iteration.seconds
        score = iteration.score
        if score is not None and self.score is not None:
            score = self.score(self.relation, score)
        objective = iteration.objective + self.others
        total = replace(iteration, number=number, objective=objective, seconds=seconds, score=score, theta=None)
        if iteration.stage.kind == "fit":
            self.trace.append(total)
        self.stopped = bool(self._callback is not None and self._callback(total)) or self.stopped or is_cancelled()
        return self.stopped
