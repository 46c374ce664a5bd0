"""States of a fit kept while it runs, so that the training can be replayed."""

from __future__ import annotations

from dataclasses import dataclass

from ..typing import Array
from .layout import Factors, Layout
from .progress import Iteration


@dataclass(frozen=True)
class Snapshot:
    """A, R and the extras (biases or cut points) after some iteration."""

    iteration: int
    factors: Factors


class SnapshotKeeper:
    """Keeps at most `most` states of a fit of unknown length, evenly spaced: when full, it drops every other one.

    >>> import numpy as np
    >>> keeper = SnapshotKeeper(3, Layout(1, 1, 1, (1,)))
    >>> keeper.begin(np.zeros(3))
    >>> for number in range(1, 9):
    ...     keeper.see(Iteration(number, 0.0, 0.0, 0.0, theta=np.full(3, float(number))))
    >>> [snapshot.iteration for snapshot in keeper.kept()]
    [0, 4, 8]
    """

    def __init__(self, most: int, layout: Layout):
        self._most, self._layout, self._step = most, layout, 1
        self._states: dict[int, Array] = {}

    def begin(self, theta: Array) -> None:
        """Keep the start, as iteration 0."""
        if self._most:
            self._states[0] = theta.copy()

    def see(self, seen: Iteration) -> None:
        """Keep this iteration, if it is one of the spaced ones."""
        if self._most and seen.theta is not None and seen.number % self._step == 0:
            self._states[seen.number] = seen.theta.copy()
            while len(self._states) > max(self._most, 2):
                self._step *= 2
                self._states = {n: theta for n, theta in self._states.items() if n % self._step == 0}

    def close(self, number: int, theta: Array) -> None:
        """The last iteration is always kept."""
        if self._most and number and number not in self._states:
            if len(self._states) >= self._most:
                self._states.pop(max(self._states))
            self._states[number] = theta.copy()

    def kept(self) -> tuple[Snapshot, ...]:
        """The kept states, in order."""
        return tuple(Snapshot(n, self._layout.unpack(theta)) for n, theta in sorted(self._states.items()))
