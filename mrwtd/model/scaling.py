"""What maps values to the numbers of a fit, and predictions back: centre, scale, largest value and sampling rate.

Sampled negatives make ties more frequent among the training entries than among all pairs: a fit learns the odds of a
tie among the entries, o = p / (1 − p). If a negative is an entry with the probability s, the odds among all pairs are
s·o. A listed negative is always an entry, so s is the number of negatives over the number of pairs they represent.
"""

from collections.abc import Sequence

import numpy as np

from ..data.relational import RelationalData
from ..typing import Array
from .losses import Loss


def no_scales(n_relations: int) -> Array:
    """The scales of values that stay as they are.

    >>> no_scales(2)
    array([[0., 1.],
           [0., 1.]])
    """
    return np.tile([0.0, 1.0], (n_relations, 1))


def standard_scales(train: RelationalData, losses: Sequence[Loss]) -> Array:
    """Mean and deviation of each relation whose loss needs standardized values; 0 and 1 for the others.

    >>> import mrwtd
    >>> from mrwtd.model.losses import LOSSES
    >>> standard_scales(mrwtd.load_dataset("florentine"), [LOSSES["quadratic"]] * 2)  # binary: as they are
    array([[0., 1.],
           [0., 1.]])
    """
    scales = no_scales(train.n_relations)
    for k, (loss, relation) in enumerate(zip(losses, train.relations, strict=True)):
        y = train.y[train.slice(k)]
        if loss.standardizes and relation.kind != "binary" and y.size:
            scales[k] = y.mean(), y.std() or 1.0
    return scales


def largest_counts(train: RelationalData) -> Array:
    """The largest value of each count relation: NaN for other kinds, infinity if no value is known.

    >>> import mrwtd
    >>> largest_counts(mrwtd.load_dataset("airports"))
    array([13788.,    nan,    nan])
    """
    counts = [relation.kind == "count" for relation in train.relations]
    values = [train.y[train.slice(k)] for k in range(train.n_relations)]
    largest = [y.max() if y.size else np.inf for y in values]
    return np.where(counts, largest, np.nan)


def represented_negatives(train: RelationalData) -> Array:
    """The number of negatives of each binary relation, and of the pairs that they represent, by weight.

    >>> import mrwtd
    >>> represented_negatives(mrwtd.load_dataset("florentine"))  # no negative is sampled
    array([[90., 85.],
           [90., 85.]])
    """
    binary = np.array([relation.kind == "binary" for relation in train.relations])
    weights = np.where(binary[train.k] & (train.y < 0), train.w, 0.0)
    numbers = [np.bincount(train.k, w, train.n_relations) for w in (weights, weights * train.represents)]
    return np.array(numbers)


def sampling_rates(negatives: Array) -> Array:
    """The rate at which negatives are entries, of each relation, from `represented_negatives`; 1 without sampling.

    >>> sampling_rates(np.array([[90.0, 0.0], [900.0, 0.0]]))
    array([0.1, 1. ])
    """
    entries, pairs = negatives
    return np.asarray(np.divide(entries, pairs, out=np.ones_like(entries), where=pairs > 0))


def population_probability(probability: Array, rate: float | Array) -> Array:
    """The probability of a tie among all pairs, from that among entries whose negatives are sampled at a rate.

    >>> population_probability(np.array([0.5, 1.0]), 0.25)
    array([0.2, 1. ])
    """
    ties = rate * probability
    return np.asarray(ties / (ties + (1 - probability)))
