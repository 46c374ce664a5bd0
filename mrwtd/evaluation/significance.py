"""`summarize`: mean and standard deviation over the runs, and which methods are statistically tied with the best.

As in the paper, two methods are compared by a two-sample t-test of their scores (equal variances, two-sided). They are
tied if the test does not reject equality at 0.05. Comparing several methods with the best takes several tests: Holm's
correction, an option, keeps the probability of any false rejection below 0.05.

The folds of a cross-validation share most of their training entries, so their scores are not independent, and a t-test
that takes them as such finds differences where there are none. For folds, the differences of two methods on the same
folds are tested by the corrected resampled t-test (Nadeau and Bengio, Machine Learning 52, 2003): the variance of their
mean is s² (1/n + 1/(K − 1)) instead of s²/n, as each test part has 1/(K − 1) of the size of the training part. No
estimate of this variance is unbiased (Bengio and Grandvalet, JMLR 5, 2004); this one is rather too large. In both
cases, the standard deviation describes how much a score varies from one split to another. It is not the error of the
mean, and divided by √n it would be too small an error.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..data.arguments import check_bool, check_choice, short_repr
from ..errors import DataError, Problem
from ..metrics import METRICS
from ..typing import Array, BoolArray
from .evaluate import VALUE_COLUMNS, average

THRESHOLD = 0.05
ROUNDING = 1e-12
"""Scores with a relative difference below this are equal: they differ by rounding only."""

CORRECTIONS = (None, "holm")
NOT_KEYS = (*VALUE_COLUMNS, "method", "run", "kind", "metric")
COLUMNS = ("mean", "sd", "n", "best", "tied_with_best", "p", "relations", "out_of")


def summarize(frame: pd.DataFrame, correction: str | None = None, per_relation: bool = False) -> pd.DataFrame:
    """Mean, standard deviation and number of runs of each method, and whether it is tied with the best.

    Args:
        frame: scores from `mrwtd.compare`. Any further column, such as the name of a data set, defines groups.
        correction: None, as in the paper, or "holm".
        per_relation: whether to give one row per relation. By default, scores are first averaged over the relations of
            a kind, as in the paper, and `relations` of `out_of` relations are in the average of every run.

    Columns: those that define groups (train, rank, …), kind, metric, method, mean, sd, n (runs with a score), best,
    tied_with_best, and p, the (corrected) p-value of equality with the best. Metrics without a direction have no best.
    With a single run there is no test, and only the best is marked. Scores of folds (column `folds`) are compared by
    the corrected resampled t-test, since their training parts overlap.

    >>> scores = pd.DataFrame({
    ...     "method": ["A"] * 3 + ["B"] * 3 + ["C"] * 3, "run": [0, 1, 2] * 3, "train": 0.1, "relation": "likes",
    ...     "kind": "binary", "metric": "auprc", "value": [0.80, 0.82, 0.84, 0.81, 0.83, 0.79, 0.50, 0.52, 0.51]})
    >>> summarize(scores)[["method", "mean", "n", "best", "tied_with_best"]]
      method  mean  n   best  tied_with_best
    0      A  0.82  3   True            True
    1      B  0.81  3  False            True
    2      C  0.51  3  False           False
    """
    if not isinstance(frame, pd.DataFrame):
        raise DataError(Problem(short_repr(frame), "a frame from mrwtd.compare"))
    check_choice("correction", correction, CORRECTIONS)
    per_relation = check_bool("per_relation", per_relation)
    missing = [name for name in ("method", "run", "relation", "kind", "metric", "value") if name not in frame.columns]
    if missing:
        raise DataError(Problem(f"scores without the column {missing[0]!r}", "a frame from mrwtd.compare"))
    if len(frame) and (
        not pd.api.types.is_numeric_dtype(frame["value"]) or pd.api.types.is_complex_dtype(frame["value"])
    ):
        raise DataError(Problem(f"scores of the type {frame['value'].dtype}", "numbers, NaN where there is no score"))
    keys = [name for name in frame.columns if name not in NOT_KEYS]
    scores = frame[frame["metric"] != ""] if per_relation else average(frame)
    groups = [*keys, *(["relation"] if per_relation else []), "kind", "metric"]
    requested = frame[[*keys, "method"]].drop_duplicates()
    tables = [pd.DataFrame(columns=[*groups, "method", *COLUMNS])]
    for group, group_scores in scores.groupby(groups, sort=False, dropna=False, observed=True):
        common: dict[str, Any] = dict(zip(groups, group, strict=True))
        # A method that failed in every run still has a row, with n = 0.
        methods = requested.loc[_equal(requested, {name: common[name] for name in keys}), "method"]
        parts = {method: group_scores[group_scores["method"] == method] for method in methods}
        direction = getattr(METRICS.get(common["metric"]), "direction", "")
        values = {method: part.set_index("run")["value"].dropna() for method, part in parts.items()}
        table = _compare_methods(values, direction, int(common.get("folds", 0)))
        if correction == "holm":
            table["p"] = _holm(table["p"].to_numpy())
        table["tied_with_best"] = table["best"] | (table["p"] >= THRESHOLD)
        if not per_relation:
            for name in ("relations", "out_of"):
                table[name] = [part[name].min() if len(part) else 0 for part in parts.values()]
        tables.append(table.assign(**common))
    columns = [name for name in tables[0].columns if not (per_relation and name in ("relations", "out_of"))]
    return pd.concat(tables[1:] or tables, ignore_index=True)[columns]


def _compare_methods(values: Mapping[str, pd.Series], direction: str, folds: int = 0) -> pd.DataFrame:
    """Mean, sd and n of each method's values by run, whether it is the best, and p of equality with the best."""
    by_run = list(values.values())
    samples = [sample.to_numpy(dtype=float) for sample in by_run]
    n = np.array([sample.size for sample in samples])
    mean = np.array([sample.mean() if sample.size else np.nan for sample in samples])
    with np.errstate(invalid="ignore"):  # an infinite score has no standard deviation
        sd = np.array([sample.std(ddof=1) if sample.size > 1 else np.nan for sample in samples])
    best, p = np.zeros(n.size, dtype=bool), np.full(n.size, np.nan)
    if direction and n.any():
        best = mean == (np.nanmax(mean) if direction == "higher" else np.nanmin(mean))
        top = int(np.flatnonzero(best)[0])
        for row in np.flatnonzero(~best):
            if folds:
                difference = by_run[row].sub(by_run[top]).dropna().to_numpy(dtype=float)
                p[row] = _equality_over_folds(difference, folds, float(np.abs(by_run[top]).max()))
            else:
                p[row] = _equality(samples[row], samples[top])
    return pd.DataFrame({"method": list(values), "mean": mean, "sd": sd, "n": n, "best": best, "p": p})


def _equality(a: Array, b: Array) -> float:
    """The p-value of equal means; NaN if one of them is a single run."""
    from scipy.stats import ttest_ind_from_stats

    if min(a.size, b.size) < 2:
        return float("nan")
    sd = a.std(ddof=1), b.std(ddof=1)
    noise = ROUNDING * max(np.abs(a).max(), np.abs(b).max())
    if max(sd) <= noise:
        return float(abs(a.mean() - b.mean()) <= noise)
    return float(ttest_ind_from_stats(a.mean(), sd[0], a.size, b.mean(), sd[1], b.size, equal_var=True).pvalue)


def _equality_over_folds(difference: Array, folds: int, size: float) -> float:
    """The p-value of a mean difference of 0, from the differences on each fold; `size` is that of the scores."""
    if difference.size < 2:
        return float("nan")
    sd, mean = float(difference.std(ddof=1)), float(difference.mean())
    if sd <= ROUNDING * size:
        return float(abs(mean) <= ROUNDING * size)
    return p_over_folds(mean, sd, difference.size, folds)


def p_over_folds(mean: float, sd: float, n: int, folds: int) -> float:
    """The p-value of the corrected resampled t-test, from mean and standard deviation of n differences.

    >>> round(p_over_folds(0.1, 0.1, 5, folds=5), 4)  # an uncorrected t-test would give 0.089
    0.2103
    """
    from scipy.stats import t

    return float(2 * t.sf(abs(mean) / (sd * np.sqrt(1 / n + 1 / (folds - 1))), n - 1))


def _holm(p: Array) -> Array:
    """Holm's correction: the smallest p times the number of tests, the next times one less, …, never decreasing.

    >>> _holm(np.array([0.04, np.nan, 0.01, 0.03])).round(2).tolist()
    [0.06, nan, 0.03, 0.06]
    """
    corrected = p.copy()
    order = np.argsort(p)[: np.count_nonzero(~np.isnan(p))]
    corrected[order] = np.maximum.accumulate(np.minimum(1.0, p[order] * np.arange(order.size, 0, -1)))
    return corrected


def _equal(frame: pd.DataFrame, values: Mapping[str, object]) -> BoolArray:
    same = np.ones(len(frame), dtype=bool)
    for name, value in values.items():
        same &= (frame[name] == value).to_numpy(dtype=bool) | (frame[name].isna().to_numpy() & (value != value))
    return same
