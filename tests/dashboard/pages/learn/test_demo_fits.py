"""The fits of the lessons: images, paths over λ, one relation and all relations."""

import numpy as np
import pytest

import mrwtd
from mrwtd.dashboard.pages.learn.demos import collective_demo, image_completion, regularization_demo
from mrwtd.dashboard.pages.learn.demos.lambda_fits import fit_lambdas
from mrwtd.metrics.ranking_curve import average_precision


@pytest.fixture(scope="module")
def florentine() -> mrwtd.RelationalData:
    return mrwtd.load_dataset("florentine")


def test_weights_beat_zeros_when_half_of_the_pixels_are_known() -> None:
    completion = image_completion.complete(0.5)
    assert completion.known.mean() == 0.5
    assert completion.errors["missing"] < 0.5 * completion.errors["zero"]
    assert completion.ink["zero"] < 0.5 < completion.ink["missing"]


def test_with_few_known_pixels_the_mean_is_best() -> None:
    completion = image_completion.complete(0.05)
    assert completion.errors["mean"] < min(completion.errors["zero"], completion.errors["missing"])


def test_a_fit_of_all_pixels_reproduces_the_image() -> None:
    truth = image_completion.image()
    everything = np.ones_like(truth, dtype=bool)
    np.testing.assert_allclose(image_completion.fit_pixels(truth, everything), truth, atol=0.1)


def test_a_path_ends_in_collapse(florentine: mrwtd.RelationalData) -> None:
    fits = fit_lambdas(florentine, rank=2, lams=[1000.0, 0.1, 1.0])
    assert [fit.lam for fit in fits] == [0.1, 1.0, 1000.0]
    assert fits[0].loss < fits[1].loss < fits[2].loss
    assert fits[2].collapsed
    assert np.ptp(fits[2].matrix(0)) == 0
    k = florentine.relation_index("marriage")
    entries = florentine.slice(k)
    x = fits[0].matrix(k)[florentine.i[entries], florentine.j[entries]]
    assert fits[0].scores(florentine)[k] == pytest.approx(average_precision(florentine.y[entries], x))


def test_a_path_is_as_good_as_single_fits(florentine: mrwtd.RelationalData) -> None:
    train, _ = florentine.split(train=0.7, seed=0)
    path = fit_lambdas(train, rank=2, lams=[0.3, 3.0])
    single = fit_lambdas(train, rank=2, lams=[3.0])[0]
    assert path[-1].loss == pytest.approx(single.loss, rel=0.15)


def test_with_larger_lambda_the_fit_worsens_and_the_factors_shrink(florentine: mrwtd.RelationalData) -> None:
    first, _, path = regularization_demo.lambda_paths(florentine, lams=(0.03, 0.3, 3.0, 300.0))
    assert (first.splits, path.splits) == (1, 3)
    assert path.frame["loss"].is_monotonic_increasing
    assert path.frame["size"].is_monotonic_decreasing
    assert path.collapse == 300.0
    assert path.best < 300.0
    assert path.frame["held_out"].iloc[-1] == pytest.approx(path.chance, abs=0.02)
    assert len(path.fits) == 4


def test_training_fractions_shrink_and_both_models_are_scored(florentine: mrwtd.RelationalData) -> None:
    results = list(collective_demo.shrink(florentine, "marriage"))
    fractions = [result.fraction for result in results]
    assert fractions == sorted(fractions, reverse=True)
    frame = collective_demo.table(results)
    assert frame[["alone", "together"]].to_numpy().min() > 0
    assert results[0].scores["alone"].shape == results[0].scores["together"].shape == (15, 15)
