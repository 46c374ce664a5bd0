"""How much each test entry moves a score: the infinitesimal jackknife.

Give every test entry a weight, 1 to begin with, and let the score S be that of the weighted entries. The influence of
an entry is d_i = ∂S/∂w_i. A bootstrap over the entries redraws the weights, each with variance 1, so the standard
error that it finds is √Σ d_i² to first order; no drawing is needed, and the result is always the same. Of two methods
on the same entries, the difference of the scores has the standard error √Σ (d_i − d'_i)².

AUPRC with weights, P the weight of all positives, H_i that of positives and N_i that of all entries which score at
least as high as entry i:

    S = Σ_{i positive} w_i H_i / N_i / P
    P ∂S/∂w_j = [j positive] (H_j / N_j − S) + Σ_{i positive, x_i ≤ x_j} ([j positive] / N_i − H_i / N_i²)
"""

from __future__ import annotations

import numpy as np

from ..metrics import average_precision, deviances
from ..typing import Array
from .measures import NO_VARIANCE, Answers, one_class

SHOWN = {"binary": ("auprc",), "ordinal": ("mae",), "count": ("nmse", "deviance_explained"), "real": ("nmse",)}
"""The measures that tables and bars show of a relation of each kind; none has a unit: means make sense.

Counts have two. The squared error is decided by a few large counts. The deviance, which a Poisson fit minimises,
weighs an error by the size that it should have.
"""

MAIN = {kind: metrics[0] for kind, metrics in SHOWN.items()}
"""The one by which methods are compared, and by which predictions are trusted."""


def main_score(kind: str, answers: Answers, metric: str = "") -> float | str:
    """A measure of `SHOWN`, or the reason why there is none: as `mrwtd.evaluate` has it, without the others.

    Without a metric it is the main measure of the kind.

    >>> y = np.array([1.0, 2.0])
    >>> main_score("ordinal", Answers(y, y, np.array([1.0, 3.0]), y))
    0.5
    >>> main_score("count", Answers(y, y, np.array([1.5, 1.5]), y), "deviance_explained")
    0.0
    """
    given = answers.x if kind == "binary" else answers.predicted
    if not given.size:
        return "no test entry"
    if not np.isfinite(given).all():
        return f"{np.count_nonzero(~np.isfinite(given))} of {given.size} predictions are not finite"
    if kind == "binary":
        return one_class(answers.y) or average_precision(answers.y, answers.x)
    errors, units = _errors_and_units(metric or MAIN[kind], answers)
    if not units.any():
        return NO_VARIANCE
    ratio = float(errors.sum() / units.sum())
    return 1 - ratio if metric == "deviance_explained" else ratio


def influence(kind: str, answers: Answers, metric: str = "") -> Array:
    """∂S/∂w of each test entry, S the main measure of the kind or another one, where there is one.

    >>> y, x = np.array([1.0, -1.0, 1.0]), np.array([3.0, 2.0, 1.0])
    >>> influence("binary", Answers(y, x, np.sign(x), x)).round(3).tolist()
    [0.139, -0.111, -0.028]
    >>> influence("ordinal", Answers(y, x, x, x)).round(3).tolist()  # errors of 2, 3 and 0 levels
    [0.111, 0.444, -0.556]
    """
    if kind == "binary":
        return average_precision_influence(answers.y, answers.x)
    # Both are sums over the entries. The mean inside the variance, or inside the deviance from it, does not matter: it
    # is where that is least.
    errors, units = _errors_and_units(metric or MAIN[kind], answers)
    moved: Array = (errors - errors.sum() / units.sum() * units) / units.sum()
    return -moved if metric == "deviance_explained" else moved


def _errors_and_units(metric: str, answers: Answers) -> tuple[Array, Array]:
    """What each entry adds to the numerator and to the denominator of the measure."""
    y, error = answers.y, answers.predicted - answers.y
    if metric == "mae":
        return np.abs(error), np.ones_like(error)
    if metric == "deviance_explained":
        return deviances(y, answers.predicted), deviances(y, np.full(y.shape, y.mean()))
    return error**2, (y - y.mean()) ** 2


def average_precision_influence(y: Array, x: Array) -> Array:
    """∂S/∂w of each test entry, S the average precision of scores x for labels y = ±1.

    The derivatives sum to 0: more of everything changes nothing.

    >>> found = average_precision_influence(np.array([1.0, -1.0, 1.0, -1.0]), np.array([0.1, 0.4, 0.8, 0.2]))
    >>> abs(float(found.sum())) < 1e-12
    True
    """
    order = np.argsort(-x, kind="stable")
    ranked = x[order]
    positive = (y[order] > 0).astype(np.float64)
    # Equal scores are one threshold: all of a run count as far as its last entry.
    ends = np.append(np.flatnonzero(np.diff(ranked)), y.size - 1)
    run = np.repeat(np.arange(ends.size), np.diff(ends, prepend=-1))
    hits, shown = np.cumsum(positive)[ends], ends + 1.0
    gained = np.diff(hits, prepend=0.0)
    precision = hits / shown
    total = hits[-1]
    score = float(gained @ precision) / total
    below = np.cumsum((gained / shown)[::-1])[::-1]
    spoiled = np.cumsum((gained * precision / shown)[::-1])[::-1]
    slope = (positive * (precision[run] - score + below[run]) - spoiled[run]) / total
    found: Array = np.empty_like(slope)
    found[order] = slope
    return found


def standard_error(difference: Array) -> float:
    """The standard error of a score, or of a difference of two, from the influences of the entries.

    >>> standard_error(np.array([0.3, -0.4]))
    0.5
    """
    return float(np.sqrt(difference @ difference))
