"""The search for λ on held-out training entries, from large to small in half decades.

A quarter of the training entries of each relation is held out, and nothing is learned from it: a trial takes even the
mean and deviation of values from its fitted part. Every λ starts from the solution of the one before, or from the
common start while that one has collapsed to zero, because zero attracts: nothing leaves it again. The search ends once
two values in a row are clearly below the best. Small data sets are held out from twice and the scores averaged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from ..data.relational import RelationalData
from .layout import Factors
from .objective import Objective
from .stopping import leave

Array = npt.NDArray[np.float64]

GRID = tuple(float(f"{10.0**e:.4g}") for e in np.arange(3, -3.01, -0.5))
"""Half decades from 1000 down to 0.001."""

HELD_OUT = 0.25
SMALL = 100_000
"""Training entries below which two hold-outs are affordable, and needed."""

CLEARLY_BELOW, EQUAL = 0.03, 0.002
"""Shares of the best score: a fall that ends the search, and a gain that is none."""

COLLAPSED = 1e-3
"""A fit whose reconstruction varies by less than this has collapsed to zero."""


@dataclass(frozen=True)
class Attempt:
    """What a fit at one λ came to: where the next one may start, and its score on the held-out entries."""

    state: Any
    score: float
    collapsed: bool
    stopped: bool
    evaluations: int = 0


Trial = Callable[[float, Any, str], Attempt]
"""One hold-out: fits at a λ, from the state of an attempt before or from its own start (None), in a named stage."""


@dataclass(frozen=True)
class Found:
    """The chosen λ, the path that led to it, whether the user stopped the search, and where its best fit ended."""

    lam: float
    path: pd.DataFrame
    stopped: bool
    state: Any = None


def choose(
    lam: float | str, train: RelationalData, seed: int, trial: Callable[[RelationalData, RelationalData], Trial]
) -> Found:
    """The λ that is given, or for "auto" that of a search, with a trial for each (fitted, held out).

    >>> import mrwtd
    >>> choose(2, mrwtd.load_dataset("florentine"), seed=0, trial=lambda fitted, held: None).lam
    2.0
    """
    if lam != "auto":
        return Found(float(lam), pd.DataFrame(columns=["lam", "score", "collapsed"]), stopped=False)
    return search([trial(fitted, held) for fitted, held in hold_outs(train, seed)])


def search(trials: list[Trial], grid: tuple[float, ...] = GRID) -> Found:
    """The λ of the best mean held-out score."""
    rows: list[dict[str, float | bool | int]] = []
    warm: list[Any] = [None] * len(trials)
    stopped, state, best = False, None, -np.inf
    for lam in grid:
        scores, gone, spent = [], [], 0
        for at, trial in enumerate(trials):
            found = trial(lam, warm[at], f"λ = {lam:g}")
            spent += found.evaluations
            gone.append(found.collapsed)
            warm[at] = None if found.collapsed else found.state
            scores.append(found.score)
            stopped = found.stopped
            if stopped or gone == [True]:  # a second look at a collapsed fit would cost time and tell nothing
                break
        rows.append(
            {
                "lam": lam,
                "score": float(np.mean(scores)),
                "sd": float(np.std(scores)),
                "collapsed": all(gone),
                "evaluations": spent,
            }
        )
        score = float(rows[-1]["score"])
        if warm[0] is not None and (state is None or score > best):
            state, best = warm[0], -np.inf if np.isnan(score) else score
        if stopped or _passed_peak(rows):
            break
    if stopped and state is None:  # all have collapsed: what follows would begin anew
        leave()
    path = pd.DataFrame(rows)
    return Found(top_of(path), path, stopped, state)


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


def vanished(factors: Factors) -> bool:
    """Whether A R_k Aᵀ is next to nothing in every relation.

    >>> vanished(Factors(np.full((3, 2), 0.01), np.ones((1, 2, 2)), ()))
    True
    """
    # ‖a‖ ‖R‖ ‖a‖ bounds x − b from above; the root mean square of rows stands for a typical object.
    size = float(np.mean(factors.A**2)) * factors.rank * float(np.abs(factors.R).max(initial=0.0))
    return size < COLLAPSED


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
