import io

import numpy as np
import pytest
from scipy import stats

import mrwtd
from mrwtd.bayesian.likelihoods.counts import Counts
from mrwtd.bayesian.likelihoods.ordinal import Ordinal
from mrwtd.bayesian.mrwtd_b import LIKELIHOODS, MrWTDB

CALLS = mrwtd.Relation("calls", "count", directed=False)
RATES = mrwtd.Relation("rates", "ordinal", directed=False, levels=(1, 2, 3))


def values_of(kind, x, rng):
    """Values of a kind, given x."""
    if kind == "binary":
        return np.where(rng.random(x.size) < 1 / (1 + np.exp(-x)), 1.0, -1.0)
    if kind == "ordinal":
        return ((x + rng.logistic(size=x.size))[:, None] > [-1.0, 1.0]).sum(axis=1).astype(float)
    return rng.poisson(5 * np.exp(x)).astype(float) if kind == "count" else x + rng.normal(size=x.size)


def data_of(kind, n=20, seed=0, weights=None):
    """All pairs in a relation of two groups of objects, whose x is high within a group."""
    rng, (i, j) = np.random.default_rng(seed), np.triu_indices(n, 1)
    x = np.where((i - j) % 2 == 0, 1.5, -1.5)
    relation = mrwtd.Relation(kind, kind, directed=False, levels=(1, 2, 3) if kind == "ordinal" else ())
    return mrwtd.RelationalData(
        [f"o{index}" for index in range(n)], [relation], i, j, np.zeros_like(i), values_of(kind, x, rng), weights
    )


def test_probabilities_of_levels_add_up_to_1():
    levels, x = np.arange(4.0), np.array([-3.0, 0.4, 2.0])
    likelihood = Ordinal(RATES, levels, np.ones(4))
    likelihood.cuts = np.array([-1.0, 0.5, 2.0])
    for score in x:
        each = [Ordinal(RATES, np.array([level]), np.ones(1)) for level in levels]
        for one in each:
            one.cuts = likelihood.cuts
        probabilities = np.exp([one.log_likelihood(np.array([score])) for one in each])
        assert probabilities.sum() == pytest.approx(1)
        below = stats.logistic.cdf(likelihood.cuts, loc=score)
        np.testing.assert_allclose(np.cumsum(probabilities)[:-1], below)


def test_bundles_of_one_are_the_counts_themselves():
    y, x = np.arange(200.0), np.full(200, np.log(6.0))
    likelihood = Counts(CALLS, y, np.ones(200))
    likelihood.size, likelihood.shape, likelihood.bundles = 1.0, 2.5, y
    expected = stats.nbinom.logpmf(y, 2.5, 2.5 / (2.5 + 6.0)).sum()
    assert likelihood.log_likelihood(x) == pytest.approx(expected)


def test_size_and_shape_are_found():
    """Counts of known means: the variance is (2φ − 1) μ + μ²/r."""
    size, shape = 20.0, 8.0
    rng, x = np.random.default_rng(0), np.log(np.geomspace(5, 500, 1500))
    n = rng.poisson(np.exp(x) / size * rng.gamma(shape, 1 / shape, x.size))
    y = n + rng.negative_binomial(np.maximum(n, 1), 1 / size) * (n > 0)
    likelihood = Counts(CALLS, y.astype(float), np.ones(x.size))
    drawn = []
    for _ in range(150):
        likelihood.draw(x, rng)
        drawn.append(likelihood.parameters())
    np.testing.assert_allclose(np.median(drawn[75:], axis=0), [size, shape], rtol=0.25)


@pytest.mark.parametrize("kind", LIKELIHOODS)
@pytest.mark.parametrize("size", [1e-320, 1e-9])
def test_entries_of_tiny_weight_say_nothing(kind, size):
    rng, n = np.random.default_rng(0), 40
    likelihood = LIKELIHOODS[kind](data_of(kind).relations[0], values_of(kind, np.zeros(n), rng), np.full(n, size))
    root, value = likelihood.draw(rng.normal(size=n), rng)
    assert np.isfinite(value).all()
    assert (root > 0).all()
    assert max(np.abs(root).max(), np.abs(value).max()) < 1e-3
    assert np.isfinite(likelihood.parameters()).all()


def test_two_entries_of_half_the_weight_are_one():
    rng, y, x = np.random.default_rng(0), np.array([0.0, 1.0, 2.0]), np.array([-1.0, 0.5, 1.0])
    one, two = Ordinal(RATES, y, np.ones(3)), Ordinal(RATES, np.tile(y, 2), np.full(6, 0.5))
    assert two.log_likelihood(np.tile(x, 2)) == pytest.approx(one.log_likelihood(x))
    precisions, targets = [], []
    for likelihood, scores in ((one, x), (two, np.tile(x, 2))):
        draws = []
        for _ in range(3000):
            likelihood.cuts = np.array([-1.0, 0.0]) if likelihood.fixed else np.array([0.0, 1.0])
            root, value = likelihood.draw(scores, rng)
            draws.append([(root**2).reshape(-1, 3).sum(axis=0), (root * value).reshape(-1, 3).sum(axis=0)])
        precision, target = np.mean(draws, axis=0)
        precisions.append(precision)
        targets.append(target)
    np.testing.assert_allclose(*precisions, rtol=0.03)
    np.testing.assert_allclose(*targets, atol=0.03)


@pytest.mark.parametrize("kind", LIKELIHOODS)
def test_a_stored_model_predicts_the_same(kind):
    train, test = data_of(kind).split(train=0.5, seed=0)
    model, file = MrWTDB(rank=2, sweeps=20, burn_in=10).fit(train), io.BytesIO()
    model.save(file)
    again = mrwtd.load_model(io.BytesIO(file.getvalue()))
    for name in ("decision_function", "predict", "predict_std"):
        np.testing.assert_array_equal(getattr(again, name)(test), getattr(model, name)(test))
    assert {name: cuts.shape for name, cuts in again.cuts_.items()} == ({"ordinal": (2,)} if kind == "ordinal" else {})
    again.samples_ = tuple((*state[:3], np.append(state[3], 0.0)) for state in again.samples_)
    again.save(file := io.BytesIO())
    with pytest.raises(mrwtd.DataError, match="samples_"):
        mrwtd.load_model(io.BytesIO(file.getvalue()))


def test_relations_of_a_part_are_predicted_by_name():
    """Entries of some relations only: parameters are those of these relations."""
    parts = [data_of(kind) for kind in ("count", "ordinal", "binary")]
    relations = [part.relations[0] for part in parts]
    k = np.repeat(np.arange(3), len(parts[0]))
    i, j, y = (np.concatenate([getattr(part, name) for part in parts]) for name in "ijy")
    together = mrwtd.RelationalData(parts[0].objects, relations, i, j, k, y)
    model = MrWTDB(rank=2, sweeps=40, burn_in=20).fit(together)
    everything = model.predict_all(together), model.predict_std(together)
    for position, part in enumerate(parts):
        place = together.slice(position)
        np.testing.assert_allclose(model.predict_std(part), everything[1][place])
        for alone, of_all in zip(model.predict_all(part), everything[0], strict=True):
            np.testing.assert_allclose(alone, of_all[place])
    above = np.sort(parts[1].y)
    assert set(model.predict(parts[1])) <= set(above)
    assert model.predict(parts[0]).max() <= parts[0].y.max()


def test_counts_in_the_thousands_and_without_a_tie_are_fitted():
    data = data_of("count")
    for y in (data.y * 10_000, np.zeros(len(data)), np.ones(len(data))):
        changed = mrwtd.RelationalData(data.objects, data.relations, data.i, data.j, data.k, y)
        predicted = MrWTDB(rank=2, sweeps=20, burn_in=10).fit(changed).predict(changed)
        assert predicted.min() >= 0
        assert predicted.max() <= y.max()


@pytest.mark.parametrize("factor", [1e6, 1e9, 1e12])
def test_counts_of_any_size_are_predicted(factor):
    data = data_of("count")
    large = mrwtd.RelationalData(data.objects, data.relations, data.i, data.j, data.k, factor * data.y)
    predicted = MrWTDB(rank=2, sweeps=20, burn_in=10).fit(large).predict(large)
    near = (data.i - data.j) % 2 == 0
    assert predicted[near].mean() > 5 * factor
    assert predicted[~near].mean() < 5 * factor


@pytest.mark.parametrize("kind", LIKELIHOODS)
def test_held_out_entries_are_scored_by_what_the_model_predicts_at_the_end(kind):
    train, test = data_of(kind).split(train=0.5, seed=0)
    model = MrWTDB(rank=2, sweeps=20, burn_in=10).fit(train, held_out=test)
    assert model.trace_["score"].iloc[-1] == pytest.approx(model._score(test))


def test_a_rate_that_hardly_anything_is_known_of_is_not_far_above_all_counts():
    errors = []
    for seed in range(700, 705):
        train, test = mrwtd.load_dataset("bankwiring").split(train=0.25, seed=seed, by="auto")
        scores = mrwtd.evaluate(mrwtd.make_method("MrWTD-B", rank=2, seed=seed).fit(train), test)
        errors.append(scores.set_index("metric").loc["nmse", "value"])
    assert np.median(errors) < 2
