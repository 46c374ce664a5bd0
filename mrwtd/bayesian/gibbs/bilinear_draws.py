"""The passes over the entries for the Gibbs sampler of A R_k Aᵀ + b_k: draws of the rows of A, and moments for R_k.

Given the others, row a_i meets an entry (i, j, k) with the feature R_k a_j, and an entry (j, i, k) with R_kᵀ a_j. Rows
are drawn one after the other, each from the newest others. The prior of a row is one of several Gaussians N(μ_c, Λ⁻¹).
First its cluster c is drawn, with the row itself integrated out: with P and h_c as in `conditionals`, its probability
is proportional to π_c exp(½ h_cᵀ P⁻¹ h_c − ½ μ_cᵀ Λ μ_c). Then the row is drawn given its cluster.

A diagonal entry (i, i, k) is quadratic in a_i, so the conditional is not Gaussian. The draw without diagonal entries is
then a proposal, accepted with the ratio of their likelihoods (Metropolis–Hastings), which keeps the posterior exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ...data.relational import RelationalData
from ...data.validation import radix_argsort
from ...model.cancellation import raise_if_cancelled
from ...typing import AnyArray, Array
from .conditionals import compiled, draw
from .row_priors import Rows

TURNED_BYTES = 1 << 29
"""R_c a_j of all codes c and objects j are stored if they take at most this much."""


@dataclass(frozen=True)
class Meetings:
    """The entries as each row meets them, sorted by row and code: 2k as source or undirected, 2k + 1 as target.

    `other` is the object at the other end. Diagonal entries are separate, in `diagonal_entry` and `diagonal_relation`.
    """

    offsets: AnyArray
    other: AnyArray
    entry: AnyArray
    code: AnyArray
    diagonal_offsets: AnyArray
    diagonal_entry: AnyArray
    diagonal_relation: AnyArray

    @cached_property
    def codes(self) -> AnyArray:
        """All codes that occur."""
        return np.unique(self.code)

    @classmethod
    def of(cls, data: RelationalData) -> Meetings:
        """The meetings of all entries.

        >>> import mrwtd
        >>> meetings = Meetings.of(mrwtd.load_dataset("florentine"))
        >>> meetings.offsets[:3], meetings.code[12:16]
        (array([ 0, 28, 56]), array([0, 0, 2, 2], dtype=int32))
        """
        directed = np.array([relation.directed for relation in data.relations], dtype=np.int32)
        off = np.flatnonzero(data.i != data.j).astype(np.int32)
        diagonal = np.flatnonzero(data.i == data.j).astype(np.int32)
        i, j, k = data.i[off], data.j[off], data.k[off]
        row, code = np.concatenate([i, j]), np.concatenate([2 * k, 2 * k + directed[k]])
        codes = 2 * data.n_relations
        raise_if_cancelled()
        order = radix_argsort(row.astype(np.int64) * codes + code, data.n_objects * codes)
        raise_if_cancelled()
        diagonal = diagonal[np.argsort(data.i[diagonal], kind="stable")]
        return cls(
            offsets_of(row, data.n_objects),
            np.concatenate([j, i])[order],
            np.concatenate([off, off])[order],
            code[order],
            offsets_of(data.i[diagonal], data.n_objects),
            diagonal,
            data.k[diagonal],
        )


def offsets_of(row: AnyArray, n_rows: int) -> AnyArray:
    """The first entry of each row after sorting by row, and the end of the last.

    >>> offsets_of(np.array([2, 0, 2]), 3)
    array([0, 1, 1, 3])
    """
    return np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_rows))])


def draw_rows(
    meetings: Meetings, root: Array, value: Array, R: Array, rows: Rows, noise: Array, chance: Array, A: Array,
    cluster: AnyArray,
) -> int:  # fmt: skip
    """Draw every row of A and its cluster, in place; returns the number of proposals that the diagonal refused.

    `root` and `value` are √ω and √ω z of each entry, where z is what a_i R_k a_jᵀ should be; `rows` is the prior of a
    row; noise (n, r) has standard normal and chance (n, 2) uniform numbers, for the diagonal and for the cluster.
    """
    m, both = meetings, np.empty((2 * R.shape[0], *R.shape[1:]))
    both[::2], both[1::2] = R, R.transpose(0, 2, 1)
    Lambda, shifts, fast = rows.precision, rows.means @ rows.precision, compiled()
    constants = rows.log_weights - 0.5 * np.einsum("cf,cf->c", shifts, rows.means)
    if fast:
        # Most R_c a_j meet several rows: they are computed once, and again for a row that has been drawn.
        often = m.other.size >= m.codes.size * A.shape[0]
        codes = m.codes if often and len(both) * A.nbytes <= TURNED_BYTES else m.codes[:0]
        turned = np.empty((len(both) if codes.size else 0, *A.shape))
        for code in codes:
            np.matmul(A, both[code].T, out=turned[code])
        return int(fast.bilinear_rows(
            m.offsets, m.other, m.entry, m.code, m.diagonal_offsets, m.diagonal_entry, m.diagonal_relation,
            root, value, both, turned, codes, Lambda, np.ascontiguousarray(shifts.T), constants, noise, chance, A,
            cluster,
        ))  # fmt: skip
    refused = 0
    for row in range(A.shape[0]):
        part = slice(m.offsets[row], m.offsets[row + 1])
        entry = m.entry[part]
        F = root[entry, None] * np.einsum("efg,eg->ef", both[m.code[part]], A[m.other[part]])
        P, h = Lambda + F.T @ F, shifts + F.T @ value[entry]
        scores = constants + 0.5 * np.einsum("cf,cf->c", h, np.linalg.solve(P, h.T).T)
        weights = np.exp(scores - scores.max())
        drawn = int(np.searchsorted(np.cumsum(weights)[:-1], chance[row, 1] * weights.sum(), side="right"))
        new = draw(P, h[drawn], noise[row])
        diagonal = slice(m.diagonal_offsets[row], m.diagonal_offsets[row + 1])
        entry, diagonal_R = m.diagonal_entry[diagonal], R[m.diagonal_relation[diagonal]]
        before, after = (value[entry] - root[entry] * (diagonal_R @ a @ a) for a in (A[row], new))
        accepted = chance[row, 0] < np.exp(min(0.0, 0.5 * float(before @ before - after @ after)))
        if accepted:
            A[row], cluster[row] = new, drawn
        refused += not accepted
    return refused


def row_moments(starts: AnyArray, j: AnyArray, root: Array, value: Array, A: Array) -> tuple[Array, Array]:
    """Sums over the entries starts[s] ≤ e < starts[s + 1], one row per s.

    The first array has the upper half of Σ ω a_j a_jᵀ, the second Σ ω a_j, Σ ω z a_j, Σ ω and Σ ω z side by side.
    """
    n, r = starts.size - 1, A.shape[1]
    squares, ends = np.empty((n, r * (r + 1) // 2)), np.empty((n, 2 * r + 2))
    fast = compiled()
    if fast:
        fast.row_moments(starts, j, root, value, A, squares, ends)
        return squares, ends
    upper = np.triu_indices(r)
    for row, (first, last) in enumerate(pairwise(starts)):
        part = slice(first, last)
        F, targets = root[part, None] * A[j[part]], np.column_stack([root[part], value[part]])
        squares[row] = (F.T @ F)[upper]
        ends[row] = np.concatenate([(targets.T @ F).ravel(), targets.T @ root[part]])
    return squares, ends
