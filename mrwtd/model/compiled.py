"""The compiled form of the two passes of `kernels`, imported at the first fit: Numba takes a while to load.

`width` is a tuple of zeros whose length, the number of columns, is part of its type. The compiler thus knows how
often the inner loops run, unrolls them, and keeps a row of A and its sum in registers. `far` is a tuple too, and empty
unless the rows of j are prefetched: if it is empty, no code for that is compiled.
"""

from typing import Any

import numpy as np
from numba.cpython.unsafe.tuple import tuple_setitem

from .compile_cache import compiled
from .prefetch import prefetch

AHEAD = 64
"""Rows are prefetched this many entries before they are needed (measured: 32 and 128 are slower)."""


@compiled
def add_products(width: Any, far: Any, starts: Any, i: Any, j: Any, B: Any, A: Any, x: Any) -> None:
    """x_e += B[s, i_e] · A[j_e], for the entries of each relation s."""
    for s in range(starts.size - 1):
        for e in range(starts[s], starts[s + 1]):
            if len(far):
                later = np.intp(j[min(e + AHEAD, starts[s + 1] - 1)])
                prefetch(A, (later, 0), False)
                prefetch(A, (later, len(width) - 1), False)
            total = 0.0
            for f in range(len(width)):
                total += B[s, i[e], f] * A[j[e], f]
            x[e] += total


@compiled
def add_outer(width: Any, far: Any, starts: Any, i: Any, j: Any, g: Any, A: Any, P: Any, Q: Any) -> None:
    """P[s, i_e] += g_e A[j_e] and Q[s, j_e] += g_e A[i_e]; entries of one i are neighbours."""
    for s in range(starts.size - 1):
        e, end = starts[s], starts[s + 1]
        while e < end:
            row = i[e]
            row_factors, total = width, width
            for f in range(len(width)):
                row_factors = tuple_setitem(row_factors, f, A[row, f])
            while e < end and i[e] == row:
                if len(far):
                    later = np.intp(j[min(e + AHEAD, end - 1)])
                    prefetch(A, (later, 0), False)
                    prefetch(A, (later, len(width) - 1), False)
                    prefetch(Q, (s, later, 0), True)
                    prefetch(Q, (s, later, len(width) - 1), True)
                column, value = j[e], g[e]
                for f in range(len(width)):
                    total = tuple_setitem(total, f, total[f] + value * A[column, f])
                for f in range(len(width)):
                    Q[s, column, f] += value * row_factors[f]
                e += 1
            for f in range(len(width)):
                P[s, row, f] += total[f]
