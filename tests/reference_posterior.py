"""What the tests of the samplers share: derivatives of a quadratic function, and the joint-distribution test."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np


def quadratic_parts(function: Callable[[np.ndarray], float], size: int) -> tuple[np.ndarray, np.ndarray]:
    """Hessian H and minus the gradient at 0, h, of a quadratic function of a vector: exact by differences of step 1."""
    one = np.eye(size)
    at_zero = function(np.zeros(size))
    up, down = (np.array([function(sign * e) for e in one]) for sign in (1, -1))
    H = np.array([[function(e + f) for f in one] for e in one]) - up[:, None] - up + at_zero
    return H, -(up - down) / 2


def largest_difference(independent: Iterator[np.ndarray], chain: Iterator[np.ndarray]) -> tuple[int, float]:
    """Geweke's joint-distribution test: which statistic differs most between both ways to draw from a joint
    distribution, and by how many standard errors, the chain's from means of batches.
    """
    one, other = np.array(list(independent)), np.array(list(chain))
    batches = np.array([batch.mean(axis=0) for batch in np.array_split(other, 25)])
    variance = one.var(axis=0) / len(one) + batches.var(axis=0, ddof=1) / len(batches)
    z = np.abs(one.mean(axis=0) - other.mean(axis=0)) / np.sqrt(variance)
    return int(np.argmax(z)), float(z.max())
