"""The priors of the rows of A: one Gaussian (BTF), or one for each of several clusters of objects (MrWTD-B).

    c_i ~ π,   π ~ Dirichlet(1/K, …, 1/K),   a_i ~ N(μ_c, Λ⁻¹) with c = c_i,   Λ ~ Wishart(W₀, r)
    μ_c ~ N(μ₀, B⁻¹),   B ~ Wishart(W₀, r),   μ₀ ~ N(0, (2B)⁻¹),   W₀⁻¹ = `WITHIN` I

Objects of a cluster have similar ties, so few known ties of an object say much about the others. On Kinship at 10% a
chain with clusters scores 0.04 more than one without. In data without clusters, the sparse prior of π leaves one.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ...typing import AnyArray, Array
from .gaussian_wishart import Gaussian, GaussianWishart, wishart

WITHIN = 0.1
"""Clusters may be narrow: the prior must not widen them where there are hundreds of objects only."""

OBJECTS_PER_CLUSTER, MOST_CLUSTERS = 5, 30
"""K is the first number per object, and at most the second; data without that many clusters leaves the others empty."""

BELIEF = 2.0
"""β₀ of the mean of rows."""

LEAST = 1e-300
"""The smallest π, which has a logarithm."""

STEPS = 5
"""Steps of k-means for the start of the clusters."""


@dataclass(frozen=True)
class Rows:
    """The prior of a row, with its parameters: N(means[c], precision⁻¹) with the probability exp(log_weights[c])."""

    means: Array
    precision: Array
    log_weights: Array = field(default_factory=lambda: np.zeros(1))


class RowPrior(Protocol):
    """The prior of the parameters of `Rows`."""

    def draw(self, A: Array, rng: np.random.Generator) -> Rows:
        """The parameters given the rows of A."""

    @property
    def cluster(self) -> AnyArray:
        """The cluster of each row, which draws of the rows change."""


class OneGaussian:
    """All rows have the same mean.

    >>> prior = OneGaussian(n_objects=3, rank=2)
    >>> prior.draw(np.zeros((3, 2)), np.random.default_rng(0)).means.shape
    (1, 2)
    """

    def __init__(self, n_objects: int, rank: int):
        self.cluster = np.zeros(n_objects, dtype=np.int64)
        self.prior = GaussianWishart(np.zeros(rank), beta=BELIEF, freedom=float(rank))

    def draw(self, A: Array, rng: np.random.Generator) -> Rows:
        """Mean and precision given the rows."""
        drawn = self.prior.draw(A, rng)
        return Rows(drawn.mean[None], drawn.precision)


class Clusters:
    """Rows belong to clusters.

    >>> rng = np.random.default_rng(0)
    >>> A = np.repeat([[0.0, 5.0], [5.0, 0.0]], 10, axis=0) + 0.1 * rng.normal(size=(20, 2))
    >>> prior = Clusters.of(A, rng)
    >>> prior.draw(A, rng).means.shape
    (4, 2)

    Args:
        cluster: the cluster of each row.
        n_clusters: their maximum number K.
        rank: the number of columns of A.
    """

    def __init__(self, cluster: AnyArray, n_clusters: int, rank: int):
        self.cluster, self.n_clusters = cluster, n_clusters
        self.prior = GaussianWishart(np.zeros(rank), BELIEF, float(rank), WITHIN)
        self.centres = Gaussian(np.zeros(rank), np.eye(rank))
        self.precision = np.eye(rank)

    @classmethod
    def of(cls, A: Array, rng: np.random.Generator) -> "Clusters":
        """Clusters that start from those of k-means."""
        n, r = A.shape
        n_clusters = max(1, min(n // OBJECTS_PER_CLUSTER, MOST_CLUSTERS))
        prior = cls(k_means(A, n_clusters, rng), n_clusters, r)
        for _ in range(STEPS):  # the precisions depend on the means, and the means on the precisions
            prior.draw(A, rng)
        return prior

    def draw(self, A: Array, rng: np.random.Generator) -> Rows:
        """The means, the precisions and π given the rows and their clusters."""
        sizes = np.bincount(self.cluster, minlength=self.n_clusters)
        sums = np.zeros((self.n_clusters, A.shape[1]))
        np.add.at(sums, self.cluster, A)
        prior = self.centres.precision
        roots = np.linalg.cholesky(prior + sizes[:, None, None] * self.precision)
        half = np.linalg.solve(roots, (prior @ self.centres.mean + sums @ self.precision)[..., None])
        half += rng.normal(size=half.shape)
        means: Array = np.linalg.solve(roots.transpose(0, 2, 1), half)[..., 0]
        apart = A - means[self.cluster]
        freedom = self.prior.freedom + A.shape[0]
        self.precision = wishart(WITHIN * np.eye(A.shape[1]) + apart.T @ apart, freedom, rng)
        self.centres = self.prior.draw(means, rng)
        weights = rng.dirichlet(sizes + 1 / self.n_clusters)
        return Rows(means, self.precision, np.log(np.maximum(weights, LEAST)))


def k_means(A: Array, n_clusters: int, rng: np.random.Generator) -> AnyArray:
    """The cluster of each row after some steps of k-means, from centres that are far apart.

    >>> k_means(np.array([[0.0], [0.1], [5.0]]), 2, np.random.default_rng(0)).tolist() in ([0, 0, 1], [1, 1, 0])
    True
    """
    centres = A[rng.integers(len(A), size=1)]
    while len(centres) < n_clusters:
        distance = squares(A, centres).min(axis=1)
        total = distance.sum()
        if not total > 0:
            break
        centres = np.vstack([centres, A[rng.choice(len(A), p=distance / total)]])
    cluster = np.zeros(len(A), dtype=np.int64)
    for _ in range(STEPS):
        cluster = squares(A, centres).argmin(axis=1)
        for c in np.unique(cluster):
            centres[c] = A[cluster == c].mean(axis=0)
    return cluster


def squares(A: Array, centres: Array) -> Array:
    """The squared distance of each row from each centre."""
    distance: Array = (A * A).sum(axis=1)[:, None] - 2 * A @ centres.T + (centres * centres).sum(axis=1)
    return np.maximum(distance, 0.0)
