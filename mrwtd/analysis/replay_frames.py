"""Replay of a fit: the positions of the objects and the scores on held-out entries at each snapshot."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..data.negatives import represented_pairs
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..evaluation.curves import precision_recall_curve
from ..metrics import Predictions, selection_metric
from ..model.factor_model import FactorModel
from ..typing import Array
from .projection import principal_axes

MAX_ENTRIES = 50_000
"""The curves, one per snapshot, are those of a sample of at most this many held-out entries."""

POINTS = 200


@dataclass(frozen=True)
class Replay:
    """The data of a slider over snapshots.

    Attributes:
        iterations: the iteration of each snapshot.
        points: (snapshots, n, 2), all on the principal axes of the last, so that only the objects move.
        variance_fractions: the fraction of the variance along each of the two axes at the end.
        scores: the score on the held-out entries of the relation, at each snapshot.
        score_label: the name of these scores.
        curves: {iteration: frame}: precision and recall of a binary relation, truth and prediction of others.
        objective: one row per iteration of the fit: iteration, objective.
    """

    iterations: tuple[int, ...]
    points: Array
    variance_fractions: tuple[float, float]
    scores: tuple[float, ...]
    score_label: str
    curves: dict[int, pd.DataFrame]
    objective: pd.DataFrame


def replay_frames(model: FactorModel, test: RelationalData, relation: str, seed: int = 0) -> Replay:
    """Compute positions, scores and curves at every snapshot, for the held-out entries of one relation.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = mrwtd.MrWTD(rank=2, lam=0.3, snapshots=5).fit(train)
    >>> replay = replay_frames(model, test, "marriage")
    >>> replay.points.shape[1:], replay.iterations[0], replay.curves[0].columns.tolist()
    ((15, 2), 0, ['threshold', 'precision', 'recall'])
    """
    if not model.snapshots_:
        raise DataError(
            Problem("a model without snapshots", "a model fitted with snapshots, such as MrWTD(snapshots=20)")
        )
    entries = test.select_relations([relation]).observed()
    if len(entries) > MAX_ENTRIES:
        entries = entries.subset(np.random.default_rng(seed).choice(len(entries), MAX_ENTRIES, replace=False))
    kind = entries.relations[0].kind
    metric = selection_metric(kind)
    rotation = principal_axes(model.snapshots_[-1].factors.A)
    points, scores, curves = [], [], {}
    for snapshot in model.snapshots_:
        past = model.at_snapshot(snapshot)
        points.append(rotation.transform(past.A_, dimensions=2))
        curves[snapshot.iteration] = _curve(past, entries)
        x = past.decision_function(entries) if kind == "binary" else past.predict(entries)
        scores.append(metric.compute(Predictions(kind, entries.y, x, x, pairs=represented_pairs(entries))))
    first, second = [*rotation.variance_fractions, 0.0][:2]
    return Replay(
        tuple(snapshot.iteration for snapshot in model.snapshots_),
        np.stack(points),
        (float(first), float(second)),
        tuple(scores),
        metric.label,
        curves,
        model.trace_[["iteration", "objective"]],
    )


def _curve(model: FactorModel, entries: RelationalData) -> pd.DataFrame:
    if entries.relations[0].kind == "binary":
        return precision_recall_curve(model, entries, points=POINTS).drop(columns="relation")
    rows = np.linspace(0, len(entries) - 1, min(len(entries), 2 * POINTS)).astype(np.intp)
    part = entries.subset(np.unique(rows))
    return pd.DataFrame({"truth": part.y, "predicted": model.predict(part)})
