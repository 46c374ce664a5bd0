"""Groups of objects with similar factors: k-means, with the number of groups that has the best silhouette.

The silhouette of an object compares its mean distance a within its group with that to the nearest other group, b:
(b − a) / max(a, b). It is 1 if groups are far apart, 0 on the border of two groups, and below 0 in the wrong group.
"""

from dataclasses import dataclass

import numpy as np

from ..typing import Array, IndexArray

MAX_GROUPS = 8
MAX_FITTED = 10_000
"""Groups are fitted to a sample of at most this many objects; the others join the nearest centre."""

MAX_COMPARED = 1_500
"""The silhouette compares all pairs, so it is computed on a sample of at most this many objects."""


@dataclass(frozen=True)
class Clusters:
    """Groups of objects.

    Attributes:
        labels: the group of each object, from 0, the largest group first.
        silhouette: the mean silhouette; NaN if there is only one group.
    """

    labels: IndexArray
    silhouette: float

    @property
    def count(self) -> int:
        """The number of groups."""
        return int(self.labels.max()) + 1


def cluster(A: Array, max_groups: int = MAX_GROUPS, seed: int = 0) -> Clusters:
    """Cluster the rows of A into 2 to `max_groups` groups. If too few rows differ, all are in one group.

    >>> clusters = cluster(np.array([[0.0], [0.1], [0.2], [5.0], [5.1]]))
    >>> clusters.labels.tolist(), clusters.count
    ([0, 0, 0, 1, 1], 2)
    """
    from sklearn.cluster import KMeans
    from sklearn.metrics import silhouette_score

    rng = np.random.default_rng(seed)
    fitted = A if len(A) <= MAX_FITTED else A[rng.choice(len(A), MAX_FITTED, replace=False)]
    sampled = rng.permutation(len(fitted))[:MAX_COMPARED]
    n_distinct = len(np.unique(fitted[sampled], axis=0))
    best, labels = float("nan"), np.zeros(len(A), dtype=np.intp)
    for count in range(2, min(max_groups, n_distinct - 1) + 1):
        kmeans = KMeans(count, n_init=5, random_state=seed).fit(fitted)
        sample_labels = kmeans.labels_[sampled]
        if len(np.unique(sample_labels)) < 2:
            continue  # a group of outliers that are not in the sample
        score = float(silhouette_score(fitted[sampled], sample_labels))
        if not score <= best:  # also if there is none yet
            best, labels = score, kmeans.predict(A).astype(np.intp)
    return Clusters(_largest_first(labels), best)


def _largest_first(labels: IndexArray) -> IndexArray:
    _, positions, counts = np.unique(labels, return_inverse=True, return_counts=True)
    return np.argsort(np.argsort(-counts, kind="stable"))[positions]
