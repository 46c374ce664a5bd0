"""The contract of all metrics of the registry."""

import math

import numpy as np
import pytest

from mrwtd.data.relations import KINDS
from mrwtd.metrics import METRICS, Metric, Predictions, main_metric, metrics_of, selection_metric, shown_metrics

VALUES = {
    "binary": [1.0, -1.0, -1.0, 1.0, -1.0, -1.0, -1.0],
    "ordinal": [0.0, 1.0, 1.0, 1.0, 3.0, 2.0, 0.0],
    "count": [0.0, 0.0, 1.0, 2.0, 7.0, 3.0, 0.0],
    "real": [-1.5, 0.0, 0.5, 2.0, 7.25, 3.0, -4.0],
}
SAME = {"binary": 1.0, "ordinal": 2.0, "count": 3.0, "real": 0.1}
CASES = [(name, kind) for name, metric in METRICS.items() for kind in metric.kinds]


@pytest.fixture(params=CASES, ids="-".join)
def case(request) -> tuple[Metric, str, np.ndarray]:
    name, kind = request.param
    return METRICS[name], kind, np.array(VALUES[kind])


def perfect(kind: str, y: np.ndarray) -> Predictions:
    return Predictions(kind, y, y, y, (y > 0).astype(float))


def constant(kind: str, y: np.ndarray) -> Predictions:
    """The mean for every pair, or the median of levels; the probability is the fraction of ties."""
    values = np.full(y.shape, np.median(y) if kind == "ordinal" else y.mean())
    return Predictions(kind, y, values, values, np.full(y.shape, np.mean(y > 0)))


@pytest.mark.parametrize("name", METRICS)
def test_it_has_a_label_and_one_line_of_help(name):
    metric = METRICS[name]
    assert metric.name == name
    assert metric.label
    assert metric.help
    assert "\n" not in metric.help
    assert not metric.help.endswith(".")
    assert set(metric.kinds) <= set(KINDS)
    assert set(metric.main_for + metric.shown_for + metric.selects_for) <= set(metric.kinds)
    assert metric.direction in ("higher", "lower", "")
    assert metric.quantity in ("score", "share", "unit")


def test_perfect_predictions_have_the_perfect_value(case):
    metric, kind, y = case
    if metric.perfect is not None:
        assert metric.score(perfect(kind, y)) == pytest.approx(metric.perfect)
        assert metric.perfect in metric.bounds


def test_constant_predictions_have_the_constant_value(case):
    metric, kind, y = case
    if metric.perfect is None:
        assert not metric.direction
        return
    value = metric.constant_score(y)
    assert metric.score(constant(kind, y)) == pytest.approx(value)
    assert metric.bounds[0] <= value <= metric.bounds[1]
    assert value <= metric.perfect if metric.direction == "higher" else value >= metric.perfect
    assert not metric.worse_than_constant(value)


def test_reversed_predictions_are_not_better_than_perfect_ones(case):
    metric, kind, y = case
    if metric.direction:
        x = -y if kind == "binary" else y.max() - y  # the opposite of the truth
        value = metric.score(Predictions(kind, y, x, x, (x > 0).astype(float)))
        assert value <= metric.perfect if metric.direction == "higher" else value >= metric.perfect
        assert metric.bounds[0] <= value <= metric.bounds[1]


def test_the_gain_is_0_for_a_constant_and_1_for_perfect_predictions(case):
    metric, kind, y = case
    if metric.perfect is not None and metric.constant_score(y) != metric.perfect:
        assert metric.gain(constant(kind, y)) == pytest.approx(0, abs=1e-12)
        assert metric.gain(perfect(kind, y)) == pytest.approx(1)


def test_influences_are_one_number_per_entry_and_sum_to_0(case):
    metric, kind, y = case
    x = np.linspace(0.2, 3.0, y.size)[::-1]
    influence = metric.influence(Predictions(kind, y, x, x))
    assert influence.shape == y.shape
    if kind in metric.main_for + metric.shown_for:
        assert influence.sum() == pytest.approx(0, abs=1e-9)


def test_entries_without_a_score_have_a_reason_and_no_number(case):
    metric, kind, _ = case
    none, broken = np.zeros(0), np.array([1.0, math.nan])
    assert metric.score(Predictions(kind, none, none, none, none)) == "no test entry"
    assert metric.score(Predictions(kind, np.ones(2), broken, broken, broken)) == "1 of 2 predictions are not finite"
    same = np.full(3, SAME[kind])
    score = metric.score(perfect(kind, same))
    assert isinstance(score, str) or score == metric.perfect


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_main_metric_and_a_selection_metric(kind):
    assert main_metric(kind) is shown_metrics(kind)[0]
    assert set(shown_metrics(kind)) <= set(metrics_of(kind))
    selects = selection_metric(kind)
    assert (selects.direction, selects.perfect) == ("higher", 1.0)
    assert sum(kind in metric.main_for for metric in METRICS.values()) == 1
    assert sum(kind in metric.selects_for for metric in METRICS.values()) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_relations_are_scored_the_same_together_and_separately(kind):
    y = np.array(VALUES[kind] * 2)
    x = np.sin(np.arange(y.size)) + 1.5
    metric, half = selection_metric(kind), y.size // 2
    values = metric.values(kind, y, x, np.array([0, half, half, y.size]))
    separate = [
        metric.compute(Predictions(kind, y[part], x[part], x[part])) for part in (slice(half), slice(half, None))
    ]
    assert values[[0, 2]] == pytest.approx(separate)
    assert np.isnan(values[1])
