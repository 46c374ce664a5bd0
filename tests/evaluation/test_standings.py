import numpy as np
import pandas as pd
import pytest

import mrwtd
from mrwtd.comparison.repeats import plan_repeats, repeat_seeds
from mrwtd.evaluation.standings import MEAN, standings_on_split, standings_over_splits
from mrwtd.model.cancellation import cancel_when


@pytest.fixture
def three(with_scores):
    """Test entries, and the scores of a perfect method, a nearly identical one, and a random one."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(500) < 0.3, 1.0, -1.0)
    good = y + rng.normal(scale=0.7, size=500)
    near = good + rng.normal(scale=0.05, size=500)
    model, data = with_scores(y, good)
    return {"good": model, "near": with_scores(y, near)[0], "guess": with_scores(y, rng.normal(size=500))[0]}, data


def test_a_method_with_nearly_the_same_scores_is_tied_and_guessing_is_not(three):
    table = standings_on_split(*three).set_index(["relation", "method"])
    best = table.index[table["best"] & (table.index.get_level_values(0) == "r")]
    assert best[0][1] in ("good", "near")
    assert table.loc[("r", "good"), "tied_with_best"]
    assert table.loc[("r", "near"), "tied_with_best"]
    assert not table.loc[("r", "guess"), "tied_with_best"]
    assert table.loc[("r", "guess"), "p"] < 1e-6


def test_values_equal_those_of_evaluate(three):
    models, data = three
    table = standings_on_split(models, data).query("relation == 'r'").set_index("method")["value"]
    for label, model in models.items():
        run_scores = mrwtd.evaluate(model, data).set_index("metric")["value"]
        assert table[label] == pytest.approx(run_scores["auprc"])


def test_the_mean_of_one_relation_is_that_relation(three):
    table = standings_on_split(*three)
    scores, mean = table[table["relation"] == "r"], table[table["relation"] == MEAN]
    for name in ("value", "spread", "p", "tied_with_best"):
        assert scores[name].tolist() == pytest.approx(mean[name].tolist(), nan_ok=True)


def test_a_relation_without_a_score_has_a_reason_and_is_not_in_the_mean():
    data = mrwtd.load_dataset("florentine")
    train, test = data.split(train=0.5, seed=0)
    only_no = test.subset((test.k == 0) | (test.y < 0))  # marriage has no tie left
    table = standings_on_split({"ours": mrwtd.MrWTD(rank=2, lam=1.0).fit(train)}, only_no).set_index("relation")
    assert np.isnan(table.loc["marriage", "value"])
    assert "negative" in table.loc["marriage", "reason"]
    assert table.loc[MEAN, "value"] == table.loc["business", "value"]
    assert table.loc[MEAN, "n"] == 1


def test_lower_errors_are_better(with_scores):
    y = np.arange(40.0)
    models = {"far": with_scores(y, y + 3, kind="real")[0], "close": with_scores(y, y + 1, kind="real")[0]}
    table = standings_on_split(models, with_scores(y, y, kind="real")[1])
    assert set(table.loc[table["best"], "method"]) == {"close"}


def test_an_extreme_error_is_not_tied(with_scores):
    y = np.arange(40.0)
    wild = y + 2
    wild[0] = 1e6  # a spread so large that the best is within it
    data = with_scores(y, y, kind="real")[1]
    models = {"close": with_scores(y, y + 1, kind="real")[0], "wild": with_scores(y, wild, kind="real")[0]}
    table = standings_on_split(models, data).set_index(["relation", "method"])
    wild_row = table.loc[("r", "wild")]
    assert wild_row["value"] - table.loc[("r", "close"), "value"] < 1.96 * wild_row["spread"]
    assert not table["tied_with_best"].xs("wild", level="method").any()


def test_two_uninformative_methods_can_be_tied(with_scores):
    rng = np.random.default_rng(0)
    y = rng.normal(size=200)
    models = {name: with_scores(y, rng.normal(scale=0.3, size=200), kind="real")[0] for name in ("one", "two")}
    table = standings_on_split(models, with_scores(y, y, kind="real")[1])
    assert table["value"].gt(1).any()
    assert table["tied_with_best"].all()


def test_an_extreme_error_is_not_tied_over_several_splits():
    values = {"close": (0.2, 0.25, 0.22), "near": (0.21, 0.25, 0.24), "wild": (0.9, 2.0, 1e9)}
    rows = [
        {"method": method, "run": run, "relation": "r", "kind": "real", "metric": "nmse", "value": value, "reason": ""}
        for method, run_scores in values.items()
        for run, value in enumerate(run_scores)
    ]
    table = standings_over_splits(pd.DataFrame(rows)).set_index(["relation", "method"])["tied_with_best"]
    assert table.xs("r").to_dict() == {"close": True, "near": True, "wild": False}
    assert table.xs(MEAN).to_dict() == {"close": True, "near": True, "wild": False}


def test_counts_are_ranked_by_both_of_their_scores(with_scores):
    # One is off at the largest count, the other at all the small ones.
    y = np.array([1.0] * 20 + [400.0])
    far, near = np.append(y[:-1], 300.0), np.append(y[:-1] * 12, 400.0)
    models = {"far": with_scores(y, far, kind="count")[0], "near": with_scores(y, near, kind="count")[0]}
    table = standings_on_split(models, with_scores(y, y, kind="count")[1])
    best = table[table["best"]].set_index(["relation", "metric"])["method"]
    for relation in ("r", MEAN):
        assert best[relation, "nmse"] == "near"
        assert best[relation, "deviance_explained"] == "far"


def test_a_negative_explained_deviance_is_not_tied_over_several_splits():
    values = {"close": (0.8, 0.75, 0.78), "wild": (0.1, -1.0, -1e9)}
    rows = [
        {"method": method, "run": run, "relation": "r", "kind": "count", "metric": "deviance_explained",
         "value": value, "reason": ""}
        for method, run_scores in values.items()
        for run, value in enumerate(run_scores)
    ]  # fmt: skip
    table = standings_over_splits(pd.DataFrame(rows)).set_index(["relation", "method"])["tied_with_best"]
    assert table.xs("r").to_dict() == {"close": True, "wild": False}


@pytest.fixture(scope="module")
def repeated():
    data = mrwtd.load_dataset("florentine")
    models = {"MrWTD": mrwtd.MrWTD(rank=2, lam=1.0, snapshots=3), "CP": mrwtd.make_method("CP", rank=2, lam=1.0)}
    plan = plan_repeats(models, train=0.5)
    return data, plan, repeat_seeds(data, plan, seeds=3, first=4)


def test_a_plan_keeps_all_parameters_except_the_seed(repeated):
    _, plan, _ = repeated
    assert plan.methods["MrWTD"]["rank"] == 2
    assert not {"seed", "snapshots"} & set(plan.methods["MrWTD"])


def test_seeds_are_splits_of_the_data(repeated):
    data, _, scores = repeated
    train, test = data.split(train=0.5, seed=5)
    run_scores = mrwtd.evaluate(mrwtd.MrWTD(rank=2, lam=1.0, seed=5).fit(train), test)
    table = scores[(scores["run"] == 1) & (scores["method"] == "MrWTD")]
    assert table["value"].tolist() == pytest.approx(run_scores["value"].tolist(), nan_ok=True)


def test_several_splits_give_mean_deviation_and_number(repeated):
    _, _, scores = repeated
    table = standings_over_splits(scores).set_index(["relation", "method"])
    run_scores = scores.query("metric == 'auprc' and relation == 'marriage' and method == 'CP'")["value"]
    row = table.loc[("marriage", "CP")]
    assert (row["value"], row["spread"], row["n"]) == pytest.approx((run_scores.mean(), run_scores.std(), 3))
    assert table.groupby("relation")["best"].sum().ge(1).all()


def test_a_method_that_failed_in_every_split_has_a_reason(repeated):
    _, _, scores = repeated
    failed = scores.drop_duplicates("run").assign(
        method="bad", metric="", relation="", kind="", value=np.nan, reason="no"
    )
    table = standings_over_splits(pd.concat([scores, failed], ignore_index=True)).set_index(["relation", "method"])
    assert table.loc[("marriage", "bad"), "reason"] == "no"
    assert table.loc[("marriage", "bad"), "n"] == 0


def test_repeats_can_be_stopped_and_keep_finished_ones():
    data = mrwtd.load_dataset("florentine")
    plan = plan_repeats({"CP": mrwtd.make_method("CP", rank=2, lam=1.0)}, train=0.5)
    table = repeat_seeds(data, plan, 5, lambda done, total, status: done == 2)
    assert table["run"].unique().tolist() == [0, 1]
    calls = []
    none = repeat_seeds(data, plan, 5, lambda done, total, status: calls.append(done) or len(calls) == 3)
    assert none.empty  # it was stopped during the first fit
    assert calls == [0, 0, 0]


@pytest.mark.parametrize("after", [0, 1, 4])
def test_a_fit_stopped_between_iterations_is_not_a_result(after):
    data, labels = mrwtd.load_dataset("florentine"), []
    plan = plan_repeats({"MrWTD": mrwtd.MrWTD(rank=2, lam=0.1)}, train=0.5)

    def progress(done, total, status):
        labels.append(status)
        return len(labels) > after  # the callback of a job stops it too, a little later

    with cancel_when(lambda: len(labels) >= after):
        assert repeat_seeds(data, plan, 1, progress).empty
