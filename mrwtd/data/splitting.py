"""Random splits into train, test and validation entries, relation by relation."""

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
"""The default fraction of entries to train on."""


def split(
    data: RelationalData,
    train: float,
    seed: int,
    validation: float,
    stratify: bool,
    by: str | Mapping[str, str] = "entry",
) -> tuple[tuple[IndexArray, ...], dict[str, str]]:
    """Positions of the entries of each part: train, test and, if `validation` > 0, validation.

    The second result is the split unit of each relation: "entry" or "pair".
    """
    if not (is_number(train) and 0 < train < 1):
        raise argument_error("train", train, "a fraction between 0 and 1, such as 0.1 for 10%")
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
        # At least one entry to train on and one to test, if there are two.
        n_train = size if size < 2 else min(max(round(train * size), 1), size - 1)
        n_validation = min(round(validation * n_train), max(n_train - 1, 0))
        sizes = n_train - n_validation, n_train
        reverse = _reverse_if_by_pair(data, k, by)
        drawn_by[relation.name] = "entry" if reverse is None else "pair"
        if reverse is None:
            # Each part is the range between two prefixes, so a stratified order gives stratified parts.
            fitted, held, tested = np.split(_shuffled(size, classes, rng), sizes)
        else:
            fitted, held, tested = _split_pairs(reverse, sizes, classes, rng)
        for part, positions in zip(parts, (fitted, tested, held), strict=True):
            part.append(rows.start + positions)
    return tuple(_ascending(part, len(data)) for part in parts[: 3 if validation > 0 else 2]), drawn_by


def assign_folds(data: RelationalData, number: int, seed: int, by: str | Mapping[str, str] = "auto") -> IndexArray:
    """The fold of each entry, 0 … number − 1, at random and with equal sizes in every relation.

    The only entry of a relation has the fold −1: it is never held out, since nothing could be learned without it.

    >>> import mrwtd
    >>> np.bincount(assign_folds(mrwtd.load_dataset("florentine"), 4, seed=0)).tolist()
    [54, 52, 52, 52]
    """
    check_by(by)
    fold = np.empty(len(data), dtype=np.intp)
    for k in range(data.n_relations):
        rng = np.random.default_rng([seed, k])
        rows = data.slice(k)
        unit = np.arange(rows.stop - rows.start)
        reverse = _reverse_if_by_pair(data, k, by)
        if reverse is not None:
            unit = np.where(reverse < 0, unit, np.minimum(unit, reverse))
        first, unit = np.unique(unit, return_inverse=True)
        fold[rows] = (rng.permutation(first.size) % number)[unit] if first.size > 1 else -1
    return fold


def _reverse_if_by_pair(data: RelationalData, k: int, by: str | Mapping[str, str]) -> IndexArray | None:
    """The reverse of each entry of relation k if the relation is split by pair, else None."""
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
    # At least one pair to train on and, of several, one to test.
    n_train = min(max(_count_pairs(ends, sizes[1], rng), 1), max(first.size - 1, 1))
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
