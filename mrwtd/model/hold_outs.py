"""Hold-outs: divisions of the training entries, on which λ and ranks are chosen. Test entries play no part."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..data.relational import RelationalData
from ..metrics import relation_scores, selection_score

HELD_OUT = 0.25
TINY, SMALL = 5_000, 100_000
"""Training entries below which four hold-outs, and below which two, are affordable and needed."""

PARTS = 8
"""Parts of the held-out entries, whose scores tell the noise of the score of all."""


@dataclass(frozen=True)
class HoldOut:
    """One division of the training entries: those that a trial fits, and those that score it."""

    fitted: RelationalData
    held: RelationalData
    seed: int

    @cached_property
    def parts(self) -> list[RelationalData]:
        """The held-out entries in random parts."""
        part = np.random.default_rng([self.seed, 1]).permutation(len(self.held)) % PARTS
        return [self.held.take(part == number) for number in range(PARTS)]

    def only(self, relation: str) -> HoldOut:
        """The same of one relation."""
        return HoldOut(self.fitted.only([relation]), self.held.only([relation]), self.seed)

    def score(self, score: Callable[[RelationalData], float]) -> tuple[float, tuple[float, ...]]:
        """The score of the held-out entries, and those of their parts; NaN where there is none."""
        parts = tuple(score(part) if len(part) else float("nan") for part in self.parts)
        return score(self.held) if len(self.held) else float("nan"), parts

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
    [(158, 52), (158, 52), (158, 52), (158, 52)]
    """
    times = 4 if len(train) < TINY else 2 if len(train) < SMALL else 1
    return [_hold_out(train, seed + 1000 + turn) for turn in range(times)]


def _hold_out(train: RelationalData, seed: int) -> HoldOut:
    # By pair where a relation is mostly mutual, as in a test: λ must not be chosen under easier conditions.
    fitted, held = train.split(train=1 - HELD_OUT, seed=seed, by="auto")
    return HoldOut(fitted, held, seed)


def standard_error(scores: Iterable[float]) -> float:
    """The standard error of the mean of scores, without those that are NaN; NaN where fewer than two are left.

    >>> standard_error([1.0, 3.0, float("nan")])
    1.0
    """
    known = [score for score in scores if not np.isnan(score)]
    return float(np.std(known, ddof=1) / np.sqrt(len(known))) if len(known) > 1 else float("nan")
