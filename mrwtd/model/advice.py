"""What the user of a fitted `MrWTD` should know, in plain words: collapse, an early end, a rank that is too high."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import search
from .objective import Objective
from .solver import Solution

Array = npt.NDArray[np.float64]

TOO_HIGH = "is more than the data can carry"
"""Stands in the sentence about a rank of which too few factors work."""

STOPPED = "The fit was stopped before it ended; this is the best it had reached."
STOPPED_SEARCH = (
    "The fit was stopped before it ended; this is the best of the search for λ, whose fits learn from three quarters "
    "of the training entries."
)

NOTHING, MOSTLY = 0.01, 0.8
"""A direction of A is idle below this share of the largest; a rank is too high where so few of its factors work."""


def after_collapse(lam: float, stopped: str = "") -> str:
    """What to do about a fit that has collapsed to zero at λ, also where the user stopped a search on its way down.

    >>> after_collapse(10.0), after_collapse(0.001)
    ('Take a smaller λ.', 'There are too few known entries to learn from.')
    >>> after_collapse(100.0, STOPPED_SEARCH)
    'Let the search come to a smaller λ, or take one.'
    """
    if lam <= search.GRID[-1]:
        return "There are too few known entries to learn from."
    return "Let the search come to a smaller λ, or take one." if stopped == STOPPED_SEARCH else "Take a smaller λ."


def advice(objective: Objective, best: Solution, lam: float, max_iter: int, stopped: str) -> list[str]:
    """Sentences about the best solution that a fit has found at λ; none where there is nothing to tell.

    `stopped` is one of them where the user stopped the fit, and empty where it ended by itself.
    """
    messages = []
    gone = search.collapsed(objective, best.theta)
    if gone:
        messages.append(
            f"The fit collapsed to zero: at λ = {lam:g} the regularisation outweighs the data, and every "
            f"prediction is the relation's bias. {after_collapse(lam, stopped)}"
        )
    if stopped:
        messages.append(stopped)
    elif not best.converged:
        messages.append(f"The fit was still improving after {max_iter} iterations. A larger λ needs fewer.")
    n, r, m = objective.layout.n_objects, objective.layout.rank, objective.layout.n_relations
    free, used = n * r + m * r * r, factors_in_use(objective.layout.unpack(best.theta).A)
    if r > n:
        messages.append(f"The rank {r} is above the number of objects, {n}: the extra factors have nothing to tell.")
    elif lam == 0 and free > objective.entries:
        messages.append(
            f"Rank {r} has {free:,} free numbers for {objective.entries:,} known entries and no regularisation: "
            "take a smaller rank, or λ above 0."
        )
    elif best.converged and not gone and used <= MOSTLY * r:
        messages.append(
            f"The rank {r} {TOO_HIGH} at λ = {lam:g}. In use: {used} of {r} factors; the others "
            f"have shrunk to nothing. Rank {used} takes less time, and may do as well."
        )
    return messages


def factors_in_use(A: Array) -> int:
    """How many directions of A are more than nothing. The regularisation shrinks those that the data does not need.

    >>> factors_in_use(np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])), factors_in_use(np.eye(3))
    (1, 3)
    """
    sizes = np.sqrt(np.maximum(np.linalg.eigvalsh(A.T @ A), 0.0))
    return int((sizes > NOTHING * sizes.max()).sum())
