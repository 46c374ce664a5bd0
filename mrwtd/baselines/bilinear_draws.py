"""The compiled passes of the Gibbs sampler of A R_k Aᵀ + b_k: a draw of all rows of A, and the moments for R_k.

Given the others, row a_i meets an entry (i, j, k) with the feature R_k a_j, and an entry (j, i, k) with R_kᵀ a_j. Rows are
drawn one after the other, each from the newest others.

A diagonal entry (i, i, k) is quadratic in a_i, and its conditional no Gaussian: the draw without the diagonal entries is a
proposal, which is accepted with the ratio of their likelihoods (Metropolis–Hastings). That leaves the posterior exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..data.relational import RelationalData
from .conditionals import COMPILED, WIDTH, Array, Ints

if COMPILED:
    from .conditionals import add_gram, compiled, draw_from_gram


@dataclass(frozen=True)
class Meetings:
    """The entries as each row meets them, sorted by row and code: 2k as source or undirected, 2k + 1 as target.

    `other` is the object at the other end. Diagonal entries stand apart, in `own`.
    """

    offsets: Ints
    other: Ints
    entry: Ints
    code: Ints
    own_offsets: Ints
    own_entry: Ints
    own_relation: Ints

    @classmethod
    def of(cls, data: RelationalData) -> Meetings:
        """The meetings of all entries.

        >>> import mrwtd
        >>> meetings = Meetings.of(mrwtd.load_dataset("florentine"))
        >>> meetings.offsets[:3], meetings.code[:15]
        (array([ 0, 28, 56]), array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2], dtype=int32))
        """
        n, m = data.n_objects, data.n_relations
        directed = np.array([relation.directed for relation in data.relations], dtype=np.int32)
        off = np.flatnonzero(data.i != data.j).astype(np.int32)
        own = np.flatnonzero(data.i == data.j).astype(np.int32)
        i, j, k = data.i[off], data.j[off], data.k[off]
        code = np.concatenate([2 * k, 2 * k + directed[k]])
        key = np.concatenate([i, j]).astype(np.int64)
        offsets = np.concatenate([[0], np.cumsum(np.bincount(key, minlength=n))])
        key *= 2 * m
        key += code
        order = np.argsort(key, kind="stable")
        del key
        own = own[np.argsort(data.i[own], kind="stable")]
        return cls(
            offsets,
            np.concatenate([j, i])[order],
            np.concatenate([off, off])[order],
            code[order],
            np.concatenate([[0], np.cumsum(np.bincount(data.i[own], minlength=n))]),
            own,
            data.k[own],
        )


if COMPILED:

    @compiled
    def _draw_rows(
        offsets: Ints, other: Ints, entry: Ints, code: Ints, own_offsets: Ints, own_entry: Ints, own_relation: Ints,
        root: Array, value: Array, R: Array, Lambda: Array, shift: Array, noise: Array, chance: Array, A: Array,
    ) -> int:  # fmt: skip  # pragma: no cover - compiled
        r = A.shape[1]
        buffer, turned = np.empty((r + 1, WIDTH)), np.empty((r + 1, WIDTH))
        gram, near = np.empty((r + 1, r + 1)), np.empty((r + 1, r + 1))
        P, h, new, half = np.empty((r, r)), np.empty(r), np.empty(r), np.empty((r, r))
        refused = 0
        for row in range(A.shape[0]):
            gram[:] = 0.0
            e, end = offsets[row], offsets[row + 1]
            while e < end:
                c, stop = code[e], e
                while stop < end and code[stop] == c:
                    stop += 1
                # Few entries: turn each a_j into R a_j. Many: turn their Gram matrix once.
                many = stop - e > 2 * r
                if many:
                    near[:] = 0.0
                for start in range(e, stop, WIDTH):
                    width = min(WIDTH, stop - start)
                    for t in range(width):
                        j, at = other[start + t], entry[start + t]
                        for f in range(r):
                            buffer[f, t] = root[at] * A[j, f]
                        buffer[r, t] = value[at]
                    if many:
                        add_gram(buffer, width, near)
                    else:
                        _turn(R[c], buffer, width, turned)
                        add_gram(turned, width, gram)
                if many:
                    _add_turned(R[c], near, half, gram)
                e = stop
            draw_from_gram(gram, 1.0, Lambda, shift, noise[row], P, h, new)
            gain = 0.0
            for d in range(own_offsets[row], own_offsets[row + 1]):
                at, k = own_entry[d], own_relation[d]
                before, after = value[at], value[at]
                for f in range(r):
                    for g in range(r):
                        before -= root[at] * A[row, f] * R[2 * k, f, g] * A[row, g]
                        after -= root[at] * new[f] * R[2 * k, f, g] * new[g]
                gain += 0.5 * (before * before - after * after)
            if gain >= 0.0 or chance[row] < np.exp(gain):
                A[row] = new
            else:
                refused += 1
        return refused

    @compiled
    def _turn(R: Array, buffer: Array, width: int, turned: Array) -> None:  # pragma: no cover - compiled
        """The columns R a_j for columns a_j, with the last row as it is."""
        r = R.shape[0]
        for f in range(r):
            for t in range(width):
                turned[f, t] = 0.0
            for g in range(r):
                factor = R[f, g]
                for t in range(width):
                    turned[f, t] += factor * buffer[g, t]
        for t in range(width):
            turned[r, t] = buffer[r, t]

    @compiled
    def _add_turned(R: Array, near: Array, half: Array, gram: Array) -> None:  # pragma: no cover - compiled
        """gram += R near Rᵀ, in its last column R near; near and gram hold upper halves."""
        r = R.shape[0]
        for f in range(r):
            for c in range(r):
                half[f, c] = 0.0
            for g in range(r):
                gram[f, r] += R[f, g] * near[g, r]
                for c in range(r):
                    half[f, c] += R[f, g] * (near[g, c] if g <= c else near[c, g])
        for f in range(r):
            for g in range(f, r):
                total = 0.0
                for c in range(r):
                    total += half[f, c] * R[g, c]
                gram[f, g] += total

    @compiled
    def _moments(starts: Ints, j: Ints, root: Array, value: Array, A: Array, out: Array) -> None:  # pragma: no cover
        r = A.shape[1]
        buffer, gram = np.empty((r + 2, WIDTH)), np.empty((r + 2, r + 2))
        for row in range(out.shape[0]):
            gram[:] = 0.0
            for start in range(starts[row], starts[row + 1], WIDTH):
                width = min(WIDTH, starts[row + 1] - start)
                for t in range(width):
                    e = start + t
                    for f in range(r):
                        buffer[f, t] = root[e] * A[j[e], f]
                    buffer[r, t] = root[e]
                    buffer[r + 1, t] = value[e]
                add_gram(buffer, width, gram)
            at = 0
            for f in range(r + 2):
                for g in range(f, r + 2):
                    out[row, at] = gram[f, g]
                    at += 1


def draw_rows(
    meetings: Meetings, root: Array, value: Array, R: Array, Lambda: Array, mean: Array, noise: Array, chance: Array,
    A: Array,
) -> int:  # fmt: skip
    """Draw every row of A in place, and return how many proposals the diagonal entries refused.

    Args:
        meetings: the entries as rows meet them.
        root, value: √ω and √ω z of each entry, where z is what a_i R_k a_jᵀ should be.
        R: (m, r, r).
        Lambda, mean: the prior of a row.
        noise, chance: standard normal numbers (n, r) and uniform ones (n,).
        A: (n, r).
    """
    both = np.empty((2 * R.shape[0], *R.shape[1:]))
    both[::2], both[1::2] = R, R.transpose(0, 2, 1)
    m = meetings
    return int(_draw_rows(
        m.offsets, m.other, m.entry, m.code, m.own_offsets, m.own_entry, m.own_relation,
        root, value, both, Lambda, Lambda @ mean, noise, chance, A,
    ))  # fmt: skip


def moments(starts: Ints, j: Ints, root: Array, value: Array, A: Array) -> Array:
    """Σ v vᵀ over the entries starts[s] ≤ e < starts[s + 1] with v = √ω (a_j, 1, z), its upper half row by row."""
    r = A.shape[1]
    out = np.empty((starts.size - 1, (r + 2) * (r + 3) // 2))
    _moments(starts, j, root, value, A, out)
    return out
