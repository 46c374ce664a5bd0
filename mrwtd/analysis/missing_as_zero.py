"""Missing vs. zero: training data in which every missing pair counts as a pair without a tie.

Every pair without a training entry, including the test entries, is added as a negative entry (−1, the value 0, or the
lowest level) of weight 1. If these are too many, a random sample is added.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..data import negatives
from ..data.negatives import represented_pairs
from ..data.possible_pairs import possible_pairs
from ..data.relational import RelationalData
from ..data.validation import entry_keys
from ..metrics.predictions import mean_of
from ..model.method import Method

MAX_OBJECTS = 1_000
"""For more objects, pairs are not listed; zeros are sampled."""

MAX_ZEROS = 500_000
"""The largest number of zeros that are added: a fit then takes seconds, not minutes."""


@dataclass(frozen=True)
class FilledData:
    """Training data with missing pairs as zeros.

    Attributes:
        data: the known entries and the zeros.
        zeros: the number of zeros.
        missing: the number of missing pairs: `zeros`, unless zeros were sampled.
        false_zeros: the number of zeros that the test entries contradict.
    """

    data: RelationalData
    zeros: int
    missing: int
    false_zeros: int


def fill_missing(train: RelationalData, test: RelationalData, max_zeros: int = MAX_ZEROS, seed: int = 0) -> FilledData:
    """Add a zero for every missing pair of the training data, or for a random sample of `max_zeros` of them.

    Self-pairs are filled in if the training data has one. The test entries only serve to count false zeros.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.2, seed=0)
    >>> filled = fill_missing(train, test)
    >>> filled.zeros == filled.missing == 210 - len(train)
    True
    >>> filled.false_zeros == int((test.y > 0).sum())  # every held-out tie became a zero
    True
    """
    train, test = train.observed(), test.observed()
    n = train.n_objects
    key = entry_keys(train.i, train.j, train.k, n)
    with_self = bool((train.i == train.j).any())
    known = np.diff(train.bounds).tolist()
    missing_by_relation = [possible_pairs(train, k, with_self).count - count for k, count in enumerate(known)]
    missing = sum(missing_by_relation)
    if missing <= max_zeros and n <= MAX_OBJECTS:
        absent: str | int = "negative"
        counts = known
    else:
        fraction = min(1.0, max_zeros / max(missing, 1))
        absent, counts = 1, [round(fraction * count) for count in missing_by_relation]
    keys, y, _ = negatives.negative_entries(n, train.relations, key, counts, absent, seed, None, train.object_types)
    cell = keys % (n * n)
    data = RelationalData(
        train.objects,
        train.relations,
        np.concatenate([train.i, cell // n]),
        np.concatenate([train.j, cell % n]),
        np.concatenate([train.k, keys // (n * n)]),
        np.concatenate([train.y, y]),
        np.concatenate([train.w, np.ones(keys.size)]),
        object_types=train.object_types,
    )
    _, zeros, tested = np.intersect1d(
        keys, entry_keys(test.i, test.j, test.k, n), assume_unique=True, return_indices=True
    )
    return FilledData(data, int(keys.size), missing, int(np.count_nonzero(y[zeros] != test.y[tested])))


def tie_fractions(models: Mapping[str, Method], test: RelationalData) -> pd.DataFrame:
    """The fraction of ties among the test entries of each binary relation, true and predicted by each method.

    Columns: relation, entries, truth (the fraction of ties), then one column per method with its predicted fraction.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> tie_fractions({"ours": mrwtd.MrWTD(rank=2, lam=1.0).fit(train)}, test).columns.tolist()
    ['relation', 'entries', 'truth', 'ours']
    """
    test = test.observed()
    ties = {"truth": test.y > 0} | {label: model.predict(test) > 0 for label, model in models.items()}
    rows = []
    for k, relation in enumerate(test.relations):
        entries, pairs = test.slice(k), represented_pairs(test, k)
        if relation.kind == "binary" and test.y[entries].size:
            fractions = {label: mean_of(tied[entries], pairs) for label, tied in ties.items()}
            rows.append({"relation": relation.name, "entries": test.y[entries].size, **fractions})
    return pd.DataFrame(rows, columns=["relation", "entries", *ties])
