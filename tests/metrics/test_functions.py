import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import (
    average_precision_score,
    d2_absolute_error_score,
    d2_tweedie_score,
    precision_recall_curve,
    r2_score,
)

from mrwtd.metrics import ranking_curve, selection_score
from mrwtd.metrics.errors import deviance_explained, r_squared
from mrwtd.metrics.ordinal import ordinal_gain
from mrwtd.metrics.ranking_curve import average_precision, average_precisions, thresholds


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from([-1.0, 1.0]), st.integers(-3, 3)), min_size=2, max_size=40))
def test_average_precision_equals_scikit_learn_with_ties(rows):
    y, x = np.array([row[0] for row in rows]), np.array([float(row[1]) for row in rows])
    if np.ptp(y) == 0:
        assert np.isnan(average_precision(y, x))
    else:
        assert average_precision(y, x) == pytest.approx(average_precision_score(y > 0, x))


def test_other_metrics_equal_scikit_learn():
    rng = np.random.default_rng(0)
    y, guess = rng.normal(size=50), rng.normal(size=50)
    assert r_squared(y, guess) == pytest.approx(r2_score(y, guess))
    counts, rate = rng.poisson(3, 50).astype(float), rng.gamma(2, size=50)
    assert deviance_explained(counts, rate) == pytest.approx(d2_tweedie_score(counts, rate, power=1))
    levels, other = rng.integers(0, 4, 50).astype(float), rng.integers(0, 4, 50).astype(float)
    assert ordinal_gain(levels, other) == pytest.approx(d2_absolute_error_score(levels, other))


def test_constant_or_empty_relations_have_no_score():
    same, none = np.ones(4), np.zeros(0)
    for score in (r_squared, deviance_explained, ordinal_gain, average_precision):
        assert np.isnan(score(same, same))
        assert np.isnan(score(none, none))


def test_counts_that_are_all_zero_have_no_selection_score():
    assert np.isnan(deviance_explained(np.zeros(4), np.full(4, 0.5)))


def test_selection_is_a_mean_within_a_kind_and_harmonic_over_kinds():
    assert selection_score([("binary", 0.2), ("binary", 0.4), ("binary", float("nan"))]) == pytest.approx(0.3)
    assert selection_score([("real", -0.5)]) == -0.5, "alone, a bad score stays as bad as it is"
    assert selection_score([("binary", 0.5), ("real", 0.5)]) == pytest.approx(0.5)
    assert np.isnan(selection_score([("binary", float("nan"))]))


def test_an_unpredictable_kind_lowers_the_score_without_hiding_the_others() -> None:
    def both(binary: float, count: float) -> float:
        return selection_score([("binary", binary), ("count", count)])

    for useless in (0.02, 0.0, -0.05):
        assert both(0.7, useless) > 1.1 * both(0.3, useless)
    falling = [both(0.5, count) for count in (0.5, 0.1, 0.0, -0.1, -1.0, -100.0, -1e8)]
    assert falling == sorted(falling, reverse=True)
    assert len({*falling}) == len(falling)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.lists(st.tuples(st.sampled_from([-1.0, 1.0]), st.integers(-3, 3)), max_size=8), min_size=1))
def test_relations_are_ranked_the_same_together_and_separately(relations):
    rows = [row for relation in relations for row in relation]
    y, x = np.array([row[0] for row in rows]), np.array([float(row[1]) for row in rows])
    bounds = np.cumsum([0, *map(len, relations)])
    for part, precision in zip(map(slice, bounds[:-1], bounds[1:]), average_precisions(y, x, bounds), strict=True):
        if len(set(y[part])) < 2:
            assert np.isnan(precision)
        else:
            assert precision == pytest.approx(average_precision_score(y[part] > 0, x[part]))


def test_thresholds_equal_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    truth, x = rng.random(60) < 0.3, rng.integers(0, 9, 60).astype(float)
    precision, recall, threshold = precision_recall_curve(truth, x)
    levels, hits, shown = thresholds(truth, x)
    assert levels.tolist() == threshold[::-1].tolist()
    assert (hits / shown).tolist() == precision[:-1][::-1].tolist()
    assert (hits / truth.sum()).tolist() == recall[:-1][::-1].tolist()


def test_relations_are_scored_the_same_together_and_separately(monkeypatch):
    rng = np.random.default_rng(0)
    sizes = [40, 1, 25, 60, 30]
    x = rng.integers(-5, 5, sum(sizes)).astype(float)  # with ties
    y = rng.choice([-1.0, 1.0], x.size)
    y[66:126], x[3], x[70] = 1.0, np.nan, -0.0  # one class only; no score
    bounds = np.cumsum([0, *sizes])
    together = average_precisions(y, x, bounds)
    monkeypatch.setattr(ranking_curve, "ALONE", 0)
    np.testing.assert_allclose(average_precisions(y, x, bounds), together)
    assert np.isnan(together).tolist() == [False, True, False, True, False]
