"""The best-scoring pairs of a relation, without ever holding all pairs.

Rows of B = A R_k are processed in blocks. As |b_i · a_j| ≤ ‖b_i‖ ‖a_j‖, a pair can enter the list only if the product
of the two norms is above the lowest score in it, so with rows and columns in order of their norms most blocks need few
columns.
"""

import numpy as np

from ..data.possible_pairs import PossiblePairs
from ..data.relational import RelationalData
from ..typing import Array, Int32Array, Int64Array

CELLS = 4_000_000
"""Scores held at once."""


def best_pairs(
    A: Array, R: Array, possible: PossiblePairs, top: int, exclude: tuple[Int32Array, Int32Array]
) -> tuple[Int64Array, Int64Array, Array]:
    """i, j and a_i R a_jᵀ of the `top` best possible pairs of different objects that are not excluded, best first.

    >>> A, none = np.array([[1.0], [2.0], [3.0]]), np.zeros(0, dtype=np.int32)
    >>> best_pairs(A, np.eye(1), PossiblePairs(3, directed=False), 2, (none, none))
    (array([1, 0]), array([2, 2]), array([6., 3.]))
    """
    n, directed = A.shape[0], possible.directed
    sources, targets = possible.source_positions, possible.target_positions
    B = A @ R
    row_norms, column_norms = np.linalg.norm(B, axis=1), np.linalg.norm(A, axis=1)
    rows = sources[np.argsort(-row_norms[sources], kind="stable")]
    columns = targets[np.argsort(-column_norms[targets], kind="stable")]
    rank_of_column = np.full(n, columns.size)  # beyond every column, for objects that are no targets
    rank_of_column[columns] = np.arange(columns.size)
    excluded = _by_row(n, *exclude, directed=directed)
    sorted_A = A[columns]
    best = (np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0))
    lowest = -np.inf
    block = max(1, CELLS // n)
    for first in range(0, rows.size, block):
        chosen = rows[first : first + block]
        # A bound below 0 excludes nothing; until the list is full every column may enter.
        reach = columns.size
        if lowest > 0:
            largest = row_norms[chosen[0]]
            reach = int(np.searchsorted(-column_norms[columns], -lowest / largest, side="right")) if largest > 0 else 0
            if reach == 0:
                break
        scores = B[chosen] @ sorted_A[:reach].T
        if directed:
            diagonal = rank_of_column[chosen]
            inside = diagonal < reach
            scores[np.flatnonzero(inside), diagonal[inside]] = -np.inf
        else:
            scores[columns[None, :reach] <= chosen[:, None]] = -np.inf
        for row, i in enumerate(chosen):
            hidden = rank_of_column[excluded[1][excluded[0][i] : excluded[0][i + 1]]]
            scores[row, hidden[hidden < reach]] = -np.inf
        row_index, column_index = np.nonzero(scores > lowest)
        candidates = scores[row_index, column_index]
        if candidates.size > top:
            keep = np.argpartition(-candidates, top - 1)[:top]
            row_index, column_index, candidates = row_index[keep], column_index[keep], candidates[keep]
        i, j, score = (
            np.concatenate(pair)
            for pair in zip(best, (chosen[row_index], columns[column_index], candidates), strict=True)
        )
        order = np.lexsort((j, i, -score))[:top]  # ties in a fixed order
        best = (i[order], j[order], score[order])
        if best[2].size == top:
            lowest = float(best[2][-1])
    return best


def _by_row(n: int, i: Int32Array, j: Int32Array, *, directed: bool) -> tuple[Int64Array, Int32Array]:
    """The excluded columns of each row: `columns[starts[i]:starts[i + 1]]`."""
    if not directed:
        i, j = np.minimum(i, j), np.maximum(i, j)
    order = np.argsort(i, kind="stable")
    return np.searchsorted(i[order], np.arange(n + 1)), j[order]


def known_pairs(data: RelationalData | None, name: str) -> tuple[Int32Array, Int32Array]:
    """i and j of the entries of one relation."""
    if data is None:
        return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
    part = data.slice(data.relation_index(name))
    return data.i[part], data.j[part]
