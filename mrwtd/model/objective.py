"""The objective of the paper (equation 3) and its gradient, in time proportional to the known entries.

    F(A, R, b) = λ/2 ‖A‖² + Σ_k λ/2 ‖R_k‖² + Σ_e c_e ℓ_k(y_e, x_e),   x_e = a_i R_k a_jᵀ + b_k

The last sum is over the stored entries. c is the entry's weight, times 2 for an undirected pair of different objects,
because the paper sums over both halves of a symmetric tensor: λ has the paper's meaning. Let G_k be the n × n matrix of
g_e = c_e ∂ℓ/∂x_e at the stored entries:

    ∂F/∂A   = λA + Σ_k G_k A R_kᵀ + G_kᵀ A R_k
    ∂F/∂R_k = λR_k + Aᵀ G_k A,   made symmetric if the relation is undirected
    ∂F/∂b_k = Σ_e g_e

G_k is never built. Entries are processed in blocks that fit in the cache, so no array grows with the number of entries.
With enough entries to pay for threads, the blocks are divided into tasks, whose sums are added in a fixed order. Tasks
depend on the data alone: the result is the same on any number of cores.
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
from ..typing import Array, BoolArray, Int32Array, Int64Array
from . import kernels
from .layout import Factors, Layout
from .losses import Loss
from .threads import SERIAL_BELOW, effective_threads

BLOCK = 16_384
"""Entries in a block: a few vectors of this length fit in a core's cache."""

THREADED_BLOCK = 131_072
"""Entries in a block of several threads: longer, because threads wait for each other between vector operations."""

FACTOR_SHAPE, LARGEST_FACTOR = 1.0, 4.0
"""The shape of the gamma distribution, of mean 1, of the random factors of `reweighted`, and their upper limit. Shape 1
is a Bayesian bootstrap, whose means predict better than those of other shapes (benchmarks/accuracy)."""

MAX_TASKS = 16
"""The maximum number of tasks of a batch: enough for as many threads."""

TASK_ENTRIES = 2
"""More than two tasks need at least this many entries per object each: a task clears and adds one row per object."""

BATCH = 50_000
"""Small relations are processed together as long as their A R_k have at most this many numbers."""


@dataclass(frozen=True)
class Batch:
    """Neighbouring relations of one loss and one direction, with their entries in blocks."""

    loss: Loss
    directed: bool
    relations: slice
    tasks: tuple[Sequence[Block], ...]
    """The blocks of each task of a thread. They depend on the data alone, and so does all rounding: neither on the
    number of threads nor on their timing."""
    plain: bool
    """Whether the loss learns only a bias."""


@dataclass(frozen=True)
class Block:
    """Some entries of a batch: in the block, relation s has `sizes[s]` entries from `starts[s]` on."""

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
        lam: the regularization λ.
        y: values to use instead of those of the data, such as standardized ones.
        positive_weight: a factor on positive entries, for each relation.
        relation_weight: a factor on all entries, for each relation.
        pattern: where R_k may differ from 0, (m, r, r) or (r, r); None for everywhere. A diagonal makes the model a
            weighted CP decomposition.
        threads: their number; None decides by the number of entries. Above 1, the number does not change the result.
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
        pattern: BoolArray | None = None,
        threads: int | None = None,
    ):
        self.data, self.losses, self.lam, self.pattern = data, tuple(losses), float(lam), pattern
        self.y = data.y if y is None else y
        extras = tuple(loss.extras(r) for loss, r in zip(losses, data.relations, strict=True))
        self.layout = Layout(data.n_objects, data.n_relations, rank, extras)
        threaded = len(data) >= SERIAL_BELOW if threads is None else threads > 1
        self.threads = threads or (os.cpu_count() or 1 if threaded else 1)
        self.weights = data.w
        self.coefficients = coefficients(data, positive_weight, relation_weight)
        constant = len(data) > 0 and self.coefficients.strides == (0,)
        self._coefficient = float(self.coefficients[0]) if constant else None
        self.entries, self.evaluations = len(data), 0
        self._i, self._j = data.i.view(np.uint32), data.j.view(np.uint32)
        self._batches = tuple(_batches(data, self.losses, rank, threaded))

    @property
    def numbers_in_R(self) -> int:  # noqa: N802 - R is the paper's letter
        """How many numbers of R may differ from 0."""
        m, r = self.layout.n_relations, self.layout.rank
        return m * r * r if self.pattern is None else int(np.broadcast_to(self.pattern, (m, r, r)).sum())

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

    def sample(self, fraction: float, rng: np.random.Generator) -> RelationalData:
        """A random sample of about this fraction of the entries."""
        return self.data.subset(rng.random(len(self.data)) < fraction)

    def __call__(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient at theta."""
        value, gradient = self.data_term(theta)
        weights = theta[self.layout.weights]
        value += 0.5 * self.lam * float(weights @ weights)
        gradient[self.layout.weights] += self.lam * weights
        if self.pattern is not None:
            _, slope = self.layout.matrices(gradient)
            slope *= self.pattern
        return value, gradient

    def data_term(self, theta: Array) -> tuple[float, Array]:
        """Value and gradient of the sum over the entries, without the regularization."""
        self.evaluations += 1
        gradient = np.zeros(self.layout.size)
        (A, all_R), (A_slope, R_slope) = self.layout.matrices(theta), self.layout.matrices(gradient)
        A_chunks = kernels.column_chunks(A)
        value = 0.0
        for batch in self._batches:
            R, extras = all_R[batch.relations], self.layout.of_extras(batch.relations)
            B_chunks = kernels.column_chunks(np.matmul(A, R))
            passes = self._passes([(batch, blocks, theta[extras], A_chunks, B_chunks) for blocks in batch.tasks])
            first = next(passes)
            P, Q = first.P, first.Q
            value += first.value
            gradient[extras] += first.extras
            for result in passes:  # added as they come, so that few are in memory at a time
                P += result.P
                if batch.directed:
                    Q += result.Q
                value += result.value
                gradient[extras] += result.extras
            if batch.directed:
                A_slope += _sum(np.matmul(P, R.transpose(0, 2, 1))) + _sum(np.matmul(Q, R))
                R_slope[batch.relations] += np.matmul(A.T, P)
            else:  # here P holds (G + Gᵀ) A, and R is symmetric
                A_slope += _sum(np.matmul(P, R))
                both = np.matmul(A.T, P)
                R_slope[batch.relations] += 0.25 * (both + both.transpose(0, 2, 1))
        return value, gradient

    def _passes(self, tasks: list[_Task]) -> Iterator[_Pass]:
        """The passes over the tasks of a batch, in order."""
        if min(self.threads, effective_threads(len(tasks))) == 1:
            return (self._pass(*task) for task in tasks)
        return _pool(self.threads).map(lambda task: self._pass(*task), tasks)

    def _pass(self, batch: Batch, blocks: Sequence[Block], extras: Array, A: list[Array], B: list[Array]) -> _Pass:
        """Value and gradient over some blocks of a batch, which has `extras`."""
        size = batch.relations.stop - batch.relations.start
        P = [np.zeros((size, *a.shape)) for a in A]
        Q = [np.zeros((size, *a.shape)) for a in A] if batch.directed else P
        value, grad_extras, c = 0.0, np.zeros_like(extras), self._coefficient
        for block in blocks:
            part, starts = block.entries, block.starts
            i, j, y = self._i[part], self._j[part], self.y[part]
            x = np.repeat(extras, block.sizes) if batch.plain else np.zeros(y.size)
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
                    cuts = extras if size == 1 else np.repeat(extras.reshape(size, -1).T, block.sizes, axis=1)
                    losses, g, slopes = batch.loss.evaluate(y, x, cuts)
                value += float(losses.sum() if c is not None else self.coefficients[part] @ losses)
                if c is None:
                    g = g * self.coefficients[part]
            if slopes is None:
                grad_extras[block.filled] += np.add.reduceat(g, starts[block.filled])
            else:
                slopes = slopes if c is not None else slopes * self.coefficients[part]
                grad_extras.reshape(size, -1)[block.filled] += np.add.reduceat(slopes, starts[block.filled], axis=1).T
            for a, p, q in zip(A, P, Q, strict=True):
                kernels.add_outer(starts, i, j, g, a, p, q)
        joined = [np.concatenate(parts, axis=2) if len(parts) > 1 else parts[0] for parts in (P, Q)]
        if c is not None and c != 1:  # one factor for all entries is applied once, at the end
            value *= c
            for array in [grad_extras, joined[0], *([joined[1]] if batch.directed else [])]:
                array *= c
        return _Pass(value, joined[0], joined[1], grad_extras)


@dataclass(frozen=True)
class _Pass:
    value: float
    P: Array
    Q: Array
    extras: Array


_Task = tuple[Batch, Sequence[Block], Array, list[Array], list[Array]]


def _sum(products: Array) -> Array:
    """The sum over relations, without a copy of a single large one."""
    return products[0] if len(products) == 1 else np.asarray(products.sum(axis=0))


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="mrwtd")


def coefficients(
    data: RelationalData, positive_weight: Array | None = None, relation_weight: Array | None = None
) -> Array:
    """The coefficient of each entry: its weight, twice for an undirected pair, times the factors of its relation.

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
    """x = a_i R_k a_jᵀ + b_k at each entry of the data.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> reconstruct(Factors(np.ones((15, 1)), np.ones((2, 1, 1)), ()), np.array([0.5, 1.5]), data)[[0, -1]]
    array([1.5, 2.5])
    """
    k = np.arange(data.n_relations, dtype=np.int32) if k is None else k
    x = np.repeat(biases[k], np.diff(data.bounds))
    i, j = data.i.view(np.uint32), data.j.view(np.uint32)
    A_chunks = kernels.column_chunks(factors.A)
    batch = max(1, BATCH // factors.A.size)  # large relations one at a time
    for first in range(0, data.n_relations, batch):
        bounds = data.bounds[first : first + batch + 1]
        part = slice(bounds[0], bounds[-1])
        if part.start == part.stop:
            continue
        B_chunks = kernels.column_chunks(factors.A @ factors.R[k[first : first + batch]])
        for a, b in zip(A_chunks, B_chunks, strict=True):
            kernels.add_products(bounds - bounds[0], i[part], j[part], b, a, x[part])
    return x


def _batches(data: RelationalData, losses: Sequence[Loss], rank: int, threaded: bool) -> Iterator[Batch]:
    size = THREADED_BLOCK if threaded else BLOCK
    limit = max(1, BATCH // (data.n_objects * rank))
    first = 0
    while first < data.n_relations:
        loss, directed = losses[first], data.relations[first].directed
        extras = loss.extras(data.relations[first])
        plain = type(loss).evaluate is Loss.evaluate and not loss.has_cuts
        last = first + 1
        while (
            (plain or loss.joins_cuts)
            and last < min(first + limit, data.n_relations)
            and losses[last] is loss
            and data.relations[last].directed == directed
            and loss.extras(data.relations[last]) == extras
        ):
            last += 1
        offsets = data.bounds[first : last + 1]
        blocks = tuple(_block(lo, min(lo + size, offsets[-1]), offsets) for lo in range(offsets[0], offsets[-1], size))
        useful = (offsets[-1] - offsets[0]) // (TASK_ENTRIES * data.n_objects * (last - first))
        tasks = min(int(np.clip(useful, 2, MAX_TASKS)), len(blocks) or 1) if threaded else 1
        edges = np.linspace(0, len(blocks), tasks + 1).round().astype(int)
        yield Batch(loss, directed, slice(first, last), tuple(blocks[a:b] for a, b in pairwise(edges)), plain)
        first = last


def _block(lo: int, hi: int, offsets: Int64Array) -> Block:
    starts = (np.clip(offsets, lo, hi) - lo).astype(np.int64)
    sizes = np.diff(starts)
    return Block(slice(lo, hi), starts, sizes, np.flatnonzero(sizes))
