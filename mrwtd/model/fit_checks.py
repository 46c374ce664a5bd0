"""Checks of a finished fit: refits that did not converge, wrong slopes of losses, factors that are not in use."""

from collections.abc import Sequence

import numpy as np

from ..typing import Array
from .diagnostics import Diagnostic
from .losses import Loss
from .solver import Solution

ZERO, MOSTLY = 0.01, 0.8
"""A direction of A is unused below this fraction of the largest; a rank with at most this fraction used is too high."""

DEAD = 0.03
"""A factor is dead if its column of A is below this fraction of the largest."""


def check_refits(refits: Sequence[Solution]) -> list[Diagnostic]:
    """The diagnostics of the members of an ensemble.

    >>> refits = [Solution(np.zeros(1), 1.0, (), reason, 0) for reason in ("converged", "max_iter")]
    >>> check_refits(refits)[0].message().partition(".")[0]
    '1 of 2 refits did not converge'
    """
    count = sum(not refit.converged for refit in refits)
    return [Diagnostic("refits_not_converged", values={"count": count, "of": len(refits)})] if count else []


def slope_agrees(loss: Loss) -> bool:
    """Whether the slope of a loss is the derivative of its value, by finite differences at a few points.

    >>> from .losses import LOSSES
    >>> all(slope_agrees(loss) for loss in LOSSES.values())
    True
    """
    x, step = np.array([-1.7, -0.6, 0.3, 0.8, 2.1]), 1e-6
    extras = np.linspace(-0.5, 0.5, 2) if loss.has_cuts else np.zeros(1)
    for y in (np.ones(5), -np.ones(5)) if loss.kinds == ("binary",) else (np.zeros(5), np.ones(5)):
        (low, _, _), (high, _, _) = (loss.evaluate(y, x + side, extras) for side in (-step, step))
        slope = loss.evaluate(y, x, extras)[1]
        known = np.isfinite([low, high, slope]).all(axis=0)  # a loss may be defined for some values only
        if not np.allclose(((high - low) / (2 * step))[known], slope[known], rtol=1e-3, atol=1e-4):
            return False
    return True


def factors_in_use(A: Array) -> int:
    """The number of directions of A that differ from zero. The regularization shrinks those without use.

    >>> factors_in_use(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])), factors_in_use(np.eye(3))
    (1, 3)
    """
    sizes = np.sqrt(np.maximum(np.linalg.eigvalsh(A.T @ A), 0.0))
    return int((sizes > ZERO * sizes.max()).sum())


def has_dead_factors(A: Array) -> bool:
    """Whether some columns of A have shrunk to almost zero.

    >>> has_dead_factors(np.array([[1.0, 0.001], [1.0, 0.0]]))
    True
    """
    sizes = np.linalg.norm(A, axis=0)
    return bool((sizes < DEAD * sizes.max()).any())
