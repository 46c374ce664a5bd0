import sys

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

import mrwtd
from mrwtd.data.relations import KINDS
from mrwtd.evaluation import average
from mrwtd.metrics import METRICS, metrics_of


def values(frame: pd.DataFrame) -> dict[str, float]:
    return dict(zip(frame["metric"], frame["value"], strict=True))


def reasons(frame: pd.DataFrame) -> dict[str, str]:
    return dict(zip(frame["metric"], frame["reason"], strict=True))


def test_scores_of_a_ranking_by_hand(with_scores):
    # Ranked: + − + −. Precision at the hits 1/1 and 2/3; of 4 pairs of a hit and a miss 3 are in order; at the
    # threshold of the second hit F1 = 2·(2/3)/(5/3) = 0.8.
    scores = values(mrwtd.evaluate(*with_scores([1, 1, -1, -1], [0.9, 0.3, 0.5, 0.1])))
    assert scores["auprc"] == pytest.approx(5 / 6)
    assert scores["roc_auc"] == pytest.approx(3 / 4)
    assert scores["best_f1"] == pytest.approx(0.8)
    assert (scores["precision"], scores["recall"]) == (pytest.approx(2 / 3), 1.0)
    assert scores["threshold"] == 0.3


def test_of_equally_good_thresholds_the_highest_is_chosen(with_scores):
    # F1 is 2/3 at the first hit (precision 1, recall 1/2) and at the second (precision 1/2, recall 1).
    scores = values(mrwtd.evaluate(*with_scores([1, -1, -1, 1], [4, 3, 2, 1])))
    assert (scores["best_f1"], scores["threshold"], scores["precision"]) == (pytest.approx(2 / 3), 4.0, 1.0)


def test_binary_scores_equal_scikit_learn_with_ties(with_scores):
    rng = np.random.default_rng(0)
    y, x = np.where(rng.random(300) < 0.2, 1.0, -1.0), rng.integers(-5, 6, 300).astype(float)
    model, data = with_scores(y, x, loss="logistic")
    scores, y = values(mrwtd.evaluate(model, data)), data.y
    assert scores["auprc"] == pytest.approx(metrics.average_precision_score(y, x))
    assert scores["roc_auc"] == pytest.approx(metrics.roc_auc_score(y, x))
    assert scores["brier"] == pytest.approx(metrics.brier_score_loss(y > 0, 1 / (1 + np.exp(-x))))
    every = [metrics.f1_score(y, np.where(x >= threshold, 1, -1)) for threshold in np.unique(x)]
    assert scores["best_f1"] == pytest.approx(max(every))
    chosen = np.where(x >= scores["threshold"], 1, -1)
    assert scores["precision"] == pytest.approx(metrics.precision_score(y, chosen))
    assert scores["recall"] == pytest.approx(metrics.recall_score(y, chosen))


def test_ordinal_scores_by_hand(with_scores):
    # Predicted levels 0, 1, 3, 3 (x is rounded, and cannot leave the levels): distances 0, 1, 1, 0.
    scores = values(mrwtd.evaluate(*with_scores([0, 2, 2, 3], [-0.4, 1.2, 2.6, 7.0], kind="ordinal")))
    assert scores == {"mae": 0.5, "accuracy": 0.5}


@pytest.mark.parametrize("kind", ["count", "real"])
def test_numbers_by_hand(with_scores, kind):
    # Errors 1, 1, −2: MSE 2. The values 1, 3, 5 have the variance 8/3.
    scores = values(mrwtd.evaluate(*with_scores([1, 3, 5], [2, 4, 3], kind=kind)))
    assert scores["mse"] == pytest.approx(2.0)
    assert scores["rmse"] == pytest.approx(1.41421356)
    assert scores["nmse"] == pytest.approx(0.75)
    assert scores["r2"] == pytest.approx(0.25)


def test_the_deviance_of_counts_by_hand(with_scores):
    # Rates of 2 for the counts 0 and 4: 2·2 and 2·(4 log 2 − 2), which is the deviance of the mean: nothing explained.
    counts, right = [0, 4], values(mrwtd.evaluate(*with_scores([0, 4], [0, 4], kind="count")))
    assert values(mrwtd.evaluate(*with_scores(counts, [2, 2], kind="count")))["deviance_explained"] == pytest.approx(0)
    assert right["deviance_explained"] == pytest.approx(1)
    assert values(mrwtd.evaluate(*with_scores(counts, [4, 0], kind="count")))["deviance_explained"] < -1
    frame = mrwtd.evaluate(*with_scores([3, 3], [2, 4], kind="count"))
    assert "no variance" in reasons(frame)["deviance_explained"]
    assert "deviance_explained" not in values(mrwtd.evaluate(*with_scores([1, 3], [2, 4], kind="real")))


def test_the_normalized_error_does_not_depend_on_the_unit(with_scores):
    y, x = np.array([1.0, 3.0, 5.0, 2.0]), np.array([2.0, 4.0, 3.0, 2.0])
    metres, feet = (values(mrwtd.evaluate(*with_scores(y * unit, x * unit, kind="real"))) for unit in (1.0, 3.28084))
    assert metres["nmse"] == pytest.approx(feet["nmse"])
    assert metres["mse"] < feet["mse"]


@pytest.mark.parametrize(("label", "word"), [(1, "positive"), (-1, "negative")])
def test_a_single_class_has_a_reason_instead_of_a_score(with_scores, label, word):
    frame = mrwtd.evaluate(*with_scores([label] * 5, range(5), loss="logistic"))
    assert frame["value"].isna().all()
    assert set(frame["reason"]) == {f"all 5 test entries are {word}"}
    assert set(frame["positives"]) == {5 if label > 0 else 0}


def test_without_a_probability_there_is_no_brier_score(with_scores):
    frame = mrwtd.evaluate(*with_scores([1, -1], [1, 0], loss="smooth-hinge"))
    assert np.isnan(values(frame)["brier"])
    assert reasons(frame)["brier"] == "the method gives no probability"
    assert frame.loc[frame["metric"] != "brier", "reason"].eq("").all()


@pytest.mark.parametrize("kind", KINDS)
def test_relations_without_entries_have_no_score(with_scores, kind):
    model, data = with_scores([1, 1], [1, 0], kind=kind)
    model.x = ()
    frame = mrwtd.evaluate(model, data.subset([]))
    assert list(frame["metric"]) == [metric.name for metric in metrics_of(kind)]
    assert frame["value"].isna().all()
    assert set(frame["reason"]) == {"no test entry"}


@pytest.mark.parametrize("kind", KINDS)
def test_nan_scores_give_no_value(with_scores, kind):
    frame = mrwtd.evaluate(*with_scores([1, 1], [np.nan, 1], kind=kind))
    assert frame["value"].isna().all()
    assert set(frame["reason"]) == {"1 of 2 predictions are not finite"}


def test_constant_values_have_an_error_but_no_explained_fraction(with_scores):
    frame = mrwtd.evaluate(*with_scores([2, 2], [2, 4], kind="real"))
    assert values(frame)["mse"] == 2.0
    assert np.isnan(values(frame)["r2"])
    assert "no variance" in reasons(frame)["r2"]
    assert "no variance" in reasons(frame)["nmse"]


def test_a_weight_of_zero_is_the_same_as_no_entry(with_scores):
    heavy = mrwtd.evaluate(*with_scores([1, -1, 1], [3, 2, 1]))
    model, data = with_scores([1, -1, 1, 1], [3, 2, 1, -9], w=[1, 0.5, 1, 0])
    model.x = model.x[:3]
    pd.testing.assert_frame_equal(mrwtd.evaluate(model, data), heavy)


def test_every_metric_is_reported_for_its_kinds_only():
    data = mrwtd.load_dataset("synth-kinds", n_objects=30, seed=0)
    train, test = data.split(train=0.5, seed=0)
    frame = mrwtd.evaluate(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test)
    assert set(frame["kind"]) == set(KINDS)
    assert set(frame["metric"]) == {name for name, metric in METRICS.items() if metric.kinds and metric.reported}
    for kind, group in frame.groupby("kind"):
        assert set(group["metric"]) == {metric.name for metric in metrics_of(kind)}
    assert frame.loc[frame["kind"] != "binary", "positives"].isna().all()
    assert frame["entries"].sum() == sum(
        len(test.select_relations([name])) * len(group) for name, group in frame.groupby("relation", sort=False)
    )


def test_an_average_is_the_mean_over_relations_with_their_number():
    frame = pd.DataFrame(
        {
            "relation": ["a", "b", "c", "d"],
            "kind": ["binary"] * 3 + ["real"],
            "metric": ["auprc"] * 3 + ["mse"],
            "value": [0.2, np.nan, 0.4, 7.0],
            "entries": 10,
            "positives": 1,
            "reason": ["", "all 10 test entries are negative", "", ""],
        }
    )
    auprc, mse = average(frame).to_dict("records")
    assert auprc == {"kind": "binary", "metric": "auprc", "value": pytest.approx(0.3), "relations": 2, "out_of": 3}
    assert (mse["value"], mse["relations"], mse["out_of"]) == (7.0, 1, 1)
    (nothing,) = average(frame[1:2]).to_dict("records")
    assert np.isnan(nothing["value"])
    assert (nothing["relations"], nothing["out_of"]) == (0, 1)


def test_evaluating_anything_but_data_is_refused(with_scores):
    model, _ = with_scores([1, -1], [1, 0])
    with pytest.raises(mrwtd.DataError, match="expected RelationalData"):
        mrwtd.evaluate(model, [1, 2])


@pytest.mark.parametrize("name", ["MrWTD", "MMMF+", "BPTF"])
def test_threads_do_not_change_scores(name, monkeypatch):
    train, test = mrwtd.load_dataset("synth-kinds", n_objects=14, rank=2).split(train=0.6)
    test = test.subset(test.k != 1)  # a relation without entries
    more = {"sweeps": 6, "burn_in": 2} if name == "BPTF" else {"lam": 1.0}
    model = mrwtd.make_method(name, rank=2, **more).fit(train)
    single_threaded = mrwtd.evaluate(model, test)
    requests = []
    module = sys.modules["mrwtd.evaluation.evaluate"]  # the name in the package is the function
    monkeypatch.setattr(module, "threads_for", lambda entries: requests.append(entries) or 2)
    pd.testing.assert_frame_equal(mrwtd.evaluate(model, test), single_threaded)
    assert requests == [len(test)]
