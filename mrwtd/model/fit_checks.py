"""Diagnostics of a finished fit: collapse to zero, an early end, a rank that the data does not support."""

from collections.abc import Iterable, Sequence

import numpy as np

from ..typing import Array
from . import lambda_search
from .diagnostics import Diagnostic, collapse_cause
from .losses import Loss
from .objective import Objective
from .solver import Solution

ZERO, MOSTLY = 0.01, 0.8
"""A direction of A is unused below this fraction of the largest; a rank with at most this fraction used is too high."""


DEAD = 0.03
"""A factor is dead if its column of A is below this fraction of the largest."""


def check_rank(objective: Objective, solution: Solution, lam: float) -> list[Diagnostic]:
    """The diagnostics of the rank of the solution at λ."""
    factors = objective.layout.unpack(solution.theta)
    n, r, m = objective.layout.n_objects, objective.layout.rank, objective.layout.n_relations
    numbers, used = n * r + m * r * r, factors_in_use(factors.A)
    if r > n:
        return [Diagnostic("rank_above_objects", values={"rank": r, "n_objects": n})]
    if lam == 0 and numbers > objective.entries:
        values = {"rank": r, "numbers": numbers, "entries": objective.entries}
        return [Diagnostic("underdetermined", values=values)]
    if solution.converged and not lambda_search.is_degenerate(factors) and used <= MOSTLY * r:
        return [Diagnostic("rank_unused", values={"rank": r, "used": used, "lam": lam})]
    return []


def check_end(
    solution: Solution,
    losses: Iterable[Loss],
    lam: float,
    *,
    collapsed: bool,
    searched: bool,
    stopped: str = "",
    constant: bool = False,
) -> list[Diagnostic]:
    """The diagnostics of how a fit ended, at a λ that was given or searched.

    `stopped` is "fit" or "search" if the user stopped during it; `constant` means that no relation has two values.

    >>> cut = Solution(np.zeros(1), 1.0, (), "max_iter", 0)
    >>> [fact.code for fact in check_end(cut, [], 1.0, collapsed=True, searched=False)]
    ['collapsed', 'not_converged']
    """
    facts = []
    if collapsed:
        cause = collapse_cause(lam, constant=constant, during_search=stopped == "search")
        facts.append(Diagnostic("collapsed", values={"lam": lam, "cause": cause}))
    if stopped:
        facts.append(Diagnostic("stopped", values={"during": stopped}))
    elif solution.reason == "failed":
        facts.append(Diagnostic("failed"))
    elif not solution.converged:
        values = {"iterations": len(solution.trace), "searched": searched, "lam": lam}
        facts.append(Diagnostic("not_converged", values=values))
    wrong = [loss.name for loss in dict.fromkeys(losses) if not slope_agrees(loss)]
    return facts + [Diagnostic("wrong_slope", values={"loss": name}) for name in wrong]


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
    """The number of directions of A that differ from zero. The regularisation shrinks those without use.

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
