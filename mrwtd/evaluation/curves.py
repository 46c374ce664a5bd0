"""Curves of the binary relations over all thresholds, as tidy frames for plots, and the confusion matrix at one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..data.arguments import check_range
from ..data.negatives import represented_pairs
from ..data.relational import RelationalData
from ..metrics import one_class
from ..metrics.ranking_curve import thresholds
from ..model.method import Method
from ..typing import Array, IndexArray

LEVELS, MAX_THRESHOLDS = 100, 1_000_000
"""Curves of several splits are averaged at `LEVELS` steps of recall, from curves of at most `MAX_THRESHOLDS` points."""

MAX_POINTS = 1_000
"""More points are not visible in a plot and slow it down."""


@dataclass(frozen=True)
class Confusion:
    """The confusion matrix at a threshold.

    >>> counts = confusion(np.array([1.0, 1.0, -1.0, -1.0]), np.array([0.9, 0.2, 0.6, 0.1]), 0.5)
    >>> counts
    Confusion(hits=1, false_alarms=1, misses=1, rejections=1)
    >>> counts.precision, counts.recall, counts.f1
    (0.5, 0.5, 0.5)

    Attributes:
        hits: true positives.
        false_alarms: false positives.
        misses: false negatives.
        rejections: true negatives.
    """

    hits: float
    false_alarms: float
    misses: float
    rejections: float

    @property
    def entries(self) -> float:
        """The number of entries, or of the pairs that they represent."""
        return self.hits + self.false_alarms + self.misses + self.rejections

    @property
    def precision(self) -> float:
        """The fraction of positives among the predicted ones; 1 where none is predicted, as in PR curves."""
        predicted = self.hits + self.false_alarms
        return self.hits / predicted if predicted else 1.0

    @property
    def recall(self) -> float:
        """The fraction of the positives that are predicted; NaN where there are none."""
        positives = self.hits + self.misses
        return self.hits / positives if positives else float("nan")

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall, from 0 (no hit) to 1."""
        return 2 * self.hits / max(2 * self.hits + self.false_alarms + self.misses, 1)

    @property
    def base_rate(self) -> float:
        """The fraction of positives among all entries; NaN where there are no entries."""
        return (self.hits + self.misses) / self.entries if self.entries else float("nan")


def confusion(y: Array, x: Array, threshold: float, pairs: Array | None = None) -> Confusion:
    """The confusion matrix of scores x for labels y = ±1: x ≥ threshold is a predicted tie.

    With the number of pairs that each entry represents, it is an estimate of the counts of all pairs.

    >>> confusion(np.array([1.0, -1.0]), np.array([0.0, -1.0]), 0.0)
    Confusion(hits=1, false_alarms=0, misses=0, rejections=1)
    """
    predicted, truth = x >= threshold, y > 0
    if pairs is not None:
        cells = ((predicted, truth), (predicted, ~truth), (~predicted, truth), (~predicted, ~truth))
        return Confusion(*(float(pairs[first & second].sum()) for first, second in cells))
    hits = int(np.count_nonzero(predicted & truth))
    false_alarms = int(np.count_nonzero(predicted)) - hits
    misses = int(np.count_nonzero(truth)) - hits
    return Confusion(hits, false_alarms, misses, int(y.size) - hits - false_alarms - misses)


def precision_recall_curve(model: Method, test: RelationalData, points: int = MAX_POINTS) -> pd.DataFrame:
    """Precision and recall at each threshold, from the highest threshold down.

    Relations whose test entries are all of one class have no rows. A curve with more points is thinned to `points` of
    them, spread evenly along the curve; the scores of `evaluate` use all of them.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> curve = precision_recall_curve(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test)
    >>> curve.columns.tolist()
    ['relation', 'threshold', 'precision', 'recall']
    """
    check_range("points", points, 2, whole=True)
    test = test.observed()
    x = model.decision_function(test)
    names, curves = list[str](), [np.zeros((0, 3))]
    for k, relation in enumerate(test.relations):
        y, scores = test.y[test.slice(k)], x[test.slice(k)]
        if relation.kind != "binary" or one_class(y) or not np.isfinite(scores).all():
            continue
        threshold, hits, predicted = thresholds(y > 0, scores, represented_pairs(test, k))
        # The first point has no threshold: no pair is predicted there.
        curve = np.vstack([[np.inf, 1.0, 0.0], np.column_stack([threshold, hits / predicted, hits / hits[-1]])])
        curves.append(curve[_thinned(curve[:, 1:], points)])
        names += [relation.name] * len(curves[-1])
    # One frame for all relations: joining one frame per relation is many times slower.
    frame = pd.DataFrame(np.concatenate(curves), columns=["threshold", "precision", "recall"])
    frame.insert(0, "relation", pd.Series(names, dtype="str"))
    return frame


def precision_at_recall(model: Method, test: RelationalData, levels: int = LEVELS) -> pd.DataFrame:
    """Precision at equal steps of recall, from 1/`levels` to 1, so that curves of several splits can be averaged.

    A level between two thresholds has the precision of the threshold that reaches it.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> curve = precision_at_recall(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test, levels=4)
    >>> curve.loc[curve["relation"] == "marriage", "recall"].tolist()
    [0.25, 0.5, 0.75, 1.0]
    """
    recall = np.arange(1, levels + 1) / levels
    frames = []
    for name, curve in precision_recall_curve(model, test, MAX_THRESHOLDS).groupby("relation", sort=False):
        # Recall is a ratio of whole numbers, so a value within rounding error of a level has reached it.
        rows = np.searchsorted(curve["recall"].to_numpy() + 1e-12, recall)
        frames.append({"relation": name, "recall": recall, "precision": curve["precision"].to_numpy()[rows]})
    return _joined(frames, ("recall", "precision"))


def mean_curves(curves: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation over the runs of curves from `precision_at_recall`, with a column for the method.

    >>> rows = pd.DataFrame({"method": "CP", "relation": "likes", "recall": 0.5, "precision": [0.2, 0.4]})
    >>> mean_curves(rows).round(4).to_dict("records")
    [{'method': 'CP', 'relation': 'likes', 'recall': 0.5, 'precision': 0.3, 'spread': 0.1414, 'n': 2}]
    """
    groups = curves.groupby(["method", "relation", "recall"], sort=False)["precision"]
    return groups.agg(precision="mean", spread="std", n="size").reset_index()


def calibration_bins(model: Method, test: RelationalData, bins: int = 10) -> pd.DataFrame:
    """How often pairs are positive whose predicted probability lies between `low` and `high`.

    `predicted` is the mean probability within a bin, `observed` the fraction of positives and `entries` the number of
    test entries. Sampled negatives count as the pairs that they represent: `represented` is the number of pairs of a
    bin, and `largest` the largest number that one entry of the relation represents. Bins without entries, and relations
    for which the method gives no probability, have no rows.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.6, seed=0)
    >>> table = calibration_bins(mrwtd.MrWTD(rank=2, lam=1.0).fit(train), test, bins=2)
    >>> table[["relation", "low", "high", "entries"]].head(1)
       relation  low  high  entries
    0  business  0.0   0.5       39
    """
    check_range("bins", bins, 1, 1_000, whole=True)
    test = test.observed()
    probability = model.predict_proba(test)
    edges = np.linspace(0, 1, bins + 1)
    frames = []
    for k, relation in enumerate(test.relations):
        p, y = probability[test.slice(k)], test.y[test.slice(k)]
        if relation.kind != "binary" or not p.size or not np.isfinite(p).all():
            continue
        bin_of = np.clip(np.searchsorted(edges, p, side="right") - 1, 0, bins - 1)
        entries, pairs = np.bincount(bin_of, minlength=bins), test.represents[test.slice(k)]
        represented = np.bincount(bin_of, pairs, bins)
        filled = np.flatnonzero(entries)
        frames.append(
            {
                "relation": relation.name,
                "low": edges[filled],
                "high": edges[filled + 1],
                "predicted": np.bincount(bin_of, p * pairs, bins)[filled] / represented[filled],
                "observed": np.bincount(bin_of, (y > 0) * pairs, bins)[filled] / represented[filled],
                "entries": entries[filled],
                "represented": represented[filled],
                "largest": pairs.max(),
            }
        )
    return _joined(frames, ("low", "high", "predicted", "observed", "entries", "represented", "largest"))


def _thinned(curve: Array, points: int) -> IndexArray:
    """Indices of the points of a curve to keep: the ends, and others at equal distances along it.

    Every n-th point would lose the start of a curve with few positives, which is where it bends.
    """
    if len(curve) <= points:
        return np.arange(len(curve))
    distance = np.append(0.0, np.cumsum(np.abs(np.diff(curve, axis=0)).sum(axis=1)))
    chosen = np.searchsorted(distance, np.linspace(0, distance[-1], points))
    chosen[-1] = len(curve) - 1
    chosen = np.unique(chosen)
    others = np.setdiff1d(np.arange(len(curve)), chosen)
    more = others[np.linspace(0, others.size - 1, points - chosen.size).round().astype(np.intp)]
    return np.sort(np.append(chosen, more))


def _joined(parts: Sequence[Mapping[str, Any]], columns: tuple[str, ...]) -> pd.DataFrame:
    empty = pd.DataFrame({"relation": pd.Series(dtype="str")} | {name: pd.Series(dtype=float) for name in columns})
    return pd.concat(map(pd.DataFrame, parts), ignore_index=True) if parts else empty
