from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, d2_absolute_error_score, d2_tweedie_score, r2_score

from mrwtd.metrics import average_precision, deviance_explained, ordinal_gain, r_squared, selection_score


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from([-1.0, 1.0]), st.integers(-3, 3)), min_size=2, max_size=40))
def test_average_precision_is_scikit_learns_ties_and_all(rows):
    y, x = np.array([row[0] for row in rows]), np.array([float(row[1]) for row in rows])
    if np.ptp(y) == 0:
        assert np.isnan(average_precision(y, x))
    else:
        assert average_precision(y, x) == pytest.approx(average_precision_score(y > 0, x))


def test_the_others_are_scikit_learns_too():
    rng = np.random.default_rng(0)
    y, guess = rng.normal(size=50), rng.normal(size=50)
    assert r_squared(y, guess) == pytest.approx(r2_score(y, guess))
    counts, rate = rng.poisson(3, 50).astype(float), rng.gamma(2, size=50)
    assert deviance_explained(counts, rate) == pytest.approx(d2_tweedie_score(counts, rate, power=1))
    levels, other = rng.integers(0, 4, 50).astype(float), rng.integers(0, 4, 50).astype(float)
    assert ordinal_gain(levels, other) == pytest.approx(d2_absolute_error_score(levels, other))


def test_what_does_not_vary_or_is_empty_has_no_score():
    same, none = np.ones(4), np.zeros(0)
    for score in (r_squared, deviance_explained, ordinal_gain, average_precision):
        assert np.isnan(score(same, same))
        assert np.isnan(score(none, none))


def test_selection_is_a_mean_within_a_kind_and_harmonic_over_kinds():
    assert selection_score([("binary", 0.2), ("binary", 0.4), ("binary", float("nan"))]) == pytest.approx(0.3)
    assert selection_score([("real", -0.5)]) == -0.5, "alone, a bad score stays as bad as it is"
    assert selection_score([("binary", 0.5), ("real", -3.0)]) == pytest.approx(2 / (2 + 1000))
    assert np.isnan(selection_score([("binary", float("nan"))]))
