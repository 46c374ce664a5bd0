"""K-fold cross-validation with `compare`: scores by hand, stored fits, and the corrected t-test."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

import mrwtd
from mrwtd.comparison import ResultCache
from mrwtd.data.folds import fold_parts
from mrwtd.evaluation.standings import standings_over_splits

DATA = mrwtd.load_dataset("florentine")


def test_each_run_is_tested_on_its_fold() -> None:
    scores = mrwtd.compare(DATA, ["CP"], rank=2, lam=1.0, folds=3, seed=4, stratify=True, n_jobs=1)
    assert scores["run"].unique().tolist() == [0, 1, 2]
    assert scores["train"].unique() == pytest.approx([2 / 3])
    assert (scores["folds"] == 3).all()
    train, test = fold_parts(DATA, 1, 3, seed=4, stratify=True)
    expected = mrwtd.evaluate(mrwtd.make_method("CP", rank=2, lam=1.0, seed=5).fit(train), test)
    assert scores.loc[scores["run"] == 1, "value"].tolist() == pytest.approx(expected["value"].tolist(), nan_ok=True)


def test_finished_folds_are_stored_and_not_repeated(tmp_path: Path) -> None:
    cache, reports = ResultCache(tmp_path, DATA), []
    request = {"folds": 3, "n_jobs": 1, "cached": cache, "save": cache.save}
    stopped = mrwtd.compare(DATA, ["Degree"], progress=lambda done, *_: done == 2, **request)
    assert stopped["run"].nunique() == 2
    full = mrwtd.compare(DATA, ["Degree"], progress=lambda *report: reports.append(report), **request)
    assert [report[:2] for report in reports] == [(2, 3), (3, 3)]
    assert len(cache) == 3
    again = mrwtd.compare(DATA, ["Degree"], **request)
    pd.testing.assert_frame_equal(full.drop(columns="seconds"), again.drop(columns="seconds"))


@pytest.mark.parametrize("other", [{"train": [0.5]}, {"runs": 3}, {"folds": 1}, {"folds": 1000}])
def test_folds_replace_fractions_and_runs(other: dict[str, object]) -> None:
    with pytest.raises(mrwtd.DataError, match="folds"):
        mrwtd.compare(DATA, ["Degree"], **({"folds": 3} | other), n_jobs=1)


def fold_scores(differences: list[float], folds: int) -> pd.DataFrame:
    """Scores of two methods on the same folds, which differ by these amounts."""
    base = [0.5 + 0.1 * run for run in range(len(differences))]
    values = {"A": base, "B": [value - difference for value, difference in zip(base, differences, strict=True)]}
    return pd.concat(
        pd.DataFrame({"method": name, "run": range(len(base)), "folds": folds, "relation": "likes", "kind": "binary",
                      "metric": "auprc", "value": value, "reason": ""}) for name, value in values.items()
    )  # fmt: skip


def test_the_test_is_paired_and_its_variance_corrected() -> None:
    differences = [0.02, 0.05, 0.01, 0.04, 0.03]
    table = mrwtd.summarize(fold_scores(differences, folds=5)).set_index("method")
    assert (table.loc["A", "best"], table.loc["A", "n"]) == (True, 5)
    # With K = 5 the variance 1/5 of the mean becomes 1/5 + 1/4: t is smaller by the root of 2.25.
    t = ttest_1samp(differences, 0).statistic / 1.5
    from scipy.stats import t as student

    assert table.loc["B", "p"] == pytest.approx(2 * student.sf(t, 4))
    assert not table.loc["B", "tied_with_best"]
    unpaired = mrwtd.summarize(fold_scores(differences, folds=5).drop(columns="folds")).set_index("method")
    assert unpaired.loc["B", "p"] > 0.5, "the scores vary much more between folds than between methods"


def test_equal_methods_are_tied_and_a_constant_difference_is_not() -> None:
    assert mrwtd.summarize(fold_scores([0.0] * 4, folds=4))["tied_with_best"].all()
    constant = mrwtd.summarize(fold_scores([0.25] * 4, folds=4)).set_index("method")
    assert constant.loc["B", "p"] == 0


def test_a_corrected_test_rarely_finds_a_difference_of_equal_methods() -> None:
    """Noise with the correlation of overlapping training parts, 1/K: far fewer than with an uncorrected test."""
    rng, folds, trials = np.random.default_rng(0), 5, 4000
    shared, own = rng.normal(size=(trials, 1)), rng.normal(size=(trials, folds))
    noise = np.sqrt(1 / folds) * shared + np.sqrt(1 - 1 / folds) * own
    corrected = [mrwtd.summarize(fold_scores(list(row), folds))["p"].min() for row in noise[:200]]
    assert np.mean(np.array(corrected) < 0.05) < 0.08
    assert np.mean(ttest_1samp(noise, 0, axis=1).pvalue < 0.05) > 0.08


def test_standings_over_folds_mark_the_best() -> None:
    scores = mrwtd.compare(DATA, ["MrWTD-L", "Degree"], rank=2, lam=1.0, folds=4, n_jobs=1)
    standings = standings_over_splits(scores)
    assert set(standings["n"]) == {4}
    assert standings.groupby(["relation", "metric"])["best"].sum().ge(1).all()
