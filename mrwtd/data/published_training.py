"""The training data of a published split: its train entries, and the meaning of unlisted pairs.

Where unlisted pairs are negative, a method that learned from all pairs but the held-out ties would know which pairs are
the ties: those that it has not seen. So held-out ties are negatives in training, as they would be with the train file
alone, and as in the published benchmarks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..typing import BoolArray
from .arguments import check_choice
from .possible_pairs import possible_pairs
from .published import PARTS, TRAIN, published_parts
from .units import negative

if TYPE_CHECKING:
    from .relational import RelationalData

HELD_OUT = ("auto", "negative", "unobserved")
"""What held-out entries are in training."""

CLOSED = "Unlisted pairs are negative, so the held-out ties are negatives in training like all other unlisted pairs."


def leaks_held_out(data: RelationalData) -> BoolArray:
    """For each relation, whether training entries without the held-out ones would show which pairs are ties.

    That is so if all pairs of a relation have an entry, some of them negatives, and no held-out entry of such relations
    is a negative: then unlisted pairs were filled in as negatives, and a random part of all pairs was not held out.

    >>> import mrwtd
    >>> bool(leaks_held_out(mrwtd.load_dataset("nations", form="standard")).all())
    True
    """
    entries = np.bincount(data.k[data.i != data.j], minlength=data.n_relations)
    complete = np.array([possible_pairs(data, k).count == count for k, count in enumerate(entries.tolist())])
    is_tie = data.y > np.array([negative(relation) for relation in data.relations])[data.k]
    complete &= np.bincount(data.k[~is_tie], minlength=data.n_relations) > 0
    held_out = complete[data.k] & (published_parts(data) != TRAIN)
    return complete & bool(held_out.any() and is_tie[held_out].all())


def training_entries(data: RelationalData, held_out: BoolArray, as_negatives: str = "auto") -> RelationalData:
    """The entries to learn from, for a mask of the held-out ones; `as_negatives` as in `published_split`."""
    check_choice("held_out", as_negatives, HELD_OUT)
    relations = np.full(data.n_relations, as_negatives == "negative")
    if as_negatives == "auto":
        relations = leaks_held_out(data)
    added = held_out & relations[data.k]
    negatives = np.array([negative(relation) for relation in data.relations])
    y = np.where(added, negatives[data.k], data.y) if added.any() else data.y
    part = np.where(added, np.int8(TRAIN), published_parts(data))
    rows = np.flatnonzero(~held_out | added)
    return data._rows(rows, y=y[rows], part=part[rows])


def describe_published(data: RelationalData) -> str:
    """A sentence on the published split, to be shown with scores.

    >>> import mrwtd
    >>> likes = mrwtd.Relation("likes", "binary", directed=True)
    >>> parts = mrwtd.RelationalData("abc", [likes], [0, 1, 2], [1, 2, 0], [0] * 3, [1] * 3, part=[0, 1, 2])
    >>> describe_published(parts)
    'The test entries are the 1 published one. The other entries are for training: 1 of train and 1 of valid.'
    """
    train, test, valid = np.bincount(published_parts(data.observed()), minlength=len(PARTS)).tolist()
    rest = f": {train:,} of train and {valid:,} of valid" if valid else ""
    ones = "one" if test == 1 else "ones"
    closed = f" {CLOSED}" if leaks_held_out(data.observed()).any() else ""
    return f"The test entries are the {test:,} published {ones}. The other entries are for training{rest}.{closed}"
