"""What a pair that is not listed means: nothing, a negative, or a candidate for a few sampled negatives.

A negative is −1 in a binary relation, 0 in a count or a real one, and level 0 of an ordinal one: the value 0 where
that is a level or all listed levels are above it, else the lowest level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..errors import DataError, Problem
from ..typing import Array, Int64Array
from .arguments import argument_error
from .description import possible_pairs
from .relations import Relation
from .units import negative

AbsentMeaning = str | int | Mapping[str, str | int]
"""Of absent rows: in all relations, or in some by name."""

CLOSED_WORLD_LIMIT = 50_000_000
"""More entries than this are not made of absent rows: they would fill the memory, and slow every fit."""


def check_absent(absent: str | int) -> None:
    """Refuse what is not a meaning of absent rows.

    >>> check_absent(-1)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found absent = -1; expected 'unobserved', 'negative' (closed world), or a whole ...
    """
    word = isinstance(absent, str) and absent in ("unobserved", "negative")
    if not word and (isinstance(absent, bool) or not isinstance(absent, int) or absent < 1):
        expected = "'unobserved', 'negative' (closed world), or a whole number of negatives for each positive"
        raise argument_error("absent", absent, expected)


def absent_by_relation(absent: AbsentMeaning, names: Sequence[str]) -> list[str | int]:
    """What an absent row means in each relation; relations that a mapping does not name keep them unobserved.

    >>> absent_by_relation({"calls": "negative"}, ["likes", "calls"])
    ['unobserved', 'negative']
    """
    given = absent if isinstance(absent, Mapping) else dict.fromkeys(names, absent)
    for name, meaning in given.items():
        check_absent(meaning)
        if name not in names:
            raise DataError(Problem(f"relation {name!r} in absent", f"one of {', '.join(map(repr, names[:20]))}"))
    if not isinstance(absent, Mapping):
        check_absent(absent)
    return [given.get(name, "unobserved") for name in names]


def _wanted(meaning: str | int, total: int, positives: int) -> int:
    if meaning == "unobserved":
        return 0
    return total if meaning == "negative" else int(meaning) * positives


def negative_entries(
    n: int,
    relations: Sequence[Relation],
    key: Int64Array,
    positives: Sequence[int],
    absent: str | int | Sequence[str | int],
    seed: int,
) -> tuple[Int64Array, Array]:
    """Keys and values of the entries that absent rows stand for, in all relations or in each.

    `key` holds those that are listed, in order; `positives` counts the ties of each relation.
    """
    meanings = [absent] * len(relations) if isinstance(absent, (str, int)) else list(absent)
    bounds = np.searchsorted(key, np.arange(len(relations) + 1) * n * n)
    cell = key % (n * n)
    with_self = bool((cell // n == cell % n).any())
    totals = [possible_pairs(n, relation.directed, with_self) for relation in relations]
    listed = np.diff(bounds)
    wanted = sum(map(_wanted, meanings, totals, positives))
    if wanted > CLOSED_WORLD_LIMIT:
        way = "sample negatives instead, such as 5 a tie" if "negative" in meanings else "sample fewer negatives"
        raise DataError(
            Problem(
                f"{wanted:,} entries from absent rows among {n:,} objects",
                f"at most {CLOSED_WORLD_LIMIT:,}; {way}",
            )
        )
    keys, values = [], []
    for k, (relation, meaning) in enumerate(zip(relations, meanings, strict=True)):
        own = cell[bounds[k] : bounds[k + 1]]
        if meaning == "unobserved":
            continue
        if meaning == "negative":
            cells = np.setdiff1d(_all_cells(n, relation.directed, with_self), own, assume_unique=True)
        else:
            size = min(int(meaning) * positives[k], totals[k] - int(listed[k]))
            rng = np.random.default_rng([seed, k])
            cells = _sample(n, relation.directed, with_self, own, size, totals[k], rng)
        keys.append(k * n * n + cells)
        values.append(np.full(cells.size, negative(relation)))
    return np.concatenate([np.zeros(0, dtype=np.int64), *keys]), np.concatenate([np.zeros(0), *values])


def _all_cells(n: int, directed: bool, with_self: bool) -> Int64Array:
    """Every possible i·n + j, ascending. As long as the closed world that was asked for, and below its limit."""
    if not directed:
        i, j = np.triu_indices(n, k=0 if with_self else 1)
        return i.astype(np.int64) * n + j
    cells = np.arange(n * n, dtype=np.int64)
    return cells if with_self else cells[cells // n != cells % n]


def _sample(
    n: int,
    directed: bool,
    with_self: bool,
    listed: Int64Array,
    size: int,
    total: int,
    rng: np.random.Generator,
) -> Int64Array:
    """`size` different possible cells that are not listed."""
    if size <= 0:
        return np.zeros(0, dtype=np.int64)
    if size + listed.size > total // 2 and total <= CLOSED_WORLD_LIMIT:
        free = np.setdiff1d(_all_cells(n, directed, with_self), listed, assume_unique=True)
        return np.sort(rng.choice(free, size, replace=False))
    found = np.zeros(0, dtype=np.int64)
    while found.size < size:
        i, j = rng.integers(n, size=(2, 2 * (size - found.size) + 16))
        # Undirected, only i ≤ j: in both orders, a pair would come up twice as often as a self-pair.
        keep = (i != j if directed else i < j) | (with_self & (i == j))
        cells = (i.astype(np.int64) * n + j)[keep]
        cells = cells[~np.isin(cells, listed)]
        both = np.concatenate([found, cells])
        _, first = np.unique(both, return_index=True)
        found = both[np.sort(first)]
    return np.sort(found[:size])
