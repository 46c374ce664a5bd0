"""The compiled passes of BPTF's Gibbs sampler: rows of U or V, and the Gram matrices from which T is drawn.

Given the others, row U_i meets an entry (i, j, k) with the feature V_j ∘ T_k, row V_j with U_i ∘ T_k, and T_k with U_i ∘ V_j.
An undirected entry enters in both directions, so that U_i meets V_j and U_j meets V_i. Rows of one factor do not depend on
each other: they are drawn in blocks, by several threads where there are many entries.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.parts import is_one
from ..data.relational import RelationalData
from .conditionals import COMPILED, WIDTH, Array, Ints, draw

if COMPILED:
    from .conditionals import add_gram, compiled, draw_from_gram


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
        offsets = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=data.n_objects))])
        other, entry = other[order], entry[order]
        del row, order
        root = np.zeros(0) if is_one(data.w) else np.sqrt(data.w[entry])
        return cls(offsets, other, data.k[entry], y[entry], root)

    def blocks(self, parts: int) -> list[tuple[int, int]]:
        """The rows in neighbouring blocks of about equal numbers of entries."""
        shares = np.linspace(0, self.offsets[-1], parts + 1)[1:-1]
        edges = [0, *np.searchsorted(self.offsets, shares).tolist(), self.offsets.size - 1]
        return [(a, b) for a, b in zip(edges, edges[1:], strict=False) if a < b]


if COMPILED:

    @compiled
    def _draw_rows(
        first: int, last: int, offsets: Ints, other: Ints, relation: Ints, value: Array, root: Array,
        V: Array, T: Array, alpha: float, Lambda: Array, shift: Array, noise: Array, out: Array,
    ) -> None:  # fmt: skip  # pragma: no cover - compiled
        r = V.shape[1]
        buffer, gram = np.empty((r + 1, WIDTH)), np.empty((r + 1, r + 1))
        P, h = np.empty((r, r)), np.empty(r)
        for row in range(first, last):
            gram[:] = 0.0
            for start in range(offsets[row], offsets[row + 1], WIDTH):
                width = min(WIDTH, offsets[row + 1] - start)
                for t in range(width):
                    j, k = other[start + t], relation[start + t]
                    for f in range(r):
                        buffer[f, t] = V[j, f] * T[k, f]
                    buffer[r, t] = value[start + t]
                if root.size:
                    for f in range(r + 1):
                        for t in range(width):
                            buffer[f, t] *= root[start + t]
                add_gram(buffer, width, gram)
            draw_from_gram(gram, alpha, Lambda, shift, noise[row], P, h, out[row])

    @compiled
    def _add_relation(
        both: bool, i: Ints, j: Ints, value: Array, root: Array, U: Array, V: Array, gram: Array
    ) -> None:  # pragma: no cover - compiled
        r = U.shape[1]
        buffer = np.empty((r + 1, WIDTH))
        for start in range(0, i.size, WIDTH):
            width = min(WIDTH, i.size - start)
            for turn in range(2 if both else 1):
                for t in range(width):
                    e = start + t
                    a, b = (i[e], j[e]) if turn == 0 else (j[e], i[e])
                    # The second direction of a diagonal entry is its first again.
                    scale = 0.0 if turn == 1 and a == b else root[e] if root.size else 1.0
                    for f in range(r):
                        buffer[f, t] = scale * U[a, f] * V[b, f]
                    buffer[r, t] = scale * value[e]
                add_gram(buffer, width, gram)

else:

    def _draw_rows(
        first: int, last: int, offsets: Ints, other: Ints, relation: Ints, value: Array, root: Array,
        V: Array, T: Array, alpha: float, Lambda: Array, shift: Array, noise: Array, out: Array,
    ) -> None:  # fmt: skip
        for row in range(first, last):
            at = slice(offsets[row], offsets[row + 1])
            F, z = V[other[at]] * T[relation[at]], value[at]
            if root.size:
                F, z = F * root[at, None], z * root[at]
            out[row] = draw(Lambda + alpha * (F.T @ F), shift + alpha * (F.T @ z), noise[row])

    def _add_relation(
        both: bool, i: Ints, j: Ints, value: Array, root: Array, U: Array, V: Array, gram: Array
    ) -> None:
        for a, b in ((i, j), (j, i)) if both else ((i, j),):
            scale = np.where((a is j) & (i == j), 0.0, root if root.size else 1.0)
            F = np.column_stack([U[a] * V[b], value]) * scale[:, None]
            gram += np.triu(F.T @ F)


def draw_rows(
    rows: RowEntries, block: tuple[int, int], V: Array, T: Array, alpha: float, Lambda: Array, mean: Array,
    noise: Array, out: Array,
) -> None:  # fmt: skip
    """Draw a block of rows of U given V and T (or of V given U and T) into `out`.

    Args:
        rows: the entries sorted by row.
        block: the first row, and the one after the last.
        V, T: the other two factors.
        alpha: the precision of the noise.
        Lambda, mean: the prior of a row.
        noise: standard normal numbers, a row for each row.
        out: where the drawn rows go.
    """
    _draw_rows(
        *block, rows.offsets, rows.other, rows.relation, rows.value, rows.root,
        V, T, alpha, Lambda, Lambda @ mean, noise, out,
    )  # fmt: skip


def relation_gram(both: bool, i: Ints, j: Ints, value: Array, root: Array, U: Array, V: Array) -> Array:
    """Σ w v vᵀ with v = (U_i ∘ V_j, y) over entries of one relation, in both directions or one; its upper half."""
    gram = np.zeros((U.shape[1] + 1,) * 2)
    _add_relation(both, i, j, value, root, U, V, gram)
    return gram
