"""The passes over the entries for BPTF's Gibbs sampler: draws of the rows of U and V, and Gram matrices for T.

Given the others, row U_i meets an entry (i, j, k) with the feature V_j ∘ T_k, row V_j with U_i ∘ T_k, and T_k with
U_i ∘ V_j. An undirected entry enters in both directions, so that U_i meets V_j and U_j meets V_i. Rows of one factor do
not depend on each other: they are drawn in blocks, by several threads where there are many entries.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..data.parts import is_one
from ..data.relational import RelationalData
from .bilinear_draws import offsets_of
from .conditionals import Array, Ints, compiled, draw


@dataclass(frozen=True)
class RowEntries:
    """The entries sorted by row: at which object and relation the row is met, the value, and the root of the weight."""

    offsets: Ints
    other: Ints
    relation: Ints
    value: Array
    root: Array
    """√w of each entry; empty where all weights are 1."""

    @classmethod
    def of(cls, data: RelationalData, y: Array, *, source: bool) -> RowEntries:
        """The entries of the rows of U (source) or of V (target).

        >>> import mrwtd
        >>> data = mrwtd.load_dataset("florentine")
        >>> rows = RowEntries.of(data, data.y, source=True)
        >>> rows.offsets[:3], rows.other[:3]
        (array([ 0, 28, 56]), array([1, 2, 3], dtype=int32))
        """
        directed = np.array([relation.directed for relation in data.relations])
        again = np.flatnonzero(~directed[data.k] & (data.i != data.j)).astype(np.int32)
        entry = np.concatenate([np.arange(len(data), dtype=np.int32), again])
        row, other = (data.i, data.j) if source else (data.j, data.i)
        row, other = np.concatenate([row, other[again]]), np.concatenate([other, row[again]])
        order = np.argsort(row, kind="stable")
        offsets = offsets_of(row, data.n_objects)
        other, entry = other[order], entry[order]
        del row, order
        root = np.zeros(0) if is_one(data.w) else np.sqrt(data.w[entry])
        return cls(offsets, other, data.k[entry], y[entry], root)

    def blocks(self, parts: int) -> list[tuple[int, int]]:
        """The rows in neighbouring blocks of about equal numbers of entries."""
        shares = np.linspace(0, self.offsets[-1], parts + 1)[1:-1]
        edges = [0, *np.searchsorted(self.offsets, shares).tolist(), self.offsets.size - 1]
        return [(a, b) for a, b in pairwise(edges) if a < b]


def draw_rows(
    rows: RowEntries, block: tuple[int, int], V: Array, T: Array, alpha: float, Lambda: Array, mean: Array,
    noise: Array, out: Array,
) -> None:  # fmt: skip
    """Draw a block of rows of U given V and T (or of V given U and T) into `out`.

    A block is its first row and the one after its last; alpha is the precision of the noise; Lambda and mean belong to
    the prior of a row; noise has standard normal numbers for every row.
    """
    shift, fast = Lambda @ mean, compiled()
    if fast:
        fast.cp_rows(
            *block, rows.offsets, rows.other, rows.relation, rows.value, rows.root,
            V, T, alpha, Lambda, shift, noise, out,
        )  # fmt: skip
        return
    for row in range(*block):
        at = slice(rows.offsets[row], rows.offsets[row + 1])
        F, z = V[rows.other[at]] * T[rows.relation[at]], rows.value[at]
        if rows.root.size:
            F, z = F * rows.root[at, None], z * rows.root[at]
        out[row] = draw(Lambda + alpha * (F.T @ F), shift + alpha * (F.T @ z), noise[row])


def relation_gram(both: bool, i: Ints, j: Ints, value: Array, root: Array, U: Array, V: Array) -> Array:
    """Σ w v vᵀ with v = (U_i ∘ V_j, y) over entries of one relation, in both directions or one; `root` is √w or empty.

    >>> one = np.ones((2, 1))
    >>> relation_gram(True, np.array([0, 1]), np.array([1, 1]), np.array([3.0, 1.0]), np.zeros(0), one, one)
    array([[ 3.,  7.],
           [ 7., 19.]])
    """
    gram = np.zeros((U.shape[1] + 1,) * 2)
    fast = compiled()
    if fast:
        fast.cp_gram(both, i, j, value, root, U, V, gram)
    else:
        for a, b, scale in ((i, j, 1.0), (j, i, np.where(i == j, 0.0, 1.0))) if both else ((i, j, 1.0),):
            v = np.column_stack([U[a] * V[b], value]) * np.broadcast_to(scale, i.shape)[:, None]
            v *= root[:, None] if root.size else 1.0
            gram += v.T @ v
    return np.triu(gram) + np.triu(gram, 1).T
