"""How far the two directions of a pair agree, and which relations are therefore held out pair by pair.

Where most ties of a directed relation are mutual, an entry all but tells its reverse. A test entry whose reverse is a
training entry is then no test, so such a relation is held out by pair: both directions of a pair in the same part.
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
    "entry": "each direction of a pair on its own",
    "pair": "both directions of a pair together",
}
"""What `by` can be, and what it means for directed relations."""

MUTUAL = 0.8
"""With `by="auto"`, the share of mutual ties from which on, or the correlation above which, pairs are held out."""


UNDIRECTED = "Test pairs are held out as a whole: every relation is undirected."


def reverse_positions(data: RelationalData, k: int) -> IndexArray:
    """For each entry of relation k, where its reverse is among them: −1 where it is not stored.

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
    # Looked up in ascending order, which the memory cache likes far better than the order of the entries.
    order = np.argsort(j, kind="stable")
    reverse = (j * n + i)[order]
    position = np.minimum(np.searchsorted(key, reverse), max(key.size - 1, 0))
    found = np.empty(key.size, dtype=np.intp)
    found[order] = np.where(key[position] == reverse, position, -1)
    return found


def reciprocity(data: RelationalData, k: int, reverse: IndexArray | None = None) -> float:
    """How far the two directions of the pairs of relation k agree; NaN where it is undirected or nothing tells.

    Only pairs of two objects count that are known in both directions, with weights above 0. In a binary relation it is
    the share of their ties that are mutual: ties whose reverse is a tie, divided by all ties. In any other it is the
    Pearson correlation of an entry (an ordinal one by the number of its level) with its reverse.

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
    one, other = y[both], y[reverse[both]]
    if data.relations[k].kind == "binary":
        ties = np.count_nonzero(one > 0)
        return float(np.count_nonzero((one > 0) & (other > 0)) / ties) if ties else float("nan")
    if not one.size or one.min() == one.max():
        return float("nan")
    size = np.abs(one).max()  # squares of huge numbers would overflow
    one, other = one / size - np.mean(one / size), other / size - np.mean(other / size)
    return float(np.clip(one @ other / (one @ one), -1, 1))


def check_by(by: str | Mapping[str, str]) -> None:
    """Refuse a `by` that is neither one of `WAYS` nor one of them per relation.

    >>> check_by("row")
    Traceback (most recent call last):
    mrwtd.errors.DataError: found by = 'row'; expected one of 'auto', 'entry', 'pair'
    """
    for name, way in by.items() if isinstance(by, Mapping) else [("", by)]:
        check_choice(f"by[{name!r}]" if name else "by", way, SPLIT_BY)


def splits_by_pair(
    data: RelationalData, k: int, by: str | Mapping[str, str], reverse: IndexArray | None = None
) -> bool:
    """Whether `by` holds out both directions of a pair of relation k together.

    A relation that a mapping does not name is held out by "auto".

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
    """Of what a split with this `by` makes its parts, relation by relation: "pair" or "entry".

    >>> import mrwtd
    >>> split_units(mrwtd.load_dataset("airports"), "auto")
    {'flights': 'pair', 'distance (km)': 'entry', 'same_state': 'entry'}
    """
    check_by(by)
    return {
        relation.name: "pair" if splits_by_pair(data, k, by) else "entry" for k, relation in enumerate(data.relations)
    }


def describe_split(data: RelationalData, by: str) -> str:
    """The same as a sentence, to be read beside scores.

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
    return (
        f"Test pairs are held out in both directions for {pairs:,} of {directed:,} directed "
        f"relation{'s' * (directed != 1)}."
    )
