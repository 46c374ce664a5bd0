"""Groups of objects with similar factors: k-means, with the number of groups that the silhouette likes best.

The silhouette of an object compares its mean distance a to its own group with that to the nearest other, b:
(b − a) / max(a, b). It is 1 where groups are far apart, 0 on the border of two, and below 0 in the wrong one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..typing import Array, IndexArray

MAX_GROUPS = 8
MAX_FITTED = 10_000
"""More objects than this join the nearest centre of groups found among so many."""

MAX_COMPARED = 1_500
"""The silhouette takes every pair: beyond this it is that of a sample."""


@dataclass(frozen=True)
class Clusters:
    """The groups that were found.

    Attributes:
        labels: the group of each object, from 0, the largest group first.
        scores: a row for each number of groups tried: groups, silhouette.
    """

    labels: IndexArray
    scores: pd.DataFrame

    @property
    def count(self) -> int:
        """How many groups there are."""
        return int(self.labels.max()) + 1

    @property
    def silhouette(self) -> float:
        """The mean silhouette of the groups chosen; NaN where there is one group only."""
        return float(self.scores["silhouette"].max()) if len(self.scores) else float("nan")


def cluster(A: Array, max_groups: int = MAX_GROUPS, seed: int = 0) -> Clusters:
    """The rows of A in 2 to `most` groups. Where too few rows differ, all are one group.

    >>> found = cluster(np.array([[0.0], [0.1], [0.2], [5.0], [5.1]]))
    >>> found.labels.tolist(), found.count
    ([0, 0, 0, 1, 1], 2)
    """
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    rng = np.random.default_rng(seed)
    fitted = A if len(A) <= MAX_FITTED else A[rng.choice(len(A), MAX_FITTED, replace=False)]
    compared = rng.permutation(len(fitted))[:MAX_COMPARED]
    different = len(np.unique(fitted[compared], axis=0))
    best, labels, rows = -2.0, np.zeros(len(A), dtype=np.intp), []
    for count in range(2, min(max_groups, different - 1) + 1):
        found = KMeans(count, n_init=5, random_state=seed).fit(fitted)
        own = found.labels_[compared]
        if len(np.unique(own)) < 2:
            continue  # a group of outliers that the sample has missed
        score = float(silhouette_score(fitted[compared], own))
        rows.append((count, score))
        if score > best:
            best, labels = score, found.predict(A).astype(np.intp)
    scores = pd.DataFrame(rows, columns=["groups", "silhouette"])
    return Clusters(_largest_first(labels), scores)


def _largest_first(labels: IndexArray) -> IndexArray:
    _, position, counts = np.unique(labels, return_inverse=True, return_counts=True)
    place = np.empty(counts.size, dtype=np.intp)
    place[np.argsort(-counts, kind="stable")] = np.arange(counts.size)
    return place[position]
