import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_ind

import mrwtd
from mrwtd.evaluation.significance import summarize


def scores(metric: str = "auprc", kind: str = "binary", **methods) -> pd.DataFrame:
    return pd.concat(
        pd.DataFrame(
            {
                "method": name,
                "train": 0.1,
                "run": range(len(values)),
                "relation": "r",
                "kind": kind,
                "metric": metric,
                "value": values,
            }
        )
        for name, values in methods.items()
    )


def by_method(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.set_index("method")


def test_a_t_test_by_hand():
    # Means 5 and 3, both variances 2.5, five runs each: t = 2 / sqrt(2.5 · 2/5) = 2 with 8 degrees of freedom, for
    # which tables of Student's distribution give 2.306 at 0.05: not rejected. p = 0.0805.
    summary = by_method(summarize(scores(A=[3, 4, 5, 6, 7], B=[1, 2, 3, 4, 5])))
    assert summary["mean"].to_dict() == {"A": 5, "B": 3}
    assert summary["sd"].tolist() == pytest.approx([np.sqrt(2.5)] * 2)
    assert summary["n"].tolist() == [5, 5]
    assert summary["p"]["B"] == pytest.approx(0.0805, abs=5e-5)
    assert summary["best"].to_dict() == {"A": True, "B": False}
    assert summary["tied_with_best"].all()
    # Half a unit further apart t = 2.5, beyond the table's 2.306.
    further = by_method(summarize(scores(A=[3.5, 4.5, 5.5, 6.5, 7.5], B=[1, 2, 3, 4, 5])))
    assert further["tied_with_best"].to_dict() == {"A": True, "B": False}


def test_it_equals_the_t_test_with_equal_variances():
    rng = np.random.default_rng(0)
    a, b = rng.normal(1, 0.1, 20), rng.normal(0.8, 0.5, 12)
    summary = by_method(summarize(scores(A=a, B=b)))
    assert summary["p"]["B"] == pytest.approx(ttest_ind(a, b, equal_var=True).pvalue)


@pytest.mark.parametrize(
    ("metric", "kind", "best"), [("mse", "real", "B"), ("r2", "real", "A"), ("mae", "ordinal", "B")]
)
def test_the_best_error_is_the_lowest(metric, kind, best):
    summary = by_method(summarize(scores(metric, kind, A=[3, 4, 5], B=[1, 2, 3])))
    assert summary.index[summary["best"]].tolist() == [best]


def test_a_threshold_is_neither_good_nor_bad():
    summary = summarize(scores("threshold", A=[3, 4, 5], B=[1, 2, 3]))
    assert not summary["best"].any()
    assert not summary["tied_with_best"].any()
    assert summary["mean"].tolist() == [4, 2]


def test_constant_scores_are_compared_exactly():
    summary = by_method(summarize(scores(A=[0.5] * 3, B=[0.5] * 3, C=[0.25] * 3, D=[0.4, 0.5, 0.6])))
    assert summary["tied_with_best"].to_dict() == {"A": True, "B": True, "C": False, "D": True}
    assert summary["p"]["C"] == 0.0


def test_a_single_run_has_no_test_and_only_the_best_is_marked():
    summary = by_method(summarize(scores(A=[0.5], B=[0.4999])))
    assert summary["tied_with_best"].to_dict() == {"A": True, "B": False}
    assert summary["p"].isna().all()
    assert summary["sd"].isna().all()


def test_runs_without_a_score_do_not_count():
    summary = by_method(summarize(scores(A=[0.5, np.nan, 0.7], B=[np.nan] * 3)))
    assert summary["n"].to_dict() == {"A": 2, "B": 0}
    assert summary["mean"]["A"] == pytest.approx(0.6)
    assert np.isnan(summary["mean"]["B"])
    assert not summary["tied_with_best"]["B"]
    no_scores = summarize(scores(A=[np.nan], B=[np.nan]))
    assert not no_scores["best"].any()


def test_a_method_that_always_failed_has_its_row():
    frame = scores(A=[0.5, 0.6])
    failure = {"method": "B", "train": 0.1, "run": 0, "relation": "", "kind": "", "metric": "", "value": np.nan}
    summary = by_method(summarize(pd.concat([frame, pd.DataFrame([failure])])))
    assert summary["n"].to_dict() == {"A": 2, "B": 0}


def test_holm_correction_is_stricter_for_several_tests():
    # As above, t is the distance to the best: 2.8, 2.5 and 1 with 8 degrees of freedom, p = 0.0232, 0.0369 and 0.3466.
    # Holm: 3 · 0.0232 = 0.0696, 2 · 0.0369 = 0.0739, and 0.3466.
    runs = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    frame = scores(C=runs - 2.5, A=runs, D=runs - 1.0, B=runs - 2.8)
    plain, holm = (by_method(summarize(frame, correction=correction)) for correction in (None, "holm"))
    assert plain["p"][["B", "C", "D"]].tolist() == pytest.approx([0.0232, 0.0369, 0.3466], abs=6e-5)
    assert holm["p"][["B", "C", "D"]].tolist() == pytest.approx([0.0696, 0.0739, 0.3466], abs=2e-4)
    assert plain["tied_with_best"].to_dict() == {"C": False, "A": True, "D": True, "B": False}
    assert holm["tied_with_best"].all()


def test_scores_are_averaged_over_relations_first_as_in_the_paper():
    first, second = scores(A=[0.2, 0.4], B=[0.1, 0.1]), scores(A=[0.6, 0.6], B=[0.5, np.nan])
    frame = pd.concat([first, second.assign(relation="s")])
    summary = by_method(summarize(frame))
    assert summary["mean"].to_dict() == {"A": pytest.approx(0.45), "B": pytest.approx(0.2)}
    assert summary["relations"].to_dict() == {"A": 2, "B": 1}, "B has a run whose average covers one relation"
    assert summary["out_of"].tolist() == [2, 2]
    each = summarize(frame, per_relation=True)
    assert each[["relation", "method", "n"]].to_numpy().tolist() == [
        ["r", "A", 2], ["r", "B", 2], ["s", "A", 2], ["s", "B", 1],
    ]  # fmt: skip
    assert "relations" not in each


def test_other_columns_define_groups():
    frame = pd.concat([scores(A=[1, 2], B=[3, 4]).assign(data="x"), scores(A=[5, 6], B=[3, 4]).assign(data="y")])
    summary = summarize(frame)
    assert summary.loc[summary["best"], ["data", "method"]].to_numpy().tolist() == [["x", "B"], ["y", "A"]]


def test_an_empty_table_gives_an_empty_table():
    empty = scores(A=[1.0])[:0]
    for per_relation in (False, True):
        assert summarize(empty, per_relation=per_relation).empty


def test_bad_arguments_are_refused():
    with pytest.raises(mrwtd.DataError, match="holm"):
        summarize(scores(A=[1.0]), correction="bonferroni")
    with pytest.raises(mrwtd.DataError, match="'metric'"):
        summarize(scores(A=[1.0]).drop(columns="metric"))


def test_constant_scores_are_tied_if_they_differ_only_by_rounding():
    summary = by_method(summarize(scores(A=[0.1 + 0.2] * 3, B=[0.3] * 3, C=[0.3 - 1e-6] * 3)))
    assert summary["best"].to_dict() == {"A": True, "B": False, "C": False}
    assert summary["tied_with_best"].to_dict() == {"A": True, "B": True, "C": False}
    # Means of equal numbers may be rounded too, which leaves a deviation that is none.
    noisy = by_method(summarize(scores(A=[0.1 + 0.2, 0.3, 0.3], B=[0.3] * 3)))
    assert noisy["tied_with_best"].all()
