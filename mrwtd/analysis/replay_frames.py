"""A fit played again: where the objects were, and how well held-out entries were predicted, at each kept snapshot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..data.observed import observed
from ..data.relational import RelationalData
from ..errors import DataError, Problem
from ..evaluation.curves import precision_recall_curve
from ..metrics import Predictions, selection_metric
from ..model.factor_model import FactorModel
from ..model.replay_model import at_snapshot
from ..typing import Array
from .rotation import principal_axes

MAX_ENTRIES = 50_000
"""More held-out entries than this are sampled: a curve looks the same, and there is one for each snapshot."""

POINTS = 200


@dataclass(frozen=True)
class Replay:
    """What a slider over snapshots shows.

    Attributes:
        iterations: of each snapshot.
        points: (snapshots, n, 2), all on the principal axes of the last, so that what moves is the objects alone.
        variance_fractions: the share of the variance of each of the two axes, in the end.
        scores: of the held-out entries of the relation, at each snapshot.
        score_label: what these scores are called.
        curves: {iteration: frame}: precision and recall of a binary relation, of others truth and prediction.
        objective: a row an iteration of the whole fit: iteration, objective.
    """

    iterations: tuple[int, ...]
    points: Array
    variance_fractions: tuple[float, float]
    scores: tuple[float, ...]
    score_label: str
    curves: dict[int, pd.DataFrame]
    objective: pd.DataFrame


def replay_frames(model: FactorModel, test: RelationalData, relation: str, seed: int = 0) -> Replay:
    """Every snapshot of a fit, with the held-out entries of one relation.

    >>> import mrwtd
    >>> train, test = mrwtd.load_dataset("florentine").split(train=0.5, seed=0)
    >>> model = mrwtd.MrWTD(rank=2, lam=0.3, snapshots=5).fit(train)
    >>> film = replay_frames(model, test, "marriage")
    >>> film.points.shape[1:], film.iterations[0], film.curves[0].columns.tolist()
    ((15, 2), 0, ['threshold', 'precision', 'recall'])
    """
    if not model.snapshots_:
        raise DataError(Problem("a model without snapshots", "one fitted with snapshots = 20, say"))
    held = observed(test.select_relations([relation]))
    if len(held) > MAX_ENTRIES:
        held = held.subset(np.random.default_rng(seed).choice(len(held), MAX_ENTRIES, replace=False))
    metric = selection_metric(held.relations[0].kind)
    frame = principal_axes(model.snapshots_[-1].factors.A)
    points, scores, curves = [], [], {}
    for snapshot in model.snapshots_:
        past = at_snapshot(model, snapshot)
        points.append(_two(frame.transform(past.A_)))
        curves[snapshot.iteration] = _curve(past, held)
        scores.append(metric.compute(_predictions(past, held)))
    shares = [*frame.variance_fractions[:2], 0.0]
    return Replay(
        tuple(snapshot.iteration for snapshot in model.snapshots_),
        np.stack(points),
        (float(shares[0]), float(shares[1])),
        tuple(scores),
        metric.label,
        curves,
        model.trace_[["iteration", "objective"]],
    )


def _two(points: Array) -> Array:
    return points[:, :2] if points.shape[1] >= 2 else np.hstack([points, np.zeros_like(points)])


def _curve(past: FactorModel, held: RelationalData) -> pd.DataFrame:
    if held.relations[0].kind == "binary":
        return precision_recall_curve(past, held, points=POINTS).drop(columns="relation")
    some = np.linspace(0, len(held) - 1, min(len(held), 2 * POINTS)).astype(np.intp)
    part = held.subset(np.unique(some))
    return pd.DataFrame({"truth": part.y, "predicted": past.predict(part)})


def _predictions(past: FactorModel, held: RelationalData) -> Predictions:
    kind = held.relations[0].kind
    given = past.decision_function(held) if kind == "binary" else past.predict(held)
    return Predictions(kind, held.y, given, given)
