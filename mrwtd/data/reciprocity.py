"""Reciprocity: how far the two directions of a pair agree, and which relations are split by pair because of it.

If most ties of a directed relation are mutual, an entry almost reveals its reverse. A test entry whose reverse is a
training entry is then no test. Such a relation is split by pair: both directions of a pair go into the same part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..typing import IndexArray
from .arguments import check_choice

if TYPE_CHECKING:
    from .relational import RelationalData


SPLIT_BY = {
    "auto": "both directions together where a relation is mostly mutual",
    "entry": "each direction of a pair separately",
    "pair": "both directions of a pair together",
}
"""The values of `by`, and their meaning for directed relations."""

MUTUAL = 0.8
"""With `by="auto"`, relations of at least this fraction of mutual ties, or a higher correlation, are split by pair."""

UNDIRECTED = "Test pairs are held out as a whole: every relation is undirected."


def reverse_positions(data: RelationalData, k: int) -> IndexArray:
    """For each entry of relation k the position of its reverse among them, or −1 if it is not stored.

    The reverse of a self-pair is the entry itself.

    >>> import mrwtd
    >>> likes = mrwtd.Relation("likes", "binary", directed=True)
    >>> data = mrwtd.RelationalData("abc", [likes], i=[0, 0, 1, 2], j=[1, 2, 0, 2], k=[0] * 4, y=[1, 1, 1, 1])
    >>> reverse_positions(data, 0).tolist()
    [2, -1, 0, 3]
    """
    rows = data.slice(k)
    n, i, j = data.n_objects, data.i[rows].astype(np.int64), data.j[rows].astype(np.int64)
    key = i * n + j  # ascending: entries are sorted
    # Searching in ascending order is far faster, because it uses the memory cache better.
    order = np.argsort(j, kind="stable")
    reverse = (j * n + i)[order]
    nearest = np.minimum(np.searchsorted(key, reverse), max(key.size - 1, 0))
    positions = np.empty(key.size, dtype=np.intp)
    positions[order] = np.where(key[nearest] == reverse, nearest, -1)
    return positions


def reciprocity(data: RelationalData, k: int, reverse: IndexArray | None = None) -> float:
    """How far the two directions of the pairs of relation k agree; NaN if it is undirected or too little is known.

    Only pairs of two objects that are known in both directions, with weights above 0, count. In a binary relation it is
    the fraction of their ties that are mutual: ties whose reverse is a tie, divided by all ties. In other relations it
    is the Pearson correlation of an entry (an ordinal one by the number of its level) with its reverse.

    >>> import mrwtd
    >>> likes = mrwtd.Relation("likes", "binary", directed=True)
    >>> data = mrwtd.RelationalData("abc", [likes], i=[0, 1, 0, 2], j=[1, 0, 2, 0], k=[0] * 4, y=[1, 1, 1, -1])
    >>> round(reciprocity(data, 0), 3)  # a and b like each other, c does not like a
    0.667
    """
    if not data.relations[k].directed:
        return float("nan")
    reverse = reverse_positions(data, k) if reverse is None else reverse
    y, known = data.y[data.slice(k)], data.w[data.slice(k)] > 0
    both = np.flatnonzero((reverse >= 0) & (reverse != np.arange(reverse.size)) & known & known[reverse])
    forward, backward = y[both], y[reverse[both]]
    if data.relations[k].kind == "binary":
        ties = np.count_nonzero(forward > 0)
        return float(np.count_nonzero((forward > 0) & (backward > 0)) / ties) if ties else float("nan")
    if not forward.size or forward.min() == forward.max():
        return float("nan")
    size = np.abs(forward).max()  # squares of very large numbers would overflow
    forward, backward = forward / size - np.mean(forward / size), backward / size - np.mean(backward / size)
    return float(np.clip(forward @ backward / (forward @ forward), -1, 1))


def check_by(by: str | Mapping[str, str]) -> None:
    """Check that `by` is one of `SPLIT_BY`, or a mapping from relations to them.

    >>> check_by("row")
    Traceback (most recent call last):
    mrwtd.errors.DataError: found by = 'row'; expected one of 'auto', 'entry', 'pair'
    """
    for name, unit in by.items() if isinstance(by, Mapping) else [("", by)]:
        check_choice(f"by[{name!r}]" if name else "by", unit, SPLIT_BY)


def splits_by_pair(
    data: RelationalData, k: int, by: str | Mapping[str, str], reverse: IndexArray | None = None
) -> bool:
    """Whether both directions of a pair of relation k go into the same part of a split.

    For a relation that a mapping does not name, "auto" applies.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("airports")  # flights go both ways; the other relations are undirected
    >>> [splits_by_pair(data, k, "auto") for k in range(data.n_relations)]
    [True, False, False]
    """
    relation = data.relations[k]
    by = by.get(relation.name, "auto") if isinstance(by, Mapping) else by
    if not relation.directed or by != "auto":
        return relation.directed and by == "pair"
    value = reciprocity(data, k, reverse)
    return value >= MUTUAL if relation.kind == "binary" else value > MUTUAL


def split_units(data: RelationalData, by: str) -> dict[str, str]:
    """Whether a split with this `by` holds out pairs or entries, for each relation: "pair" or "entry".

    >>> import mrwtd
    >>> split_units(mrwtd.load_dataset("airports"), "auto")
    {'flights': 'pair', 'distance (km)': 'entry', 'same_state': 'entry'}
    """
    check_by(by)
    names = [relation.name for relation in data.relations]
    return {name: "pair" if splits_by_pair(data, k, by) else "entry" for k, name in enumerate(names)}


def describe_split(data: RelationalData, by: str) -> str:
    """A sentence on how test entries are held out, to be shown with scores.

    >>> import mrwtd
    >>> describe_split(mrwtd.load_dataset("airports"), "auto")
    'Test pairs are held out in both directions for 1 of 1 directed relation.'
    >>> describe_split(mrwtd.load_dataset("airports"), "entry")
    'Test entries are held out one by one: the reverse of a test pair may be a training entry.'
    >>> describe_split(mrwtd.load_dataset("florentine"), "auto")
    'Test pairs are held out as a whole: every relation is undirected.'
    """
    directed = sum(relation.directed for relation in data.relations)
    pairs = list(split_units(data, by).values()).count("pair")
    if not directed:
        return UNDIRECTED
    if not pairs:
        return "Test entries are held out one by one: the reverse of a test pair may be a training entry."
    relations = f"{directed:,} directed relation{'s' * (directed != 1)}"
    return f"Test pairs are held out in both directions for {pairs:,} of {relations}."
