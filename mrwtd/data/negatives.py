"""The meaning of a pair that is not listed: unobserved, negative, or a candidate for sampled negatives.

A negative is −1 in a binary relation, 0 in a count or real one, and level 0 in an ordinal one: the value 0 if
that is a level or all listed levels are above it, otherwise the lowest level.

Ties are complete and sampled negatives are not, so a sampled negative represents several unlisted pairs: all that could
have been drawn, divided by the number drawn. `RelationalData.represents` has this number for each entry. Scores weight
entries by it, and the probabilities of a fitted method are corrected for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DataError, Problem
from ..typing import Array, Int64Array
from .arguments import argument_error
from .limits import ENTRIES
from .possible_pairs import PossiblePairs
from .relations import Relation
from .units import negative
from .validation import is_one

if TYPE_CHECKING:
    from .relational import RelationalData

AbsentMeaning = str | int | Mapping[str, str | int]
"""The meaning of unlisted pairs: for all relations, or for some by name."""


def check_absent(absent: str | int) -> None:
    """Check that a value is a meaning of unlisted pairs.

    >>> check_absent(-1)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found absent = -1; expected 'unobserved', 'negative' (closed world), or a whole ...
    """
    known = isinstance(absent, str) and absent in ("unobserved", "negative")
    if not known and (isinstance(absent, bool) or not isinstance(absent, int) or absent < 1):
        expected = "'unobserved', 'negative' (closed world), or a whole number of sampled negatives per positive"
        raise argument_error("absent", absent, expected)


def absent_by_relation(absent: AbsentMeaning, names: Sequence[str]) -> list[str | int]:
    """The meaning of unlisted pairs in each relation; "unobserved" in those that a mapping does not name.

    >>> absent_by_relation({"calls": "negative"}, ["likes", "calls"])
    ['unobserved', 'negative']
    """
    if not isinstance(absent, Mapping):
        check_absent(absent)
        return [absent] * len(names)
    known = set(names)
    for name, meaning in absent.items():
        check_absent(meaning)
        if name not in known:
            raise DataError(Problem(f"relation {name!r} in absent", f"one of {', '.join(map(repr, names[:20]))}"))
    return [absent.get(name, "unobserved") for name in names]


def sampled_pairs(data: RelationalData, k: int | None = None) -> int:
    """The number of entries, of all relations or of relation k, that were sampled to represent several pairs.

    >>> import mrwtd
    >>> sampled_pairs(mrwtd.load_dataset("florentine"))
    0
    """
    if is_one(data.represents):
        return 0
    part = slice(None) if k is None else data.slice(k)
    return int(np.count_nonzero(data.represents[part] > 1))


def represented_pairs(data: RelationalData, k: int | None = None) -> Array | None:
    """The number of pairs that each entry of all relations or of relation k represents; None if none is sampled.

    >>> import mrwtd
    >>> represented_pairs(mrwtd.load_dataset("florentine"), 0) is None
    True
    """
    return data.represents[slice(None) if k is None else data.slice(k)] if sampled_pairs(data, k) else None


def represented_by_either(represents: Array) -> Array:
    """The number of pairs that an entry of both directions of a pair represents: the inverse of its sampling rate.

    A cell that represents m cells was sampled with the probability 1/m, and one of two such cells with 1 − (1 − 1/m)².

    >>> represented_by_either(np.array([1.0, 2.0]))
    array([1.        , 1.33333333])
    """
    return np.asarray(represents**2 / (2 * represents - 1))


def estimated_from(sampled: int) -> str:
    """The text beside every number that depends on sampled negatives; empty if there are none.

    >>> estimated_from(1234), estimated_from(0)
    ('estimated from 1,234 sampled pairs', '')
    """
    return f"estimated from {sampled:,} sampled pair{'s' * (sampled != 1)}" if sampled else ""


def _requested(meaning: str | int, total: int, positives: int) -> int:
    """The number of entries to make from unlisted pairs, before listed pairs are subtracted."""
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
    file_size: int | None = None,
    object_types: Sequence[str] | None = None,
) -> tuple[Int64Array, Array, Array]:
    """Keys and values of the entries made from unlisted pairs, and the number of pairs that each represents.

    `key` has the keys of listed pairs, sorted. `positives` is the number of ties of each relation. `absent` is one
    meaning for all relations, or a list with one for each. The number of entries is limited by the size of the file.
    With types of the objects, only pairs that a relation can connect are filled in.
    """
    meanings = [absent] * len(relations) if isinstance(absent, (str, int)) else list(absent)
    bounds = np.searchsorted(key, np.arange(len(relations) + 1) * n * n)
    cell = key % (n * n)
    with_self = bool((cell // n == cell % n).any())
    possible = [PossiblePairs.of(relation, object_types or n, with_self) for relation in relations]
    totals = [pairs.count for pairs in possible]
    requested = sum(map(_requested, meanings, totals, positives))
    advice = "sample negatives instead, such as 5 per tie" if "negative" in meanings else "sample fewer negatives"
    ENTRIES.check(requested, file_size, noun=f"entries from unlisted pairs of {n:,} objects", advice=advice)
    keys, values, represents = [np.zeros(0, dtype=np.int64)], [np.zeros(0)], [np.zeros(0)]
    for k, (relation, meaning) in enumerate(zip(relations, meanings, strict=True)):
        if meaning == "unobserved":
            continue
        listed = cell[bounds[k] : bounds[k + 1]]
        listed = listed[possible[k].contains(listed // n, listed % n)]  # a mask can hide pairs that do not exist
        if meaning == "negative":
            cells = np.setdiff1d(possible[k].cells(), listed, assume_unique=True)
        else:
            size = min(int(meaning) * positives[k], totals[k] - listed.size)
            cells = possible[k].sample(listed, size, np.random.default_rng([seed, k]))
        keys.append(k * n * n + cells)
        values.append(np.full(cells.size, negative(relation)))
        represents.append(np.full(cells.size, (totals[k] - listed.size) / max(cells.size, 1)))
    return np.concatenate(keys), np.concatenate(values), np.concatenate(represents)
