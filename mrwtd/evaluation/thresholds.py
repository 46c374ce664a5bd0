"""What a threshold makes of scores: pairs from it on are called positive, and are right or wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..data.observed import observed
from ..data.relational import RelationalData
from ..model.method import Method
from ..typing import Array


@dataclass(frozen=True)
class Confusion:
    """How many entries are what, at a threshold.

    >>> found = confusion(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0.9, 0.2, 0.6, 0.1]), 0.5)
    >>> found
    Confusion(hits=1, false_alarms=1, misses=1, rejections=1)
    >>> found.precision, found.recall, found.f1
    (0.5, 0.5, 0.5)

    Attributes:
        hits: called positive, and so they are.
        false_alarms: called positive, and are not.
        misses: positive, and not called so.
        rejections: neither.
    """

    hits: int
    false_alarms: int
    misses: int
    rejections: int

    @property
    def entries(self) -> int:
        """All of them."""
        return self.hits + self.false_alarms + self.misses + self.rejections

    @property
    def precision(self) -> float:
        """The share of positives among those called so; 1 where none is, as precision–recall curves have it."""
        called = self.hits + self.false_alarms
        return self.hits / called if called else 1.0

    @property
    def recall(self) -> float:
        """The share of the positives that is found; NaN where there are none."""
        positives = self.hits + self.misses
        return self.hits / positives if positives else float("nan")

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, from 0 (no hit) to 1."""
        return 2 * self.hits / max(2 * self.hits + self.false_alarms + self.misses, 1)

    @property
    def accuracy(self) -> float:
        """The share of entries that are called right; NaN where there are none."""
        return (self.hits + self.rejections) / self.entries if self.entries else float("nan")

    @property
    def base_rate(self) -> float:
        """The share of positives, whatever is called so; NaN where there are no entries."""
        return (self.hits + self.misses) / self.entries if self.entries else float("nan")


def confusion(y: Array, x: Array, threshold: float) -> Confusion:
    """What a threshold makes of scores x for labels y = ±1: x ≥ threshold is called positive.

    >>> confusion(np.array([1.0, -1.0]), np.array([0.0, -1.0]), 0.0).accuracy
    1.0
    """
    called, truth = x >= threshold, y > 0
    hits = int(np.count_nonzero(called & truth))
    false_alarms = int(np.count_nonzero(called)) - hits
    misses = int(np.count_nonzero(truth)) - hits
    return Confusion(hits, false_alarms, misses, int(y.size) - hits - false_alarms - misses)


def confusions(model: Method, test: RelationalData, threshold: float = 0.0) -> pd.DataFrame:
    """A row for each binary relation of the test entries: the counts at a threshold, and what follows from them.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> found = confusions(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test)
    >>> found[["relation", "hits", "misses"]].sum(numeric_only=True).sum().item()  # the positives of both
    17
    """
    test = observed(test)
    x = model.decision_function(test)
    rows = []
    for k, relation in enumerate(test.relations):
        if relation.kind == "binary" and test.y[test.slice(k)].size:
            found = confusion(test.y[test.slice(k)], x[test.slice(k)], threshold)
            rows.append({"relation": relation.name, **{name: getattr(found, name) for name in COLUMNS}})
    return pd.DataFrame(rows, columns=["relation", *COLUMNS])


COLUMNS = ("hits", "false_alarms", "misses", "rejections", "precision", "recall", "f1", "accuracy", "base_rate")
