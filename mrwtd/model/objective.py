"""The objective of the paper (equation 3) and its gradient, in time proportional to the known entries.

    F(A, R, b) = λ/2 ‖A‖² + Σ_k λ/2 ‖R_k‖² + Σ_e c_e ℓ_k(y_e, x_e),   x_e = a_i R_k a_jᵀ + b_k

The last sum runs over the stored entries. c is the entry's weight, times 2 for an undirected pair of different objects,
because the paper sums over both halves of a symmetric tensor: λ has the paper's meaning. With the n × n matrix G_k
that holds g_e = c_e ∂ℓ/∂x_e at the stored entries,

    ∂F/∂A   = λA + Σ_k G_k A R_kᵀ + G_kᵀ A R_k
    ∂F/∂R_k = λR_k + Aᵀ G_k A,   made symmetric where the relation is undirected
    ∂F/∂b_k = Σ_e g_e

G_k is never built. Entries are handled in blocks that fit in cache, so that no array grows with the number of
entries. Where there are enough entries to pay for threads, the blocks are dealt out in shares, each with sums of its
own that are added in a fixed order. Shares depend on the data alone: the result is the same on any number of cores.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from ..data.relational import RelationalData
from ..data.validation import is_one
from ..typing import Array, Int32Array, Int64Array
from . import kernels
from .layout import Factors, Layout
from .losses import Loss
from .threads import SERIAL_BELOW, effective_threads

BLOCK = 16_384
"""Entries in a block: a few vectors of this length fit in a core's cache."""

SHARED_BLOCK = 131_072
"""Entries in a block where threads share the work: longer, because they meet between any two vector operations."""

FACTOR_SHAPE, LARGEST_FACTOR = 0.7, 5.0
"""The gamma distribution, of mean 1, of the random factors of `reweighted`, and where they are cut. A Bayesian
bootstrap has the shape 1: factors that vary more make up for what the regularisation hides (benchmarks/coverage)."""

SHARES = 16
"""The most shares of a batch: enough for as many threads."""

SHARE_ENTRIES = 2
"""More than two shares have at least this many entries per object: each clears and adds up a row for every object."""

BATCH = 50_000
"""Small relations are handled together while their A R_k hold no more numbers than this."""


@dataclass(frozen=True)
class Batch:
    """Neighbouring relations of one loss and one direction, with their entries cut into blocks."""

    loss: Loss
    directed: bool
    relations: slice
    shares: tuple[Sequence[Block], ...]
    """The blocks in shares, which threads take one after the other. They depend on the data alone, and so does all
    rounding: neither on the number of threads nor on their timing."""
    plain: bool
    """Whether the loss learns nothing but a bias, which several relations can then share a pass with."""


@dataclass(frozen=True)
class Block:
    """Some entries of a batch: `starts[s]` is where, within the block, its relation s begins, `sizes[s]` its share."""

    entries: slice
    starts: Int64Array
    sizes: Int64Array
    filled: Int64Array
    """The relations of the batch that have entries in the block."""


class Objective:
    """Value and gradient of F for given data, losses, rank and λ.

    >>> import mrwtd
    >>> from mrwtd.model.losses import LOSSES
    >>> data = mrwtd.load_dataset("florentine")
    >>> objective = Objective(data, [LOSSES["logistic"]] * 2, rank=2, lam=1.0)
    >>> value, gradient = objective(np.zeros(objective.layout.size))
    >>> round(value / len(data), 3)  # log 2 for each of the two directions
    1.386

    Args:
        data: the known entries.
        losses: one for each relation.
        rank: the number of columns of A.
        lam: the regularisation λ.
        y: values to use in place of the data's own (standardised ones).
        positive_weight: a factor on positive entries, for each relation.
        relation_weight: a factor on all entries, for each relation.
        diagonal: hold R_k diagonal, which makes the model a weighted CP decomposition.
        threads: how many; None decides by the number of entries. Beyond 1 the number changes no result.
    """

    def __init__(
        self,
        data: RelationalData,
        losses: Sequence[Loss],
        rank: int,
        lam: float,
        *,
        y: Array | None = None,
        positive_weight: Array | None = None,
        relation_weight: Array | None = None,
        diagonal: bool = False,
        threads: int | None = None,
    ):
        self.data, self.losses, self.lam, self.diagonal = data, tuple(losses), float(lam), diagonal
        self.y = data.y if y is None else y
        extras = tuple(loss.extras(r) for loss, r in zip(losses, data.relations, strict=True))
        self.layout = Layout(data.n_objects, data.n_relations, rank, extras)
        shared = len(data) >= SERIAL_BELOW if threads is None else threads > 1
        self.threads = threads or (os.cpu_count() or 1 if shared else 1)
        self.weights = data.w
        self.coefficients = coefficients(data, positive_weight, relation_weight)
        constant = len(data) > 0 and self.coefficients.strides == (0,)
        self._coefficient = float(self.coefficients[0]) if constant else None
        self.evaluations = 0
        self._i, self._j = data.i.view(np.uint32), data.j.view(np.uint32)
        self._batches = tuple(_batches(data, self.losses, rank, shared))
        self._chunks = kernels.chunks(rank)

    def with_lam(self, lam: float) -> Objective:
        """The same objective with another λ; nothing is computed again."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, lam=float(lam), evaluations=0)
        return other

    def reweighted(self, seed: Sequence[int]) -> Objective:
        """The same objective with a random factor on each entry.

        Fits to such weights vary as fits to other samples of entries would (Rubin's Bayesian bootstrap).
        """
        factors = np.random.default_rng(seed).gamma(FACTOR_SHAPE, 1 / FACTOR_SHAPE, size=len(self.data))
        factors = np.minimum(factors, LARGEST_FACTOR)
        other = self.with_lam(self.lam)
        other.weights, other.coefficients = self.weights * factors, self.coefficients * factors
        other._coefficient = None
        return other

    @property
    def entries(self) -> int:
        """How many entries the sum runs over."""
        return len(self.data)

    def some(self, share: float, rng: np.random.Generator) -> RelationalData:
        """About that share of the entries, at random."""
        return self.data.subset(rng.random(len(self.data)) < share)

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient at theta."""
        value, gradient = self.data_term(theta)
        weights = theta[self.layout.weights]
        value += 0.5 * self.lam * float(weights @ weights)
        gradient[self.layout.weights] += self.lam * weights
        if self.diagonal:
            _, slope = self.layout.matrices(gradient)
            slope *= np.eye(self.layout.rank)
        return value, gradient

    def data_term(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient of the sum over the entries alone: what partitions of the entries add up to."""
        self.evaluations += 1
        gradient = np.zeros(self.layout.size)
        (A, all_R), (A_slope, R_slope) = self.layout.matrices(theta), self.layout.matrices(gradient)
        A_chunks = self._cut(A)
        value = 0.0
        for batch in self._batches:
            R, extras = all_R[batch.relations], self.layout.of_extras(batch.relations)
            B_chunks = self._cut(np.matmul(A, R))
            done = self._passes([(batch, share, theta[extras], A_chunks, B_chunks) for share in batch.shares])
            first = next(done)
            P, Q = first.P, first.Q
            value += first.value
            gradient[extras] += first.extras
            for one in done:  # added as they come, so that few are held at a time
                P += one.P
                if batch.directed:
                    Q += one.Q
                value += one.value
                gradient[extras] += one.extras
            if batch.directed:
                A_slope += np.matmul(P, R.transpose(0, 2, 1)).sum(axis=0) + np.matmul(Q, R).sum(axis=0)
                R_slope[batch.relations] += np.matmul(A.T, P)
            else:  # here P holds (G + Gᵀ) A, and R is symmetric
                A_slope += np.matmul(P, R).sum(axis=0)
                both = np.matmul(A.T, P)
                R_slope[batch.relations] += 0.25 * (both + both.transpose(0, 2, 1))
        return value, gradient

    def _passes(self, work: list[_Work]) -> Iterator[_Pass]:
        """The passes over the shares of a batch in their order, by as many threads as may run."""
        if min(self.threads, effective_threads(len(work))) == 1:
            return (self._pass(*share) for share in work)
        return _pool(self.threads).map(lambda share: self._pass(*share), work)

    def _pass(self, batch: Batch, blocks: Sequence[Block], given: Array, A: list[Array], B: list[Array]) -> _Pass:
        """x, loss and gradient over some blocks of a batch; `given` is a bias a relation, or the extras of one."""
        size = batch.relations.stop - batch.relations.start
        P = [np.zeros((size, *a.shape)) for a in A]
        Q = [np.zeros((size, *a.shape)) for a in A] if batch.directed else P
        extras = np.zeros_like(given)
        value = 0.0
        c = self._coefficient
        for block in blocks:
            at, starts = block.entries, block.starts
            i, j, y = self._i[at], self._j[at], self.y[at]
            x = np.repeat(given, block.sizes) if batch.plain else np.zeros(y.size)
            for a, b in zip(A, B, strict=True):
                kernels.add_products(starts, i, j, b, a, x)
            slopes = None
            if batch.plain and c is not None:
                total, g = batch.loss.total_and_slope(y, x)
                value += total
            else:
                if batch.plain:
                    losses, g = batch.loss.value_and_slope(y, x)
                else:
                    losses, g, slopes = batch.loss.evaluate(y, x, given)
                value += float(losses.sum() if c is not None else self.coefficients[at] @ losses)
                if c is None:
                    g = g * self.coefficients[at]
            if slopes is None:
                extras[block.filled] += np.add.reduceat(g, starts[block.filled])
            else:
                extras += slopes.sum(axis=1) if c is not None else slopes @ self.coefficients[at]
            for a, p, q in zip(A, P, Q, strict=True):
                kernels.add_outer(starts, i, j, g, a, p, q)
        joined = [np.concatenate(parts, axis=2) if len(parts) > 1 else parts[0] for parts in (P, Q)]
        if c is not None and c != 1:  # one factor for all entries is applied once, at the end
            value *= c
            for array in [extras, joined[0], *([joined[1]] if batch.directed else [])]:
                array *= c
        return _Pass(value, joined[0], joined[1], extras)

    def _cut(self, array: Array) -> list[Array]:
        """The last axis in chunks, each contiguous."""
        if len(self._chunks) == 1:
            return [np.ascontiguousarray(array)]
        return [np.ascontiguousarray(array[..., chunk]) for chunk in self._chunks]


@dataclass(frozen=True)
class _Pass:
    value: float
    P: Array
    Q: Array
    extras: Array


_Work = tuple[Batch, Sequence[Block], Array, list[Array], list[Array]]


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="mrwtd")


def coefficients(
    data: RelationalData, positive_weight: Array | None = None, relation_weight: Array | None = None
) -> Array:
    """How much each entry counts: its weight, twice for an undirected pair, times the relation's factors.

    >>> import mrwtd
    >>> coefficients(mrwtd.load_dataset("florentine"))[:3]
    array([2., 2., 2.])
    """
    undirected = np.array([not relation.directed for relation in data.relations])
    factors = [factor for factor in (positive_weight, relation_weight) if factor is not None]
    plain = all((factor == 1).all() for factor in factors)
    if is_one(data.w) and plain and (undirected.all() or not undirected.any()):
        if not undirected.any():
            return np.broadcast_to(np.ones(1), data.y.shape)
        if not (data.i == data.j).any():
            return np.broadcast_to(np.full(1, 2.0), data.y.shape)
    c = data.w.copy()
    c[undirected[data.k] & (data.i != data.j)] *= 2
    if relation_weight is not None:
        c *= relation_weight[data.k]
    if positive_weight is not None:
        binary = np.array([relation.kind == "binary" for relation in data.relations])
        c *= np.where(binary[data.k] & (data.y > 0), positive_weight[data.k], 1.0)
    return c


def reconstruct(factors: Factors, biases: Array, data: RelationalData, k: Int32Array | None = None) -> Array:
    """x = a_i R_k a_jᵀ + b_k at each entry of the data; large relations one at a time.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> reconstruct(Factors(np.ones((15, 1)), np.ones((2, 1, 1)), ()), np.array([0.5, 1.5]), data)[[0, -1]]
    array([1.5, 2.5])
    """
    k = np.arange(data.n_relations, dtype=np.int32) if k is None else k
    x = np.repeat(biases[k], np.diff(data.bounds))
    i, j = data.i.view(np.uint32), data.j.view(np.uint32)
    cut = kernels.chunks(factors.rank)
    A = [np.ascontiguousarray(factors.A[:, chunk]) for chunk in cut]
    most = max(1, BATCH // factors.A.size)
    for first in range(0, data.n_relations, most):
        bounds = data.bounds[first : first + most + 1]
        at = slice(bounds[0], bounds[-1])
        if at.start == at.stop:
            continue
        B = factors.A @ factors.R[k[first : first + most]]
        for chunk, a in zip(cut, A, strict=True):
            kernels.add_products(bounds - bounds[0], i[at], j[at], np.ascontiguousarray(B[:, :, chunk]), a, x[at])
    return x


def _batches(data: RelationalData, losses: Sequence[Loss], rank: int, shared: bool) -> Iterator[Batch]:
    size = SHARED_BLOCK if shared else BLOCK
    most = max(1, BATCH // (data.n_objects * rank))
    first = 0
    while first < data.n_relations:
        loss, directed = losses[first], data.relations[first].directed
        plain = type(loss).evaluate is Loss.evaluate and type(loss).extras is Loss.extras
        last = first + 1
        while (
            plain
            and last < min(first + most, data.n_relations)
            and losses[last] is loss
            and data.relations[last].directed == directed
        ):
            last += 1
        offsets = np.array([data.slice(k).start for k in range(first, last)] + [data.slice(last - 1).stop])
        blocks = tuple(_block(lo, min(lo + size, offsets[-1]), offsets) for lo in range(offsets[0], offsets[-1], size))
        wanted = (offsets[-1] - offsets[0]) // (SHARE_ENTRIES * data.n_objects * (last - first))
        shares = min(int(np.clip(wanted, 2, SHARES)), len(blocks) or 1) if shared else 1
        edges = np.linspace(0, len(blocks), shares + 1).round().astype(int)
        yield Batch(loss, directed, slice(first, last), tuple(blocks[a:b] for a, b in pairwise(edges)), plain)
        first = last


def _block(lo: int, hi: int, offsets: Int64Array) -> Block:
    starts = (np.clip(offsets, lo, hi) - lo).astype(np.int64)
    sizes = np.diff(starts)
    return Block(slice(lo, hi), starts, sizes, np.flatnonzero(sizes))
