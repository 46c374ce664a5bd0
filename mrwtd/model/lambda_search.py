"""The search for λ on held-out training entries, from large to small in half decades.

A quarter of the training entries of each relation is held out, and nothing is learned from it: a trial takes even the
mean and deviation of values from its fitted part. Every λ starts from the solution of the one before, unless that one
has collapsed to zero or lost some of its factors: zero attracts, and nothing leaves it again. In small data sets two
or all four quarters are held out in turn, and scored together. Every fit goes on until it no longer gains.

The noise of a difference of held-out scores is estimated by leaving out random parts of the held-out entries. The
search ends once three values in a row are below the best by more than that, and do not rise again: a path may have a
second top behind a dip. Of scores whose difference from the best is within half its standard error, the largest λ is
chosen. The fit to all training entries gets there by the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..typing import Array
from .cancellation import Cancelled, raise_if_cancelled
from .diagnostics import Diagnostic
from .lambda_grid import GRID
from .layout import Factors
from .objective import Objective
from .progress import Stage
from .validation_splits import Scorer, ValidationSplit, standard_error, validation_splits

BELOW, LEAST_FALL = 3, 0.02
"""This many values in a row end the search, if each is below the best by this share of it, and by more than the noise.

Noise is the standard error of the difference: all values are scored on the same entries."""

EQUAL, STANDARD_ERRORS = 0.002, 0.5
"""Scores are equal within this share of the best, or this many standard errors of the difference if that is more."""

MORE_ITERATIONS = 10
"""Fits of a search, and the fit after it, may take this many times `max_iter`."""

COARSER, FINER = 4.0, 0.1
"""Fits of a search end at this multiple of `tol`, which moves no choice; the fit after it at the second."""

COLLAPSED, NOISE = 1e-3, 1e-5
"""A fit whose reconstruction varies by less than the first has collapsed to zero; below the second it ranks nothing."""

USUAL = 1.0
"""Where nothing can be scored, the largest λ up to this that does not collapse."""


@dataclass(frozen=True)
class TrialResult:
    """The result of a fit at one λ.

    Attributes:
        state: the solution.
        predictions: for the held-out entries, as `hold_outs.Scorer` takes them.
        collapsed: whether nothing but biases is left.
        stopped: whether the user stopped it.
        finished: whether it ended because there was nothing left to gain.
        resumable: whether the next λ may start from it.
        evaluations: how often the objective was computed.
        keep: makes it what the method has learned.
    """

    state: Any
    predictions: Array
    collapsed: bool
    stopped: bool
    finished: bool = True
    resumable: bool = True
    evaluations: int = 0
    keep: Callable[[], None] = lambda: None


Trial = Callable[[float, Any, Stage], TrialResult]
"""One hold-out: fits at a λ, from the state of an attempt before or from its own start (None), in a named stage."""


@dataclass(frozen=True)
class SearchResult:
    """The chosen λ, the path that led to it, whether the user stopped the search, and its best fit."""

    lam: float
    path: pd.DataFrame
    stopped: bool
    best: TrialResult
    steps: tuple[float, ...] = ()
    """How the first hold-out came to the chosen λ, the last of them: each fit started from the one before."""


class Searching(Protocol):
    """A method with a λ that is given or "auto"."""

    lam: float | str
    seed: int
    lam_: float
    lam_path_: pd.DataFrame
    diagnostics_: tuple[Diagnostic, ...]


def fit_with_search(
    model: Searching,
    train: RelationalData,
    trial: Callable[[ValidationSplit], Trial],
    fit: Callable[[Any], None],
) -> None:
    """Set the λ that is given, or for "auto" that of a search with a trial for each hold-out, and fit.

    `fit` gets a state to start from, that of the step before λ, or None. Where the user stops the search, or the fit
    before it has come to anything, the search's best fit is what is kept.

    >>> import mrwtd
    >>> model = mrwtd.MrWTD(lam=2)
    >>> fit_with_search(model, mrwtd.load_dataset("florentine"), lambda hold_out: None, lambda state: None)
    >>> model.lam_
    2.0
    """
    if model.lam != "auto":
        model.lam_, model.lam_path_ = float(model.lam), pd.DataFrame(columns=["lam", "score", "collapsed"])
        fit(None)
        return
    parts = validation_splits(train, model.seed)
    scorer = Scorer(parts, model.seed)
    result = search([trial(part) for part in parts], scorer)
    result.best.keep()
    model.lam_path_ = result.path
    if result.stopped:
        return
    kept = vars(model).copy()
    model.lam_ = result.lam
    try:
        state, evaluations = _followed(trial(ValidationSplit(train, train.subset([]))), result.steps)
        fit(state)
    except Cancelled:
        vars(model).clear()
        vars(model).update(kept)
        return
    if hasattr(model, "evaluations_"):
        model.evaluations_ += evaluations
    model.diagnostics_ = (*model.diagnostics_, *_check_path(result.path, scorer.constant()))


def _check_path(path: pd.DataFrame, constant: float) -> list[Diagnostic]:
    """What to report about the scores of a search, beside that of a constant."""
    alive = path.loc[~path["collapsed"].astype(bool), "score"]
    if len(alive) and alive.isna().all():
        return [Diagnostic("lambda_not_scored")]
    return [Diagnostic("no_lambda_helps")] if alive.max() <= constant else []


def _followed(trial: Trial, steps: tuple[float, ...]) -> tuple[Any, int]:
    """The state of all entries at the step before the last, or None where that is the first; and its evaluations."""
    state, evaluations = None, 0
    for lam in steps[:-1]:
        raise_if_cancelled()
        attempt = trial(lam, state, Stage("path", lam=lam))
        if attempt.stopped:
            raise Cancelled
        state = attempt.state if attempt.resumable and not attempt.collapsed else None
        evaluations += attempt.evaluations
    raise_if_cancelled()
    return state, evaluations


def search(
    trials: list[Trial], scorer: Callable[[list[Array]], tuple[float, Array]], grid: tuple[float, ...] = GRID
) -> SearchResult:
    """The λ of the best held-out score."""
    rows: list[dict[str, float | bool | int]] = []
    warm: list[Any] = [None] * len(trials)
    steps: dict[float, tuple[float, ...]] = {}
    before: tuple[float, ...] = ()
    parts: dict[float, Array] = {}
    best: TrialResult | None = None
    stopped, top = False, -np.inf
    for lam in grid:
        try:
            tried = _tried(trials, lam, warm)
        except Cancelled:
            if best is None:
                raise
            stopped = True
            break
        score, parts[lam] = scorer([one.predictions for one in tried])
        if len(tried) < len(trials) and not tried[0].collapsed:
            score = float("nan")  # stopped between hold-outs: a score of some entries is no match for one of all
        stopped = tried[-1].stopped
        rows.append(
            {
                "lam": lam,
                "score": score,
                "noise": standard_error(parts[lam]),
                "collapsed": all(one.collapsed for one in tried),
                "finished": all(one.finished for one in tried),
                "evaluations": sum(one.evaluations for one in tried),
            }
        )
        warm[: len(tried)] = [one.state if one.resumable and not one.collapsed else None for one in tried]
        steps[lam] = (*before, lam)
        before = () if warm[0] is None else steps[lam]
        if best is None or best.collapsed or (score > top and not tried[0].collapsed):
            best, top = tried[0], -np.inf if np.isnan(score) else score
        if stopped or _passed_peak(rows, parts):
            break
    assert best is not None  # the grid is not empty
    path = pd.DataFrame(rows)
    lam = top_of(path, parts)
    return SearchResult(lam, path, stopped, best, steps.get(lam, (lam,)))


def _tried(trials: list[Trial], lam: float, warm: list[Any]) -> list[TrialResult]:
    """The attempts at one λ, a hold-out each."""
    tried: list[TrialResult] = []
    for trial, before in zip(trials, warm, strict=True):
        try:
            tried.append(trial(lam, before, Stage("search", lam=lam)))
        except Cancelled:
            if not tried:
                raise
            tried[-1] = replace(tried[-1], stopped=True)
        if tried[-1].stopped or tried[0].collapsed:  # a second look at a collapsed fit would cost time and tell nothing
            break
    return tried


def collapsed(objective: Objective, theta: Array) -> bool:
    """Whether A or R has shrunk to nothing, so that every prediction is the bias."""
    return is_degenerate(objective.layout.unpack(theta))


def is_degenerate(factors: Factors, below: float = COLLAPSED) -> bool:
    """Whether A R_k Aᵀ is next to nothing in every relation.

    >>> is_degenerate(Factors(np.full((3, 2), 0.01), np.ones((1, 2, 2)), ()))
    True
    """
    # ‖a‖ ‖R‖ ‖a‖ bounds x − b from above; the root mean square of rows stands for a typical object.
    size = float(np.mean(factors.A**2)) * factors.rank * float(np.abs(factors.R).max(initial=0.0))
    return size < below


def without_noise(factors: Factors) -> Factors:
    """The factors, or zeros where nothing but rounding is left of them: objects would be ranked by it.

    >>> without_noise(Factors(np.full((3, 2), 1e-40), np.ones((1, 2, 2)), ())).A.any()
    np.False_
    """
    return replace(factors, A=np.zeros_like(factors.A)) if is_degenerate(factors, NOISE) else factors


def top_of(path: pd.DataFrame, parts: Mapping[float, Array] | None = None) -> float:
    """The λ of the best score. Of scores that are as good within the noise, the largest λ: the simpler model.

    `parts` are the scores without each part of the held-out entries, by λ.

    Fits that were cut while they still gained are no match for those that ended: they count where no other does.
    No curve is drawn through the path: towards collapse it falls off a cliff, and a smooth top would lean away from it.

    >>> top_of(pd.DataFrame({"lam": [10.0, 1.0, 0.1], "score": [0.4, 0.5, 0.5001], "collapsed": False}))
    1.0
    """
    alive = path[~path["collapsed"].astype(bool) & path["score"].notna()]
    if alive.empty:
        # Everything collapsed: the least λ does the least harm. Nothing could be scored: one of usual size.
        left = path.loc[~path["collapsed"].astype(bool), "lam"]
        usual = left[left <= USUAL]
        return float(path["lam"].min() if left.empty else left.min() if usual.empty else usual.max())
    if "finished" in path and alive["finished"].any():
        alive = alive[alive["finished"].astype(bool)]
    scores: dict[float, float] = dict(zip(alive["lam"].tolist(), alive["score"].tolist(), strict=True))
    best = max(scores, key=lambda lam: scores[lam])

    def as_good(lam: float) -> bool:
        noise = STANDARD_ERRORS * _noise_between(best, lam, parts)
        return scores[lam] >= scores[best] - max(_slack(scores[best], EQUAL), noise)

    return max(lam for lam in scores if as_good(lam))


def _noise_between(one: float, other: float, parts: Mapping[float, Array] | None) -> float:
    """The standard error of the difference of the scores of two λ, which were measured on the same entries."""
    return 0.0 if parts is None else float(np.nan_to_num(standard_error(parts[one] - parts[other])))


def _passed_peak(rows: list[dict[str, float | bool | int]], parts: Mapping[float, Array]) -> bool:
    """Whether the last values are below the best by more than noise, and do not rise again."""
    alive = [row for row in rows if not row["collapsed"] and not np.isnan(row["score"])]
    if any(row["finished"] for row in alive):  # fits that still improve are not compared with finished ones
        alive = [row for row in alive if row["finished"]]
    if len(alive) <= BELOW:
        return False
    best = max(alive, key=lambda row: row["score"])
    if np.isnan(best["noise"]):  # too few entries to tell a fall from chance
        return False
    last = alive[-BELOW:]
    if last[-1]["score"] > min(row["score"] for row in last) + _slack(best["score"], EQUAL):
        return False
    least = _slack(best["score"], LEAST_FALL)
    falls = ((best["score"] - row["score"], _noise_between(best["lam"], row["lam"], parts)) for row in last)
    return all(fall > max(least, noise) for fall, noise in falls)


def _slack(best: float, share: float) -> float:
    return share * max(abs(best), 0.05)
