"""Hold-outs: divisions of the training entries, on which λ and ranks are chosen. Test entries play no part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..data.relational import RelationalData
from ..data.splitting import folds
from ..metrics import relation_scores, selection_score

FOLDS = 4
TINY, SMALL = 5_000, 100_000
"""Training entries below which four hold-outs, and below which two, are affordable and needed."""

PARTS = 5
"""Parts of the held-out entries. Leaving out one at a time tells the noise of the score of all."""


@dataclass(frozen=True)
class HoldOut:
    """One division of the training entries: those that a trial fits, and those that score it."""

    fitted: RelationalData
    held: RelationalData
    seed: int

    @cached_property
    def without_parts(self) -> list[RelationalData]:
        """The held-out entries without each of their random parts."""
        part = np.random.default_rng([self.seed, 1]).permutation(len(self.held)) % PARTS
        return [self.held.take(part != number) for number in range(PARTS)]

    def only(self, relation: str) -> HoldOut:
        """The same of one relation."""
        return HoldOut(self.fitted.only([relation]), self.held.only([relation]), self.seed)

    def score(self, score: Callable[[RelationalData], float]) -> tuple[float, tuple[float, ...]]:
        """The score of the held-out entries, and those without each of their parts; NaN where there is none."""
        first, *others = (score(held) if len(held) else float("nan") for held in (self.held, *self.without_parts))
        return first, tuple(others)

    def constant(self) -> float:
        """The score of one value for all pairs of a relation: the mean or the median of the fitted entries.

        >>> import mrwtd
        >>> fitted, held = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
        >>> round(HoldOut(fitted, held, 0).constant(), 3)  # the share of ties
        0.179
        """
        kinds = [relation.kind for relation in self.held.relations]
        given = np.zeros(len(self.held))
        for k, kind in enumerate(kinds):
            y = self.fitted.y[self.fitted.slice(k)]
            if y.size:
                given[self.held.slice(k)] = np.median(y) if kind == "ordinal" else y.mean()
        return selection_score(zip(kinds, relation_scores(kinds, self.held.y, given, self.held.bounds), strict=True))


def hold_outs(train: RelationalData, seed: int) -> list[HoldOut]:
    """Random divisions of the training entries.

    >>> import mrwtd
    >>> [(len(part.fitted), len(part.held)) for part in hold_outs(mrwtd.load_dataset("florentine"), seed=0)]
    [(156, 54), (158, 52), (158, 52), (158, 52)]
    """
    times = FOLDS if len(train) < TINY else 2 if len(train) < SMALL else 1
    # Drawn as the test entries were, or by pair where most ties are mutual: λ is chosen under the conditions of a test.
    fold = folds(train, FOLDS, seed + 1000, by=train.drawn_by or "auto")
    return [HoldOut(train.take(fold != turn), train.take(fold == turn), seed + 1000 + turn) for turn in range(times)]


def standard_error(scores: npt.ArrayLike) -> float:
    """The standard error of a mean over hold-outs, from their scores without each of `PARTS` parts: the jackknife.

    Scores of small parts would not do: most of what varies in three entries is the variance that they are measured by.
    NaN where no hold-out has two scores.

    >>> standard_error([0.5, 0.5, 0.5, 0.5, 0.6]).__round__(3)
    0.08
    """
    rows = np.asarray(scores, dtype=np.float64).reshape(-1, PARTS)
    known = ~np.isnan(rows)
    counts = known.sum(axis=1)
    rows, known, counts = rows[counts > 1], known[counts > 1], counts[counts > 1]
    if not counts.size:
        return float("nan")
    means = np.where(known, rows, 0.0).sum(axis=1) / counts
    squares = np.where(known, rows - means[:, None], 0.0) ** 2
    variances = (counts - 1) / counts * squares.sum(axis=1)
    return float(np.sqrt(variances.sum()) / counts.size)
