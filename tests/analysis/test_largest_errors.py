import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import confusion_matrix, f1_score, precision_score, recall_score

from mrwtd.analysis.pair_predictions import largest_errors
from mrwtd.analysis.run_differences import score_differences, setting_differences
from mrwtd.evaluation.curves import confusion


@pytest.fixture
def knows(with_scores):
    """As `with_scores`, with a method whose score depends on the entry."""

    def make(y, x, **options):
        model, data = with_scores(y, x, **options)
        model._reconstruct = lambda entries, relations: np.asarray(x, dtype=float)[entries.j - 1]
        return model, data

    return make


@pytest.fixture
def noisy(knows):
    rng = np.random.default_rng(2)
    y = np.where(rng.random(200) < 0.4, 1.0, -1.0)
    return knows(y, np.round(y + rng.normal(scale=1.5, size=200), 1), loss="logistic")


@pytest.mark.parametrize("threshold", [-1.0, 0.0, 0.7])
def test_the_four_outcomes_equal_scikit_learn(noisy, threshold):
    model, data = noisy
    truth, called = data.y > 0, model.decision_function(data) >= threshold
    table = confusion(data.y, model.decision_function(data), threshold)
    (tn, fp), (fn, tp) = confusion_matrix(truth, called)
    assert (table.rejections, table.false_alarms, table.misses, table.hits) == (tn, fp, fn, tp)
    assert table.precision == pytest.approx(precision_score(truth, called))
    assert table.recall == pytest.approx(recall_score(truth, called))
    assert table.f1 == pytest.approx(f1_score(truth, called))
    assert table.base_rate == pytest.approx(truth.mean())


def test_extreme_thresholds_predict_all_or_no_ties():
    y, x = np.array([1.0, -1.0, 1.0]), np.array([0.1, 0.2, 0.3])
    nothing, everything = confusion(y, x, 9.0), confusion(y, x, -9.0)
    assert (nothing.precision, nothing.recall, nothing.f1) == (1.0, 0.0, 0.0)
    assert (everything.recall, everything.precision) == (1.0, pytest.approx(2 / 3))
    assert np.isnan(confusion(-np.ones(2), np.zeros(2), 0.0).recall)


def test_the_most_wrong_are_furthest_beyond_the_threshold(knows):
    model, data = knows([1, 1, -1, -1, 1], [-3.0, 2.0, 5.0, -1.0, -0.5])
    table = largest_errors(model, data, "r")
    assert table["target"].tolist() == ["o3", "o1", "o5"]
    assert table["outcome"].tolist() == ["false alarm", "missed", "missed"]
    assert table["error"].tolist() == [5.0, 3.0, 0.5]
    assert table["prediction"].tolist() == [1.0, -1.0, -1.0]


def test_errors_follow_the_threshold(knows):
    case = knows([1, 1, -1], [-3.0, 2.0, 5.0])
    assert largest_errors(*case, "r", threshold=-4.0)["target"].tolist() == ["o3"]
    assert largest_errors(*case, "r", threshold=6.0)["outcome"].tolist() == ["missed", "missed"]


def test_only_the_top_are_listed_the_worst_first(noisy):
    errors, top = largest_errors(*noisy, "r", top=10_000), largest_errors(*noisy, "r", top=7)
    assert len(top) == 7
    assert top["error"].tolist() == errors["error"].tolist()[:7]
    assert (np.diff(errors["error"]) <= 0).all()


def test_numbers_are_too_high_or_too_low(knows):
    table = largest_errors(*knows([1.0, 5.0, 2.0], [4.0, 4.0, 2.0], kind="real"), "r")
    assert table["outcome"].tolist() == ["too high", "too low"]
    assert table["error"].tolist() == [3.0, -1.0]


def test_settings_that_are_equal_are_not_listed():
    assert setting_differences({"rank": 5}, {"rank": "5"}).empty


def scores(**values: float) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"relation": name, "kind": kind, "metric": metric, "value": value}
            for name, value in values.items()
            for kind, metric in ([("real", "nmse")] if name == "km" else [("binary", "auprc"), ("binary", "roc_auc")])
        ]
    )


def test_a_change_is_better_by_the_direction_of_its_measure():
    table = score_differences(scores(work=0.5, km=0.9, lunch=0.2), scores(work=0.4, km=0.7, lunch=0.2)).set_index(
        "relation"
    )
    assert table["metric"].to_dict() == {"work": "auprc", "km": "nmse", "lunch": "auprc"}
    assert table["better"].to_dict() == {"work": "A", "km": "B", "lunch": ""}
    assert table.loc["work", "change"] == pytest.approx(-0.1)


def test_relations_in_only_one_run_have_no_change():
    table = score_differences(scores(b=0.5, a=0.5), scores(a=0.6, c=0.1))
    assert table["relation"].tolist() == ["b", "a", "c"]
    assert table["better"].tolist() == ["", "B", ""]
    assert table["change"].isna().tolist() == [True, False, True]
