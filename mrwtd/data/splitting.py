"""Random splits into train, test and validation entries, relation by relation.

If most ties of a directed relation are mutual, an entry almost reveals its reverse. A test entry whose reverse is a
training entry is then no test. Such a relation is split by pair: both directions of a pair go into the same part.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..typing import Array, IndexArray, Int64Array
from .arguments import argument_error, check_bool, check_choice, check_integer, is_number
from .published import PUBLISHED
from .published_training import describe_published
from .validation import is_one

if TYPE_CHECKING:
    from .relational import RelationalData


TRAINING_FRACTION = 0.8
"""The default fraction of entries to train on."""

SPLIT_BY = {
    "auto": "both directions together where a relation is mostly mutual",
    "entry": "each direction of a pair separately",
    "pair": "both directions of a pair together",
}
"""The values of `by`, and their meaning for directed relations."""

HOLD_OUTS = {**SPLIT_BY, PUBLISHED: "the published test entries, where the files came as train and test"}
"""The ways to hold out test entries: a random split by `SPLIT_BY`, or the published split."""

MUTUAL = 0.8
"""With `by="auto"`, relations of at least this fraction of mutual ties, or a higher correlation, are split by pair."""

UNDIRECTED = "Test pairs are held out as a whole: every relation is undirected."
TWO_MODE = "Test pairs are held out as a whole: a pair has only one direction."

NOTHING_HELD_OUT = "Nothing is held out: all entries are training entries."


def split(
    data: RelationalData,
    train: float,
    seed: int,
    validation: float,
    stratify: bool,
    by: str | Mapping[str, str] = "entry",
) -> tuple[tuple[IndexArray, ...], dict[str, str]]:
    """Positions of the entries of each part: train, test and, if `validation` > 0, validation.

    The second result is the split unit of each relation: "entry" or "pair". With `train` = 1, no entry is a test entry.
    """
    if not (is_number(train) and 0 < train <= 1):
        raise argument_error("train", train, "a fraction above 0 and up to 1, such as 0.1 for 10%")
    if not (is_number(validation) and 0 <= validation < 1):
        raise argument_error("validation", validation, "a fraction of the training entries, from 0 to below 1")
    seed, stratify = check_integer("seed", seed), check_bool("stratify", stratify)
    check_by(by)
    parts: list[list[IndexArray]] = [[], [], []]
    drawn_by: dict[str, str] = {}
    for k, relation in enumerate(data.relations):
        # One random stream per relation: its split does not depend on the other relations.
        rng = np.random.default_rng([seed, k])
        rows = data.slice(k)
        size = rows.stop - rows.start
        classes = data.y[rows] if stratify and relation.kind in ("binary", "ordinal") else None
        # At least one entry to train on and one to test, if there are two and not all are for training.
        n_train = size if size < 2 or train == 1 else min(max(round(train * size), 1), size - 1)
        n_validation = min(round(validation * n_train), max(n_train - 1, 0))
        sizes = n_train - n_validation, n_train
        reverse = reverse_if_by_pair(data, k, by)
        drawn_by[relation.name] = "entry" if reverse is None else "pair"
        if reverse is None:
            # Each part is the range between two prefixes, so a stratified order gives stratified parts.
            fitted, held, tested = np.split(_shuffled(size, classes, rng), sizes)
        else:
            fitted, held, tested = _split_pairs(reverse, sizes, classes, rng)
        for part, positions in zip(parts, (fitted, tested, held), strict=True):
            part.append(rows.start + positions)
    return tuple(_ascending(part, len(data)) for part in parts[: 3 if validation > 0 else 2]), drawn_by


def reverse_if_by_pair(data: RelationalData, k: int, by: str | Mapping[str, str]) -> IndexArray | None:
    """The reverse of each entry of relation k if the relation is split by pair, else None.

    >>> import mrwtd
    >>> reverse_if_by_pair(mrwtd.load_dataset("florentine"), 0, "auto") is None
    True
    """
    if not data.relations[k].directed or by == "entry":
        return None
    reverse = reverse_positions(data, k)
    return reverse if splits_by_pair(data, k, by, reverse) else None


def _split_pairs(
    reverse: IndexArray,
    sizes: tuple[int, int],
    classes: Array | None,
    rng: np.random.Generator,
) -> list[IndexArray]:
    """The entries between prefixes of about these sizes of a random order of pairs.

    A pair is an entry and its reverse, or one entry if the reverse is not known. The class of a pair is the higher one
    of its entries: a tie in either direction.
    """
    first = np.flatnonzero((reverse < 0) | (reverse >= np.arange(reverse.size)))
    second = np.where(reverse[first] > first, reverse[first], first)
    if classes is not None and classes.size:
        classes = np.maximum(classes[first], classes[second])
    order = _shuffled(first.size, classes, rng)
    ends = np.cumsum(1 + (first != second)[order])
    # At least one pair to train on and, of several, one to test, unless all entries are for training.
    most = first.size if sizes[1] == reverse.size else max(first.size - 1, 1)
    n_train = min(max(_count_pairs(ends, sizes[1], rng), 1), most)
    n_fitted = n_train
    if sizes[0] < sizes[1]:
        n_fitted = min(max(_count_pairs(ends, sizes[0], rng), 1), n_train)
    return [np.concatenate([first[part], second[part]]) for part in np.split(order, [n_fitted, n_train])]


def _count_pairs(ends: Int64Array, size: int, rng: np.random.Generator) -> int:
    """The number of pairs with `size` entries. A pair across the boundary is included with probability 1/2."""
    if not ends.size:
        return 0
    last = int(np.searchsorted(ends, size))
    # Never including it would make pairs known in both directions rarer in train than others.
    return last + (1 if ends[last] == size else int(rng.integers(2)))


def sample_entries(data: RelationalData, size: int, seed: int) -> RelationalData:
    """A random sample of `size` entries, the same for the same seed; all entries if there are no more.

    >>> import mrwtd
    >>> sample_entries(mrwtd.load_dataset("florentine"), 50, seed=0)
    RelationalData(15 objects, 2 relations, 50 entries)
    """
    if len(data) <= size:
        return data
    sampled = np.random.default_rng(seed).choice(len(data), size, replace=False, shuffle=False)
    return data.subset(_ascending([sampled], len(data)))


def _ascending(groups: list[IndexArray], size: int) -> IndexArray:
    """The positions of all groups in ascending order, all below `size`. Marking them is much faster than sorting."""
    marked = np.zeros(size, dtype=bool)
    for positions in groups:
        marked[positions] = True
    return np.flatnonzero(marked)


def _shuffled(size: int, classes: Array | None, rng: np.random.Generator) -> IndexArray:
    """Positions below `size` in random order. With classes, each prefix has the overall fraction of each class."""
    order = rng.permutation(size)
    if classes is None:
        return order
    shuffled = classes[order]
    place = np.empty(size)
    for value in np.unique(shuffled):
        members = np.flatnonzero(shuffled == value)
        place[members] = (np.arange(members.size) + rng.random()) / members.size
    return order[np.argsort(place, kind="stable")]


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
    is the Pearson correlation of an entry (an ordinal one by the number of its level) with its reverse. Sampled
    negatives count as the pairs that they represent: without that, ties would seem mutual whose reverse is not sampled.

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
    represents = data.represents[data.slice(k)]
    pairs = represents[both] * represents[reverse[both]]
    if data.relations[k].kind == "binary":
        ties = pairs[forward > 0].sum()
        return float(pairs[(forward > 0) & (backward > 0)].sum() / ties) if ties else float("nan")
    if not forward.size or forward.min() == forward.max():
        return float("nan")
    size = np.abs(forward).max()  # squares of very large numbers would overflow
    mean = np.mean(forward / size) if is_one(represents) else np.average(forward / size, weights=pairs)
    forward, backward = forward / size - mean, backward / size - mean
    weighted = forward if is_one(represents) else forward * pairs
    return float(np.clip(weighted @ backward / (weighted @ forward), -1, 1))


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


def split_units(data: RelationalData, by: str | Mapping[str, str]) -> dict[str, str]:
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
    'Test pairs are held out in both directions.'
    >>> describe_split(mrwtd.load_dataset("airports"), "entry")
    'Test entries are held out one by one: the reverse of a test pair may be a training entry.'
    >>> describe_split(mrwtd.load_dataset("florentine"), "auto")
    'Test pairs are held out as a whole: every relation is undirected.'
    """
    if by == PUBLISHED:
        return describe_published(data)
    both_ways = [relation.name for relation in data.relations if relation.directed and not relation.is_two_mode]
    units, directed = split_units(data, by), len(both_ways)
    pairs = [units[name] for name in both_ways].count("pair")
    if not directed:
        return TWO_MODE if any(relation.is_two_mode for relation in data.relations) else UNDIRECTED
    if not pairs:
        return "Test entries are held out one by one: the reverse of a test pair may be a training entry."
    some = "" if pairs == directed else f" for {pairs:,} of {directed:,} directed relations"
    return f"Test pairs are held out in both directions{some}."
