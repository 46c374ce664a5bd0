"""L-BFGS on the packed vector theta: SciPy's L-BFGS-B, with a trace, a callback, and a test of when to stop.

Two tests stop a fit that no longer gains: the objective fell by less than `tol` of itself over the last five
iterations, after at least fifteen (the first ones after a warm start gain little), or the gradient is nothing. The
default of `tol` comes from measured curves of held-out score against iteration (benchmarks/stopping.py). A line search
that finds nothing lower while the gradient is large is a failure, not an end: most often the slope of a loss does not
belong to its value.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from ..typing import Array
from .cancellation import Cancelled, raise_if_cancelled
from .progress import Callback, Iteration

WINDOW, LEAST = 5, 15
"""Iterations over which the objective must fall, and how many are made before a fit that gains little may end."""

MEMORY = 10
"""Pairs of steps and gradient changes that L-BFGS keeps: more save evaluations, not time (benchmarks/conditioning)."""

STEEP, FIRST_STEEP = 1e-3, 1e-6
"""A line search has failed where the gradient is above this share of the objective; the first one, above the second."""


@dataclass(frozen=True)
class Solution:
    """Where a fit ended, how it got there, and the reason: "converged", "max_iter", "stopped" or "failed"."""

    theta: Array
    value: float
    trace: tuple[Iteration, ...]
    reason: str
    evaluations: int

    @property
    def converged(self) -> bool:
        """Whether it stopped because there was nothing left to gain."""
        return self.reason == "converged"


class DifferentiableObjective(Protocol):
    """What `solve` makes small: value and gradient at theta, and a count of how often it was asked."""

    @property
    def evaluations(self) -> int:
        """How often it was evaluated."""

    def __call__(self, theta: Array, /) -> tuple[float, Array]:
        """Value and gradient."""


class _Converged(Exception):  # noqa: N818 - a signal to leave SciPy's loop, not an error
    pass


class _NotFiniteError(Exception):
    """The objective has no value where the fit starts."""


def solve(
    objective: DifferentiableObjective,
    theta: Array,
    *,
    max_iter: int,
    tol: float,
    callback: Callback | None = None,
    score: Callable[[Array], float] | None = None,
) -> Solution:
    """The theta of least objective that L-BFGS finds from a start.

    >>> import mrwtd
    >>> from mrwtd.model.losses import LOSSES
    >>> from mrwtd.model.objective import Objective
    >>> objective = Objective(mrwtd.load_dataset("florentine"), [LOSSES["logistic"]] * 2, rank=2, lam=1.0)
    >>> start = np.random.default_rng(0).normal(size=objective.layout.size)
    >>> solve(objective, start, max_iter=200, tol=1e-5).converged
    True
    """
    began, trace, spent = time.perf_counter(), list[Iteration](), objective.evaluations
    latest: dict[str, Array | float] = {}
    watching = 0.0  # seconds that are not the fit's

    def value_and_gradient(point: Array) -> tuple[float, Array]:
        raise_if_cancelled()
        value, gradient = objective(point)
        if not np.isfinite(value):
            if not latest:
                raise _NotFiniteError
            return np.inf, gradient
        latest.update(value=value, gradient=gradient)
        return value, gradient

    def step(intermediate_result: object) -> None:
        nonlocal watching
        point: Array = intermediate_result.x  # type: ignore[attr-defined]
        value = float(intermediate_result.fun)  # type: ignore[attr-defined]
        reached = time.perf_counter()
        seen = Iteration(
            number=len(trace) + 1,
            objective=value,
            gradient_norm=float(np.linalg.norm(latest["gradient"])),
            seconds=reached - began - watching,
            score=None if score is None else score(point),
            theta=point,
        )
        watching += time.perf_counter() - reached
        trace.append(replace(seen, theta=None))
        latest["theta"] = point.copy()
        if callback is not None and callback(seen):
            raise Cancelled
        if len(trace) >= LEAST and trace[-1 - WINDOW].objective - value <= tol * max(abs(value), 1e-12):
            raise _Converged

    try:
        found = minimize(
            value_and_gradient,
            theta,
            jac=True,
            method="L-BFGS-B",
            callback=step,
            options={"maxiter": max_iter, "maxfun": 3 * max_iter + 20, "maxcor": MEMORY, "ftol": 1e-14, "gtol": 1e-9},
        )
        end, value = found.x, float(found.fun)
        reason = "max_iter" if found.status == 1 else "failed" if _failed(found) else "converged"
    except (_Converged, Cancelled) as why:
        if not trace:  # there is no iterate to keep
            raise
        end, value = np.asarray(latest["theta"]), trace[-1].objective
        reason = "stopped" if isinstance(why, Cancelled) else "converged"
    except _NotFiniteError:
        end, value, reason = theta, np.inf, "failed"
    return Solution(end, value, tuple(trace), reason, objective.evaluations - spent)


def _failed(result: OptimizeResult) -> bool:
    """Whether a line search found nothing lower although there is a slope to go down."""
    if not np.isfinite(result.fun):
        return True
    steep = STEEP if result.nit else FIRST_STEEP
    return bool(result.status != 0 and np.abs(result.jac).max(initial=0.0) > steep * max(abs(result.fun), 1.0))
