"""What the tests of the samplers share: the parts of a quadratic function, and the joint-distribution test."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np


def quadratic_parts(function: Callable[[np.ndarray], float], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Hessian H and minus the gradient at 0, h, of a quadratic function of a vector: exact by differences of step 1."""
    one = np.eye(size)
    at_zero = function(np.zeros(size))
    up, down = (np.array([function(sign * e) for e in one]) for sign in (1, -1))
    H = np.array([[function(e + f) for f in one] for e in one]) - up[:, None] - up + at_zero
    return H, -(up - down) / 2


def largest_change(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> float:
    """The largest mean change from before to after, in standard errors.

    It is for a joint-distribution test, after Geweke: unknowns from the prior, data given them, and the unknowns drawn
    again given the data. They are then distributed as before, if and only if that last draw leaves the posterior alone.
    """
    change = np.array([after - before for before, after in pairs])
    return float(np.abs(change.mean(axis=0) / (change.std(axis=0) / np.sqrt(len(change)))).max())
