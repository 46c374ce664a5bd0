"""The two compiled passes over the entries: x at each entry, and its gradient back to the factors.

Both iterate over entries sorted by relation and by i. The columns of A are processed in chunks of at most ten, each
compiled for its width, which is as fast as a sparse product of SciPy and builds no sparse matrix. Without Numba, or
with `MRWTD_NUMBA=0`, NumPy and SciPy do the same, but slower.
"""

import os
from functools import cache
from importlib import import_module
from itertools import pairwise
from types import ModuleType

import numpy as np
from scipy.sparse import csr_array

from ..typing import AnyArray, Array

WIDEST_CHUNK = 10
"""Wider rows do not stay in registers (measured)."""

FAR = 1 << 21
"""Chunks of more bytes exceed a core's own cache, so their rows are prefetched; for smaller ones that costs time."""


@cache
def chunks(rank: int) -> tuple[slice, ...]:
    """The columns 0…rank−1 in chunks of nearly equal width, none wider than ten.

    >>> chunks(12)
    (slice(0, 6, None), slice(6, 12, None))
    """
    edges = np.linspace(0, rank, -(-rank // WIDEST_CHUNK) + 1).round().astype(int)
    return tuple(slice(int(a), int(b)) for a, b in pairwise(edges))


def column_chunks(array: Array) -> list[Array]:
    """The columns of an array, its last axis, in contiguous chunks.

    >>> [chunk.shape for chunk in column_chunks(np.zeros((3, 12)))]
    [(3, 6), (3, 6)]
    """
    return [np.ascontiguousarray(array[..., chunk]) for chunk in chunks(array.shape[-1])]


def add_row_products(i: AnyArray, j: AnyArray, U: Array, V: Array, x: Array) -> None:
    """x_e += U[i_e] · V[j_e], without a copy of the rows for every entry.

    >>> x = np.zeros(1)
    >>> add_row_products(np.array([0]), np.array([1]), np.array([[2.0], [0.0]]), np.array([[0.0], [3.0]]), x)
    >>> x
    array([6.])
    """
    for u, v in zip(column_chunks(U), column_chunks(V), strict=True):
        add_products(np.array([0, i.size]), i, j, u[None], v, x)


def add_products(starts: AnyArray, i: AnyArray, j: AnyArray, B: Array, A: Array, x: Array) -> None:
    """x_e += B[s, i_e] · A[j_e] for the entries starts[s] ≤ e < starts[s + 1] of each relation s."""
    compiled = compiled_module("mrwtd.model.compiled")
    if compiled:
        compiled.add_products((0.0,) * A.shape[1], (0.0,) * (A.nbytes > FAR), starts, i, j, B, A, x)
        return
    for s, (first, last) in enumerate(pairwise(starts)):
        part = slice(first, last)
        x[part] += np.einsum("ef,ef->e", B[s][i[part]], A[j[part]])


def add_outer(starts: AnyArray, i: AnyArray, j: AnyArray, g: Array, A: Array, P: Array, Q: Array) -> None:
    """P[s, i_e] += g_e A[j_e] and Q[s, j_e] += g_e A[i_e]; P and Q may be one array."""
    compiled = compiled_module("mrwtd.model.compiled")
    if compiled:
        compiled.add_outer((0.0,) * A.shape[1], (0.0,) * (A.nbytes > FAR), starts, i, j, g, A, P, Q)
        return
    for s, (first, last) in enumerate(pairwise(starts)):
        part = slice(first, last)
        G = csr_array((g[part], (i[part], j[part])), shape=(A.shape[0],) * 2)
        P[s] += G @ A
        Q[s] += G.T @ A


@cache
def compiled_module(name: str) -> ModuleType | None:
    """A module of compiled passes, or None where Numba is missing or `MRWTD_NUMBA=0` is set: then NumPy does the same.

    >>> compiled_module("mrwtd.no_such_module") is None
    True
    """
    if os.environ.get("MRWTD_NUMBA") == "0":
        return None
    try:
        return import_module(name)
    except ImportError:
        return None
