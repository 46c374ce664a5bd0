"""Counts of correct and incorrect predictions at a threshold. Pairs scored at or above it are predicted ties."""

from dataclasses import dataclass

import numpy as np

from ..typing import Array


@dataclass(frozen=True)
class Confusion:
    """The confusion matrix at a threshold.

    >>> counts = confusion(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0.9, 0.2, 0.6, 0.1]), 0.5)
    >>> counts
    Confusion(hits=1, false_alarms=1, misses=1, rejections=1)
    >>> counts.precision, counts.recall, counts.f1
    (0.5, 0.5, 0.5)

    Attributes:
        hits: true positives.
        false_alarms: false positives.
        misses: false negatives.
        rejections: true negatives.
    """

    hits: int
    false_alarms: int
    misses: int
    rejections: int

    @property
    def entries(self) -> int:
        """The number of entries."""
        return self.hits + self.false_alarms + self.misses + self.rejections

    @property
    def precision(self) -> float:
        """The fraction of positives among the predicted ones; 1 where none is predicted, as in PR curves."""
        predicted = self.hits + self.false_alarms
        return self.hits / predicted if predicted else 1.0

    @property
    def recall(self) -> float:
        """The fraction of the positives that are predicted; NaN where there are none."""
        positives = self.hits + self.misses
        return self.hits / positives if positives else float("nan")

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, from 0 (no hit) to 1."""
        return 2 * self.hits / max(2 * self.hits + self.false_alarms + self.misses, 1)

    @property
    def base_rate(self) -> float:
        """The fraction of positives among all entries; NaN where there are no entries."""
        return (self.hits + self.misses) / self.entries if self.entries else float("nan")


def confusion(y: Array, x: Array, threshold: float) -> Confusion:
    """The confusion matrix of scores x for labels y = ±1: x ≥ threshold is a predicted tie.

    >>> confusion(np.array([1.0, -1.0]), np.array([0.0, -1.0]), 0.0)
    Confusion(hits=1, false_alarms=0, misses=0, rejections=1)
    """
    predicted, truth = x >= threshold, y > 0
    hits = int(np.count_nonzero(predicted & truth))
    false_alarms = int(np.count_nonzero(predicted)) - hits
    misses = int(np.count_nonzero(truth)) - hits
    return Confusion(hits, false_alarms, misses, int(y.size) - hits - false_alarms - misses)
