"""Which method is best for each relation, which are statistically tied with it, and the same for the mean.

Standings have one row per relation, metric and method: relation (`MEAN` for the mean over the relations of a kind),
kind, metric (`shown_metrics`), method, value, spread, n, best, tied_with_best and p. On one split, the spread is the
standard error over the test entries and ties are found by the paired jackknife. Over several splits, the spread is the
standard deviation and ties are found by the paper's t-test, or over folds by the corrected resampled t-test.

An unbounded error has an unbounded spread, within which anything would be tied. So a method that is worse than a
constant prediction counts as tied only if it would be tied with the spread of the best.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..data.relational import RelationalData
from ..metrics import METRICS, Metric, shown_metrics
from ..metrics.jackknife import standard_error
from ..model.method import Method
from ..typing import Array
from .evaluate import COLUMNS as SCORE_COLUMNS
from .evaluate import predictions_of
from .significance import THRESHOLD, p_over_folds, summarize

MEAN = "mean over relations"
"""The value of the column `relation` in rows of means."""

COLUMNS = ("relation", "kind", "metric", "method", "value", "spread", "n", "best", "tied_with_best", "p", "reason")


def standings_on_split(
    models: Mapping[str, Method], test: RelationalData, scores: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Standings of fitted methods on one test set; `n` counts test entries, or relations in rows of means.

    `scores` are known scores of the same entries (method, relation, metric, value). They are used as they are, so that
    every page shows the same score of a run.

    Two methods are tied if their scores differ by less than 1.96 standard errors of a paired jackknife over the test
    entries. This covers the random choice of test entries, not the variation between splits.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> models = {"one": mrwtd.MrWTD(rank=2, lam=1.0).fit(train), "two": mrwtd.MrWTD(rank=2, lam=1.0).fit(train)}
    >>> table = standings_on_split(models, test)
    >>> table["relation"].unique().tolist(), bool(table["tied_with_best"].all())
    (['business', 'marriage', 'mean over relations'], True)
    """
    test = test.observed()
    known = {} if scores is None else _known(scores)
    outputs = {label: model.predict_all(test) for label, model in models.items()}
    rows: list[dict[str, object]] = []
    by_metric: dict[tuple[str, str], list[tuple[dict[str, float], dict[str, Array]]]] = {}
    for k, relation in enumerate(test.relations):
        kind, n_entries = relation.kind, test.y[test.slice(k)].size
        predictions = {label: predictions_of(test, k, output) for label, output in outputs.items()}
        for metric in shown_metrics(kind):
            scores_of = {label: metric.score(predicted) for label, predicted in predictions.items()}
            reasons = {label: score for label, score in scores_of.items() if isinstance(score, str)}
            values = {
                label: np.nan if isinstance(score, str) else known.get((label, relation.name, metric.name), score)
                for label, score in scores_of.items()
            }
            influences = {label: metric.influence(predictions[label]) for label in predictions if label not in reasons}
            by_metric.setdefault((kind, metric.name), []).append((values, influences))
            rows += _ranked(relation.name, kind, metric, values, influences, n_entries, reasons)
    for (kind, name), relations in by_metric.items():
        means, influences, used = _mean(list(outputs), relations)
        rows += _ranked(MEAN, kind, METRICS[name], means, influences, used, {})
    return pd.DataFrame(rows, columns=list(COLUMNS))


def standings_over_splits(scores: pd.DataFrame) -> pd.DataFrame:
    """Standings of the scores of `mrwtd.compare` at one training fraction, or over folds; `n` counts splits.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> table = standings_over_splits(mrwtd.compare(data, ["MrWTD", "CP"], [0.6], rank=2, runs=2, lam=1.0, n_jobs=1))
    >>> table["relation"].unique().tolist(), set(table["n"])
    (['business', 'marriage', 'mean over relations'], {2})
    """
    columns = [name for name in ("method", "run", "folds", *SCORE_COLUMNS) if name in scores.columns]
    shown = {metric.name for metric in METRICS.values() if metric.main_for or metric.shown_for}
    main = scores.loc[scores["metric"].isin(shown) | (scores["metric"] == ""), columns]
    parts = [summarize(main, per_relation=True), summarize(main).assign(relation=MEAN)]
    both = pd.concat(parts, ignore_index=True).rename(columns={"mean": "value", "sd": "spread"})
    folds = int(scores["folds"].iloc[0]) if "folds" in scores.columns and len(scores) else 0
    both["p"] = np.fmin(both["p"], _p_with_best_spread(both, folds))
    both["tied_with_best"] = both["best"] | (both["p"] >= THRESHOLD)
    unscored = scores.loc[scores["reason"] != ""].drop_duplicates(["method", "relation"])
    reasons = dict(zip(zip(unscored["method"], unscored["relation"], strict=True), unscored["reason"], strict=True))
    both["reason"] = [
        "" if n else str(reasons.get((method, relation), reasons.get((method, ""), "no score")))
        for method, relation, n in zip(both["method"], both["relation"], both["n"], strict=True)
    ]
    return both[list(COLUMNS)]


def _p_with_best_spread(standings: pd.DataFrame, folds: int = 0) -> Array:
    """The p-value of equality with the best, of methods worse than a constant, if they had the spread of the best."""
    from scipy.stats import ttest_ind_from_stats

    groups = ["relation", "kind", "metric"]
    best = standings[standings["best"]].drop_duplicates(groups)
    top = standings[groups].merge(best, how="left", on=groups)
    best_value, spread, best_n = top[["value", "spread", "n"]].to_numpy(dtype=float).T
    value, n = standings[["value", "n"]].to_numpy(dtype=float).T
    with np.errstate(all="ignore"):  # a single split, or no score
        if folds:
            p = np.vectorize(p_over_folds, otypes=[float])(value - best_value, np.sqrt(2) * spread, n, folds)
        else:
            p = ttest_ind_from_stats(best_value, spread, best_n, value, spread, n).pvalue
    worse = np.array(
        [METRICS[name].worse_than_constant(score) for name, score in zip(standings["metric"], value, strict=True)],
        dtype=bool,
    )
    return np.where(worse & ~standings["best"].to_numpy(dtype=bool), p, np.nan)


def _known(scores: pd.DataFrame) -> dict[tuple[str, str, str], float]:
    """Stored scores by method, relation and metric."""
    rows = scores[scores["value"].notna()]
    keys = zip(rows["method"], rows["relation"].astype(str), rows["metric"], strict=True)
    return dict(zip(keys, rows["value"].astype(float), strict=True))


def _mean(
    labels: list[str], relations: list[tuple[dict[str, float], dict[str, Array]]]
) -> tuple[dict[str, float], dict[str, Array], int]:
    """Mean scores over the relations that every method has a score for, and the influences on them."""
    common = [(values, influences) for values, influences in relations if len(influences) == len(labels)]
    if not common:
        return dict.fromkeys(labels, np.nan), {}, 0
    size = len(common)
    means = {label: float(np.mean([values[label] for values, _ in common])) for label in labels}
    together = {label: np.concatenate([influences[label] for _, influences in common]) / size for label in labels}
    return means, together, size


def _ranked(
    relation: str,
    kind: str,
    metric: Metric,
    values: dict[str, float],
    influences: dict[str, Array],
    n: int,
    reasons: dict[str, str],
) -> list[dict[str, object]]:
    from scipy.special import erfc

    scored = {label: values[label] for label in influences}
    pick = max if metric.direction == "higher" else min
    top = pick(scored, key=scored.__getitem__) if scored else None
    rows: list[dict[str, object]] = []
    for label, value in values.items():
        p = np.nan
        best = top is not None and value == values[top]
        if top is not None and label in influences and not best:
            error = standard_error(influences[top] - influences[label])
            if metric.worse_than_constant(value):
                error = min(error, np.sqrt(2) * standard_error(influences[top]))
            p = 0.0 if error == 0 else float(erfc(abs(value - values[top]) / error / np.sqrt(2)))
        rows.append(
            {
                "relation": relation, "kind": kind, "metric": metric.name, "method": label, "value": value,
                "spread": standard_error(influences[label]) if label in influences else np.nan, "n": n, "best": best,
                "tied_with_best": best or p >= THRESHOLD, "p": p, "reason": reasons.get(label, ""),
            }
        )  # fmt: skip
    return rows
