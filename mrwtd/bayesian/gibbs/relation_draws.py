"""The conditional Gaussian of R_k and b_k together, given A and the entries of relation k, and the prior of the R_k.

x = a_i R_k a_jᵀ + b_k is linear in the free numbers of R_k (r² of them, or the upper half if the relation is
undirected) and in b_k. Their Gram matrix would take (r²)² operations per entry. But its entries are all of the form

    Σ_e ω_e a_ip a_iq a_js a_jt = Σ_i a_ip a_iq S_i,st,   S_i = Σ_{e at i} ω_e a_j a_jᵀ

so it takes r² operations per entry for the S_i, and one product of two matrices with one row per object.

The R_k are normal around a common mean of the relations, with a learned scale:

    R_k ~ N(M, 1/τ),   M ~ N(0, 1/τ_M),   τ, τ_M ~ Gamma(1/2, 1/2)

entry by entry, in the sense of the norm: the density is proportional to exp(−τ/2 ‖R_k − M‖²). The common mean transfers
information between relations with few entries. Directed and undirected relations have separate M.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from ...data.relations import Relation
from ...typing import AnyArray, Array
from .bilinear_draws import row_moments

SHAPE, RATE = 0.5, 0.5
"""Of the Gamma prior of every precision."""

ROWS = 4096
"""The number of objects processed at once, which limits the memory of their moments."""


@dataclass(frozen=True)
class Unknowns:
    """The free numbers of one R_k as a vector: all of it row by row, or the upper half of a symmetric one.

    >>> Unknowns.of(rank=2, directed=False).pack(np.array([[1.0, 2.0], [2.0, 3.0]]))
    array([1., 2., 3.])
    """

    rank: int
    directed: bool
    p: AnyArray
    q: AnyArray
    weight: Array
    """How often each occurs in R_k: the prior depends on ‖R_k‖², as the regularization of MrWTD does."""
    upper: tuple[AnyArray, AnyArray]
    """Row and column of the upper half of an r × r matrix."""

    @classmethod
    @cache
    def of(cls, rank: int, directed: bool) -> Unknowns:
        """The unknowns of a relation."""
        upper = np.triu_indices(rank)
        p, q = (index.ravel() for index in np.indices((rank, rank))) if directed else upper
        return cls(rank, directed, p, q, np.where((p == q) | directed, 1.0, 2.0), upper)

    @cached_property
    def pairs(self) -> tuple[AnyArray, ...]:
        """For every two unknowns, the positions of the products of their entry in the Gram matrix."""
        p, q, places, width = self.p, self.q, upper_places(self.rank), self.upper[0].size
        straight = places[np.ix_(p, p)] * width + places[np.ix_(q, q)]
        if self.directed:
            return (straight,)
        return straight, places[np.ix_(p, q)] * width + places[np.ix_(q, p)]

    @property
    def size(self) -> int:
        """The number of unknowns."""
        return int(self.p.size)

    def pack(self, R: Array) -> Array:
        """The free numbers of R."""
        return np.asarray(R[self.p, self.q])

    def unpack(self, vector: Array) -> Array:
        """R of its free numbers."""
        R = np.empty((self.rank, self.rank))
        R[self.p, self.q] = vector
        if not self.directed:
            R[self.q, self.p] = vector
        return R

    def products(self, A: Array) -> Array:
        """The products of every two numbers of each row, of which `system` takes sums."""
        p, q = self.upper
        return np.asarray(A[:, p] * A[:, q])

    def system(
        self, rows: AnyArray, starts: AnyArray, j: AnyArray, root: Array, value: Array, A: Array,
        products: Array | None = None,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Σ ω f fᵀ and Σ ω z f over entries, where f are the features of the unknowns and 1, that of the bias.

        The entries of object rows[s] as the source are starts[s] ≤ e < starts[s + 1]; root and value are √ω and √ω z.
        `products` are those of all rows of A, if another relation needs them too.
        """
        r, d, u = self.rank, self.size, self.upper[0].size
        squares, ends, total = np.zeros((u, u)), np.zeros((r, 2 * r)), np.zeros(2)
        for first in range(0, rows.size, ROWS):
            chunk = rows[first : first + ROWS]
            a = A[chunk]
            row_squares, row_ends = row_moments(starts[first : first + ROWS + 1], j, root, value, A)
            squares += (self.products(a) if products is None else products[chunk]).T @ row_squares
            ends += a.T @ row_ends[:, : 2 * r]
            total += row_ends[:, 2 * r :].sum(axis=0)
        G, h = np.empty((d + 1, d + 1)), np.empty(d + 1)
        G[:d, :d] = self._expand(squares)
        G[:d, d] = G[d, :d] = self._fold(ends[:, :r])
        h[:d] = self._fold(ends[:, r:])
        G[d, d], h[d] = total
        return G, h

    def _expand(self, squares: Array) -> Array:
        """The Gram matrix of the unknowns from the sums of a_ip a_iq (rows) times a_js a_jt (columns)."""
        if self.directed:
            return np.take(squares, self.pairs[0])
        # f_pq = a_ip a_jq + a_iq a_jp, or half of that where p = q.
        both = squares + squares.T
        gram = np.take(both, self.pairs[0]) + np.take(both, self.pairs[1])
        half = 0.5 * self.weight
        gram *= half[:, None]
        gram *= half
        return np.asarray(gram)

    def _fold(self, sums: Array) -> Array:
        """Σ z f of the unknowns from Σ z a_i a_jᵀ."""
        if self.directed:
            return self.pack(sums)
        return 0.5 * self.weight * self.pack(sums + sums.T)


def upper_places(size: int) -> AnyArray:
    """The position of each entry of a symmetric matrix in its upper half, row by row.

    >>> upper_places(2)
    array([[0, 1],
           [1, 2]], dtype=int32)
    """
    places = np.zeros((size, size), dtype=np.int32)
    places[np.triu_indices(size)] = np.arange(size * (size + 1) // 2)
    return np.maximum(places, places.T)


class RelationPrior:
    """The common means and the scales, redrawn by `draw`; a draw of R_k needs `tau` and `mean(k)`.

    >>> prior = RelationPrior(2, (Relation("likes", "binary", directed=False),))
    >>> prior.draw(np.ones((1, 2, 2)), np.random.default_rng(0))
    >>> prior.mean(0).shape  # the upper half of M
    (3,)
    """

    def __init__(self, rank: int, relations: tuple[Relation, ...]):
        self.unknowns = [Unknowns.of(rank, relation.directed) for relation in relations]
        self.tau, self.tau_mean = 1.0, 1.0
        self.means = {unknowns.directed: np.zeros(unknowns.size) for unknowns in self.unknowns}

    def mean(self, k: int) -> Array:
        """The free numbers of M for relation k."""
        return self.means[self.unknowns[k].directed]

    def stretch(self, c: float) -> None:
        """Follow R → cR."""
        self.means = {directed: c * mean for directed, mean in self.means.items()}
        self.tau, self.tau_mean = self.tau / c**2, self.tau_mean / c**2

    def draw(self, R: Array, rng: np.random.Generator) -> None:
        """Draw the means, then the scales, given all R_k."""
        packed = [unknowns.pack(R_k) for unknowns, R_k in zip(self.unknowns, R, strict=True)]
        pairs = [*zip(self.unknowns, packed, strict=True)]
        for directed in self.means:
            members = [values for unknowns, values in pairs if unknowns.directed == directed]
            precision = len(members) * self.tau + self.tau_mean
            weight = Unknowns.of(R.shape[1], directed).weight
            noise = rng.normal(size=weight.size) / np.sqrt(precision * weight)
            self.means[directed] = self.tau / precision * np.sum(members, axis=0) + noise
        squares = [unknowns.weight @ (values - self.mean(k)) ** 2 for k, (unknowns, values) in enumerate(pairs)]
        self.tau = gamma(rng, sum(unknowns.size for unknowns in self.unknowns), float(np.sum(squares)))
        means = [(Unknowns.of(R.shape[1], directed).weight, mean) for directed, mean in self.means.items()]
        self.tau_mean = gamma(rng, sum(mean.size for _, mean in means), sum(float(w @ mean**2) for w, mean in means))


def gamma(rng: np.random.Generator, count: float, squares: float) -> float:
    """A precision given the number and the sum of squares of normal numbers, from its Gamma(1/2, 1/2) prior.

    >>> round(gamma(np.random.default_rng(0), 1e6, 4e6), 2)
    0.25
    """
    return float(rng.gamma(SHAPE + 0.5 * count) / (RATE + 0.5 * squares))


def log_gamma(precision: float) -> float:
    """The logarithm of the density of the Gamma prior, but for a constant.

    >>> log_gamma(1.0) > log_gamma(5.0)
    True
    """
    return (SHAPE - 1) * float(np.log(precision)) - RATE * precision
