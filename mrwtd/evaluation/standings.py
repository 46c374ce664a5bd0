"""Which method is best at each relation, which are statistically tied with it, and the same for the mean.

A *standing* is one row per relation, metric and method: relation (`MEAN` for the mean over the relations of a kind),
kind, metric (those of `jackknife.SHOWN`), method, value, spread, n, best, tied_with_best and p. From one split the
spread is the standard error over the test entries and ties come of the paired jackknife; from several, it is the
standard deviation over the splits and ties come of the paper's t-test.

Errors without bounds have a spread without bounds, within which anything would be tied. So a method that is worse than
knowing nothing (`NOTHING`) is tied only where it would be with a spread no greater than that of the best.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..data.observed import observed
from ..data.relational import RelationalData
from ..model.method import Method
from ..typing import Array
from .evaluate import COLUMNS as SCORE_COLUMNS
from .jackknife import SHOWN, influence, main_score, standard_error
from .measures import MEASURES, Answers
from .significance import THRESHOLD, summarize

MEAN = "mean over relations"
"""What stands in the column `relation` of such a mean."""

NOTHING = {"nmse": 1.0, "deviance_explained": 0.0}
"""What a method scores that predicts the mean for every pair, by measures that have no bounds."""

COLUMNS = ("relation", "kind", "metric", "method", "value", "spread", "n", "best", "tied_with_best", "p", "reason")


def one_split(models: Mapping[str, Method], test: RelationalData, scores: pd.DataFrame | None = None) -> pd.DataFrame:
    """Standings of fitted methods on one test set; `n` counts test entries, or relations in rows of means.

    `scores` are those of the same entries where they are known already (method, relation, metric, value): they are
    taken as they are, so that a run has one score wherever it is shown.

    Two methods are tied where the difference of their scores is below 1.96 standard errors, as a paired
    jackknife over the test entries has them. That is about the chance in which entries were tested, and says nothing
    of other splits.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> models = {"one": mrwtd.MrWTD(rank=2, lam=1.0).fit(train), "two": mrwtd.MrWTD(rank=2, lam=1.0).fit(train)}
    >>> found = one_split(models, test)
    >>> found["relation"].unique().tolist(), bool(found["tied_with_best"].all())
    (['business', 'marriage', 'mean over relations'], True)
    """
    test = observed(test)
    known = {} if scores is None else _known(scores)
    said = {label: _said(model, test) for label, model in models.items()}
    rows: list[dict[str, object]] = []
    by_measure: dict[tuple[str, str], list[tuple[dict[str, float], dict[str, Array]]]] = {}
    for k, relation in enumerate(test.relations):
        at, kind = test.slice(k), relation.kind
        answers = {
            label: Answers(test.y[at], x[at], predicted[at], np.full(test.y[at].size, np.nan))
            for label, (x, predicted) in said.items()
        }
        for metric in SHOWN[kind]:
            computed = {label: main_score(kind, own, metric) for label, own in answers.items()}
            reasons = {label: score for label, score in computed.items() if isinstance(score, str)}
            values = {
                label: np.nan if isinstance(score, str) else known.get((label, relation.name, metric), score)
                for label, score in computed.items()
            }
            moved = {label: influence(kind, own, metric) for label, own in answers.items() if label not in reasons}
            by_measure.setdefault((kind, metric), []).append((values, moved))
            rows += _ranked(relation.name, kind, metric, values, moved, test.y[at].size, reasons)
    for (kind, metric), own in by_measure.items():
        means, together, used = _mean(list(said), own)
        rows += _ranked(MEAN, kind, metric, means, together, used, {})
    return pd.DataFrame(rows, columns=list(COLUMNS))


def worse_than_mean(metric: str, value: float) -> bool:
    """Whether a score is worse than that of predicting the mean for every pair, by a measure without bounds.

    >>> worse_than_mean("nmse", 1.3), worse_than_mean("deviance_explained", 0.1), worse_than_mean("auprc", 0.0)
    (True, False, False)
    """
    if metric not in NOTHING:
        return False
    return value > NOTHING[metric] if MEASURES[metric].better == "lower" else value < NOTHING[metric]


def several_splits(scores: pd.DataFrame) -> pd.DataFrame:
    """Standings of the scores of `mrwtd.compare` at one training share; `n` counts splits.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> found = several_splits(mrwtd.compare(data, ["MrWTD", "CP"], [0.6], rank=2, runs=2, lam=1.0, n_jobs=1))
    >>> found["relation"].unique().tolist(), set(found["n"])
    (['business', 'marriage', 'mean over relations'], {2})
    """
    kept = [name for name in ("method", "run", *SCORE_COLUMNS) if name in scores.columns]
    shown = {metric for metrics in SHOWN.values() for metric in metrics}
    main = scores.loc[scores["metric"].isin(shown) | (scores["metric"] == ""), kept]
    by_relation = summarize(main, per_relation=True)
    over_all = summarize(main).assign(relation=MEAN)
    both = pd.concat([by_relation, over_all], ignore_index=True)
    both = both.rename(columns={"mean": "value", "sd": "spread"})
    both["p"] = np.fmin(both["p"], _by_the_best(both))
    both["tied_with_best"] = both["best"] | (both["p"] >= THRESHOLD)
    unscored = scores.loc[scores["reason"] != ""].drop_duplicates(["method", "relation"])
    reasons = dict(zip(zip(unscored["method"], unscored["relation"], strict=True), unscored["reason"], strict=True))
    both["reason"] = [
        "" if n else str(reasons.get((method, relation), reasons.get((method, ""), "no score")))
        for method, relation, n in zip(both["method"], both["relation"], both["n"], strict=True)
    ]
    return both[list(COLUMNS)]


def _by_the_best(standings: pd.DataFrame) -> Array:
    """p of equality with the best, of methods that are worse than knowing nothing, if they spread as the best does."""
    from scipy.stats import ttest_ind_from_stats

    groups = ["relation", "kind", "metric"]
    best = standings[standings["best"]].drop_duplicates(groups)
    top = standings[groups].merge(best, how="left", on=groups)
    best_value, spread, best_n = top[["value", "spread", "n"]].to_numpy(dtype=float).T
    value, n = standings[["value", "n"]].to_numpy(dtype=float).T
    with np.errstate(all="ignore"):  # where there is a single split, or no score
        p = ttest_ind_from_stats(best_value, spread, best_n, value, spread, n).pvalue
    worse = np.array([worse_than_mean(*row) for row in zip(standings["metric"], value, strict=True)], dtype=bool)
    return np.where(worse & ~standings["best"].to_numpy(dtype=bool), p, np.nan)


def _known(scores: pd.DataFrame) -> dict[tuple[str, str, str], float]:
    """Stored scores by method, relation and metric."""
    rows = scores[scores["value"].notna()]
    keys = zip(rows["method"], rows["relation"].astype(str), rows["metric"], strict=True)
    return dict(zip(keys, rows["value"].astype(float), strict=True))


def _said(model: Method, test: RelationalData) -> tuple[Array, Array]:
    return model.decision_function(test), model.predict(test)


def _mean(
    labels: list[str], own: list[tuple[dict[str, float], dict[str, Array]]]
) -> tuple[dict[str, float], dict[str, Array], int]:
    """Mean scores over the relations that every method has one for, and the influences on them."""
    common = [(values, moved) for values, moved in own if len(moved) == len(labels)]
    if not common:
        return dict.fromkeys(labels, np.nan), {}, 0
    size = len(common)
    means = {label: float(np.mean([values[label] for values, _ in common])) for label in labels}
    return means, {label: np.concatenate([moved[label] for _, moved in common]) / size for label in labels}, size


def _ranked(
    relation: str,
    kind: str,
    metric: str,
    values: dict[str, float],
    moved: dict[str, Array],
    n: int,
    reasons: dict[str, str],
) -> list[dict[str, object]]:
    from scipy.special import erfc

    scored = {label: values[label] for label in moved}
    pick = max if MEASURES[metric].better == "higher" else min
    top = pick(scored, key=scored.__getitem__) if scored else None
    rows: list[dict[str, object]] = []
    for label, value in values.items():
        p = np.nan
        best = top is not None and value == values[top]
        if top is not None and label in moved and not best:
            error = standard_error(moved[top] - moved[label])
            if worse_than_mean(metric, value):
                error = min(error, np.sqrt(2) * standard_error(moved[top]))
            p = float(erfc(abs(value - values[top]) / error / np.sqrt(2))) if error > 0 else 0.0
        rows.append(
            {
                "relation": relation, "kind": kind, "metric": metric, "method": label, "value": value,
                "spread": standard_error(moved[label]) if label in moved else np.nan, "n": n, "best": best,
                "tied_with_best": best or p >= THRESHOLD, "p": p, "reason": reasons.get(label, ""),
            }
        )  # fmt: skip
    return rows
