"""Phantom zeros: what a method learns when pairs that are not known are taken for pairs known to have no tie.

The training data gets every pair that it does not hold, test entries among them, as a negative entry (−1, the value 0,
or the lowest level) of weight 1. Where that would be too many, as many as allowed are drawn at random.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..data import negatives
from ..data.description import possible_pairs
from ..data.observed import observed
from ..data.relational import RelationalData
from ..data.validation import entry_keys
from ..model.method import Method

MAX_OBJECTS = 1_000
"""Above so many objects the pairs are never listed: zeros are drawn."""

MAX_ZEROS = 500_000
"""At most so many zeros are added: a fit takes seconds then, and not minutes."""


@dataclass(frozen=True)
class FilledData:
    """Training data with phantom zeros.

    Attributes:
        data: the entries that are known, and the zeros.
        zeros: how many were added.
        missing: how many pairs are not known: `zeros`, unless some were drawn.
        false_zeros: how many of the zeros are no zeros, as far as the test entries tell.
    """

    data: RelationalData
    zeros: int
    missing: int
    false_zeros: int

    @property
    def sampled(self) -> bool:
        """Whether only some of the missing pairs became zeros."""
        return self.zeros < self.missing


def fill_missing(
    train: RelationalData,
    test: RelationalData,
    max_zeros: int = MAX_ZEROS,
    seed: int = 0,
    max_objects: int = MAX_OBJECTS,
) -> FilledData:
    """Take every pair that the training data does not hold for a zero, or `most` of them, drawn at random.

    Self-pairs are filled in where the training data has one. The test entries only tell how many zeros are false.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.2, seed=0)
    >>> filled = fill_missing(train, test)
    >>> filled.zeros == filled.missing == 210 - len(train)
    True
    >>> filled.false_zeros == int((test.y > 0).sum())  # every tie to be found was taken for none
    True
    """
    train, test = observed(train), observed(test)
    n = train.n_objects
    key = entry_keys(train.i, train.j, train.k, n)
    with_self = bool((train.i == train.j).any())
    known = [train.slice(k).stop - train.slice(k).start for k in range(train.n_relations)]
    room = [
        possible_pairs(n, relation.directed, with_self) - own
        for relation, own in zip(train.relations, known, strict=True)
    ]
    missing = sum(room)
    if missing <= max_zeros and n <= max_objects:
        keys, y = negatives.negative_entries(n, train.relations, key, known, "negative", seed)
    else:
        share = min(1.0, max_zeros / max(missing, 1))
        keys, y = negatives.negative_entries(n, train.relations, key, [round(share * own) for own in room], 1, seed)
    cell = keys % (n * n)
    data = RelationalData(
        train.objects,
        train.relations,
        np.concatenate([train.i, cell // n]),
        np.concatenate([train.j, cell % n]),
        np.concatenate([train.k, keys // (n * n)]),
        np.concatenate([train.y, y]),
        np.concatenate([train.w, np.ones(keys.size)]),
    )
    return FilledData(data, int(keys.size), missing, _false(keys, y, test))


def tie_fractions(models: Mapping[str, Method], test: RelationalData) -> pd.DataFrame:
    """How many test entries of each binary relation are ties, and how many each method takes for ties.

    Columns: relation, entries, truth (the share of ties), then for each method its share of predicted ties.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> tie_fractions({"ours": mrwtd.MrWTD(rank=2, lam=1.0).fit(train)}, test).columns.tolist()
    ['relation', 'entries', 'truth', 'ours']
    """
    test = observed(test)
    ties = {label: model.predict(test) > 0 for label, model in models.items()}
    rows = [
        {
            "relation": relation.name,
            "entries": test.y[test.slice(k)].size,
            "truth": float(np.mean(test.y[test.slice(k)] > 0)),
            **{label: float(np.mean(own[test.slice(k)])) for label, own in ties.items()},
        }
        for k, relation in enumerate(test.relations)
        if relation.kind == "binary" and test.y[test.slice(k)].size
    ]
    return pd.DataFrame(rows, columns=["relation", "entries", "truth", *models])


def _false(keys: np.ndarray[tuple[int], np.dtype[np.int64]], y: np.ndarray, test: RelationalData) -> int:
    """How many zeros stand where the test entries have another value."""
    own = entry_keys(test.i, test.j, test.k, test.n_objects)
    _, here, there = np.intersect1d(keys, own, assume_unique=True, return_indices=True)
    return int(np.count_nonzero(y[here] != test.y[there]))
