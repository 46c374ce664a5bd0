"""Train, test and validation entries at random, relation by relation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..typing import Array, IndexArray, Int64Array
from .arguments import argument_error, check_bool, check_integer, is_number
from .reciprocity import check_by, reverse_positions, splits_by_pair

if TYPE_CHECKING:
    from .relational import RelationalData


TRAINING_FRACTION = 0.8
"""The share of the entries that is learned from, where nothing else is said."""


def split(
    data: RelationalData,
    train: float,
    seed: int,
    validation: float,
    stratify: bool,
    by: str | Mapping[str, str] = "entry",
) -> tuple[tuple[IndexArray, ...], dict[str, str]]:
    """Positions of the entries of each part: train, test and, where asked for, validation.

    And for each relation whether "entry" or "pair" was drawn.
    """
    if not (is_number(train) and 0 < train < 1):
        raise argument_error("train", train, "a fraction between 0 and 1, such as 0.1 for 10%")
    if not (is_number(validation) and 0 <= validation < 1):
        raise argument_error("validation", validation, "a fraction from 0 to below 1 of the training entries")
    seed, stratify = check_integer("seed", seed), check_bool("stratify", stratify)
    check_by(by)
    parts: list[list[IndexArray]] = [[], [], []]
    drawn_by: dict[str, str] = {}
    for k, relation in enumerate(data.relations):
        # A stream for each relation: its split does not depend on which other relations there are.
        rng = np.random.default_rng([seed, k])
        rows = data.slice(k)
        size = rows.stop - rows.start
        classes = data.y[rows] if stratify and relation.kind in ("binary", "ordinal") else None
        n_train = _share(train, size)
        n_held = min(round(validation * n_train), max(n_train - 1, 0))
        sizes = n_train - n_held, n_train
        reverse = reverse_positions(data, k) if relation.directed and by != "entry" else None
        pairs = reverse is not None and splits_by_pair(data, k, by, reverse)
        drawn_by[relation.name] = "pair" if pairs else "entry"
        if reverse is not None and pairs:
            fitted, held, tested = _by_pair(reverse, sizes, classes, rng)
        else:
            # Every part is what lies between two prefixes of the order, so a stratified order gives stratified parts.
            fitted, held, tested = np.split(_shuffled(size, classes, rng), sizes)
        for part, chosen in zip(parts, (fitted, tested, held), strict=True):
            part.append(rows.start + chosen)
    wanted = parts if validation > 0 else parts[:2]
    return tuple(_in_order(part, len(data)) for part in wanted), drawn_by


def assign_folds(data: RelationalData, number: int, seed: int, by: str | Mapping[str, str] = "auto") -> IndexArray:
    """The fold of each entry, 0 … number − 1: the entries of every relation are dealt out at random, in equal parts.

    The only entry of a relation is in no fold, −1: nothing could be learned without it.

    >>> import mrwtd
    >>> np.bincount(assign_folds(mrwtd.load_dataset("florentine"), 4, seed=0)).tolist()
    [54, 52, 52, 52]
    """
    check_by(by)
    fold = np.empty(len(data), dtype=np.intp)
    for k, relation in enumerate(data.relations):
        rng = np.random.default_rng([seed, k])
        rows = data.slice(k)
        unit = np.arange(rows.stop - rows.start)
        if relation.directed and by != "entry":
            reverse = reverse_positions(data, k)
            if splits_by_pair(data, k, by, reverse):
                unit = np.where(reverse < 0, unit, np.minimum(unit, reverse))
        first, unit = np.unique(unit, return_inverse=True)
        fold[rows] = (rng.permutation(first.size) % number)[unit] if first.size > 1 else -1
    return fold


def _by_pair(
    reverse: IndexArray,
    sizes: tuple[int, int],
    classes: Array | None,
    rng: np.random.Generator,
) -> list[IndexArray]:
    """The entries between prefixes of about these sizes of a random order of pairs.

    A pair is one or two entries: an entry, and its reverse where that is another one. The class of a pair is the
    higher of its entries: a tie in either direction.
    """
    first = np.flatnonzero((reverse < 0) | (reverse >= np.arange(reverse.size)))
    second = np.where(reverse[first] > first, reverse[first], first)
    if classes is not None and classes.size:
        classes = np.maximum(classes[first], classes[second])
    order = _shuffled(first.size, classes, rng)
    ends = np.cumsum(1 + (first != second)[order])
    n_train = _pairs_within(ends, sizes[1], rng)
    # At least one pair to learn from and, of several, one to test.
    n_train = min(max(n_train, 1), max(first.size - 1, 1))
    n_fitted = n_train
    if sizes[0] < sizes[1]:
        n_fitted = min(max(_pairs_within(ends, sizes[0], rng), 1), n_train)
    return [np.concatenate([first[part], second[part]]) for part in np.split(order, [n_fitted, n_train])]


def _pairs_within(ends: Int64Array, size: int, rng: np.random.Generator) -> int:
    """How many pairs hold `size` entries. Where one of two entries lies across that end, chance decides on it."""
    if not ends.size:
        return 0
    last = int(np.searchsorted(ends, size))
    # Always leaving it out would make pairs known in both directions rarer in train than others.
    return last + (1 if ends[last] == size else int(rng.integers(2)))


def sample_entries(data: RelationalData, size: int, seed: int) -> RelationalData:
    """`size` of the entries at random, the same ones for the same seed; all of them where there are no more.

    >>> import mrwtd
    >>> sample_entries(mrwtd.load_dataset("florentine"), 50, seed=0)
    RelationalData(15 objects, 2 relations, 50 entries)
    """
    if len(data) <= size:
        return data
    chosen = np.random.default_rng(seed).choice(len(data), size, replace=False, shuffle=False)
    return data.subset(_in_order([chosen], len(data)))


def _in_order(chosen: list[IndexArray], size: int) -> IndexArray:
    """Positions below `size` as ascending ones: marking them is much faster than sorting."""
    marked = np.zeros(size, dtype=bool)
    for positions in chosen:
        marked[positions] = True
    return np.flatnonzero(marked)


def _share(train: float, size: int) -> int:
    """How many of `size` entries train: at least one, and at least one left to test, where there are two."""
    return size if size < 2 else min(max(round(train * size), 1), size - 1)


def _shuffled(size: int, classes: Array | None, rng: np.random.Generator) -> IndexArray:
    """Positions below `size` in random order; with classes, every prefix holds each class in its share, rounded."""
    order = rng.permutation(size)
    if classes is None:
        return order
    shuffled = classes[order]
    place = np.empty(size)
    for value in np.unique(shuffled):
        members = np.flatnonzero(shuffled == value)
        place[members] = (np.arange(members.size) + rng.random()) / members.size
    return order[np.argsort(place, kind="stable")]
