import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, d2_tweedie_score, mean_absolute_error, r2_score

from mrwtd.metrics import METRICS, Predictions
from mrwtd.metrics.jackknife import average_precision_influence, standard_error

CASES = [(kind, name) for name, metric in METRICS.items() for kind in metric.main_for + metric.shown_for]


def weighted(metric: str, predictions: Predictions, w: np.ndarray) -> float:
    """Scikit-learn's score of weighted entries."""
    if metric == "auprc":
        return average_precision_score(predictions.y > 0, predictions.x, sample_weight=w)
    if metric == "mae":
        return mean_absolute_error(predictions.y, predictions.predicted, sample_weight=w)
    if metric == "deviance_explained":
        return d2_tweedie_score(predictions.y, predictions.predicted, power=1, sample_weight=w)
    return 1 - r2_score(predictions.y, predictions.predicted, sample_weight=w)


def some(kind: str, size: int = 40, seed: int = 0) -> Predictions:
    rng = np.random.default_rng(seed)
    x = rng.integers(-4, 5, size) / 2.0  # with equal scores
    levels = rng.integers(0, 4, size).astype(float)
    y = np.where(levels > 1, 1.0, -1.0) if kind == "binary" else levels
    predicted = np.exp(x / 2) if kind == "count" else np.clip(np.rint(x), 0, 3)
    return Predictions(kind, y, x, predicted)


@pytest.mark.parametrize(("kind", "metric"), CASES)
def test_the_value_equals_scikit_learn(kind, metric):
    predictions = some(kind)
    assert METRICS[metric].compute(predictions) == pytest.approx(weighted(metric, predictions, np.ones(40)))


@pytest.mark.parametrize(("kind", "metric"), CASES)
def test_influences_are_derivatives_with_respect_to_the_weights(kind, metric):
    predictions, step = some(kind), 1e-5
    numeric = []
    for index in range(predictions.y.size):
        up, down = np.ones(predictions.y.size), np.ones(predictions.y.size)
        up[index] += step
        down[index] -= step
        numeric.append((weighted(metric, predictions, up) - weighted(metric, predictions, down)) / (2 * step))
    assert METRICS[metric].influence(predictions) == pytest.approx(np.array(numeric), abs=1e-6)


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=30))
def test_influences_sum_to_zero(entries):
    y = np.array([1.0 if tie else -1.0 for tie, _ in entries])
    if len(set(y)) == 2:
        x = np.array([float(x) for _, x in entries])
        assert average_precision_influence(y, x).sum() == pytest.approx(0, abs=1e-9)


def test_the_standard_error_agrees_with_a_bootstrap():
    rng = np.random.default_rng(3)
    y = np.where(rng.random(600) < 0.3, 1.0, -1.0)
    x = y + rng.normal(scale=1.5, size=600)
    drawn = [average_precision_score(y[sample] > 0, x[sample]) for sample in rng.integers(0, 600, (300, 600))]
    assert standard_error(average_precision_influence(y, x)) == pytest.approx(np.std(drawn), rel=0.15)
