"""`summarize`: mean and standard deviation over the runs, and which methods are statistically tied with the best.

As in the paper, two methods are compared by a two-sample t-test of their scores (equal variances, two-sided), and are
tied where it does not reject equality at 0.05. Several methods against one best are several tests: Holm's
correction, an option, keeps the chance of any false rejection among them below 0.05.
"""

from __future__ import annotations

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
"""Scores that differ by less than this share of themselves are equal: it is how their sums were rounded."""

CORRECTIONS = (None, "holm")
NOT_KEYS = (*VALUE_COLUMNS, "method", "run", "kind", "metric")
COLUMNS = ("mean", "sd", "n", "best", "tied_with_best", "p", "relations", "out_of")


def summarize(frame: pd.DataFrame, correction: str | None = None, per_relation: bool = False) -> pd.DataFrame:
    """Mean, standard deviation and number of runs of each method, and whether it is tied with the best.

    Args:
        frame: scores of `mrwtd.compare`. Any column that you add, such as the name of a data set, tells groups apart.
        correction: None, as in the paper, or "holm".
        per_relation: a row for each relation; without it scores are averaged over the relations of a kind first, as
            in the paper, and the columns `relations` and `out_of` say how many of them every run's average covers.

    Columns: those that tell groups apart (train, rank, …), kind, metric, method, mean, sd, n (runs with a score),
    best, tied_with_best, and p, the (corrected) p-value of equality with the best. Metrics without a direction have
    no best. With a single run there is no test, and only the best is marked.

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
    lacking = [name for name in ("method", "run", "relation", "kind", "metric", "value") if name not in frame.columns]
    if lacking:
        raise DataError(Problem(f"scores without the column {lacking[0]!r}", "a frame from mrwtd.compare"))
    if len(frame) and (
        not pd.api.types.is_numeric_dtype(frame["value"]) or pd.api.types.is_complex_dtype(frame["value"])
    ):
        raise DataError(Problem(f"scores of the type {frame['value'].dtype}", "numbers, NaN where there is no score"))
    keys = [name for name in frame.columns if name not in NOT_KEYS]
    scores = frame[frame["metric"] != ""] if per_relation else average(frame)
    groups = [*keys, *(["relation"] if per_relation else []), "kind", "metric"]
    asked = frame[[*keys, "method"]].drop_duplicates()
    tables = [pd.DataFrame(columns=[*groups, "method", *COLUMNS])]
    for group, own in scores.groupby(groups, sort=False, dropna=False, observed=True):
        common: dict[str, Any] = dict(zip(groups, group, strict=True))
        # A method that failed in every run has its row all the same, with n = 0.
        methods = asked.loc[_equal(asked, {name: common[name] for name in keys}), "method"]
        parts = {method: own[own["method"] == method] for method in methods}
        direction = getattr(METRICS.get(common["metric"]), "direction", "")
        table = _compared({method: part["value"].dropna().to_numpy() for method, part in parts.items()}, direction)
        if correction == "holm":
            table["p"] = _holm(table["p"].to_numpy())
        table["tied_with_best"] = table["best"] | (table["p"] >= THRESHOLD)
        if not per_relation:
            for name in ("relations", "out_of"):
                table[name] = [part[name].min() if len(part) else 0 for part in parts.values()]
        tables.append(table.assign(**common))
    columns = [name for name in tables[0].columns if not (per_relation and name in ("relations", "out_of"))]
    return pd.concat(tables[1:] or tables, ignore_index=True)[columns]


def _compared(values: Mapping[str, Array], direction: str) -> pd.DataFrame:
    """Mean, sd and n of each method's values, whether it is the best, and p of equality with the best."""
    n = np.array([own.size for own in values.values()])
    mean = np.array([own.mean() if own.size else np.nan for own in values.values()])
    with np.errstate(invalid="ignore"):  # an infinite score has no deviation
        sd = np.array([own.std(ddof=1) if own.size > 1 else np.nan for own in values.values()])
    best, p = np.zeros(n.size, dtype=bool), np.full(n.size, np.nan)
    if direction and n.any():
        best = mean == (np.nanmax(mean) if direction == "higher" else np.nanmin(mean))
        top = int(np.flatnonzero(best)[0])
        for at in np.flatnonzero(~best):
            p[at] = _equality(values[list(values)[at]], list(values.values())[top])
    return pd.DataFrame({"method": list(values), "mean": mean, "sd": sd, "n": n, "best": best, "p": p})


def _equality(one: Array, two: Array) -> float:
    """The p-value of equal means; NaN where a single run leaves nothing to tell chance by."""
    from scipy.stats import ttest_ind_from_stats

    if min(one.size, two.size) < 2:
        return float("nan")
    sd = one.std(ddof=1), two.std(ddof=1)
    noise = ROUNDING * max(np.abs(one).max(), np.abs(two).max())
    if max(sd) <= noise:
        return float(abs(one.mean() - two.mean()) <= noise)
    found = ttest_ind_from_stats(one.mean(), sd[0], one.size, two.mean(), sd[1], two.size, equal_var=True)
    return float(found.pvalue)


def _holm(p: Array) -> Array:
    """The smallest p times the number of tests, the next times one less, …, and none below the one before it.

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
