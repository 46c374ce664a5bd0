"""The compiled passes of the Gibbs samplers, imported at the first fit: Numba takes a while to load.

The vectors √ω (f, z) of 64 entries at a time are gathered as columns of a small buffer, whose products with itself are
added to the upper half of a Gram matrix. `cp_draws` and `bilinear_draws` say what each pass is for, and do it in NumPy
where there is no compiler.
"""

from typing import Any

import numpy as np

from ...model.compile_cache import compiled, inlined

WIDTH = 64
"""Entries in a buffer: 20 rows of that many fit in a core's first cache."""


@inlined
def add_gram(buffer: Any, width: int, gram: Any) -> None:
    """Add v vᵀ of the first columns v of the buffer to the upper half of gram."""
    size = buffer.shape[0]
    # Blocks of two by two read each number half as often; of a block on the diagonal, the lower half goes nowhere.
    for f in range(0, size - 1, 2):
        for g in range(f, size - 1, 2):
            a, b, c, d = 0.0, 0.0, 0.0, 0.0
            for t in range(width):
                a += buffer[f, t] * buffer[g, t]
                b += buffer[f, t] * buffer[g + 1, t]
                c += buffer[f + 1, t] * buffer[g, t]
                d += buffer[f + 1, t] * buffer[g + 1, t]
            gram[f, g] += a
            gram[f, g + 1] += b
            gram[f + 1, g] += c
            gram[f + 1, g + 1] += d
    if size % 2:
        for f in range(size):
            total = 0.0
            for t in range(width):
                total += buffer[f, t] * buffer[size - 1, t]
            gram[f, size - 1] += total


@inlined
def draw_from_gram(gram: Any, alpha: float, Lambda: Any, shift: Any, noise: Any, P: Any, h: Any, out: Any) -> None:
    """`conditionals.draw` with P and h of alpha · gram and of the prior; P and h are room to work in."""
    r = h.size
    for f in range(r):
        h[f] = shift[f] + alpha * gram[f, r]
    factorize(gram, alpha, Lambda, P)
    forward(P, h)
    backward(P, h, noise, out)


@inlined
def factorize(gram: Any, alpha: float, Lambda: Any, P: Any) -> None:
    """P is the upper Cholesky root of Lambda + alpha · gram."""
    r = P.shape[0]
    for f in range(r):
        for g in range(f, r):
            P[f, g] = Lambda[f, g] + alpha * gram[f, g]
    for f in range(r):
        for g in range(f):
            for c in range(f, r):
                P[f, c] -= P[g, f] * P[g, c]
        root = np.sqrt(P[f, f])
        for c in range(f, r):
            P[f, c] /= root


@inlined
def forward(P: Any, h: Any) -> None:
    """h becomes P⁻ᵀ h."""
    for f in range(h.size):
        for g in range(f):
            h[f] -= P[g, f] * h[g]
        h[f] /= P[f, f]


@inlined
def backward(P: Any, h: Any, noise: Any, out: Any) -> None:
    """To out, P⁻¹ (h + noise)."""
    r = h.size
    for f in range(r - 1, -1, -1):
        total = h[f] + noise[f]
        for g in range(f + 1, r):
            total -= P[f, g] * out[g]
        out[f] = total / P[f, f]


@inlined
def draw_cluster(P: Any, gram: Any, shifts: Any, constants: Any, chance: float, halves: Any, scores: Any) -> int:
    """The cluster of a row whose numbers are integrated out; `halves` gets P⁻ᵀ h of each cluster."""
    n_clusters: int = shifts.shape[0]
    r = shifts.shape[1]
    most = -np.inf
    for c in range(n_clusters):
        squares = 0.0
        for f in range(r):
            halves[c, f] = shifts[c, f] + gram[f, r]
        forward(P, halves[c])
        for f in range(r):
            squares += halves[c, f] * halves[c, f]
        scores[c] = constants[c] + 0.5 * squares
        most = max(most, scores[c])
    total = 0.0
    for c in range(n_clusters):
        scores[c] = np.exp(scores[c] - most)
        total += scores[c]
    left = chance * total
    for c in range(n_clusters - 1):
        left -= scores[c]
        if left < 0.0:
            return c
    return n_clusters - 1


@compiled
def cp_rows(
    first: int, last: int, offsets: Any, other: Any, relation: Any, value: Any, root: Any, V: Any, T: Any, alpha: float,
    Lambda: Any, shift: Any, noise: Any, out: Any, grams: Any,
) -> None:  # fmt: skip
    """Rows first … last − 1 of U, each from its entries; to the grams, Σ w v vᵀ with v = (U_i ∘ V_j, y) is added."""
    r = V.shape[1]
    buffer, gram, near = np.empty((r + 1, WIDTH)), np.empty((r + 1, r + 1)), np.empty(grams.shape)
    P, h, met = np.empty((r, r)), np.empty(r), np.empty(grams.shape[0], np.int64)
    for row in range(first, last):
        gram[:] = 0.0
        groups, e, end = 0, offsets[row], offsets[row + 1]
        while e < end:
            k = relation[e]
            near[k] = 0.0
            stop = e
            while stop < end and relation[stop] == k:
                stop += 1
            for start in range(e, stop, WIDTH):
                width = min(WIDTH, stop - start)
                for t in range(width):
                    j = other[start + t]
                    for f in range(r):
                        buffer[f, t] = V[j, f]
                    buffer[r, t] = value[start + t]
                if root.size:
                    for f in range(r + 1):
                        for t in range(width):
                            buffer[f, t] *= root[start + t]
                add_gram(buffer, width, near[k])
            e = stop
            add_scaled(T[k], near[k], gram)
            met[groups] = k
            groups += 1
        draw_from_gram(gram, alpha, Lambda, shift, noise[row], P, h, out[row])
        for group in range(groups):
            add_scaled(out[row], near[met[group]], grams[met[group]])


@inlined
def add_scaled(t: Any, near: Any, gram: Any) -> None:
    """Add Σ v vᵀ with v = (t ∘ u, z) to gram, where near is Σ v vᵀ with v = (u, z); both hold upper halves."""
    r = t.size
    for f in range(r):
        for g in range(f, r):
            gram[f, g] += t[f] * t[g] * near[f, g]
        gram[f, r] += t[f] * near[f, r]
    gram[r, r] += near[r, r]


@compiled
def bilinear_rows(
    offsets: Any, other: Any, entry: Any, code: Any, diagonal_offsets: Any, diagonal_entry: Any, diagonal_relation: Any,
    root: Any, value: Any, R: Any, Lambda: Any, shifts: Any, constants: Any, noise: Any, chance: Any, A: Any,
    cluster: Any,
) -> int:  # fmt: skip
    """All rows of A in place, one after the other; how many proposals were refused."""
    r = A.shape[1]
    buffer, turned = np.empty((r + 1, WIDTH)), np.empty((r + 1, WIDTH))
    gram, near = np.empty((r + 1, r + 1)), np.empty((r + 1, r + 1))
    P, new, half = np.empty((r, r)), np.empty(r), np.empty((r, r))
    halves, scores = np.empty(shifts.shape), np.empty(shifts.shape[0])
    refused = 0
    for row in range(A.shape[0]):
        gram[:] = 0.0
        filled, e, end = 0, offsets[row], offsets[row + 1]
        while e < end:
            c, stop = code[e], e
            while stop < end and code[stop] == c:
                stop += 1
            # Few entries: turn each a_j into R a_j. Many: turn their Gram matrix once.
            many = stop - e > 2 * r
            if many:
                near[:] = 0.0
            while e < stop:
                width = min(WIDTH if many else WIDTH - filled, stop - e)
                for t in range(width):
                    j, at = other[e + t], entry[e + t]
                    for f in range(r):
                        buffer[f, t] = root[at] * A[j, f]
                    buffer[r, t] = value[at]
                if many:
                    add_gram(buffer, width, near)
                else:
                    turn(R[c], buffer, width, turned, filled)
                    filled += width
                    if filled == WIDTH:
                        add_gram(turned, filled, gram)
                        filled = 0
                e += width
            if many:
                add_turned(R[c], near, half, gram)
        add_gram(turned, filled, gram)
        factorize(gram, 1.0, Lambda, P)
        drawn = draw_cluster(P, gram, shifts, constants, chance[row, 1], halves, scores)
        backward(P, halves[drawn], noise[row], new)
        gain = 0.0
        for d in range(diagonal_offsets[row], diagonal_offsets[row + 1]):
            at, k = diagonal_entry[d], diagonal_relation[d]
            before = value[at] - root[at] * quadratic(R[2 * k], A[row])
            after = value[at] - root[at] * quadratic(R[2 * k], new)
            gain += 0.5 * (before * before - after * after)
        if gain >= 0.0 or chance[row, 0] < np.exp(gain):
            A[row], cluster[row] = new, drawn
        else:
            refused += 1
    return refused


@inlined
def turn(R: Any, buffer: Any, width: int, turned: Any, at: int) -> None:
    """Columns R a for columns a, from column `at` on; the last row as it is."""
    r = R.shape[0]
    for f in range(r):
        for t in range(width):
            turned[f, at + t] = 0.0
        for g in range(r):
            factor = R[f, g]
            for t in range(width):
                turned[f, at + t] += factor * buffer[g, t]
    for t in range(width):
        turned[r, at + t] = buffer[r, t]


@inlined
def add_turned(R: Any, near: Any, half: Any, gram: Any) -> None:
    """Add R near Rᵀ, in the last column R near, to gram; both hold upper halves."""
    r = R.shape[0]
    for f in range(r):
        for g in range(f):
            near[f, g] = near[g, f]
    for f in range(r):
        for c in range(r):
            half[f, c] = 0.0
        for g in range(r):
            gram[f, r] += R[f, g] * near[g, r]
            for c in range(r):
                half[f, c] += R[f, g] * near[g, c]
    for f in range(r):
        for g in range(f, r):
            total = 0.0
            for c in range(r):
                total += half[f, c] * R[g, c]
            gram[f, g] += total


@inlined
def quadratic(R: Any, a: Any) -> float:
    """The number a R aᵀ."""
    total = 0.0
    for f in range(a.size):
        for g in range(a.size):
            total += a[f] * R[f, g] * a[g]
    return total


@compiled
def row_moments(starts: Any, j: Any, root: Any, value: Any, A: Any, out: Any) -> None:
    """The upper halves of Σ v vᵀ with v = √ω (a_j, 1, z), row by row."""
    r = A.shape[1]
    buffer, gram = np.empty((r + 2, WIDTH)), np.empty((r + 2, r + 2))
    for row in range(starts.size - 1):
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
