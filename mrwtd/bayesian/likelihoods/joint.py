"""The log-likelihoods of several relations at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from ...model.losses import GROUP
from ...typing import Array, IndexArray
from . import logistic, ordinal
from .likelihood import Likelihood


class LogLikelihoods:
    """The log-likelihood of each relation, given x of their entries, relation by relation.

    Many small relations are evaluated as one if all are logistic, or all ordinal.

    >>> from mrwtd.data.relations import Relation
    >>> relation, one = Relation("likes", "binary", directed=True), np.ones(1)
    >>> both = LogLikelihoods([logistic.Logistic(relation, one, one), logistic.Logistic(relation, -one, one)])
    >>> both(np.zeros(2)).round(2)
    array([-0.69, -0.69])
    """

    def __init__(self, members: Sequence[Likelihood]):
        self.members = members
        self.counts = np.array([member.y.size for member in members])
        self._ends = np.cumsum(self.counts)
        self._occupied = np.flatnonzero(self.counts)
        self._starts = (self._ends - self.counts)[self._occupied]
        self._logistic = _UnitLogistic.of(members, self._starts) if self._occupied.size else None
        if self._logistic is None:
            self._of_entries, self._constant = _joint(members)

    def __call__(self, x: Array) -> Array:
        """The log-likelihoods."""
        if self._logistic is not None:
            totals = np.zeros(self.counts.size)
            totals[self._occupied] = self._logistic(x)
            return totals
        if self._of_entries is None:
            parts = np.split(x, self._ends[:-1])
            return np.array([member.log_likelihood(part) for member, part in zip(self.members, parts, strict=True)])
        totals = self._constant.copy()
        if self._occupied.size:
            totals[self._occupied] += np.add.reduceat(self._of_entries(x), self._starts)
        return totals


@dataclass(frozen=True)
class _UnitLogistic:
    """The log-likelihoods of logistic relations without weights, by one logarithm for up to 64 entries.

    Attributes:
        y: the values of all entries.
        starts: the first entry of each relation.
        groups: the first entry of each group of up to 64 of one relation.
        first_groups: the first group of each relation.
    """

    y: Array
    starts: IndexArray
    groups: IndexArray
    first_groups: IndexArray

    @classmethod
    def of(cls, members: Sequence[Likelihood], starts: IndexArray) -> _UnitLogistic | None:
        """None if the likelihoods are others, or have weights."""
        if not all(type(member) is logistic.Logistic and (member.w == 1).all() for member in members):
            return None
        y = np.concatenate([member.y for member in members])
        groups = [np.arange(*ends, GROUP) for ends in pairwise([*starts.tolist(), y.size])]
        first = np.cumsum([0, *(group.size for group in groups[:-1])])
        return cls(y, starts, np.concatenate(groups), first)

    def __call__(self, x: Array) -> Array:
        """Those of the relations that have entries."""
        size = np.abs(x)
        linear = self.y * x
        linear -= size
        np.negative(size, out=size)
        factors = np.exp(size, out=size)
        factors += 1
        logs = np.log(np.multiply.reduceat(factors, self.groups))
        return np.asarray(0.5 * np.add.reduceat(linear, self.starts) - np.add.reduceat(logs, self.first_groups))


def _joint(members: Sequence[Likelihood]) -> tuple[Callable[[Array], Array] | None, Array]:
    """The log-likelihood of each entry, if one formula has them all, and what each member adds to their sum."""
    w = np.concatenate([member.w for member in members])
    if all(type(member) is logistic.Logistic for member in members):
        y = np.concatenate([member.y for member in members])
        return partial(logistic.log_likelihood, y=y, w=w), np.zeros(len(members))
    of_levels = [member for member in members if isinstance(member, ordinal.Ordinal)]
    if len(of_levels) < len(members):
        return None, np.zeros(len(members))
    low, high = (np.concatenate([member.of_values(side) for member in of_levels]) for side in (0, 1))
    constant = np.array([member.of_cuts() for member in of_levels])
    return partial(ordinal.log_likelihood, low=low, high=high, w=w), constant
