import numpy as np
import pytest
from sklearn import metrics
from sklearn.calibration import calibration_curve

from mrwtd.evaluation import calibration_bins, precision_recall_curve
from mrwtd.evaluation.curves import precision_at_recall


@pytest.fixture
def case(with_scores):
    rng = np.random.default_rng(1)
    y, x = np.where(rng.random(400) < 0.3, 1.0, -1.0), rng.normal(size=400)
    return with_scores(y, x, loss="logistic")


def test_the_area_under_the_curve_is_the_score(case):
    model, data = case
    curve = precision_recall_curve(model, data)
    assert np.all(np.diff(curve["threshold"]) < 0)
    assert curve["recall"].iloc[[0, -1]].tolist() == [0.0, 1.0]
    area = float((np.diff(curve["recall"]) * curve["precision"].to_numpy()[1:]).sum())
    assert area == pytest.approx(metrics.average_precision_score(data.y, model.x))


def test_the_mean_precision_at_a_level_for_each_positive_is_the_area(case):
    model, data = case
    table = precision_at_recall(model, data, levels=int((data.y > 0).sum()))
    assert table["recall"].iloc[-1] == 1.0
    assert table["precision"].iloc[-1] == pytest.approx((data.y > 0).mean(), abs=0.01)
    assert table["precision"].mean() == pytest.approx(metrics.average_precision_score(data.y, model.x))


def test_a_thinned_curve_has_the_same_ends_and_a_subset_of_the_points(case):
    full, thin = precision_recall_curve(*case), precision_recall_curve(*case, points=12)
    assert len(thin) == 12
    assert thin.iloc[[0, -1]].to_numpy().tolist() == full.iloc[[0, -1]].to_numpy().tolist()
    assert set(map(tuple, thin.to_numpy())) <= set(map(tuple, full.to_numpy()))


def test_calibration_equals_scikit_learn_and_has_bin_sizes(case):
    model, data = case
    table = calibration_bins(model, data, bins=8)
    observed, predicted = calibration_curve(data.y > 0, model.predict_proba(data), n_bins=8)
    assert table["observed"].to_numpy() == pytest.approx(observed)
    assert table["predicted"].to_numpy() == pytest.approx(predicted)
    assert table["entries"].sum() == len(data)
    assert ((table["low"] <= table["predicted"]) & (table["predicted"] <= table["high"])).all()


def test_probability_one_is_in_the_last_bin(with_scores):
    table = calibration_bins(*with_scores([1, -1], [800, -800], loss="logistic"), bins=4)
    assert table[["low", "observed", "entries"]].to_numpy().tolist() == [[0.0, 0.0, 1.0], [0.75, 1.0, 1.0]]


def test_relations_without_a_curve_have_no_rows(with_scores):
    for case in (with_scores([1, 1], [0, 1]), with_scores([1.5, 2], [0, 1], kind="real")):
        assert precision_recall_curve(*case).empty
        assert calibration_bins(*case).empty
    columns = ["relation", "low", "high", "predicted", "observed", "entries", "represented", "largest"]
    assert calibration_bins(*case).columns.tolist() == columns
