"""A draw of R_k and b_k from their conditional Gaussian, in the cheapest of three ways.

With d free numbers in R_k and N entries in relation k:

    system    the system of all unknowns (`relation_draws`): d³ operations
    entries   with fewer entries than unknowns, a system of the entries: N³ operations at every rank. With features F
              and the prior N(m, D), draw u ~ N(m, D) and δ ~ N(0, I). Then u + D Fᵀ (F D Fᵀ + I)⁻¹ (z − F u − δ) is a
              draw from the posterior, where each row of F and z has the factor √ω (Bhattacharya and others). An
              entry of F D Fᵀ is (a_i·a_i') (a_j·a_j') / τ
    blocks    of several columns of R_k, each given the others, where d is large. The coordinates are first turned to
              the principal axes of the rows of A, in which blocks depend little on each other
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg.lapack import dposv

from ...typing import AnyArray, Array
from .bilinear_draws import offsets_of, row_moments
from .conditionals import draw
from .relation_draws import ROWS, Unknowns, upper_places

LARGEST_SYSTEM = 1_300
"""The number of unknowns above which R_k is drawn in blocks."""

BLOCK = 200
"""The number of unknowns of a block is at most this, or a column."""

CHUNK_BYTES = 1 << 26
"""The moments of some objects take at most 64 megabytes as square matrices."""


@dataclass(frozen=True)
class Ends:
    """The entries of a relation, sorted by source: those of object rows[s] are starts[s] ≤ e < starts[s + 1].

    >>> ends = Ends.of(np.array([0, 0, 2]), np.array([1, 2, 3]))
    >>> ends.rows, ends.starts
    (array([0, 2]), array([0, 2, 3]))
    """

    i: AnyArray
    j: AnyArray
    rows: AnyArray
    starts: AnyArray

    @classmethod
    def of(cls, i: AnyArray, j: AnyArray) -> Ends:
        """The ends of entries that are sorted by i."""
        rows, first = np.unique(i, return_index=True)
        return cls(i, j, rows, np.append(first, i.size))

    @cached_property
    def both(self) -> tuple[AnyArray, AnyArray, AnyArray, AnyArray]:
        """For an undirected relation, entries at both ends: rows, starts, the other ends and the entries."""
        i = np.concatenate([self.i, self.j])
        order = np.argsort(i, kind="stable")
        rows, at = np.unique(i, return_inverse=True)
        other, entry = np.concatenate([self.j, self.i])[order], (order % self.i.size)
        return rows, offsets_of(at, rows.size), other, entry


@dataclass(frozen=True)
class Prior:
    """R_k ~ N(M, 1/τ) as in `relation_draws`, with the free numbers of M, and b_k ~ N(0, 1/precision)."""

    unknowns: Unknowns
    tau: float
    mean: Array
    bias_precision: float


def uses_entries(n_entries: float, unknowns: int) -> bool:
    """Whether the system of the entries is the smallest.

    >>> uses_entries(100, 400), uses_entries(600, 400)
    (True, False)
    """
    return n_entries < 0.8 * unknowns and n_entries <= LARGEST_SYSTEM


def operations(rank: int, unknowns: int, n_objects: int, entries: float) -> float:
    """About how many operations a draw takes.

    >>> operations(20, 400, 1000, 100) < operations(20, 400, 1000, 10_000) < operations(100, 10_000, 1000, 10_000)
    True
    """
    if uses_entries(entries, unknowns):
        return entries**2 * (2 * rank + entries / 3)
    if unknowns <= LARGEST_SYSTEM:
        return unknowns**2 * (unknowns / 3 + n_objects)
    block = max(BLOCK, rank)
    return unknowns * (block**2 / 3 + n_objects * (block + rank))


def products_of(A: Array, relations: list[Ends]) -> Array | None:
    """The products that the systems of several relations need, if they do and are not too large.

    >>> products_of(np.ones((9, 2)), [Ends.of(np.arange(9), np.arange(9))] * 2).shape
    (9, 3)
    """
    n, r = A.shape
    needed = [ends for ends in relations if not uses_entries(ends.i.size, r * r)]
    if n > ROWS or r * (r + 1) // 2 > LARGEST_SYSTEM or len(needed) < 2:
        return None
    return Unknowns.of(r, True).products(A)


def draw_relation(
    ends: Ends, root: Array, value: Array, A: Array, products: Array | None, R: Array, prior: Prior,
    rng: np.random.Generator,
) -> tuple[Array, float]:  # fmt: skip
    """R_k and b_k given the rest; root and value are √ω and √ω z of the entries, R is the old R_k."""
    unknowns = prior.unknowns
    if uses_entries(root.size, unknowns.size):
        return draw_by_entries(ends, root, value, A, prior, rng)
    if unknowns.size > LARGEST_SYSTEM:
        return draw_by_blocks(ends, root, value, A, R, prior, rng)
    G, h = unknowns.system(ends.rows, ends.starts, ends.j, root, value, A, products)
    precision = np.append(prior.tau * unknowns.weight, prior.bias_precision)
    G[np.diag_indices_from(G)] += precision
    h[:-1] += precision[:-1] * prior.mean
    drawn = draw(G, h, rng.normal(size=h.size))
    return unknowns.unpack(drawn[:-1]), float(drawn[-1])


def draw_by_entries(
    ends: Ends, root: Array, value: Array, A: Array, prior: Prior, rng: np.random.Generator
) -> tuple[Array, float]:
    """The draw by the system of the entries."""
    unknowns, tau = prior.unknowns, prior.tau
    noise = rng.normal(size=unknowns.size) / np.sqrt(tau * unknowns.weight)
    R, b = unknowns.unpack(prior.mean + noise), rng.normal(size=1)[0] / np.sqrt(prior.bias_precision)
    if not root.size:
        return R, float(b)
    sources, targets = A[ends.i], A[ends.j]
    K = (sources @ sources.T) * (targets @ targets.T)
    if not unknowns.directed:  # half of Σ_pq (a_ip a_jq + a_iq a_jp) (a_i'p a_j'q + a_i'q a_j'p) / 2
        across = sources @ targets.T
        K += across * across.T
        K *= 0.5
    K /= tau
    K += 1 / prior.bias_precision
    K *= root[:, None] * root
    K[np.diag_indices_from(K)] += 1
    x = np.einsum("ef,ef->e", sources @ R, targets) + b
    _, weights, _ = dposv(K, value - root * x - rng.normal(size=root.size), lower=1, overwrite_a=1)
    weights *= root
    change = (sources.T * weights) @ targets / tau
    if not unknowns.directed:
        change = (change + change.T) / 2
    return R + change, float(b + weights.sum() / prior.bias_precision)


def draw_by_blocks(
    ends: Ends, root: Array, value: Array, A: Array, R: Array, prior: Prior, rng: np.random.Generator
) -> tuple[Array, float]:
    """The draws of blocks of rows of R_k, each with b_k."""
    unknowns, r = prior.unknowns, A.shape[1]
    axes = np.linalg.eigh(A.T @ A)[1][:, ::-1]
    turned, C = A @ axes, axes.T @ R @ axes
    mean, b = axes.T @ unknowns.unpack(prior.mean) @ axes, 0.0
    rows, starts, j = ends.rows, ends.starts, ends.j
    if not unknowns.directed:
        rows, starts, j, entry = ends.both
        root, value = root[entry], value[entry]
    squares, moments = row_moments(starts, j, root, value, turned)
    blocks = _Blocks(turned[rows], squares, moments, 1.0 if unknowns.directed else 0.5)
    width = max(1, BLOCK // r)
    for first in range(0, r, width):
        block = np.arange(first, min(first + width, r))
        rest = C.copy()
        rest[block] = 0.0
        p, q = (index.ravel() for index in np.meshgrid(block, np.arange(r), indexing="ij"))
        weight = np.ones(p.size)
        if not unknowns.directed:
            rest[:, block] = 0.0
            free = (q >= p) | (q < first)
            p, q = p[free], q[free]
            weight = np.where(p == q, 1.0, 2.0)
        G, h = blocks.system(block, p, q, rest, directed=unknowns.directed)
        precision = np.append(prior.tau * weight, prior.bias_precision)
        G[np.diag_indices_from(G)] += precision
        h[:-1] += precision[:-1] * mean[p, q]
        drawn = draw(G, h, rng.normal(size=h.size))
        C[p, q], b = drawn[:-1], float(drawn[-1])
        if not unknowns.directed:
            C[q, p] = drawn[:-1]
    R = axes @ C @ axes.T
    return R if unknowns.directed else (R + R.T) / 2, b


@dataclass(frozen=True)
class _Blocks:
    """Systems of blocks of C = R_k, from moments at the rows `a` of A, at both ends if the relation is undirected.

    Attributes:
        a: one row of A for each object with entries.
        squares: for each of them, the upper half of S = Σ ω a_j a_jᵀ.
        moments: Σ ω a_j, Σ ω z a_j, Σ ω and Σ ω z.
        share: 1/2 where an entry occurs twice.
    """

    a: Array
    squares: Array
    moments: Array
    share: float

    def system(self, block: AnyArray, p: AnyArray, q: AnyArray, rest: Array, *, directed: bool) -> tuple[Array, Array]:
        """Gram matrix and moments of the unknowns C_pq and of the bias, where x − b is a_i `rest` a_jᵀ without them."""
        r, w = self.a.shape[1], block.size
        near, across = np.zeros((w * w, r * r)), np.zeros((w * r, r * w))
        sums, linear = np.zeros((w, r)), np.zeros((w, r))
        left = self.share * self.moments[:, 2 * r + 1].sum()
        chunk = max(1, CHUNK_BYTES // (8 * r * r))
        for first in range(0, len(self.a), chunk):
            part = slice(first, first + chunk)
            a, moments = self.a[part], self.moments[part]
            S = self.squares[part][:, upper_places(r)]
            of_block = a[:, block]
            turned = a @ rest  # C_restᵀ a_i
            targets = moments[:, r : 2 * r] - np.einsum("nfg,ng->nf", S, turned)
            sums += of_block.T @ moments[:, :r]
            linear += of_block.T @ targets
            left -= self.share * float(np.einsum("nf,nf->", moments[:, :r], turned))
            products = (of_block[:, :, None] * of_block[:, None, :]).reshape(len(a), -1)
            near += products.T @ S.reshape(len(a), -1)
            if not directed:
                products = (of_block[:, :, None] * a[:, None, :]).reshape(len(a), -1)
                across += products.T @ S[:, :, block].reshape(len(a), -1)
        at = p - block[0]
        gram = near.reshape(w, w, r, r)[at[:, None], at, q[:, None], q]
        half = np.ones(p.size)
        if not directed:
            gram = gram + across.reshape(w, r, r, w)[at[:, None], q, q[:, None], at]
            half[p == q] = 0.5
        d = p.size
        G, h = np.empty((d + 1, d + 1)), np.empty(d + 1)
        G[:d, :d] = gram * half[:, None] * half
        G[:d, d] = G[d, :d] = half * sums[at, q]
        G[d, d] = self.share * self.moments[:, 2 * r].sum()
        h[:d], h[d] = half * linear[at, q], left
        return G, h
