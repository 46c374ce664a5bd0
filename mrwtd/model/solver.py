"""L-BFGS on the packed vector theta: SciPy's L-BFGS-B with a trace, a callback and a stopping rule.

Two tests stop a fit that no longer improves: the objective fell by less than `tol` of itself over the last five
iterations, after at least fifteen (the first ones after a warm start gain little), or the gradient is zero. The default
of `tol` comes from measured curves of held-out score against iteration (benchmarks/stopping.py). A line search that
finds nothing lower while the gradient is large has failed: most often the slope of a loss is not the derivative of its
value.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from ..typing import Array
from .cancellation import Cancelled, raise_if_cancelled
from .progress import Callback, Iteration

WINDOW, MIN_ITERATIONS = 5, 15
"""The iterations over which the objective must fall, and the number of iterations before this test may end a fit."""

MEMORY = 10
"""Steps and gradient changes that L-BFGS stores: more of them save evaluations, not time (benchmarks/conditioning)."""

STEEP, FIRST_STEEP = 1e-3, 1e-6
"""A line search has failed if the gradient is above this fraction of the objective; the first one, the second."""

NO_FALL = 1e-12
"""A fit that ends less than this fraction below its start has not left its first line search."""


@dataclass(frozen=True)
class SolverOptions:
    """How a problem is solved.

    Attributes:
        max_iter: the maximum number of iterations.
        tol: the fit ends when the objective falls by less than this fraction of itself in five iterations.
        callback: gets each iteration; returning True stops.
        score: the held-out score of a solution, for the trace.
    """

    max_iter: int
    tol: float
    callback: Callback | None = None
    score: Callable[..., float] | None = None


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
        """Whether it ended because it no longer improved."""
        return self.reason == "converged"


class DifferentiableObjective(Protocol):
    """A function that `solve` minimizes, with a count of its evaluations."""

    evaluations: int

    def __call__(self, theta: Array, /) -> tuple[float, Array]:
        """Value and gradient."""


class _Converged(Exception):  # noqa: N818 - a signal to leave SciPy's loop, not an error
    pass


class _NotFiniteError(Exception):
    """The objective has no value where the fit starts."""


def solve(objective: DifferentiableObjective, theta: Array, options: SolverOptions) -> Solution:
    """Minimize the objective by L-BFGS, starting at theta.

    >>> import mrwtd
    >>> from mrwtd.model.losses import LOSSES
    >>> from mrwtd.model.objective import Objective
    >>> objective = Objective(mrwtd.load_dataset("florentine"), [LOSSES["logistic"]] * 2, rank=2, lam=1.0)
    >>> start = np.random.default_rng(0).normal(size=objective.layout.size)
    >>> solve(objective, start, SolverOptions(max_iter=200, tol=1e-5)).converged
    True
    """
    start_time, trace, evaluations = time.perf_counter(), list[Iteration](), objective.evaluations
    latest: dict[str, Array | float] = {}
    scoring_seconds = 0.0  # not part of the time of the fit

    def value_and_gradient(point: Array) -> tuple[float, Array]:
        raise_if_cancelled()
        value, gradient = objective(point)
        if not np.isfinite(value):
            if not latest:
                raise _NotFiniteError
            return np.inf, gradient
        latest.setdefault("first", value)
        latest.update(value=value, gradient=gradient)
        return value, gradient

    def step(intermediate_result: object) -> None:
        nonlocal scoring_seconds
        point: Array = intermediate_result.x  # type: ignore[attr-defined]
        value = float(intermediate_result.fun)  # type: ignore[attr-defined]
        now = time.perf_counter()
        iteration = Iteration(
            number=len(trace) + 1,
            objective=value,
            gradient_norm=float(np.linalg.norm(latest["gradient"])),
            seconds=now - start_time - scoring_seconds,
            score=None if options.score is None else options.score(point),
            theta=point,
        )
        scoring_seconds += time.perf_counter() - now
        trace.append(replace(iteration, theta=None))
        latest["theta"] = point.copy()
        if options.callback is not None and options.callback(iteration):
            raise Cancelled
        fall = trace[-1 - WINDOW].objective - value if len(trace) >= MIN_ITERATIONS else np.inf
        if fall <= options.tol * max(abs(value), 1e-12):
            raise _Converged

    try:
        result = minimize(
            value_and_gradient,
            theta,
            jac=True,
            method="L-BFGS-B",
            callback=step,
            options={
                "maxiter": options.max_iter, "maxfun": 3 * options.max_iter + 20, "maxcor": MEMORY, "ftol": 1e-14,
                "gtol": 1e-9,
            },
        )  # fmt: skip
        end, value = result.x, float(result.fun)
        failed = result.status != 1 and _failed(result, float(latest["first"]))
        reason = "max_iter" if result.status == 1 else "failed" if failed else "converged"
    except (_Converged, Cancelled) as signal:
        if not trace:  # there is no iterate to return
            raise
        end, value = np.asarray(latest["theta"]), trace[-1].objective
        reason = "stopped" if isinstance(signal, Cancelled) else "converged"
    except _NotFiniteError:
        end, value, reason = theta, np.inf, "failed"
    return Solution(end, value, tuple(trace), reason, objective.evaluations - evaluations)


def _failed(result: OptimizeResult, first: float) -> bool:
    """Whether a line search found nothing lower although there is a slope to go down.

    SciPy's status is not 0 then. But it is 0 if rounding ended the first line search, at the value `first`.
    """
    if not np.isfinite(result.fun):
        return True
    at_start = result.nit == 0 or first - result.fun <= NO_FALL * abs(first)
    if result.status == 0 and not at_start:
        return False
    steep = FIRST_STEEP if at_start else STEEP
    return bool(np.abs(result.jac).max(initial=0.0) > steep * max(abs(result.fun), 1.0))
