"""The search for λ over the grid."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd import Relation, RelationalData
from mrwtd.model import lambda_search
from mrwtd.model.cancellation import Cancelled
from mrwtd.model.validation_splits import PARTS, validation_splits

DATA = mrwtd.load_dataset("florentine")


def codes(model: mrwtd.MrWTD) -> list[str]:
    """Codes of the diagnostics of a fitted model."""
    return [fact.code for fact in model.diagnostics_]


def run(
    scores: dict[float, float],
    gone_above: float = np.inf,
    noise: float = 0.0,
    unfinished: tuple[float, ...] = (),
    worn: tuple[float, ...] = (),
) -> tuple[lambda_search.SearchResult, list[tuple[float, bool]]]:
    """A search over fake fits: `scores` by λ, collapsed at and above `gone_above`.

    Scores of neighbours on the grid differ by `noise`.
    """
    calls: list[tuple[float, bool]] = []
    swing = noise * np.sqrt(5 / 8) * np.array([1.0, -1, 0, 0, 0])

    def trial(lam, before, stage):
        assert (stage.kind, stage.lam) == ("search", lam)
        calls.append((lam, before is None))
        return lambda_search.TrialResult(
            lam,
            np.array([lam]),
            lam >= gone_above,
            stopped=False,
            finished=lam not in unfinished,
            resumable=lam not in worn,
        )

    def scorer(predictions):
        lam = predictions[0].item()
        score = scores.get(lam, 0.1)
        return score, score + swing * (lambda_search.GRID.index(lam) % 2)

    return lambda_search.search([trial], scorer), calls


def first_prediction(predictions: list[np.ndarray]) -> tuple[float, np.ndarray]:
    """A fake score: the first prediction, without noise."""
    score = predictions[0].item()
    return score, np.full(PARTS, score)


def attempt(lam: float, score: float, **facts: bool) -> lambda_search.TrialResult:
    """The result of a fake fit that `first_prediction` scores."""
    return lambda_search.TrialResult(lam, np.array([score]), **({"collapsed": False, "stopped": False} | facts))


def test_the_grid_is_half_decades_from_large_to_small():
    assert lambda_search.GRID[0] == 1000
    assert lambda_search.GRID[-1] == 0.001
    assert np.allclose(np.diff(np.log10(lambda_search.GRID)), -0.5, atol=1e-4)


def test_the_search_ends_when_the_score_has_clearly_passed_its_peak():
    result, calls = run({1000: 0.3, 316.2: 0.5, 100: 0.6, 31.62: 0.5, 10: 0.4, 3.162: 0.4, 1: 0.9})
    assert result.lam == 100
    assert [lam for lam, _ in calls] == [1000, 316.2, 100, 31.62, 10, 3.162]


def test_base_rate_scores_of_collapsed_fits_are_no_peak():
    result, _calls = run({1000: 0.9, 316.2: 0.2, 100: 0.2, 31.62: 0.2, 10: 0.4, 3.162: 0.6}, 31)
    assert result.lam == 3.162
    assert result.path["collapsed"].tolist() == [True] * 4 + [False] * 5


def test_a_collapsed_fit_is_never_a_warm_start():
    _, calls = run({}, gone_above=100)
    for (before, _), (lam, fresh) in pairwise(calls):
        assert fresh == (before >= 100), lam


FLAT = {10: 0.7897, 3.162: 0.7821, 1: 0.7819, 0.3162: 0.7907, 0.1: 0.85, 0.03162: 0.91, 0.01: 0.92}


def test_a_plateau_does_not_end_the_search():
    result, calls = run(FLAT | dict.fromkeys([0.003162, 0.001], 0.92), gone_above=30)
    assert [lam for lam, _ in calls] == [*lambda_search.GRID]
    assert result.lam == 0.01


def test_a_dip_before_a_rise_does_not_end_the_search():
    deep = {10: 0.7352, 3.162: 0.7021, 1: 0.6914, 0.3162: 0.7053, 0.1: 0.8028, 0.03162: 0.8745, 0.01: 0.8745}
    result, _ = run(deep | dict.fromkeys([0.003162, 0.001], 0.8745), gone_above=30)
    assert result.lam == 0.03162


def test_of_equal_scores_the_larger_lambda_wins():
    result, _ = run(dict.fromkeys(lambda_search.GRID, 0.6))
    assert result.lam == 1000


def test_a_fall_within_the_noise_does_not_end_the_search():
    scores = {100: 0.6, 31.62: 0.55, 10: 0.55, 3.162: 0.55, 1: 0.7, 0.3162: 0.4, 0.1: 0.4, 0.03162: 0.4}
    assert run(scores)[0].lam == 100
    result, calls = run(scores, noise=0.06)
    assert result.lam == 1
    assert calls[-1][0] == 0.03162


def test_an_unconverged_fit_is_not_compared_with_converged_ones():
    scores = {100: 0.6, 31.62: 0.7, 10: 0.65, 3.162: 0.3, 1: 0.3}
    assert run(scores)[0].lam == 31.62
    assert run(scores, unfinished=(31.62,))[0].lam == 10
    assert run(scores, unfinished=lambda_search.GRID)[0].lam == 31.62


def test_an_unconverged_fit_does_not_end_the_search():
    scores = {100: 0.3, 31.62: 0.9, 10: 0.3, 3.162: 0.3, 1: 0.3, 0.3162: 0.7}
    assert run(scores)[1][-1][0] == 1
    result, tried = run(scores, unfinished=(31.62,))
    assert (result.lam, tried[-1][0] < 0.3162) == (0.3162, True)


def test_a_fit_with_vanished_factors_is_not_a_warm_start():
    _, calls = run({}, worn=(100,))
    assert [lam for lam, fresh in calls if fresh] == [1000, 31.62]


def test_the_final_fit_follows_the_path_of_the_search():
    scores = {10: 0.5, 3.162: 0.6, 1: 0.7, 0.3162: 0.8, 0.1: 0.4, 0.03162: 0.4, 0.01: 0.4}
    assert run(scores, gone_above=30)[0].steps == (10, 3.162, 1, 0.3162)
    assert run(scores, gone_above=30, worn=(3.162,))[0].steps == (1, 0.3162)
    assert run(scores, gone_above=30, worn=(1,))[0].steps == (0.3162,)
    steps = []

    def trial(lam, state, stage):
        steps.append((lam, state))
        return lambda_search.TrialResult(
            f"state at {lam:g}", np.zeros(0), collapsed=False, stopped=False, resumable=lam != 3
        )

    assert lambda_search.follow(trial, (10, 3, 1, 0.3))[0] == "state at 1"
    assert steps == [(10, None), (3, "state at 10"), (1, None)]
    assert lambda_search.follow(trial, (0.3,)) == (None, 0)


def test_the_final_fit_continues_until_it_converges():
    train, _ = mrwtd.load_dataset("synth-mixed", n_objects=60).split(train=0.3, seed=0)
    model = mrwtd.MrWTD(rank=5, max_iter=20).fit(train)
    assert model.converged_
    assert len(model.trace_) > 20
    assert "not_converged" not in codes(model)
    cut = mrwtd.MrWTD(rank=5, lam=model.lam_, max_iter=20).fit(train)
    assert "not_converged" in codes(cut)
    assert any("20 iterations" in text for text in cut.messages_)


def test_a_message_reports_that_no_lambda_beats_a_constant():
    train, _ = mrwtd.load_dataset("monastery").split(train=0.5, seed=0)
    assert "no_lambda_helps" in codes(mrwtd.MrWTD(rank=5).fit(train))
    assert "no_lambda_helps" not in codes(mrwtd.MrWTD(rank=5, lam=1.0).fit(train))
    planted = mrwtd.load_dataset("synth-binary", n_objects=40, rank=2)
    assert "no_lambda_helps" not in codes(mrwtd.MrWTD(rank=3).fit(planted))


def test_few_held_out_numbers_are_enough_to_choose_lambda():
    rng = np.random.default_rng(0)
    A, R = rng.normal(size=(25, 2)), rng.normal(size=(2, 2))
    i, j = np.nonzero(np.tri(25, k=-1).T)
    y = np.einsum("ef,fg,eg->e", A[i], R + R.T, A[j]) + rng.normal(scale=0.5, size=i.size)
    data = RelationalData(map(str, range(25)), [Relation("r", "real", False)], i, j, np.zeros_like(i), y)
    model = mrwtd.MrWTD(rank=2).fit(data.split(train=0.5, seed=0)[0])
    assert model.lam_ < 10  # at 10, R² of the held-out numbers is lower by 0.1 and more
    assert model.lam_path_.loc[model.lam_path_["score"].idxmax(), "noise"] < 0.1


def test_if_every_fit_collapses_the_smallest_lambda_is_chosen():
    result, _ = run({}, gone_above=0)
    assert result.lam == 0.001


def test_best_lam_ignores_missing_scores():
    path = pd.DataFrame({"lam": [3.0, 1.0], "score": [np.nan, 0.2], "collapsed": [False, False]})
    assert lambda_search.best_lam(path) == 1.0


def test_a_stopped_fit_ends_the_search_with_the_results_so_far():
    steps = []

    def trial(lam, before, stage):
        steps.append(lam)
        return attempt(lam, 0.5, collapsed=False, stopped=lam < 200)

    result = lambda_search.search([trial, trial], first_prediction)
    assert result.stopped
    assert steps == [1000, 1000, 316.2, 316.2, 100]
    assert result.lam == 1000


def test_a_search_stopped_in_its_first_fit_keeps_it_after_one_step():
    def trial(lam, state, stage):
        return attempt(lam, 0.0, collapsed=True, stopped=True)

    def none(lam, state, stage):
        raise Cancelled

    assert lambda_search.search([trial], first_prediction).best.state == 1000
    with pytest.raises(Cancelled):
        lambda_search.search([none], first_prediction)


@pytest.mark.parametrize("alive_below", [200, 0])
def test_a_search_stopped_between_fits_keeps_the_best_even_if_all_collapsed(alive_below):
    def trial(lam, state, stage):
        if lam < 50:
            raise Cancelled
        return attempt(lam, 0.5, collapsed=lam > alive_below, stopped=False)

    result = lambda_search.search([trial], first_prediction)
    assert result.stopped
    assert result.best.state == result.lam == 100
    assert result.best.collapsed == (not alive_below)
    assert result.path["lam"].tolist() == [1000, 316.2, 100]


def test_a_finished_hold_out_is_kept_if_the_second_is_stopped():
    def complete(lam, state, stage):
        return attempt(lam, 0.5, collapsed=False, stopped=False)

    def left(lam, state, stage):
        raise Cancelled

    result = lambda_search.search([complete, left], first_prediction)
    assert result.stopped
    assert result.best.state == 1000


def test_without_any_score_a_lambda_that_does_not_collapse_is_chosen_with_a_message():
    def collapses_above(bound):
        path = pd.DataFrame({"lam": [10.0, 1.0, 0.1], "score": np.nan})
        return lambda_search.best_lam(path.assign(collapsed=path["lam"] > bound))

    assert [collapses_above(bound) for bound in (100, 1, 0.5)] == [1.0, 1.0, 0.1]
    blind = pd.DataFrame({"lam": [10.0, 1.0], "score": np.nan, "collapsed": [True, False]})
    assert [fact.code for fact in lambda_search.check_path(blind, 0.5)] == ["lambda_not_scored"]
    assert lambda_search.check_path(blind.assign(score=[0.1, 0.9]), 0.5) == []


def test_after_a_stopped_search_explanations_use_the_training_entries_of_the_kept_fit():
    model = mrwtd.MrWTD(rank=2).fit(DATA, callback=lambda step: step.stage.lam == 0.3162)
    assert model.train_ == validation_splits(DATA, seed=0)[0].fitted


def test_of_scores_that_differ_only_by_noise_the_larger_lambda_is_chosen():
    path = pd.DataFrame({"lam": [10.0, 1.0], "score": [0.60, 0.62], "collapsed": False})
    common = np.array([0.1, 0.9, 0.5, 0.98, 0.7])  # common variation does not add noise to the difference
    chance = np.array([0.1, -0.1, 0.05, -0.05, 0.0])
    assert lambda_search.best_lam(path, {10.0: common, 1.0: common + 0.02 + chance}) == 10.0
    assert lambda_search.best_lam(path, {10.0: common, 1.0: common + 0.02 + 0.2 * chance}) == 1.0
    assert lambda_search.best_lam(path, {10.0: common, 1.0: common + 0.02 + 0.01 * chance}) == 1.0


def test_scores_of_some_hold_outs_are_not_compared_with_those_of_all():
    def trial(lam, state, stage):
        return attempt(lam, 0.5 if lam > 200 else 0.9, stopped=lam < 200)

    result = lambda_search.search([trial, trial], first_prediction)
    assert result.stopped
    assert result.lam == result.best.state == 1000


def test_a_search_that_was_stopped_between_hold_outs_still_chooses():
    def complete(lam, state, stage):
        return attempt(lam, 0.5)

    def left(lam, state, stage):
        if lam < 500:
            raise Cancelled
        return complete(lam, state, stage)

    assert lambda_search.search([complete, left], first_prediction).lam == 1000
