"""Weights of components: planted ones are recovered, and few entries do not determine them."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import entropy
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, log_loss

from mrwtd.model.validation_splits import PARTS
from mrwtd.stacking.weights import PRIOR_FRACTION, blend, log_loss_weights, platt, selection, shrunk
from mrwtd.typing import Array


def auprc_of(y: Array) -> Callable[[Array, Sequence[int]], float]:
    """The score of some tenths of the entries."""
    part = np.arange(y.size) % PARTS

    def score(x: Array, parts: Sequence[int]) -> float:
        kept = np.isin(part, parts)
        return float(average_precision_score(y[kept] > 0, x[kept]))

    return score


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def equal(n: int) -> Array:
    return np.full(n, 1 / n)


def planted(n: int, *noise: float, seed: int = 0) -> tuple[Array, Array]:
    """Log-odds seen with independent noise by each component, and the values."""
    rng = np.random.default_rng(seed)
    z = rng.normal(-1, 2, size=n)
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-z)), 1.0, -1.0)
    return np.array([z + size * rng.normal(size=n) for size in noise]), y


def test_two_noisy_components_are_better_together_and_a_useless_one_is_left_out():
    predictions, y = planted(4_000, 1.0, 1.0, 30.0)
    chosen = blend(predictions, y, np.ones(y.size), auprc_of(y), rng(), prior=equal(3), kind="binary")
    assert chosen.weights[:2] == pytest.approx(0.5, abs=0.15)
    assert chosen.weights[2] == 0
    assert chosen.weights.sum() == pytest.approx(1)


def test_the_scale_of_a_component_does_not_matter():
    predictions, y = planted(2_000, 1.0, 2.0)
    w = np.ones(y.size)
    moved = predictions * [[5.0], [0.1]] + [[3.0], [-2.0]]
    before, after = (blend(x, y, w, auprc_of(y), rng(), prior=equal(2), kind="binary") for x in (predictions, moved))
    assert after.weights == pytest.approx(before.weights, abs=1e-3)


def test_the_mean_is_a_calibrated_probability():
    predictions, y = planted(4_000, 1.0, 1.0)
    chosen = blend(4 * predictions, y, np.ones(y.size), auprc_of(y), rng(), prior=equal(2), kind="binary")
    log_odds = chosen.weights @ (chosen.lines[:, :1] + chosen.lines[:, 1:] * 4 * predictions)
    for low, high in ((-4, -2), (-2, 0), (0, 2), (2, 4)):
        inside = (log_odds > low) & (log_odds < high)
        assert np.mean(y[inside] > 0) == pytest.approx(np.mean(1 / (1 + np.exp(-log_odds[inside]))), abs=0.05)


def test_a_few_entries_leave_the_prior_weights_and_many_do_not():
    """The other component is better; only many entries show it."""
    shares = []
    for n in (20, 20_000):
        predictions, y = planted(n, 2.0, 0.5, seed=3)
        prior = np.array([0.7, 0.3])
        shares.append(blend(predictions, y, np.ones(n), auprc_of(y), rng(), prior=prior, kind="binary").weights[0])
    assert shares[0] > 0.6
    assert shares[1] < 0.45


def test_the_weights_of_log_odds_agree_with_a_constrained_solver():
    predictions, y = planted(500, 1.0, 2.0, 0.7)
    w, prior = rng().uniform(0.5, 1.5, size=500), np.array([0.2, 0.5, 0.3])

    def objective(v: Array) -> float:
        probability = 1 / (1 + np.exp(-(v @ predictions)))
        return log_loss(y, probability, sample_weight=w) + PRIOR_FRACTION * entropy(prior, v)

    whole = {"type": "eq", "fun": lambda v: v.sum() - 1}
    reference = minimize(objective, prior, method="SLSQP", bounds=[(1e-6, 1)] * 3, constraints=whole)
    assert log_loss_weights(predictions, y, w, prior) == pytest.approx(reference.x, abs=1e-3)


def test_a_component_with_prior_weight_0_is_not_used():
    predictions, y = planted(200, 1.0, 0.1)
    chosen = blend(predictions, y, np.ones(200), auprc_of(y), rng(), prior=np.array([1.0, 0.0]), kind="binary")
    assert chosen.weights.tolist() == [1, 0]


@pytest.mark.parametrize("signal", [2.0, 0.0])
def test_the_constant_is_used_where_it_is_better_than_the_other_components(signal):
    noise = rng().normal(size=(3, 400))
    y = signal * noise[0] + noise[2]
    predictions = np.array([signal * noise[0] + noise[1], np.zeros(400)])
    part = np.arange(400) % PARTS

    def score(x: Array, parts: Sequence[int]) -> float:
        kept = np.isin(part, parts)
        return -float(np.mean((x - y)[kept] ** 2))

    chosen = blend(predictions, y, np.ones(400), score, rng(), prior=equal(2), kind="real", constant=1)
    assert (chosen.weights[1] < 0.5) if signal else (chosen.weights[1] > 0.95)


def test_one_class_has_the_prior_weights_on_one_scale():
    predictions = np.array([[1.0, 2.0, 3.0, 4.0], [100.0, 400.0, 200.0, 300.0]])
    y, prior = -np.ones(4), np.array([0.25, 0.75])
    nan = float("nan")
    chosen = blend(predictions, y, np.ones(4), lambda *_: nan, rng(), prior=prior, kind="binary")
    assert chosen.weights == pytest.approx(prior)
    same_scale = chosen.lines[:, :1] + chosen.lines[:, 1:] * predictions
    assert same_scale[0].std() == pytest.approx(same_scale[1].std())
    assert (1 / (1 + np.exp(-prior @ same_scale)) < 0.5).all()


def test_equal_scores_have_no_slope_from_rounding():
    x = np.full(885, -0.8123)
    offset, slope = platt(x, np.where(np.arange(885) < 100, 1.0, -1.0), np.ones(885))
    assert abs(slope) < 10
    assert 1 / (1 + np.exp(-(offset + slope * x[0]))) == pytest.approx(100 / 885, abs=0.01)


def test_calibration_agrees_with_a_logistic_regression_on_many_entries():
    (x,), y = planted(20_000, 1.0)
    offset, slope = platt(x, y, np.ones(y.size))
    reference = LogisticRegression(C=1e9).fit(x[:, None], y)
    assert offset == pytest.approx(reference.intercept_[0], abs=0.01)
    assert slope == pytest.approx(reference.coef_[0, 0], abs=0.01)


def test_an_entry_of_weight_2_counts_like_two_entries_in_the_calibration():
    (x,), y = planted(300, 1.0)
    w = np.where(np.arange(y.size) < 100, 2.0, 1.0)
    twice = np.concatenate([np.arange(y.size), np.arange(100)])
    assert platt(x, y, w) == pytest.approx(platt(x[twice], y[twice], np.ones(400)), abs=1e-4)


def test_planted_weights_of_real_values_are_selected():
    predictions = rng().normal(size=(3, 500))
    y = np.array([0.75, 0.25, 0.0]) @ predictions
    chosen = selection(predictions, lambda x: -float(np.mean((x - y) ** 2)))
    assert chosen == pytest.approx([0.75, 0.25, 0.0])


def test_weights_are_shrunk_by_half_if_the_gain_is_as_large_as_its_noise():
    single, mixed = np.eye(2)
    # Without one part, the gain is 1 or more, by as much as makes its jackknife error 1.
    change = 1 / np.sqrt(9)

    def score(x: Array, parts: Sequence[int]) -> float:
        left_out = set(range(PARTS)) - set(parts)
        return float(x[1]) * (1 + change * (-1) ** left_out.pop() if left_out else 1)

    assert shrunk(mixed, single, np.eye(2), score) == pytest.approx([0.5, 0.5])


def test_a_component_ranks_even_where_held_out_entries_contradict_it():
    x, y = np.array([-3.0, -1.0, 0.0, 1.0, 3.0]), np.array([1.0, 1.0, -1.0, -1.0, -1.0])
    assert platt(x, y, np.ones(5))[1] > 0


def test_without_scores_the_weights_are_the_prior_ones():
    none, prior = np.zeros(0), np.array([0.75, 0.25])
    chosen = blend(np.zeros((2, 0)), none, none, lambda *_: float("nan"), rng(), prior=prior, kind="binary")
    assert chosen.weights == pytest.approx(prior)
