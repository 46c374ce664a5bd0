"""What is measured of the predictions for one relation, by its kind.

A function for each kind takes `Answers` and gives a number for every measure, or a sentence that says why there is
none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..metrics import Steps, deviance_explained, r_squared
from ..typing import Array

Scores = dict[str, float | str]

NUMBERS = ("count", "real")

NO_VARIANCE = "all test values are equal: there is no variance to explain"


@dataclass(frozen=True)
class Measure:
    """What a number means, for which kinds of relation it is there, and whether "higher" or "lower" is better."""

    kinds: tuple[str, ...]
    better: str
    about: str


MEASURES = {
    "auprc": Measure(("binary",), "higher", "area under the precision–recall curve (average precision)"),
    "roc_auc": Measure(("binary",), "higher", "area under the ROC curve: P(a positive scores above a negative)"),
    "brier": Measure(("binary",), "lower", "mean squared error of the probability"),
    "best_f1": Measure(("binary",), "higher", "the highest F1 of all thresholds, chosen with hindsight"),
    "precision": Measure(("binary",), "higher", "precision at the threshold of the highest F1"),
    "recall": Measure(("binary",), "higher", "recall at the threshold of the highest F1"),
    "threshold": Measure(("binary",), "", "the score from which on a pair counts as positive, for the highest F1"),
    "mae": Measure(("ordinal",), "lower", "mean distance of the predicted level, in levels"),
    "accuracy": Measure(("ordinal",), "higher", "share of entries whose level is predicted exactly"),
    "mse": Measure(NUMBERS, "lower", "mean squared error, in the unit of the data squared"),
    "rmse": Measure(NUMBERS, "lower", "root of the mean squared error, in the unit of the data"),
    "nmse": Measure(
        NUMBERS, "lower", "MSE over the variance of the test values (the paper's MSE): above 1 is worse than the mean"
    ),
    "r2": Measure(NUMBERS, "higher", "share of the variance of the test values that is explained"),
    "deviance_explained": Measure(
        ("count",), "higher", "share of the Poisson deviance explained: below 0 is worse than the mean for every pair"
    ),
}
"""Every measure by name."""


@dataclass(frozen=True)
class Answers:
    """The test entries of one relation, and what a method says of them.

    Attributes:
        y: the truth: ±1, levels, counts or real numbers.
        x: the scores of `decision_function`.
        predicted: what `predict` gives.
        probability: what `predict_proba` gives; NaN where the method has none.
    """

    y: Array
    x: Array
    predicted: Array
    probability: Array


def measures_of(kind: str) -> list[str]:
    """The names of the measures for a kind of relation.

    >>> measures_of("ordinal")
    ['mae', 'accuracy']
    """
    return [name for name, measure in MEASURES.items() if kind in measure.kinds]


def score(kind: str, answers: Answers) -> Scores:
    """A number for each measure of a kind, or the reason why there is none.

    >>> y, x = np.array([1.0, -1.0, 1.0]), np.array([3.0, 2.0, 1.0])
    >>> found = score("binary", Answers(y, x, np.sign(x), np.full(3, np.nan)))
    >>> found["roc_auc"], found["brier"]
    (0.5, 'the method gives no probability')
    """
    names = measures_of(kind)
    size = answers.y.size
    if size == 0:
        return dict.fromkeys(names, "no test entry")
    given = answers.x if kind == "binary" else answers.predicted
    if not np.isfinite(given).all():
        return dict.fromkeys(names, f"{np.count_nonzero(~np.isfinite(given))} of {size} predictions are not finite")
    found = SCORERS[kind](answers)
    return {name: found[name] for name in names}


def one_class(y: Array) -> str:
    """Why a ranking of labels y = ±1 has no score, or nothing if it has one.

    >>> one_class(-np.ones(3))
    'all 3 test entries are negative'
    """
    positives = np.count_nonzero(y > 0)
    if 0 < positives < y.size:
        return ""
    if y.size < 2:
        return "no test entry" if y.size == 0 else "a single test entry"
    return f"all {y.size} test entries are {'positive' if positives else 'negative'}"


def _binary(answers: Answers) -> Scores:
    reason = one_class(answers.y)
    if reason:
        return dict.fromkeys(measures_of("binary"), reason)
    truth, p = answers.y > 0, answers.probability
    steps = Steps.of(truth, answers.x)
    f1 = steps.f1
    best = int(np.argmax(f1))  # of thresholds that do equally well, the highest
    known = np.isfinite(p).all()
    return {
        "auprc": steps.average_precision,
        "roc_auc": steps.roc_auc,
        "brier": float(np.mean((p - truth) ** 2)) if known else "the method gives no probability",
        "best_f1": float(f1[best]),
        "precision": float(steps.precision[best]),
        "recall": float(steps.hits[best] / steps.hits[-1]),
        "threshold": float(steps.threshold[best]),
    }


def _ordinal(answers: Answers) -> Scores:
    y, predicted = answers.y, answers.predicted
    return {"mae": float(np.abs(y - predicted).mean()), "accuracy": float(np.mean(y == np.rint(predicted)))}


def _number(answers: Answers) -> Scores:
    y, predicted = answers.y, answers.predicted
    mse = float(((y - predicted) ** 2).mean())
    errors: Scores = {"mse": mse, "rmse": float(np.sqrt(mse))}
    if np.ptp(y) == 0:
        return errors | dict.fromkeys(("nmse", "r2"), NO_VARIANCE)
    r2 = r_squared(y, predicted)
    return errors | {"nmse": 1 - r2, "r2": r2}


def _count(answers: Answers) -> Scores:
    known = np.ptp(answers.y) > 0
    explained = deviance_explained(answers.y, answers.predicted) if known else NO_VARIANCE
    return _number(answers) | {"deviance_explained": explained}


SCORERS: dict[str, Callable[[Answers], Scores]] = {
    "binary": _binary,
    "ordinal": _ordinal,
    "count": _count,
    "real": _number,
}
"""What scores the relations of each kind."""


def summarize_scores(scores: pd.DataFrame, metrics: Sequence[str] = ("auprc", "mae", "r2")) -> dict[str, float]:
    """The mean over the relations of the first of the metrics that there is, by method: one number to tell runs apart.

    >>> rows = [("MrWTD", "auprc", 0.5), ("MrWTD", "auprc", 0.7), ("MrWTD", "brier", 0.1)]
    >>> summarize_scores(pd.DataFrame(rows, columns=["method", "metric", "value"]))
    {'MrWTD': 0.6}
    """
    for metric in metrics:
        own = scores[(scores["metric"] == metric) & scores["value"].notna()]
        if len(own):
            means = own.groupby("method", sort=False)["value"].mean()
            return {str(method): round(float(value), 6) for method, value in means.items()}
    return {}
