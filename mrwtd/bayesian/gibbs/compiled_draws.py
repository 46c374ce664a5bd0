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
    """The cluster of a row whose numbers are integrated out; `halves` gets P⁻ᵀ h of each cluster as columns."""
    r: int = shifts.shape[0]
    n_clusters: int = shifts.shape[1]
    scores[:] = 0.0
    for f in range(r):
        for c in range(n_clusters):
            halves[f, c] = shifts[f, c] + gram[f, r]
        for g in range(f):
            factor = P[g, f]
            for c in range(n_clusters):
                halves[f, c] -= factor * halves[g, c]
        scale = 1.0 / P[f, f]
        for c in range(n_clusters):
            halves[f, c] *= scale
            scores[c] += halves[f, c] * halves[f, c]
    most = -np.inf
    for c in range(n_clusters):
        scores[c] = constants[c] + 0.5 * scores[c]
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
    root: Any, value: Any, R: Any, turned: Any, codes: Any, Lambda: Any, shifts: Any, constants: Any, noise: Any,
    chance: Any, A: Any, cluster: Any,
) -> int:  # fmt: skip
    """All rows of A in place, one after the other; how many proposals were refused.

    `turned` has R_c a_j of all `codes` c and objects j and follows A; if it is empty, each a_j is turned when needed.
    """
    r = A.shape[1]
    buffer, room = np.empty((r + 1, WIDTH)), np.empty((r + 1, WIDTH))
    gram, P, new, half = np.empty((r + 1, r + 1)), np.empty((r, r)), np.empty(r), np.empty(r)
    halves, scores = np.empty(shifts.shape), np.empty(shifts.shape[1])
    refused = 0
    for row in range(A.shape[0]):
        gram[:] = 0.0
        filled, e, end = 0, offsets[row], offsets[row + 1]
        while e < end:
            if turned.size:
                filled = min(WIDTH, end - e)
                for t in range(filled):
                    c, j, at = code[e + t], other[e + t], entry[e + t]
                    for f in range(r):
                        buffer[f, t] = root[at] * turned[c, j, f]
                    buffer[r, t] = value[at]
                e += filled
            else:
                c, width = code[e], 0
                while e < end and code[e] == c and filled + width < WIDTH:
                    j, at = other[e], entry[e]
                    for f in range(r):
                        room[f, width] = root[at] * A[j, f]
                    room[r, width] = value[at]
                    e += 1
                    width += 1
                turn(R[c], room, width, buffer, filled)
                filled += width
            if filled == WIDTH:
                add_gram(buffer, filled, gram)
                filled = 0
        add_gram(buffer, filled, gram)
        factorize(gram, 1.0, Lambda, P)
        drawn = draw_cluster(P, gram, shifts, constants, chance[row, 1], halves, scores)
        for f in range(r):
            half[f] = halves[f, drawn]
        backward(P, half, noise[row], new)
        gain = 0.0
        for d in range(diagonal_offsets[row], diagonal_offsets[row + 1]):
            at, k = diagonal_entry[d], diagonal_relation[d]
            before = value[at] - root[at] * quadratic(R[2 * k], A[row])
            after = value[at] - root[at] * quadratic(R[2 * k], new)
            gain += 0.5 * (before * before - after * after)
        if gain >= 0.0 or chance[row, 0] < np.exp(gain):
            A[row], cluster[row] = new, drawn
            if turned.size:
                for c in codes:
                    turn_one(R[c ^ 1], new, turned[c, row])
        else:
            refused += 1
    return refused


@inlined
def turn_one(R: Any, a: Any, turned: Any) -> None:
    """Rᵀ a: with sums over rows, which are vector operations."""
    turned[:] = 0.0
    for g in range(a.size):
        for f in range(a.size):
            turned[f] += R[g, f] * a[g]


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
def quadratic(R: Any, a: Any) -> float:
    """The number a R aᵀ."""
    total = 0.0
    for f in range(a.size):
        for g in range(a.size):
            total += a[f] * R[f, g] * a[g]
    return total


@compiled
def row_moments(starts: Any, j: Any, root: Any, value: Any, A: Any, squares: Any, ends: Any) -> None:
    """Row by row: the upper half of Σ ω a_j a_jᵀ, and Σ ω a_j, Σ ω z a_j, Σ ω and Σ ω z one after the other."""
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
        for f in range(r):
            for g in range(f, r):
                squares[row, at] = gram[f, g]
                at += 1
            ends[row, f], ends[row, r + f] = gram[f, r], gram[f, r + 1]
        ends[row, 2 * r], ends[row, 2 * r + 1] = gram[r, r], gram[r, r + 1]


@compiled
def unit_polya_gamma(z: Any, normal: Any, uniform: Any, root: Any) -> None:
    """√ω with ω ~ PG(1, z), or −1 where the proposal is rejected (`polya_gamma`)."""
    for e in range(z.size):
        mean = 2.0 / abs(z[e])
        scaled = mean * normal[e] * normal[e]
        x = mean / (1.0 + 0.5 * scaled + 0.5 * np.sqrt(scaled * (scaled + 4.0)))
        smaller = mean / (mean + x)  # the probability of the smaller root
        left = uniform[e]
        if left < smaller:
            left /= smaller
        else:
            left = (left - smaller) / (1.0 - smaller)  # the rest of a uniform number is uniform
            x = mean * mean / x
        accepted = 1.0
        if x > 0.1:  # else the product is 1 in 64 bits
            factor = np.exp(-4.0 / x)
            power = factor
            if left > 1.0 - 4.0 * factor:  # else it is below the product, which is at least that
                while power > 1e-17 and accepted > left:
                    accepted *= (1.0 - power) ** 3
                    power *= factor
        root[e] = 0.5 * np.sqrt(x) if left < accepted else -1.0
