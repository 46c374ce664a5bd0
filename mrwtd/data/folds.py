"""K folds for cross-validation: disjoint parts of equal size, so that each entry is held out once.

Both directions of a pair are in the same fold where `RelationalData.split` would put them into the same part.
"""

from collections.abc import Mapping

import numpy as np

from ..errors import DataError, Problem
from ..typing import Array, IndexArray
from .arguments import check_bool, check_integer, check_range
from .relational import RelationalData
from .splitting import check_by, reverse_if_by_pair, split_units

FOLDS = 5
"""The usual number of folds: each fit learns from 80% of the entries."""


def assign_folds(
    data: RelationalData, number: int, seed: int, by: str | Mapping[str, str] = "auto", stratify: bool = False
) -> IndexArray:
    """The fold of each entry, 0 … number − 1, at random and with equal sizes in every relation.

    The only entry of a relation has the fold −1: it is never held out, since nothing could be learned without it. With
    `stratify`, each class or level is divided equally among the folds.

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
        reverse = reverse_if_by_pair(data, k, by)
        if reverse is not None:
            unit = np.where(reverse < 0, unit, np.minimum(unit, reverse))
        first, unit = np.unique(unit, return_inverse=True)
        if first.size < 2:
            fold[rows] = -1
            continue
        place = rng.permutation(first.size)
        if stratify and relation.kind in ("binary", "ordinal"):
            place = _by_class(place, data.y[rows], unit)
        fold[rows] = (place % number)[unit]
    return fold


def _by_class(place: IndexArray, y: Array, unit: IndexArray) -> IndexArray:
    """Random places of the units, ordered by class: taking turns then divides each class equally."""
    classes = np.full(place.size, -np.inf)
    np.maximum.at(classes, unit, y)  # the class of a pair is the higher one: a tie in either direction
    ordered = np.empty_like(place)
    ordered[np.lexsort((place, classes))] = np.arange(place.size)
    return ordered


def fold_parts(
    data: RelationalData,
    fold: int,
    folds: int = FOLDS,
    seed: int = 0,
    stratify: bool = False,
    by: str | Mapping[str, str] = "auto",
) -> tuple[RelationalData, RelationalData]:
    """Training and test entries of one of K folds: `(train, test)`, where the test entries are those of the fold.

    The arguments are those of `RelationalData.split`, with the number of the fold, from 0, and the number of folds.
    The test parts of all folds together are all entries, except the only entry of a relation, which is in every
    training part.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> [len(fold_parts(data, fold, folds=4)[1]) for fold in range(4)]
    [54, 52, 52, 52]
    """
    known = data.observed()
    check_folds(folds, len(known))
    check_range("fold", fold, 0, folds - 1, whole=True)
    seed, stratify = check_integer("seed", seed), check_bool("stratify", stratify)
    assigned = assign_folds(known, folds, seed, by, stratify)
    units = split_units(known, by)
    train, test = (known._rows(np.flatnonzero(part), drawn_by=units) for part in (assigned != fold, assigned == fold))
    return train, test


def check_folds(folds: object, entries: int | None = None) -> None:
    """Refuse a number of folds that is below 2 or, if their number is given, above that of the entries.

    >>> check_folds(8, entries=5)
    Traceback (most recent call last):
    mrwtd.errors.DataError: found 8 folds of 5 entries; expected at most one fold per entry
    """
    check_range("folds", folds, 2, whole=True)
    assert isinstance(folds, int)
    if entries is not None and folds > entries:
        raise DataError(Problem(f"{folds:,} folds of {entries:,} entries", "at most one fold per entry"))
