"""The log-likelihoods of several relations at once."""

from collections.abc import Sequence

import numpy as np

from ...typing import Array
from .likelihood import Likelihood
from .logistic import Logistic, log_likelihood


class LogLikelihoods:
    """The log-likelihood of each relation, given x of their entries, relation by relation.

    Many small relations are evaluated as one if all are logistic.

    >>> from mrwtd.data.relations import Relation
    >>> relation, one = Relation("likes", "binary", directed=True), np.ones(1)
    >>> both = LogLikelihoods([Logistic(relation, one, one), Logistic(relation, -one, one)])
    >>> both(np.zeros(2)).round(2)
    array([-0.69, -0.69])
    """

    def __init__(self, members: Sequence[Likelihood]):
        self.members = members
        self.counts = np.array([member.y.size for member in members])
        self._ends = np.cumsum(self.counts)
        self._occupied = np.flatnonzero(self.counts)
        self._starts = (self._ends - self.counts)[self._occupied]
        self._joint: tuple[Array, Array] | None = None
        if all(type(member) is Logistic for member in members):
            y, w = (np.concatenate([getattr(member, name) for member in members]) for name in ("y", "w"))
            self._joint = (y, w)

    def __call__(self, x: Array) -> Array:
        """The log-likelihoods."""
        if self._joint is None:
            parts = np.split(x, self._ends[:-1])
            return np.array([member.log_likelihood(part) for member, part in zip(self.members, parts, strict=True)])
        totals = np.zeros(len(self.members))
        if self._occupied.size:
            totals[self._occupied] = np.add.reduceat(log_likelihood(x, *self._joint), self._starts)
        return totals
