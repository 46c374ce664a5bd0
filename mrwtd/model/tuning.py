"""A fit whose λ, rank or other parameter is chosen on held-out training entries.

All of them are compared on the same validation splits: first the options of another parameter, if the method has one
with options, each with its own search for λ; then the rank, if it is "auto" (see `rank_search`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..typing import Array
from . import lambda_search
from .cancellation import Cancelled
from .lambda_search import SearchResult, Trial
from .parameters import AUTO
from .rank_search import search_ranks
from .validation_splits import Scorer, ValidationSplit, validation_splits

if TYPE_CHECKING:
    from .regularized import RegularizedMethod


def fit_with_search(
    model: RegularizedMethod,
    train: RelationalData,
    trial: Callable[[ValidationSplit], Trial],
    fit: Callable[[Any], None],
) -> None:
    """Fit at the given λ, or for "auto" at that of a search with one trial for each validation split.

    `fit` gets a state to start from, that of the step before λ, or None. If the user stops the search, or the fit
    before it has a result, the best fit of the search is stored.

    >>> import mrwtd
    >>> model = mrwtd.MrWTD(lam=2)
    >>> fit_with_search(model, mrwtd.load_dataset("florentine"), lambda split: None, lambda state: None)
    >>> model.lam_
    2.0
    """
    given, options = model.lam != AUTO, model._options(train)
    no_path = pd.DataFrame(columns=["lam", "score", "collapsed"])
    if given and len(options) < 2 and model.rank != AUTO:
        model.lam_, model.lam_path_, model.rank_path_ = float(model.lam), no_path, None
        model._use_option(options[0], {})
        fit(None)
        return
    splits = validation_splits(train, model.seed)
    scorer = Scorer(splits, model.seed)

    def make_trials() -> list[Trial]:
        return [trial(split) for split in splits]

    option, result, scores = _search_options(model, options, make_trials, scorer)
    rank_path = None
    if model.rank == AUTO:
        model._use_option(option, scores)
        chosen = search_ranks(model, result, make_trials, scorer)
        result, rank_path = chosen.search, chosen.path
    result.best.store()
    model._use_option(option, scores)
    model.rank_path_ = rank_path
    model.lam_path_ = no_path if given else result.path
    if result.stopped:
        return
    attributes = vars(model).copy()
    model.lam_ = result.lam
    try:
        state, evaluations = lambda_search.follow(trial(ValidationSplit(train, train.subset([]))), result.steps)
        fit(state)
    except Cancelled:
        vars(model).clear()
        vars(model).update(attributes)
        return
    if hasattr(model, "evaluations_"):
        model.evaluations_ += evaluations
    model.diagnostics_ = (*model.diagnostics_, *lambda_search.check_path(result.path, scorer.constant()))


def _search_options(
    model: RegularizedMethod,
    options: tuple[str, ...],
    make_trials: Callable[[], list[Trial]],
    scorer: Callable[[list[Array]], tuple[float, Array]],
) -> tuple[str, SearchResult, dict[str, float]]:
    """The option with the best held-out score at its own λ, its search, and the scores of all options."""
    results: dict[str, SearchResult] = {}
    stopped = False
    for option in options:
        model._use_option(option, {})
        try:
            label = option or (f"rank {model.rank_}" if model.rank == AUTO else "")
            trials = [lambda_search.with_option(trial, label) for trial in make_trials()]
            # At a given λ, the fits at it are compared.
            grid = () if model.lam == AUTO else ((float(model.lam),),)
            results[option] = lambda_search.search(trials, scorer, *grid)
        except Cancelled:
            if not results:
                raise
            stopped = True
        if stopped or results[option].stopped:
            break
    scores = {option: result.score for option, result in results.items()}
    best = max(scores, key=lambda option: -np.inf if np.isnan(scores[option]) else scores[option])
    stopped = stopped or any(result.stopped for result in results.values())
    return best, replace(results[best], stopped=stopped), scores
