"""The search for λ on held-out training entries, from large to small in half decades.

A quarter of the training entries of each relation is held out, and nothing is learned from it: a trial takes even the
mean and deviation of values from its fitted part. Every λ starts from the solution of the one before, or from the
common start while that one has collapsed to zero, because zero attracts: nothing leaves it again. The search ends once
two values in a row are clearly below the best. Small data sets are held out from twice and the scores averaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.relational import RelationalData
from .layout import Factors
from .objective import Objective
from .stopping import Stopped

Array = npt.NDArray[np.float64]

GRID = tuple(float(f"{10.0**e:.4g}") for e in np.arange(3, -3.01, -0.5))
"""Half decades from 1000 down to 0.001."""

HELD_OUT = 0.25
SMALL = 100_000
"""Training entries below which two hold-outs are affordable, and needed."""

CLEARLY_BELOW, EQUAL = 0.03, 0.002
"""Shares of the best score: a fall that ends the search, and a gain that is none."""

COLLAPSED, NOISE = 1e-3, 1e-5
"""A fit whose reconstruction varies by less than the first has collapsed to zero; below the second it ranks nothing."""


@dataclass(frozen=True)
class Attempt:
    """What a fit at one λ came to: where the next one may start, and its score on the held-out entries.

    `keep` makes it what the method has learned.
    """

    state: Any
    score: float
    collapsed: bool
    stopped: bool
    evaluations: int = 0
    keep: Callable[[], None] = lambda: None


Trial = Callable[[float, Any, str], Attempt]
"""One hold-out: fits at a λ, from the state of an attempt before or from its own start (None), in a named stage."""


@dataclass(frozen=True)
class Found:
    """The chosen λ, the path that led to it, whether the user stopped the search, and its best fit."""

    lam: float
    path: pd.DataFrame
    stopped: bool
    best: Attempt


class Searching(Protocol):
    """A method with a λ that is given or "auto"."""

    lam: float | str
    seed: int
    lam_: float
    lam_path_: pd.DataFrame


def fit_at_best(
    model: Searching,
    train: RelationalData,
    trial: Callable[[RelationalData, RelationalData], Trial],
    fit: Callable[[], None],
) -> None:
    """Set the λ that is given, or for "auto" that of a search with a trial for each (fitted, held out), and fit.

    Where the user stops the search, or the fit before it has come to anything, the search's best fit is what is kept.

    >>> import mrwtd
    >>> model = mrwtd.MrWTD(lam=2)
    >>> fit_at_best(model, mrwtd.load_dataset("florentine"), lambda fitted, held: None, lambda: None)
    >>> model.lam_
    2.0
    """
    if model.lam != "auto":
        model.lam_, model.lam_path_ = float(model.lam), pd.DataFrame(columns=["lam", "score", "collapsed"])
        fit()
    elif (lam := _searched(model, train, trial)) is not None:
        kept = vars(model).copy()
        model.lam_ = lam
        try:
            fit()
        except Stopped:
            vars(model).clear()
            vars(model).update(kept)


def _searched(
    model: Searching, train: RelationalData, trial: Callable[[RelationalData, RelationalData], Trial]
) -> float | None:
    """The λ of a search, whose best fit the model then has; None where it was stopped. All else of it is let go."""
    found = search([trial(fitted, held) for fitted, held in hold_outs(train, model.seed)])
    found.best.keep()
    model.lam_path_ = found.path
    return None if found.stopped else found.lam


def search(trials: list[Trial], grid: tuple[float, ...] = GRID) -> Found:
    """The λ of the best mean held-out score."""
    rows: list[dict[str, float | bool | int]] = []
    warm: list[Any] = [None] * len(trials)
    best: Attempt | None = None
    stopped, top = False, -np.inf
    for lam in grid:
        try:
            tried = _tried(trials, lam, warm)
        except Stopped:
            if best is None:
                raise
            stopped = True
            break
        scores = [one.score for one in tried]
        score, stopped = float(np.mean(scores)), tried[-1].stopped
        rows.append(
            {
                "lam": lam,
                "score": score,
                "sd": float(np.std(scores)),
                "collapsed": all(one.collapsed for one in tried),
                "evaluations": sum(one.evaluations for one in tried),
            }
        )
        warm[: len(tried)] = [None if one.collapsed else one.state for one in tried]
        if best is None or best.collapsed or (score > top and not tried[0].collapsed):
            best, top = tried[0], -np.inf if np.isnan(score) else score
        if stopped or _passed_peak(rows):
            break
    assert best is not None  # the grid is not empty
    path = pd.DataFrame(rows)
    return Found(top_of(path), path, stopped, best)


def _tried(trials: list[Trial], lam: float, warm: list[Any]) -> list[Attempt]:
    """The attempts at one λ, a hold-out each."""
    tried: list[Attempt] = []
    for trial, before in zip(trials, warm, strict=True):
        try:
            tried.append(trial(lam, before, f"λ = {lam:g}"))
        except Stopped:
            if not tried:
                raise
            tried[-1] = replace(tried[-1], stopped=True)
        if tried[-1].stopped or tried[0].collapsed:  # a second look at a collapsed fit would cost time and tell nothing
            break
    return tried


def hold_outs(train: RelationalData, seed: int) -> list[tuple[RelationalData, RelationalData]]:
    """(fitted, held out) parts of the training entries.

    >>> import mrwtd
    >>> [(len(a), len(b)) for a, b in hold_outs(mrwtd.load_dataset("florentine"), seed=0)]
    [(158, 52), (158, 52)]
    """
    times = 2 if len(train) < SMALL else 1
    parts = (train.split(train=1 - HELD_OUT, seed=seed + 1000 + turn) for turn in range(times))
    return [(fitted, held) for fitted, held in parts]


def collapsed(objective: Objective, theta: Array) -> bool:
    """Whether A or R has shrunk to nothing, so that every prediction is the bias."""
    return vanished(objective.layout.unpack(theta))


def vanished(factors: Factors, below: float = COLLAPSED) -> bool:
    """Whether A R_k Aᵀ is next to nothing in every relation.

    >>> vanished(Factors(np.full((3, 2), 0.01), np.ones((1, 2, 2)), ()))
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
    return replace(factors, A=np.zeros_like(factors.A)) if vanished(factors, NOISE) else factors


def top_of(path: pd.DataFrame) -> float:
    """The λ of the best score. Of scores that are practically equal, the largest λ: the simpler model.

    No curve is drawn through the path: towards collapse it falls off a cliff, and a smooth top would lean away from it.

    >>> top_of(pd.DataFrame({"lam": [10.0, 1.0, 0.1], "score": [0.4, 0.5, 0.5001], "collapsed": False}))
    1.0
    """
    alive = path[~path["collapsed"].astype(bool) & path["score"].notna()]
    if alive.empty:
        # Everything collapsed, or nothing could be scored: the least λ does the least harm.
        return float(path["lam"].min()) if path["collapsed"].all() else 1.0
    best = alive["score"].max()
    return float(alive.loc[alive["score"] >= best - _slack(best, EQUAL), "lam"].max())


def _passed_peak(rows: list[dict[str, float | bool | int]]) -> bool:
    """Two values clearly below the best, or three without a gain worth the name."""
    alive = [float(row["score"]) for row in rows if not row["collapsed"]]
    if len(alive) < 3:
        return False
    best = max(alive)
    fallen = all(score < best - _slack(best, CLEARLY_BELOW) for score in alive[-2:])
    flat = len(alive) > 3 and max(alive[-3:]) <= max(alive[:-3]) + _slack(best, EQUAL)
    return fallen or flat


def _slack(best: float, share: float) -> float:
    return share * max(abs(best), 0.05)
