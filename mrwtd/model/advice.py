"""What the user of a fitted `MrWTD` should know, in plain words: collapse, an early end, a rank that is too high."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from . import search
from .losses import Loss
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


def after_collapse(lam: float, stopped: str = "", constant: bool = False) -> str:
    """What to do about a fit that has collapsed to zero at λ, also where the user stopped a search on its way down.

    >>> after_collapse(10.0), after_collapse(0.001)
    ('Take a smaller λ.', 'There are too few known entries to learn from.')
    >>> after_collapse(100.0, STOPPED_SEARCH)
    'Let the search come to a smaller λ, or take one.'
    >>> after_collapse(1.0, constant=True)
    'All known values of a relation are the same: there is nothing to learn.'
    """
    if constant:
        return "All known values of a relation are the same: there is nothing to learn."
    if lam <= search.GRID[-1]:
        return "There are too few known entries to learn from."
    return "Let the search come to a smaller λ, or take one." if stopped == STOPPED_SEARCH else "Take a smaller λ."


def unfinished(solution: Solution, searched: bool) -> str:
    """What to do about a fit that was cut while it still gained.

    >>> unfinished(Solution(np.zeros(1), 1.0, (), "max_iter", 0), searched=True)
    'The fit was still improving after 0 iterations. A larger max_iter lets it go on.'
    """
    cure = "" if searched else "; a larger λ needs fewer"
    return f"The fit was still improving after {len(solution.trace)} iterations. A larger max_iter lets it go on{cure}."


def about_refits(refits: Sequence[Solution]) -> list[str]:
    """What to say of the members of an ensemble that did not come to an end.

    >>> about_refits([Solution(np.zeros(1), 1.0, (), reason, 0) for reason in ("converged", "max_iter")])
    ['1 of 2 refits did not converge. A larger max_iter lets them go on.']
    """
    early = sum(not one.converged for one in refits)
    return [f"{early} of {len(refits)} refits did not converge. A larger max_iter lets them go on."] if early else []


def failure(losses: Iterable[Loss]) -> str:
    """What to say of a fit whose line search failed, with the losses whose slope does not belong to their value.

    >>> from .losses import LOSSES
    >>> failure(LOSSES.values())
    'The fit failed: no step along the gradient makes the objective smaller.'
    """
    wrong = [repr(loss.name) for loss in dict.fromkeys(losses) if not slope_agrees(loss)]
    cause = f" The slope of the loss {' and '.join(wrong)} is not the derivative of its value." if wrong else ""
    return f"The fit failed: no step along the gradient makes the objective smaller.{cause}"


def slope_agrees(loss: Loss) -> bool:
    """Whether the slope of a loss is the derivative of its value, by differences at a few places."""
    x, step = np.array([-1.7, -0.6, 0.3, 0.8, 2.1]), 1e-6
    extras = np.linspace(-0.5, 0.5, 2) if type(loss).extras is not Loss.extras else np.zeros(1)
    for y in (np.ones(5), -np.ones(5)) if loss.kinds == ("binary",) else (np.zeros(5), np.ones(5)):
        (low, _, _), (high, _, _) = (loss.evaluate(y, x + side, extras) for side in (-step, step))
        slope = loss.evaluate(y, x, extras)[1]
        if not np.allclose((high - low) / (2 * step), slope, rtol=1e-3, atol=1e-4):
            return False
    return True


def advice(
    objective: Objective, best: Solution, lam: float, searched: bool, stopped: str, constant: bool = False
) -> list[str]:
    """Sentences about the solution that a fit has found at λ, given or searched; none where there is nothing to tell.

    `stopped` is one of them where the user stopped the fit, and empty where it ended by itself.
    """
    messages = []
    gone = search.collapsed(objective, best.theta)
    if gone:
        cause = "" if constant else f" at λ = {lam:g} the regularisation outweighs the data, and"
        messages.append(
            f"The fit collapsed to zero:{cause} every prediction is the relation's bias. "
            f"{after_collapse(lam, stopped, constant)}"
        )
    if stopped:
        messages.append(stopped)
    elif best.reason == "failed":
        messages.append(failure(objective.losses))
    elif not best.converged:
        messages.append(unfinished(best, searched))
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
