"""Curves of the binary relations, as tidy frames for pictures: a row a point, by relation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from ..data.arguments import check_range
from ..data.observed import observed
from ..data.relational import RelationalData
from ..metrics import one_class
from ..metrics.ranking_curve import thresholds
from ..model.method import Method
from ..typing import Array, BoolArray, IndexArray

Points = dict[str, Array]

LEVELS, MAX_THRESHOLDS = 100, 1_000_000
"""Steps of recall at which curves of several splits are averaged, each from a curve of up to so many points."""

MAX_POINTS = 1_000
"""More points than this tell the eye nothing, and slow the picture."""


def precision_recall_curve(model: Method, test: RelationalData, points: int = MAX_POINTS) -> pd.DataFrame:
    """Precision and recall at each threshold, from the highest threshold down.

    Relations whose test entries are all of one class have no curve, and no rows. Of a curve with more than `points`
    points only so many are kept, where the curve moves; the scores of `evaluate` come from all of them.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> curve = precision_recall_curve(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test)
    >>> curve.columns.tolist()
    ['relation', 'threshold', 'precision', 'recall']
    """

    def trace(truth: BoolArray, x: Array) -> Points:
        threshold, hits, shown = thresholds(truth, x)
        # The first point has no threshold: nothing is positive there.
        return {
            "threshold": np.append(np.inf, threshold),
            "precision": np.append(1.0, hits / shown),
            "recall": np.append(0.0, hits / hits[-1]),
        }

    return _curves(model, test, trace, ("threshold", "precision", "recall"), points)


def precision_at_recall(model: Method, test: RelationalData, levels: int = LEVELS) -> pd.DataFrame:
    """Precision at equal steps of recall, from 1/`levels` to 1: curves of several splits can be averaged there.

    A level that lies between two thresholds has the precision of the one that reaches it.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> found = precision_at_recall(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test, levels=4)
    >>> found.loc[found["relation"] == "marriage", "recall"].tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    at = np.arange(1, levels + 1) / levels
    frames = []
    for name, own in precision_recall_curve(model, test, MAX_THRESHOLDS).groupby("relation", sort=False):
        # Recall is a ratio of whole numbers: what is a rounding away from a level has reached it.
        reached = np.searchsorted(own["recall"].to_numpy() + 1e-12, at)
        frames.append(pd.DataFrame({"relation": name, "recall": at, "precision": own["precision"].to_numpy()[reached]}))
    return _joined(frames, ("recall", "precision"))


def mean_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation over runs, of rows as `precision_at_recall` has them, with their method.

    >>> rows = pd.DataFrame({"method": "CP", "relation": "likes", "recall": 0.5, "precision": [0.2, 0.4]})
    >>> mean_curves(rows).round(4).to_dict("records")
    [{'method': 'CP', 'relation': 'likes', 'recall': 0.5, 'precision': 0.3, 'spread': 0.1414, 'n': 2}]
    """
    groups = curves.groupby(["method", "relation", "recall"], sort=False)["precision"]
    return groups.agg(precision="mean", spread="std", n="size").reset_index()


def roc_curve(model: Method, test: RelationalData, points: int = MAX_POINTS) -> pd.DataFrame:
    """False and true positive rate at each threshold, from the highest threshold down.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> curve = roc_curve(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test)
    >>> curve.columns.tolist()
    ['relation', 'threshold', 'false_positive_rate', 'true_positive_rate']
    """
    from sklearn.metrics import roc_curve as curve

    def trace(truth: BoolArray, x: Array) -> Points:
        false, true, thresholds = curve(truth, x)
        return {"threshold": thresholds, "false_positive_rate": false, "true_positive_rate": true}

    return _curves(model, test, trace, ("threshold", "false_positive_rate", "true_positive_rate"), points)


def calibration_bins(model: Method, test: RelationalData, bins: int = 10) -> pd.DataFrame:
    """How often pairs are positive whose predicted probability lies between `low` and `high`.

    `predicted` is the mean probability within a bin and `observed` the share of positives, among so many `entries`.
    Bins without entries, and relations for which the method gives no probability, have no rows.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> found = calibration_bins(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test, bins=2)
    >>> found[["relation", "low", "high", "entries"]].head(1)
       relation  low  high  entries
    0  business  0.0   0.5       39
    """
    check_range("bins", bins, 1, 1_000, whole=True)
    test = observed(test)
    p = model.predict_proba(test)
    edges = np.linspace(0, 1, bins + 1)
    frames = []
    for k, relation in enumerate(test.relations):
        own, y = p[test.slice(k)], test.y[test.slice(k)]
        if relation.kind != "binary" or not own.size or not np.isfinite(own).all():
            continue
        bin_of = np.clip(np.searchsorted(edges, own, side="right") - 1, 0, bins - 1)
        entries = np.bincount(bin_of, minlength=bins)
        filled = np.flatnonzero(entries)
        frames.append(
            pd.DataFrame(
                {
                    "relation": relation.name,
                    "low": edges[filled],
                    "high": edges[filled + 1],
                    "predicted": np.bincount(bin_of, own, bins)[filled] / entries[filled],
                    "observed": np.bincount(bin_of, y > 0, bins)[filled] / entries[filled],
                    "entries": entries[filled],
                }
            )
        )
    return _joined(frames, ("low", "high", "predicted", "observed", "entries"))


def _curves(
    model: Method,
    test: RelationalData,
    trace: Callable[[BoolArray, Array], Points],
    columns: tuple[str, ...],
    points: int,
) -> pd.DataFrame:
    check_range("points", points, 2, whole=True)
    test = observed(test)
    x = model.decision_function(test)
    names: list[str] = []
    parts: list[Points] = []
    for k, relation in enumerate(test.relations):
        y, own = test.y[test.slice(k)], x[test.slice(k)]
        if relation.kind != "binary" or one_class(y) or not np.isfinite(own).all():
            continue
        found = trace(y > 0, own)
        kept = _telling(np.column_stack([found[name] for name in columns[1:]]), points)
        names.append(relation.name)
        parts.append({name: found[name][kept] for name in columns})
    # One frame of all: a frame a relation, joined, takes many times as long.
    whole = {name: np.concatenate([part[name] for part in parts]) if parts else np.zeros(0) for name in columns}
    relations = pd.Series(names, dtype="str").repeat([len(part[columns[0]]) for part in parts])
    return pd.DataFrame({"relation": relations.reset_index(drop=True)} | whole)


def _telling(places: Array, points: int) -> IndexArray:
    """Which points of a curve to keep: the ends, and others at equal distances along it.

    Every so many would lose the beginning of a curve with few positives, which is where it bends.
    """
    if len(places) <= points:
        return np.arange(len(places))
    along = np.append(0.0, np.cumsum(np.abs(np.diff(places, axis=0)).sum(axis=1)))
    kept = np.searchsorted(along, np.linspace(0, along[-1], points))
    kept[-1] = len(places) - 1
    kept = np.unique(kept)
    others = np.setdiff1d(np.arange(len(places)), kept)
    more = others[np.linspace(0, others.size - 1, points - kept.size).round().astype(np.intp)]
    return np.sort(np.append(kept, more))


def _joined(frames: list[pd.DataFrame], columns: tuple[str, ...]) -> pd.DataFrame:
    empty = pd.DataFrame({"relation": pd.Series(dtype="str")} | {name: pd.Series(dtype=float) for name in columns})
    return pd.concat(frames, ignore_index=True) if frames else empty
