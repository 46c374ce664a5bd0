"""Snapshots: states of a fit that are stored while it runs, so that the training can be replayed."""

from dataclasses import dataclass

from ..typing import Array
from .layout import Factors, Layout
from .progress import Iteration


@dataclass(frozen=True)
class Snapshot:
    """A, R and the extras (biases or cut points) after some iteration."""

    iteration: int
    factors: Factors


class SnapshotRecorder:
    """Stores at most `limit` states of a fit of unknown length, evenly spaced: when full, it drops every other one.

    >>> import numpy as np
    >>> recorder = SnapshotRecorder(3, Layout(1, 1, 1, (1,)))
    >>> recorder.add_start(np.zeros(3))
    >>> for number in range(1, 9):
    ...     recorder.add(Iteration(number, 0.0, 0.0, 0.0, theta=np.full(3, float(number))))
    >>> [snapshot.iteration for snapshot in recorder.snapshots()]
    [0, 4, 8]
    """

    def __init__(self, limit: int, layout: Layout):
        self._limit, self._layout, self._step = limit, layout, 1
        self._states: dict[int, Array] = {}

    def add_start(self, theta: Array) -> None:
        """Store the start as iteration 0."""
        if self._limit:
            self._states[0] = theta.copy()

    def add(self, iteration: Iteration) -> None:
        """Store this iteration if it is one of the evenly spaced ones."""
        if self._limit and iteration.theta is not None and iteration.number % self._step == 0:
            self._states[iteration.number] = iteration.theta.copy()
            while len(self._states) > max(self._limit, 2):
                self._step *= 2
                self._states = {n: theta for n, theta in self._states.items() if n % self._step == 0}

    def add_end(self, number: int, theta: Array) -> None:
        """Store the last iteration, in place of the one before if there is no room."""
        if self._limit and number and number not in self._states:
            if len(self._states) >= self._limit:
                self._states.pop(max(self._states))
            self._states[number] = theta.copy()

    def snapshots(self) -> tuple[Snapshot, ...]:
        """The stored states in order."""
        return tuple(Snapshot(n, self._layout.unpack(theta)) for n, theta in sorted(self._states.items()))
