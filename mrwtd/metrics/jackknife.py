"""How much each test entry moves a score: the infinitesimal jackknife.

Give every test entry the weight 1, and let S be the score of the weighted entries. The influence of
an entry is d_i = ∂S/∂w_i. A bootstrap over the entries redraws the weights, each with variance 1, so its standard
error is √Σ d_i² to first order; no drawing is needed, and the result is always the same. Of two methods
on the same entries, the difference of the scores has the standard error √Σ (d_i − d'_i)².

AUPRC with weights, P the weight of all positives, H_i that of positives and N_i that of all entries which score at
least as high as entry i:

    S = Σ_{i positive} w_i H_i / N_i / P
    P ∂S/∂w_j = [j positive] (H_j / N_j − S) + Σ_{i positive, x_i ≤ x_j} w_i ([j positive] / N_i − H_i / N_i²)

An entry that represents v_i pairs has the weight v_i, and a bootstrap redraws all of it at once: d_i = v_i ∂S/∂w_i.
"""

import numpy as np

from ..typing import Array


def ratio_influence(errors: Array, units: Array, pairs: Array | None = None) -> Array:
    """The influence of each test entry, S = Σ errors / Σ units; `pairs` is that of `Predictions`.

    >>> ratio_influence(np.array([2.0, 3.0, 0.0]), np.ones(3)).round(3).tolist()
    [0.111, 0.444, -0.556]
    """
    if pairs is not None:
        errors, units = errors * pairs, units * pairs
    total = units.sum()
    return np.asarray((errors - errors.sum() / total * units) / total)


def average_precision_influence(y: Array, x: Array, pairs: Array | None = None) -> Array:
    """The influence of each test entry, S the average precision of scores x for labels y = ±1.

    The derivatives sum to 0: more of everything changes nothing.

    >>> average_precision_influence(np.array([1.0, -1.0, 1.0]), np.array([3.0, 2.0, 1.0])).round(3).tolist()
    [0.139, -0.111, -0.028]
    """
    order = np.argsort(-x, kind="stable")
    ranked = x[order]
    weight = np.ones(y.size) if pairs is None else pairs[order]
    positive = (y[order] > 0).astype(np.float64)
    # Equal scores are one threshold: all of a run count as far as its last entry.
    ends = np.append(np.flatnonzero(np.diff(ranked)), y.size - 1)
    run = np.repeat(np.arange(ends.size), np.diff(ends, prepend=-1))
    hits, shown = np.cumsum(weight * positive)[ends], np.cumsum(weight)[ends]
    gained = np.diff(hits, prepend=0.0)
    precision = hits / shown
    total = hits[-1]
    score = float(gained @ precision) / total
    below = np.cumsum((gained / shown)[::-1])[::-1]
    spoiled = np.cumsum((gained * precision / shown)[::-1])[::-1]
    slope = (positive * (precision[run] - score + below[run]) - spoiled[run]) / total
    influence: Array = np.empty_like(slope)
    influence[order] = weight * slope
    return influence


def standard_error(difference: Array) -> float:
    """The standard error of a score, or of a difference of two, from the influences of the entries.

    >>> standard_error(np.array([0.3, -0.4]))
    0.5
    """
    return float(np.sqrt(difference @ difference))
