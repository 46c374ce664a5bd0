"""The pairs of objects that a relation can connect: all, or in two-mode data only those of the right types.

It is used wherever pairs that are not entries are listed, counted or drawn: negatives, densities, predicted pairs.
Nothing is n × n; only `cells` lists all pairs, and its caller checks how many there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..typing import BoolArray, Int64Array
from .limits import ENTRIES
from .relations import Relation

if TYPE_CHECKING:
    from .relational import RelationalData


@dataclass(frozen=True, eq=False)
class PossiblePairs:
    """The possible pairs of a relation.

    >>> pairs = PossiblePairs.of(Relation("attends", "binary", True, types=("woman", "event")), ["woman", "event"])
    >>> pairs.count, pairs.contains([0, 1], [1, 0])
    (1, array([ True, False]))

    Attributes:
        n: the number of objects.
        directed: whether both directions of a pair count. An undirected pair has i ≤ j.
        with_self: whether objects pair with themselves.
        sources, targets: the positions of objects that can be source or target, ascending; None for all objects.
    """

    n: int
    directed: bool
    with_self: bool = False
    sources: Int64Array | None = None
    targets: Int64Array | None = None

    @classmethod
    def of(cls, relation: Relation, object_types: Sequence[str] | int, with_self: bool = False) -> PossiblePairs:
        """The pairs of a relation among objects of these types; a number of objects if they have no types."""
        if isinstance(object_types, int) or relation.types is None:
            n = object_types if isinstance(object_types, int) else len(object_types)
            return cls(n, relation.directed, with_self)
        first, second = (
            np.array([position for position, name in enumerate(object_types) if name == wanted], dtype=np.int64)
            for wanted in relation.types
        )
        return cls(len(object_types), relation.directed, with_self and not relation.is_two_mode, first, second)

    @property
    def is_two_mode(self) -> bool:
        """Whether no object can be both source and target."""
        if self.sources is None or self.targets is None:
            return False
        return not np.array_equal(self.sources, self.targets)

    @property
    def source_positions(self) -> Int64Array:
        """The positions of the objects that can be a source."""
        return np.arange(self.n) if self.sources is None else self.sources

    @property
    def target_positions(self) -> Int64Array:
        """The positions of the objects that can be a target."""
        return np.arange(self.n) if self.targets is None else self.targets

    @property
    def count(self) -> int:
        """The number of pairs.

        >>> PossiblePairs(4, directed=False).count, PossiblePairs(4, directed=True, with_self=True).count
        (6, 16)
        """
        n = self.n if self.sources is None else self.sources.size
        if self.targets is not None and self.is_two_mode:
            return int(n * self.targets.size)
        pairs = n * (n - 1) if self.directed else n * (n - 1) // 2
        return int(pairs + n * self.with_self)

    def contains(self, i: npt.ArrayLike, j: npt.ArrayLike) -> BoolArray:
        """Whether each pair of positions is possible."""
        i, j = np.asarray(i), np.asarray(j)
        possible: BoolArray = (i != j if self.directed else i < j) | (self.with_self & (i == j))
        for positions, ends in ((self.sources, i), (self.targets, j)):
            if positions is not None:
                member = np.zeros(self.n, dtype=bool)
                member[positions] = True
                possible &= member[ends]
        return possible

    def cells(self) -> Int64Array:
        """All possible i·n + j in ascending order. The caller has checked their number."""
        if self.sources is not None:
            cells = (self.sources[:, None] * self.n + self.target_positions[None, :]).reshape(-1)
            return cells if self.is_two_mode else cells[self.contains(cells // self.n, cells % self.n)]
        if not self.directed:
            i, j = np.triu_indices(self.n, k=0 if self.with_self else 1)
            return i.astype(np.int64) * self.n + j
        cells = np.arange(self.n * self.n, dtype=np.int64)
        return cells if self.with_self else cells[cells // self.n != cells % self.n]

    def sample(self, listed: Int64Array, size: int, rng: np.random.Generator) -> Int64Array:
        """`size` distinct possible cells i·n + j that are not listed, in ascending order."""
        total = self.count
        if size <= 0:
            return np.zeros(0, dtype=np.int64)
        if size + listed.size > total // 2 and total <= ENTRIES.most:
            free = np.setdiff1d(self.cells(), listed, assume_unique=True)
            return np.sort(rng.choice(free, size, replace=False))
        sampled = np.zeros(0, dtype=np.int64)
        while sampled.size < size:
            i, j = self._draw(2 * (size - sampled.size) + 16, rng)
            # Undirected pairs only with i ≤ j: in both orders, a pair would be drawn twice as often as a self-pair.
            cells = (i.astype(np.int64) * self.n + j)[self.contains(i, j)]
            candidates = np.concatenate([sampled, cells[~np.isin(cells, listed)]])
            _, first = np.unique(candidates, return_index=True)
            sampled = candidates[np.sort(first)]
        return np.sort(sampled[:size])

    def _draw(self, size: int, rng: np.random.Generator) -> tuple[Int64Array, Int64Array]:
        """Random sources and targets."""
        if self.sources is None or self.targets is None:
            i, j = rng.integers(self.n, size=(2, size))
            return i, j
        return rng.choice(self.sources, size), rng.choice(self.targets, size)


def possible_pairs(data: RelationalData, k: int, with_self: bool = False) -> PossiblePairs:
    """The pairs that relation k can connect.

    >>> import mrwtd
    >>> possible_pairs(mrwtd.load_dataset("florentine"), 0).count
    105
    """
    return PossiblePairs.of(
        data.relations[k], data.n_objects if data.object_types is None else data.object_types, with_self
    )
