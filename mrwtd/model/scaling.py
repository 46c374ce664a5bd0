"""Centre, scale and largest value of each relation: they map values to the numbers of a fit, and predictions back."""

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
    """Mean and deviation of each relation whose loss needs standardised values; 0 and 1 for the others.

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
