from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, d2_tweedie_score, mean_absolute_error, r2_score

from mrwtd.data.relations import KINDS
from mrwtd.evaluation.jackknife import MAIN, SHOWN, average_precision_influence, influence, main_score, standard_error
from mrwtd.evaluation.measures import MEASURES, Answers, score

CASES = [(kind, metric) for kind in KINDS for metric in SHOWN[kind]]


def weighted(metric: str, answers: Answers, w: np.ndarray) -> float:
    """Scikit-learn's score of weighted entries."""
    if metric == "auprc":
        return average_precision_score(answers.y > 0, answers.x, sample_weight=w)
    if metric == "mae":
        return mean_absolute_error(answers.y, answers.predicted, sample_weight=w)
    if metric == "deviance_explained":
        return d2_tweedie_score(answers.y, answers.predicted, power=1, sample_weight=w)
    return 1 - r2_score(answers.y, answers.predicted, sample_weight=w)


def some(kind: str, size: int = 40, seed: int = 0) -> Answers:
    rng = np.random.default_rng(seed)
    x = rng.integers(-4, 5, size) / 2.0  # with equal scores
    levels = rng.integers(0, 4, size).astype(float)
    y = np.where(levels > 1, 1.0, -1.0) if kind == "binary" else levels
    predicted = np.exp(x / 2) if kind == "count" else np.clip(np.rint(x), 0, 3)
    return Answers(y, x, predicted, np.full(size, np.nan))


@pytest.mark.parametrize(("kind", "metric"), CASES)
def test_scores_that_are_shown_are_those_of_evaluate(kind, metric):
    answers = some(kind)
    assert main_score(kind, answers, metric) == pytest.approx(score(kind, answers)[metric])
    assert main_score(kind, answers, metric) == pytest.approx(weighted(metric, answers, np.ones(40)))
    assert kind in MEASURES[metric].kinds
    assert main_score(kind, answers) == main_score(kind, answers, MAIN[kind])


@pytest.mark.parametrize(("kind", "metric"), CASES)
def test_influences_are_the_derivatives_by_the_weights(kind, metric):
    answers, step = some(kind), 1e-5
    numeric = []
    for at in range(answers.y.size):
        up, down = np.ones(answers.y.size), np.ones(answers.y.size)
        up[at] += step
        down[at] -= step
        numeric.append((weighted(metric, answers, up) - weighted(metric, answers, down)) / (2 * step))
    assert influence(kind, answers, metric) == pytest.approx(np.array(numeric), abs=1e-6)


@given(st.lists(st.tuples(st.booleans(), st.integers(-3, 3)), min_size=2, max_size=30))
def test_more_of_everything_changes_nothing(entries):
    y = np.array([1.0 if tie else -1.0 for tie, _ in entries])
    if len(set(y)) == 2:
        x = np.array([float(x) for _, x in entries])
        assert average_precision_influence(y, x).sum() == pytest.approx(0, abs=1e-9)


def test_the_standard_error_is_that_of_a_bootstrap():
    rng = np.random.default_rng(3)
    y = np.where(rng.random(600) < 0.3, 1.0, -1.0)
    x = y + rng.normal(scale=1.5, size=600)
    drawn = [average_precision_score(y[at] > 0, x[at]) for at in rng.integers(0, 600, (300, 600))]
    assert standard_error(average_precision_influence(y, x)) == pytest.approx(np.std(drawn), rel=0.15)


@pytest.mark.parametrize(
    ("kind", "answers", "reason"),
    [
        ("binary", Answers(np.ones(3), np.arange(3.0), np.ones(3), np.ones(3)), "all 3 test entries are positive"),
        ("real", Answers(np.ones(3), np.arange(3.0), np.arange(3.0), np.ones(3)), "no variance"),
        ("count", Answers(np.zeros(0), np.zeros(0), np.zeros(0), np.zeros(0)), "no test entry"),
        ("binary", Answers(np.ones(2), np.array([1, np.nan]), np.ones(2), np.ones(2)), "1 of 2 predictions"),
    ],
)
def test_what_has_no_score_has_a_reason(kind, answers, reason):
    assert reason in main_score(kind, answers)
