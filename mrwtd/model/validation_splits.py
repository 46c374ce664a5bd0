"""Validation splits of the training entries, on which λ and ranks are chosen. Test entries are not used.

The training entries of each relation are divided into four quarters. In small data each of them is held out in turn, so
that every entry is predicted by a fit without it. All held-out entries are scored together: the mean of
several scores, of a few entries each, would be noisier.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..data.folds import assign_folds
from ..data.negatives import sampled_pairs
from ..data.relational import RelationalData
from ..metrics import relation_scores, selection_score
from ..metrics.predictions import mean_of, median_of
from ..typing import Array, Int64Array

FOLDS = 4
TINY, SMALL = 5_000, 100_000
"""With fewer training entries than these, all four splits, and two splits, are affordable and needed."""

PARTS = 10
"""Parts of the held-out entries. Leaving out one at a time estimates the noise of the score."""


@dataclass(frozen=True)
class ValidationSplit:
    """One division of the training entries into those that are fitted and those that are scored."""

    fitted: RelationalData
    held: RelationalData

    @property
    def is_usable(self) -> bool:
        """Whether there are entries to fit and to score: a relation with few entries can be held out completely."""
        return len(self.fitted) > 0 and len(self.held) > 0

    def for_relation(self, relation: str) -> ValidationSplit:
        """The same split with one relation only."""
        return ValidationSplit(self.fitted.select_relations([relation]), self.held.select_relations([relation]))


def validation_splits(train: RelationalData, seed: int) -> list[ValidationSplit]:
    """Random validation splits of the training entries.

    >>> import mrwtd
    >>> [(len(part.fitted), len(part.held)) for part in validation_splits(mrwtd.load_dataset("florentine"), seed=0)]
    [(156, 54), (158, 52), (158, 52), (158, 52)]
    """
    number = FOLDS if len(train) < TINY else 2 if len(train) < SMALL else 1
    # Drawn like the test entries, or by pair if most ties are mutual: λ is chosen under the conditions of the test.
    fold = assign_folds(train, FOLDS, seed + 1000, by=train.drawn_by or "auto")
    return [ValidationSplit(train.subset(fold != turn), train.subset(fold == turn)) for turn in range(number)]


class Scorer:
    """Scores predictions for the held-out entries of one or several splits: see `metrics.selection_score`.

    Predictions are those of `Method._scored_values`: x of binary relations, φ(x) of others.

    >>> import mrwtd
    >>> parts = validation_splits(mrwtd.load_dataset("florentine"), seed=0)
    >>> scorer = Scorer(parts, seed=0)
    >>> score, without_parts = scorer([part.held.y for part in parts])
    >>> score, len(without_parts)
    (1.0, 10)
    """

    def __init__(self, parts: Sequence[ValidationSplit], seed: int):
        self._parts, self._seed = parts, seed
        self._pools: dict[int, _Pool] = {}

    def __call__(self, predictions: Sequence[Array]) -> tuple[float, Array]:
        """The score of the first splits, and the scores without each part; NaN if there is none."""
        pool = self._pool(len(predictions))
        values = np.concatenate(predictions)[pool.order]
        return pool.score(values), np.array([pool.score(values, pool.part != number) for number in range(PARTS)])

    def of_parts(self, predictions: Sequence[Array], parts: Sequence[int]) -> float:
        """The score of some of the ten random parts of the held-out entries.

        >>> import mrwtd
        >>> splits = validation_splits(mrwtd.load_dataset("florentine"), seed=0)
        >>> Scorer(splits, seed=0).of_parts([split.held.y for split in splits], range(5))
        1.0
        """
        pool = self._pool(len(predictions))
        return pool.score(np.concatenate(predictions)[pool.order], np.isin(pool.part, parts))

    def constant(self) -> float:
        """The score of one value for all pairs of a relation: its mean or median.

        >>> import mrwtd
        >>> data = mrwtd.load_dataset("florentine")
        >>> round(Scorer(validation_splits(data, seed=0), seed=0).constant(), 3)  # the fraction of ties
        0.167
        """
        pool = self._pool(len(self._parts))
        values = np.zeros(pool.y.size)
        for k, kind in enumerate(pool.kinds):
            y = pool.y[pool.bounds[k] : pool.bounds[k + 1]]
            if y.size:
                pairs = None if pool.pairs is None else pool.pairs[pool.bounds[k] : pool.bounds[k + 1]]
                constant = median_of(y, pairs) if kind == "ordinal" else mean_of(y, pairs)
                values[pool.bounds[k] : pool.bounds[k + 1]] = constant
        return pool.score(values)

    def _pool(self, number: int) -> _Pool:
        if number not in self._pools:
            self._pools[number] = _Pool.of([part.held for part in self._parts[:number]], self._seed)
        return self._pools[number]


@dataclass(frozen=True)
class _Pool:
    """The held-out entries of several splits together, relation by relation.

    Attributes:
        kinds: the kind of each relation.
        order: their positions in the concatenated splits.
        y: their values.
        bounds: the first entry of each relation, and the end of the last one.
        part: the random part that each is in.
        pairs: the number of pairs that each represents; None if all are 1.
    """

    kinds: list[str]
    order: npt.NDArray[np.intp]
    y: Array
    bounds: Int64Array
    part: Int64Array
    pairs: Array | None

    @classmethod
    def of(cls, held: Sequence[RelationalData], seed: int) -> _Pool:
        relation = np.concatenate([data.k for data in held])
        order = np.argsort(relation, kind="stable")
        bounds = np.searchsorted(relation[order], np.arange(held[0].n_relations + 1))
        part = np.random.default_rng([seed, 1]).permutation(order.size) % PARTS
        kinds = [relation.kind for relation in held[0].relations]
        sampled = any(map(sampled_pairs, held))
        pairs = np.concatenate([data.represents for data in held])[order] if sampled else None
        return cls(kinds, order, np.concatenate([data.y for data in held])[order], bounds, part, pairs)

    def score(self, values: Array, kept: npt.NDArray[np.bool_] | None = None) -> float:
        """The score of predictions, of all entries or of some."""
        y, bounds, pairs = self.y, self.bounds, self.pairs
        if kept is not None:
            bounds = np.concatenate([[0], np.cumsum(kept)])[bounds]
            y, values, pairs = y[kept], values[kept], None if pairs is None else pairs[kept]
        if not y.size:
            return float("nan")
        return selection_score(zip(self.kinds, relation_scores(self.kinds, y, values, bounds, pairs), strict=True))


def standard_error(without_parts: npt.ArrayLike) -> float:
    """The standard error of a score by the jackknife: from the scores without each part of the entries.

    The scores of small parts would not do: in three entries, most of the variation is that of their variance.
    NaN with fewer than two scores.

    >>> standard_error([0.5, 0.5, 0.5, 0.5, 0.6]).__round__(3)
    0.08
    """
    scores = np.asarray(without_parts, dtype=np.float64)
    scores = scores[~np.isnan(scores)]
    if scores.size < 2:
        return float("nan")
    return float(np.sqrt((scores.size - 1) * scores.var()))
