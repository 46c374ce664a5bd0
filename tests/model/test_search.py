from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd import Relation, RelationalData
from mrwtd.model import search, starts
from mrwtd.model.losses import loss_named
from mrwtd.model.objective import Objective
from mrwtd.model.stopping import Stopped

DATA = mrwtd.load_dataset("florentine")


def run(scores: dict[float, float], gone_above: float = np.inf) -> tuple[search.Found, list[tuple[float, bool]]]:
    """A search whose fits are made up: `scores` by λ, collapsed at and above `gone_above`."""
    asked: list[tuple[float, bool]] = []

    def trial(lam, before, stage):
        assert stage == f"λ = {lam:g}"
        asked.append((lam, before is None))
        return search.Attempt(lam, scores.get(lam, 0.1), lam >= gone_above, stopped=False)

    return search.search([trial]), asked


def test_the_grid_is_half_decades_from_large_to_small():
    assert search.GRID[0] == 1000
    assert search.GRID[-1] == 0.001
    assert np.allclose(np.diff(np.log10(search.GRID)), -0.5, atol=1e-4)


def test_it_ends_once_the_score_has_clearly_passed_its_peak():
    found, asked = run({1000: 0.3, 316.2: 0.5, 100: 0.6, 31.62: 0.5, 10: 0.4, 3.162: 0.9})
    assert found.lam == 100
    assert [lam for lam, _ in asked] == [1000, 316.2, 100, 31.62, 10]


def test_base_rate_scores_of_collapsed_fits_are_no_peak():
    found, _asked = run({1000: 0.9, 316.2: 0.2, 100: 0.2, 31.62: 0.2, 10: 0.4, 3.162: 0.6, 1: 0.3, 0.3162: 0.3}, 31)
    assert found.lam == 3.162
    assert found.path["collapsed"].tolist() == [True] * 4 + [False] * 4


def test_a_collapsed_fit_is_never_the_next_ones_start():
    _, asked = run({}, gone_above=100)
    for (before, _), (lam, fresh) in pairwise(asked):
        assert fresh == (before >= 100), lam


def test_a_long_plateau_ends_it_and_the_larger_lambda_wins():
    found, asked = run(dict.fromkeys(search.GRID, 0.6))
    assert found.lam == 1000
    assert len(asked) == 4


def test_where_everything_collapses_the_least_lambda_is_taken():
    found, _ = run({}, gone_above=0)
    assert found.lam == 0.001


def test_top_of_ignores_what_could_not_be_scored():
    path = pd.DataFrame({"lam": [3.0, 1.0], "score": [np.nan, 0.2], "collapsed": [False, False]})
    assert search.top_of(path) == 1.0


def test_hold_outs_are_parts_of_train_and_differ():
    (fit_a, held_a), (_, held_b) = search.hold_outs(DATA, seed=0)
    assert len(fit_a) + len(held_a) == len(DATA)
    assert held_a != held_b


def test_a_stopped_fit_ends_the_search_with_what_it_has():
    seen = []

    def trial(lam, before, stage):
        seen.append(lam)
        return search.Attempt(lam, 0.5, collapsed=False, stopped=lam < 200)

    found = search.search([trial, trial])
    assert found.stopped
    assert seen == [1000, 1000, 316.2, 316.2, 100]
    assert found.lam == 1000


def test_a_search_that_is_stopped_in_its_first_fit_has_something_to_keep_once_that_has_come_to_a_step():
    def trial(lam, state, stage):
        return search.Attempt(lam, 0.0, collapsed=True, stopped=True)

    def none(lam, state, stage):
        raise Stopped

    assert search.search([trial]).best.state == 1000
    with pytest.raises(Stopped):
        search.search([none])


@pytest.mark.parametrize("alive_below", [200, 0])
def test_a_search_that_is_left_between_its_fits_keeps_the_best_even_where_all_have_collapsed(alive_below):
    def trial(lam, state, stage):
        if lam < 50:
            raise Stopped
        return search.Attempt(lam, 0.5, collapsed=lam > alive_below, stopped=False)

    found = search.search([trial])
    assert found.stopped
    assert found.best.state == found.lam == 100
    assert found.best.collapsed == (not alive_below)
    assert found.path["lam"].tolist() == [1000, 316.2, 100]


def test_a_finished_hold_out_is_kept_where_the_second_is_left():
    def whole(lam, state, stage):
        return search.Attempt(lam, 0.5, collapsed=False, stopped=False)

    def left(lam, state, stage):
        raise Stopped

    found = search.search([whole, left])
    assert found.stopped
    assert found.best.state == 1000


@pytest.mark.parametrize("slope", [lambda b: -b, lambda b: float("nan"), lambda b: 1.0])
def test_a_slope_that_never_rises_through_zero_gives_no_bias(slope):
    assert starts.root_of(slope) == 0.0


def test_weights_of_zero_do_not_hide_the_others_from_the_best_bias():
    n = 700
    i, j = np.triu_indices(n, 1)
    w = (np.arange(i.size) % 2).astype(float)  # every second entry, as every second one is looked at
    data = RelationalData(
        map(str, range(n)), [Relation("r", "binary", False)], i, j, np.zeros_like(i), np.ones(i.size), w
    )
    objective = Objective(data, [loss_named("logistic")], 1, 1.0)
    assert starts.best_constants(objective, 0)[0] > 3  # all that is known is positive
