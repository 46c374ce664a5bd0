import numpy as np
import pytest
from scipy import stats

import mrwtd
from mrwtd.bayesian.gibbs.polya_gamma import FAR, SMALL, draw_precisions

DRAWS = 40_000


def moments(h, z):
    """Mean and variance of PG(h, z), from the cumulants of the gamma variables whose weighted sum it is."""
    places = np.arange(1, 200_000) - 0.5
    c = 0.5 / np.pi**2 / (places**2 + z**2 / (4 * np.pi**2))
    rest = 0.5 / np.pi**2 / places[-1]  # Σ 1/k² beyond the last
    return h * (c.sum() + rest), h * (c @ c)


@pytest.mark.parametrize("h", [1.0, 0.7, 0.1, 0.01])
@pytest.mark.parametrize("z", [0.0, 1.0, 10.0, 100.0, 160.0, 180.0, -180.0, 500.0, 1e4])
def test_draws_have_the_moments_of_polya_gamma_variables(h, z):
    omega = draw_precisions(np.full(DRAWS, h), np.full(DRAWS, z), np.random.default_rng(0)) ** 2
    mean, variance = moments(h, abs(z))
    assert omega.mean() == pytest.approx(mean, abs=5 * np.sqrt(variance / DRAWS))
    # The sum of squares has a heavy tail where the weight is small: its standard error is estimated from the draws.
    squares = (omega - mean) ** 2
    assert squares.mean() == pytest.approx(variance, abs=5 * squares.std() / np.sqrt(DRAWS))


@pytest.mark.parametrize("h", [1.7, 3.3, 5.9, 6.1, 30.0, 49.0, 300.0])
@pytest.mark.parametrize("z", [0.0, 1.0, -5.0, 13.9, 14.1, 29.0, 100.0])
def test_draws_have_the_moments_for_counts(h, z):
    omega = draw_precisions(np.full(DRAWS, h), np.full(DRAWS, z), np.random.default_rng(0)) ** 2
    mean, variance = moments(h, abs(z))
    assert omega.mean() == pytest.approx(mean, abs=5 * np.sqrt(variance / DRAWS))
    assert omega.var() == pytest.approx(variance, rel=0.05)


def test_the_distribution_is_continuous_where_the_sampler_changes():
    rng = np.random.default_rng(0)
    near, far = (draw_precisions(np.ones(DRAWS), np.full(DRAWS, z), rng) for z in (FAR, FAR * (1 + 1e-9)))
    assert stats.ks_2samp(near, far).pvalue > 0.01


@pytest.mark.parametrize("h", [0.999 * SMALL, 1e-8, 1e-300, 5e-324])
@pytest.mark.parametrize("z", [0.0, 1.0, 1e4])
def test_tiny_weights_get_their_mean(h, z):
    (root,) = draw_precisions(np.array([h]), np.array([z]), np.random.default_rng(0))
    mean, _ = moments(1.0, z)
    assert root / np.sqrt(h) == pytest.approx(np.sqrt(mean), rel=1e-3)


@pytest.mark.parametrize("weight", [1e-320, 1e-300, 1e-9, 1e-4])
def test_tiny_weights_are_fitted_and_have_little_effect(weight):
    train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    faint = mrwtd.RelationalData(
        train.objects, train.relations, train.i, train.j, train.k, train.y, np.full(len(train), weight)
    )
    model = mrwtd.make_method("MrWTD-B", rank=2, sweeps=200, burn_in=20).fit(faint)
    p = model.predict_proba(test)
    assert np.ptp(p) < 0.5
    assert (model.predict_std(test) > 0.1).all()
