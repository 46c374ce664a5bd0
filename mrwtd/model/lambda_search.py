"""The search for λ on held-out training entries, from large to small in half decades.

A quarter of the training entries of each relation is held out, and nothing is learned from it: a trial computes even
the mean and deviation of values from its fitted part. Each λ starts from the solution of the previous one, unless that
one has collapsed to zero or lost some of its factors: zero attracts, and no fit leaves it. In small data sets two or
all four quarters are held out in turn and scored together. Every fit continues until it no longer improves.

The noise of a difference of held-out scores is estimated by leaving out random parts of the held-out entries. The
search ends once three values in a row are below the best by more than that and do not rise again: a path may have a
second peak behind a dip. The result is the largest λ whose score differs from the best by at most half the standard
error. The fit to all training entries follows the same path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from ..typing import Array
from .cancellation import Cancelled, raise_if_cancelled
from .diagnostics import Diagnostic
from .lambda_grid import GRID
from .layout import Factors
from .progress import Stage
from .validation_splits import standard_error

BELOW, LEAST_FALL = 3, 0.02
"""This many values in a row end the search if each is below the best by this fraction of it and by more than the noise.

Noise is the standard error of the difference: all values are scored on the same entries."""

EQUAL, STANDARD_ERRORS = 0.002, 0.5
"""Scores are equal within this fraction of the best, or this many standard errors of the difference if that is more."""

MORE_ITERATIONS = 10
"""Fits of a search and the fit after it may take this many times `max_iter`: the user has not chosen λ, and so not how
slowly they converge."""

COARSER, FINER = 4.0, 0.1
"""Multiples of `tol` for the fits of a search, where more exact fits change no choice, and for the fit after it."""

COLLAPSED, NOISE = 1e-3, 1e-5
"""A fit whose reconstruction varies by less than the first has collapsed to zero; below the second it is rounding."""

USUAL = 1.0
"""If nothing can be scored, the result is the largest λ up to this that does not collapse."""


@dataclass(frozen=True)
class TrialResult:
    """The result of a fit at one λ.

    Attributes:
        state: the solution.
        predictions: for the held-out entries, as `validation_splits.Scorer` takes them.
        collapsed: whether nothing but biases is left.
        stopped: whether the user stopped it.
        finished: whether it ended because it no longer improved.
        resumable: whether the next λ may start from it.
        evaluations: the number of evaluations of the objective.
        store: sets the learned attributes of the method.
    """

    state: Any
    predictions: Array
    collapsed: bool
    stopped: bool
    finished: bool = True
    resumable: bool = True
    evaluations: int = 0
    store: Callable[[], None] = lambda: None

    @property
    def next_start(self) -> Any:
        """The start of the next λ; None for the method's own."""
        return self.state if self.resumable and not self.collapsed else None


Trial = Callable[[float, Any, Stage], TrialResult]
"""The fit of one validation split at a λ, from the state of an earlier result or its own start (None), in a stage."""


@dataclass(frozen=True)
class SearchResult:
    """The chosen λ, the path that led to it, whether the user stopped the search, and its best fit."""

    lam: float
    path: pd.DataFrame
    stopped: bool
    best: TrialResult
    steps: tuple[float, ...] = ()
    """The path of the first validation split to the chosen λ, which is the last: each fit started from the previous."""

    parts: Array = field(default_factory=lambda: np.array([np.nan]))
    """The scores at the chosen λ without each part of the held-out entries."""

    @property
    def score(self) -> float:
        """The held-out score at the chosen λ; NaN if it collapsed or cannot be scored."""
        chosen = self.path[(self.path["lam"] == self.lam) & ~self.path["collapsed"].astype(bool)]
        return float(chosen["score"].iloc[0]) if len(chosen) else float("nan")


def with_option(trial: Trial, option: str) -> Trial:
    """The trial, whose stages state the option."""
    return lambda lam, start, stage: trial(lam, start, replace(stage, option=option))


def check_path(path: pd.DataFrame, constant: float) -> list[Diagnostic]:
    """The diagnostics of a search, given the score of a constant prediction."""
    alive = path.loc[~path["collapsed"].astype(bool), "score"]
    if len(alive) and alive.isna().all():
        return [Diagnostic("lambda_not_scored")]
    return [Diagnostic("no_lambda_helps")] if alive.max() <= constant else []


def follow(trial: Trial, steps: tuple[float, ...]) -> tuple[Any, int]:
    """The state of all entries before the last step, or None if that is the first; and the number of evaluations."""
    state, evaluations = None, 0
    for lam in steps[:-1]:
        raise_if_cancelled()
        result = trial(lam, state, Stage("path", lam=lam))
        if result.stopped:
            raise Cancelled
        state = result.next_start
        evaluations += result.evaluations
    raise_if_cancelled()
    return state, evaluations


def search(
    trials: list[Trial], scorer: Callable[[list[Array]], tuple[float, Array]], grid: tuple[float, ...] = GRID
) -> SearchResult:
    """Find the λ of the best held-out score."""
    rows: list[dict[str, float | bool | int]] = []
    starts: list[Any] = [None] * len(trials)
    steps: dict[float, tuple[float, ...]] = {}
    previous: tuple[float, ...] = ()
    parts: dict[float, Array] = {}
    best: TrialResult | None = None
    stopped, best_score = False, -np.inf
    for lam in grid:
        try:
            results = _run_trials(trials, lam, starts)
        except Cancelled:
            if best is None:
                raise
            stopped = True
            break
        score, parts[lam] = scorer([result.predictions for result in results])
        if len(results) < len(trials) and not results[0].collapsed:
            score = float("nan")  # stopped between splits: a score of some entries cannot be compared with one of all
        stopped = results[-1].stopped
        rows.append(
            {
                "lam": lam,
                "score": score,
                "noise": standard_error(parts[lam]),
                "collapsed": all(result.collapsed for result in results),
                "finished": all(result.finished for result in results),
                "evaluations": sum(result.evaluations for result in results),
            }
        )
        starts[: len(results)] = [result.next_start for result in results]
        steps[lam] = (*previous, lam)
        previous = () if starts[0] is None else steps[lam]
        if best is None or best.collapsed or (score > best_score and not results[0].collapsed):
            best, best_score = results[0], -np.inf if np.isnan(score) else score
        if stopped or _passed_peak(rows, parts):
            break
    assert best is not None  # the grid is not empty
    path = pd.DataFrame(rows)
    lam = best_lam(path, parts)
    return SearchResult(lam, path, stopped, best, steps.get(lam, (lam,)), parts[lam])


def _run_trials(trials: list[Trial], lam: float, starts: list[Any]) -> list[TrialResult]:
    """The results at one λ, one per validation split."""
    results: list[TrialResult] = []
    for trial, start in zip(trials, starts, strict=True):
        try:
            results.append(trial(lam, start, Stage("search", lam=lam)))
        except Cancelled:
            if not results:
                raise
            results[-1] = replace(results[-1], stopped=True)
        if results[-1].stopped or results[0].collapsed:  # a second collapsed fit would add nothing
            break
    return results


def is_degenerate(factors: Factors, below: float = COLLAPSED) -> bool:
    """Whether A R_k Aᵀ is close to zero in every relation, so that every prediction is the bias.

    >>> is_degenerate(Factors(np.full((3, 2), 0.01), np.ones((1, 2, 2)), ()))
    True
    """
    # ‖a‖ ‖R‖ ‖a‖ is an upper bound of x − b; the root mean square of rows is that of a typical object.
    size = float(np.mean(factors.A**2)) * factors.rank * float(np.abs(factors.R).max(initial=0.0))
    return size < below


def without_noise(factors: Factors) -> Factors:
    """The factors, or zeros if they are nothing but rounding errors, which must not rank objects.

    >>> without_noise(Factors(np.full((3, 2), 1e-40), np.ones((1, 2, 2)), ())).A.any()
    np.False_
    """
    return replace(factors, A=np.zeros_like(factors.A)) if is_degenerate(factors, NOISE) else factors


def best_lam(path: pd.DataFrame, parts: Mapping[float, Array] | None = None) -> float:
    """The largest λ, of the simplest model, whose score equals the best one within the noise.

    `parts` are the scores without each part of the held-out entries, by λ.

    Fits that were cut while they still improved count only if no fit ended by itself. No curve is fitted to the path:
    towards collapse it falls off a cliff, and a smooth peak would be too far from it.

    >>> best_lam(pd.DataFrame({"lam": [10.0, 1.0, 0.1], "score": [0.4, 0.5, 0.5001], "collapsed": False}))
    1.0
    """
    alive = path[~path["collapsed"].astype(bool) & path["score"].notna()]
    if alive.empty:
        # If everything collapsed, the smallest λ does the least harm. If nothing could be scored, one of usual size.
        lams = path.loc[~path["collapsed"].astype(bool), "lam"]
        usual = lams[lams <= USUAL]
        return float(path["lam"].min() if lams.empty else lams.min() if usual.empty else usual.max())
    if "finished" in path and alive["finished"].any():
        alive = alive[alive["finished"].astype(bool)]
    scores: dict[float, float] = dict(zip(alive["lam"].tolist(), alive["score"].tolist(), strict=True))
    best = max(scores, key=lambda lam: scores[lam])

    def as_good(lam: float) -> bool:
        noise = 0.0 if parts is None else STANDARD_ERRORS * noise_between(parts[best], parts[lam])
        return scores[lam] >= scores[best] - max(_slack(scores[best], EQUAL), noise)

    return max(lam for lam in scores if as_good(lam))


def noise_between(parts: Array, others: Array) -> float:
    """The standard error of the difference of two scores of the same entries, from those without each part."""
    return float(np.nan_to_num(standard_error(parts - others)))


def _passed_peak(rows: list[dict[str, float | bool | int]], parts: Mapping[float, Array]) -> bool:
    """Whether the last values are below the best by more than the noise, and do not rise again."""
    alive = [row for row in rows if not row["collapsed"] and not np.isnan(row["score"])]
    if any(row["finished"] for row in alive):  # fits that still improve are not compared with finished ones
        alive = [row for row in alive if row["finished"]]
    if len(alive) <= BELOW:
        return False
    best = max(alive, key=lambda row: row["score"])
    if np.isnan(best["noise"]):  # too few entries to distinguish a fall from chance
        return False
    last = alive[-BELOW:]
    if last[-1]["score"] > min(row["score"] for row in last) + _slack(best["score"], EQUAL):
        return False
    least = _slack(best["score"], LEAST_FALL)
    falls = ((best["score"] - row["score"], noise_between(parts[best["lam"]], parts[row["lam"]])) for row in last)
    return all(fall > max(least, noise) for fall, noise in falls)


def _slack(best: float, fraction: float) -> float:
    return fraction * max(abs(best), 0.05)
