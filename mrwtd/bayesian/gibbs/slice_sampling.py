"""Slice sampling (Neal 2003), which needs no step size: for several independent numbers at once, or for one."""

from collections.abc import Callable

import numpy as np

from ...typing import Array

STEPS = 8
"""An interval is widened this often at most, in both directions together."""

MOST = 100
"""Points in an interval that are tried; floating point numbers run out before."""

LogDensity = Callable[[Array], Array]
"""The log-densities of several independent numbers at one point each."""


def slice_sample(log_density: LogDensity, size: int, width: float, rng: np.random.Generator) -> Array:
    """Draws of independent numbers that leave their densities alone, from the point 0.

    >>> rng, x, draws = np.random.default_rng(0), np.zeros(2), []
    >>> for _ in range(2000):
    ...     x += slice_sample(lambda step: -0.5 * (x + step - [3, 5]) ** 2, 2, 1.0, rng)
    ...     draws.append(x.copy())
    >>> np.mean(draws, axis=0).round(), np.std(draws, axis=0).round()
    (array([3., 5.]), array([1., 1.]))
    """
    level = log_density(np.zeros(size)) - rng.exponential(size=size)
    low = -width * rng.random(size)
    high = low + width
    left = rng.integers(STEPS + 1, size=size)
    right = STEPS - left
    for bound, allowed, change in ((low, left, -width), (high, right, width)):
        while allowed.any():
            widened = (allowed > 0) & (log_density(bound) > level)
            if not widened.any():
                break
            bound[widened] += change
            allowed[widened] -= 1
    step, open_ = np.zeros(size), np.ones(size, dtype=bool)
    for _ in range(MOST):
        tried = np.where(open_, rng.uniform(low, high), step)
        accepted = open_ & (log_density(tried) > level)
        step[accepted] = tried[accepted]
        open_ &= ~accepted
        if not open_.any():
            break
        low, high = np.where(open_ & (tried < 0), tried, low), np.where(open_ & (tried >= 0), tried, high)
    return step


def slice_sample_one(log_density: Callable[[float], float], width: float, rng: np.random.Generator) -> float:
    """A draw of one number, from the point 0.

    >>> -1 < slice_sample_one(lambda step: -np.inf if abs(step) > 1 else 0.0, 1.0, np.random.default_rng(0)) < 1
    True
    """
    level = log_density(0.0) - rng.exponential()
    low = -width * rng.random()
    high, left = low + width, int(rng.integers(STEPS + 1))
    right = STEPS - left
    while left and log_density(low) > level:
        low, left = low - width, left - 1
    while right and log_density(high) > level:
        high, right = high + width, right - 1
    for _ in range(MOST):
        step = rng.uniform(low, high)
        if log_density(step) > level:
            return float(step)
        low, high = (step, high) if step < 0 else (low, step)
    return 0.0
