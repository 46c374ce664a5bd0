"""The layout of A, R and each relation's extras (bias or cut points) in the vector theta of a solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..typing import Array


@dataclass(frozen=True)
class Factors:
    """The parameters of a model: A (n, r), R (m, r, r) and each relation's extras. Views into theta, or copies.

    >>> Factors(np.ones((3, 2)), np.ones((1, 2, 2)), (np.zeros(1),)).rank
    2
    """

    A: Array
    R: Array
    extras: tuple[Array, ...]

    @property
    def rank(self) -> int:
        """The number of latent factors."""
        return int(self.A.shape[1])

    def copy(self) -> Factors:
        """A copy in separate arrays."""
        return Factors(self.A.copy(), self.R.copy(), tuple(extra.copy() for extra in self.extras))


@dataclass(frozen=True)
class Layout:
    """The order A, R, extras in theta, row by row.

    >>> layout = Layout(n_objects=3, n_relations=2, rank=2, extras=(1, 2))
    >>> layout.size
    17
    >>> layout.weights
    slice(None, 14, None)
    >>> theta = np.arange(17.0)
    >>> [matrix.shape for matrix in layout.matrices(theta)]
    [(3, 2), (2, 2, 2)]
    >>> np.array_equal(layout.pack(layout.unpack(theta)), theta)
    True
    """

    n_objects: int
    n_relations: int
    rank: int
    extras: tuple[int, ...]

    @cached_property
    def _edges(self) -> list[int]:
        sizes = [self.n_objects * self.rank, self.n_relations * self.rank**2, *self.extras]
        return [0, *np.cumsum(sizes).tolist()]

    @cached_property
    def _biases(self) -> bool:
        return all(size == 1 for size in self.extras)

    @property
    def size(self) -> int:
        """The length of theta."""
        return self._edges[-1]

    @property
    def weights(self) -> slice:
        """The slice of A and R in theta, which are regularized."""
        return slice(self._edges[2])

    def of_extras(self, relations: slice) -> slice:
        """The slice of the extras of neighbouring relations in theta.

        >>> Layout(n_objects=3, n_relations=2, rank=2, extras=(1, 2)).of_extras(slice(1, 2))
        slice(15, 17, None)
        """
        return slice(self._edges[2 + relations.start], self._edges[2 + relations.stop])

    def matrices(self, theta: Array) -> tuple[Array, Array]:
        """Views of A and R in theta."""
        _, a, b, *_ = self._edges
        return theta[:a].reshape(-1, self.rank), theta[a:b].reshape(-1, self.rank, self.rank)

    def unpack(self, theta: Array) -> Factors:
        """Views into theta."""
        _, _, b, *ends = self._edges
        # With one number per relation, iterating over a column is several times as fast as slicing.
        extras = theta[b:, None] if self._biases else (theta[c:d] for c, d in pairwise([b, *ends]))
        return Factors(*self.matrices(theta), tuple(extras))

    def pack(self, factors: Factors) -> Array:
        """The factors as one vector."""
        parts: Sequence[Array] = (factors.A.reshape(-1), factors.R.reshape(-1), *factors.extras)
        return np.concatenate(parts)
