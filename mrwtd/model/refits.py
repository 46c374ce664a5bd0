"""The refits of an ensemble: one after the other, or in several processes."""

import time
from collections.abc import Iterable
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from threadpoolctl import threadpool_limits

from ..typing import Array
from .cancellation import Cancelled, is_cancelled
from .objective import Objective
from .progress import Callback, Stage, with_stage
from .solver import Solution, SolverOptions, solve
from .threads import limit_threads

POLL_SECONDS = 0.5
"""Seconds between two checks for cancellation."""

Member = tuple[Objective, Array]
"""The objective of a refit, and its start."""


def refit(
    members: Iterable[Member], total: int, options: SolverOptions, callback: Callback | None, n_jobs: int
) -> list[Solution]:
    """The solutions of all members, or of those before the callback or the user stopped.

    In this process the callback gets each iteration; from other processes, the last one of each member. Both ways have
    the same solutions.

    >>> refit([], 0, SolverOptions(max_iter=10, tol=1e-4), None, n_jobs=1)
    []
    """
    if n_jobs > 1:
        return _in_processes(members, total, options, callback, n_jobs)
    solutions: list[Solution] = []
    with suppress(Cancelled):
        for number, (objective, start) in enumerate(members, 1):
            stage = Stage("refit", number, total)
            solution = solve(objective, start, replace(options, callback=with_stage(callback, stage)))
            if solution.reason == "stopped":
                break
            solutions.append(solution)
    return solutions


def _in_processes(
    members: Iterable[Member], total: int, options: SolverOptions, callback: Callback | None, n_jobs: int
) -> list[Solution]:
    from joblib.externals.loky import ProcessPoolExecutor

    solutions, waiting = list[Solution](), iter(members)
    pool = ProcessPoolExecutor(n_jobs)
    futures = list[Future[Solution]]()
    try:
        futures += [pool.submit(_solve, *member, options) for member in islice(waiting, n_jobs)]
        while futures and not is_cancelled():
            if not wait(futures[:1], timeout=POLL_SECONDS).done:
                continue
            solution = futures.pop(0).result()
            solutions.append(solution)
            last = replace(solution.trace[-1], stage=Stage("refit", len(solutions), total)) if solution.trace else None
            if callback is not None and last is not None and callback(last):
                break
            # No more members than processes, so that none waits in the pool.
            futures += [pool.submit(_solve, *member, options) for member in islice(waiting, 1)]
    except Cancelled:  # while a member was initialized
        pass
    finally:
        # A pool that is shut down while a member waits fails in a background thread.
        while not all(future.running() or future.done() for future in futures):
            time.sleep(0.01)
        pool.shutdown(wait=True, kill_workers=True)
    return solutions


def _solve(objective: Objective, start: Array, options: SolverOptions) -> Solution:
    with limit_threads(1), threadpool_limits(1, "blas"):  # the other cores have other members
        return solve(objective, start, options)
