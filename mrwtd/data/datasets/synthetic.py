"""Synthetic data generated from the model, as in section 4.2 of the paper.

    X_k = A R_k Aᵀ + E_k        A, R_k and E_k normal, R_k symmetric, E_k small

A binary relation is positive for x above the 90th percentile of the values of all binary relations; a real one is
scaled to a standard deviation of 1. Relations are undirected, and all n (n − 1) / 2 pairs of different objects are
known, or a random fraction of them, `observed`. Only known pairs are computed, in blocks, so memory is proportional to
the number of entries and not to n².

Paper: the size of the noise is not given. Here its standard deviation is `noise` times that of the signal.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ...errors import DataError, Problem
from ...typing import Array, Int32Array, Int64Array
from ..arguments import argument_error, check_bool, check_integer, is_number
from ..limits import ENTRIES
from ..relational import RelationalData
from ..relations import Relation

BLOCK = 1 << 17
"""Pairs computed at a time: their rows of A fit the processor cache for usual ranks."""

MAX_OBJECTS, MAX_RELATIONS, MAX_RANK, MAX_NOISE = 10_000_000, 10_000, 10_000, 1e6
"""Limits of the options."""

ORDINAL_CUTS = (0.5, 0.75, 0.9)
"""Fractions of the pairs below the levels 1, 2 and 3 of an ordinal relation."""

FACTORS, PAIRS, NOISE = range(3)
"""One random stream each: more pairs or more noise do not change A and R."""


def binary(
    n_objects: int = 500,
    n_relations: int = 3,
    rank: int = 10,
    noise: float = 0.1,
    seed: int = 0,
    positives: float = 0.10,
    observed: float = 1.0,
) -> RelationalData:
    """Synth-B of the paper: binary relations, with 10% of the pairs positive.

    >>> data = binary(n_objects=100, n_relations=2)
    >>> len(data), (data.y > 0).mean().round(3)
    (9900, np.float64(0.1))
    """
    n_relations = check_integer("n_relations", n_relations, 1, MAX_RELATIONS)
    return generate(["binary"] * n_relations, n_objects, rank, noise, seed, positives, observed)


def mixed(
    n_objects: int = 500,
    rank: int = 10,
    noise: float = 0.1,
    seed: int = 0,
    positives: float = 0.10,
    observed: float = 1.0,
) -> RelationalData:
    """Synth-M of the paper: one binary and one real relation with the same factors of objects.

    >>> [(relation.name, relation.kind) for relation in mixed(n_objects=20).relations]
    [('binary 1', 'binary'), ('real 1', 'real')]
    """
    return generate(["binary", "real"], n_objects, rank, noise, seed, positives, observed)


def kinds(
    n_objects: int = 100,
    rank: int = 5,
    noise: float = 0.1,
    seed: int = 0,
    positives: float = 0.10,
    observed: float = 1.0,
    directed: bool = False,
) -> RelationalData:
    """One relation of each kind: binary, ordinal with four levels, counts of mean e^(x/2), and real.

    >>> [relation.kind for relation in kinds(n_objects=20).relations]
    ['binary', 'ordinal', 'count', 'real']
    """
    return generate(["binary", "ordinal", "count", "real"], n_objects, rank, noise, seed, positives, observed, directed)


def generate(
    kinds: Sequence[str],
    n_objects: int,
    rank: int,
    noise: float,
    seed: int,
    positives: float,
    observed: float,
    directed: bool = False,
) -> RelationalData:
    """Data with one relation for each of the given kinds."""
    n_objects = check_integer("n_objects", n_objects, 2, MAX_OBJECTS)
    rank = check_integer("rank", rank, 1, MAX_RANK)
    seed, directed = check_integer("seed", seed), check_bool("directed", directed)
    _check_number("noise", noise, lambda value: 0 <= value <= MAX_NOISE, f"a number from 0 to {MAX_NOISE:,.0f}")
    _check_number("positives", positives, lambda value: 0 < value < 1, "a fraction between 0 and 1, such as 0.1")
    _check_number("observed", observed, lambda value: 0 < value <= 1, "a fraction above 0, up to 1 for all pairs")
    total = n_objects * (n_objects - 1) // (1 if directed else 2)
    size = min(max(round(observed * total), 1), total)
    if size * len(kinds) > ENTRIES.most:
        actual = f"{size * len(kinds):,} entries ({n_objects:,} objects, {len(kinds)} relations, observed={observed:g})"
        raise DataError(Problem(actual, f"at most {ENTRIES.most:,}; lower n_objects or observed"))

    A, R = factors(n_objects, len(kinds), rank, seed, directed)
    i, j = (np.empty((len(kinds), size), dtype=np.int32) for _ in range(2))
    x = np.empty((len(kinds), size))
    for k in range(len(kinds)):
        numbers = sample(total, size, np.random.default_rng([seed, PAIRS, k]))
        _fill_pairs(numbers, n_objects, directed, i[k], j[k])
        _fill_signal(A, R[k], i[k], j[k], x[k])
        x[k] += np.random.default_rng([seed, NOISE, k]).normal(scale=noise * x[k].std(), size=size)

    is_binary = np.array([kind == "binary" for kind in kinds])
    # One threshold for all relations, as in the paper: relations have different numbers of positives.
    threshold = np.quantile(x[is_binary], 1 - positives) if is_binary.any() else np.nan
    relations = []
    for k, kind in enumerate(kinds):
        number = 1 + sum(earlier == kind for earlier in kinds[:k])
        levels = tuple(map(float, range(len(ORDINAL_CUTS) + 1))) if kind == "ordinal" else ()
        relations.append(Relation(f"{kind} {number}", kind, directed, levels))
        x[k] = _observe(kind, x[k], threshold, np.random.default_rng([seed, NOISE, k, 1]))
    width = len(str(n_objects))
    objects = [f"o{position:0{width}d}" for position in range(1, n_objects + 1)]
    relation_index = np.repeat(np.arange(len(kinds), dtype=np.int32), size)
    return RelationalData(objects, relations, i.reshape(-1), j.reshape(-1), relation_index, x.reshape(-1))


def factors(n_objects: int, n_relations: int, rank: int, seed: int, directed: bool = False) -> tuple[Array, Array]:
    """The A and R of the data with this seed.

    >>> A, R = factors(n_objects=20, n_relations=2, rank=3, seed=0)
    >>> A.shape, R.shape
    ((20, 3), (2, 3, 3))
    """
    rng = np.random.default_rng([seed, FACTORS])
    A = rng.normal(size=(n_objects, rank))
    R = rng.normal(size=(n_relations, rank, rank))
    if not directed:
        R = np.triu(R) + np.triu(R, 1).transpose(0, 2, 1)
    return A, R


def sample(total: int, size: int, rng: np.random.Generator) -> Int64Array:
    """A uniform random sample of `size` distinct numbers below `total`, ascending, in O(size) memory.

    >>> sample(10, 10, np.random.default_rng(0))
    array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
    """
    if size > total // 2:
        included = np.ones(total, dtype=bool)
        included[sample(total, total - size, rng)] = False
        return np.flatnonzero(included)
    numbers = np.zeros(0, dtype=np.int64)
    while numbers.size < size:
        missing = size - numbers.size
        numbers = np.concatenate([numbers, rng.integers(total, size=missing + missing // 10 + 16)])
        # Sorting and comparing neighbours is several times faster here than np.unique.
        numbers.sort()
        numbers = numbers[np.diff(numbers, prepend=-1) > 0]
    surplus = rng.choice(numbers.size, numbers.size - size, replace=False)
    return np.delete(numbers, surplus)


def _fill_pairs(numbers: Int64Array, n: int, directed: bool, i: Int32Array, j: Int32Array) -> None:
    """Fill in the pairs of different objects with these numbers, counted row by row."""
    length = np.full(n, n - 1) if directed else np.arange(n - 1, -1, -1)
    ends = np.cumsum(length)
    i[:] = np.searchsorted(ends, numbers, side="right")
    j[:] = numbers - (ends - length)[i]
    j += (j >= i).astype(np.int32) if directed else i + 1


def _fill_signal(A: Array, R: Array, i: Int32Array, j: Int32Array, x: Array) -> None:
    """Fill in the signal x = (A R)_i · A_j of each pair."""
    AR = A @ R
    for start in range(0, i.size, BLOCK):
        block = slice(start, start + BLOCK)
        x[block] = np.einsum("er,er->e", AR[i[block]], A[j[block]])


def _observe(kind: str, x: Array, threshold: float, rng: np.random.Generator) -> Array:
    if kind == "binary":
        return np.where(x > threshold, 1.0, -1.0)
    if kind == "ordinal":
        return np.searchsorted(np.quantile(x, ORDINAL_CUTS), x).astype(np.float64)
    scaled = x / (x.std() or 1.0)
    return rng.poisson(np.exp(scaled / 2)).astype(np.float64) if kind == "count" else scaled


def _check_number(name: str, value: object, good: Callable[[float], bool], expected: str) -> None:
    if not is_number(value) or not good(float(value)):  # type: ignore[arg-type]
        raise argument_error(name, value, expected)
