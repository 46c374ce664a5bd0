"""The passes over the entries for BPTF's Gibbs sampler: draws of the rows of U and V, and what T is drawn from.

Given the others, row U_i meets an entry (i, j, k) with the feature V_j ∘ T_k, row V_j with U_i ∘ T_k, and T_k with
U_i ∘ V_j. An undirected entry enters in both directions, so that U_i meets V_j and U_j meets V_i. Rows of one factor do
not depend on each other: they are drawn in blocks, by several threads where there are many entries.

With S_jk = Σ_i U_i U_iᵀ over the entries of row j in relation k, the Gram matrix of row V_j is Σ_k T_k T_kᵀ ∘ S_jk, and
that of T_k is Σ_j V_j V_jᵀ ∘ S_jk. One pass over the entries thus serves the draw of V and that of T.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...data.relational import RelationalData
from ...data.validation import is_one, radix_argsort
from ...model.cancellation import raise_if_cancelled
from ...typing import AnyArray, Array
from .bilinear_draws import offsets_of
from .conditionals import compiled, draw


@dataclass(frozen=True)
class RowEntries:
    """The entries sorted by row and relation: the object at the other end, the value, and the root of the weight."""

    offsets: AnyArray
    other: AnyArray
    relation: AnyArray
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
        place = row.astype(np.int64) * data.n_relations + data.k[entry]
        raise_if_cancelled()
        order = radix_argsort(place, data.n_objects * data.n_relations)
        raise_if_cancelled()
        offsets = offsets_of(row, data.n_objects)
        other, entry = other[order], entry[order]
        del row, place, order
        root = np.zeros(0) if is_one(data.w) else np.sqrt(data.w[entry])
        return cls(offsets, other, data.k[entry], y[entry], root)

    def blocks(self, parts: int) -> list[tuple[int, int]]:
        """The rows in neighbouring blocks of about equal numbers of entries."""
        targets = np.linspace(0, self.offsets[-1], parts + 1)[1:-1]
        edges = [0, *np.searchsorted(self.offsets, targets).tolist(), self.offsets.size - 1]
        return [(a, b) for a, b in pairwise(edges) if a < b]


def draw_rows(
    rows: RowEntries, block: tuple[int, int], V: Array, T: Array, alpha: float, Lambda: Array, mean: Array,
    noise: Array, out: Array,
) -> Array:  # fmt: skip
    """Draw a block of rows of U given V and T (or of V given U and T) into `out`.

    A block is its first row and the one after its last; alpha is the precision of the noise; Lambda and mean belong to
    the prior of a row; noise has standard normal numbers for every row. Returned is, for each relation, Σ w v vᵀ with
    v = (U_i ∘ V_j, y) over the entries of the block: T is drawn from it without another pass over the entries.
    """
    shift, fast = Lambda @ mean, compiled()
    grams = np.zeros((T.shape[0], T.shape[1] + 1, T.shape[1] + 1))
    if fast:
        fast.cp_rows(
            *block, rows.offsets, rows.other, rows.relation, rows.value, rows.root,
            V, T, alpha, Lambda, shift, noise, out, grams,
        )  # fmt: skip
        return np.asarray(np.triu(grams) + np.triu(grams, 1).transpose(0, 2, 1))
    for row in range(*block):
        at = slice(rows.offsets[row], rows.offsets[row + 1])
        k, scale = rows.relation[at], rows.root[at] if rows.root.size else np.ones(at.stop - at.start)
        near, z = V[rows.other[at]] * scale[:, None], rows.value[at] * scale
        F = near * T[k]
        out[row] = draw(Lambda + alpha * (F.T @ F), shift + alpha * (F.T @ z), noise[row])
        v = np.column_stack([near * out[row], z])
        np.add.at(grams, k, v[:, :, None] * v[:, None, :])
    return grams
