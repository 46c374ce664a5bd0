"""The weights of the components of a stacked ensemble, from their predictions for held-out entries.

Scores of binary relations are brought to one scale first: the log-odds a + s x of each component (Platt). Weights of
a kind are at least 0 and sum to 1. A mean of several components is used only if its held-out score is better than that
of the best single one by more than the noise: a few entries do not determine weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize, nnls
from scipy.special import expit

from ..model.validation_splits import standard_error
from ..typing import Array

STANDARD_ERRORS = 0.5
"""A mean of components has to be better than the best single one by this many standard errors of the difference."""

SMALLEST = 0.05
"""A component with less than this part of the variation of the mean has no weight: it costs a fit."""

ScoreParts = Callable[[Array], tuple[float, Array]]
"""The score of held-out predictions, and the scores without each part of them."""


@dataclass(frozen=True)
class Blend:
    """The weighted mean of the components for one kind of relation.

    Attributes:
        weights: one for each component.
        lines: offset a and slope s of each component, (components, 2); 0 and 1 unless the kind is binary.
        scores: the held-out score of each component; NaN if there is none.
    """

    weights: Array
    lines: Array
    scores: Array

    @classmethod
    def equal(cls, n_components: int) -> Blend:
        """The plain mean of components that cannot be scored."""
        lines = np.tile([0.0, 1.0], (n_components, 1))
        return cls(np.full(n_components, 1 / n_components), lines, np.full(n_components, np.nan))


def blend(predictions: Array, y: Array, w: Array, score: ScoreParts, *, binary: bool) -> Blend:
    """The best weighted mean of components for held-out entries of one kind.

    >>> y = np.array([1.0, -1.0, 1.0, -1.0])
    >>> predictions = np.array([y, [0.1, -0.2, -0.1, 0.3]])
    >>> def score(x):
    ...     return float(np.mean(x * y > 0)), np.ones(10)
    >>> blend(predictions, y, np.ones(4), score, binary=True).weights
    array([1., 0.])
    """
    n_components = len(predictions)
    lines = np.array([platt(x, y, w) if binary else (0.0, 1.0) for x in predictions])
    same_scale = lines[:, :1] + lines[:, 1:] * predictions
    scored = [score(x) for x in same_scale]
    scores = np.array([value for value, _ in scored])
    if np.isnan(scores).all():
        return Blend.equal(n_components)
    best = int(np.nanargmax(scores))
    weights = np.eye(n_components)[best]
    mixed = mixture(same_scale, y, w, binary=binary)
    value, parts = score(mixed @ same_scale)
    noise = float(np.nan_to_num(standard_error(parts - scored[best][1])))
    if value > scores[best] + STANDARD_ERRORS * noise:
        weights = mixed
    if binary:  # the mean of several log-odds is nearer to 0 than that of a calibrated probability
        offset, slope = platt(weights @ same_scale, y, w)
        lines = np.column_stack([offset + slope * lines[:, 0], slope * lines[:, 1]])
    return Blend(weights, lines, scores)


def mean_loss(x: Array, y: Array, w: Array, *, binary: bool) -> float:
    """The mean log loss of log-odds, or half the mean squared error; 0 without entries.

    >>> round(mean_loss(np.zeros(2), np.array([1.0, -1.0]), np.ones(2), binary=True), 3)
    0.693
    """
    losses = np.logaddexp(0, -y * x) if binary else 0.5 * (x - y) ** 2
    return float(np.average(losses, weights=w)) if x.size else 0.0


def platt(x: Array, y: Array, w: Array) -> Array:
    """Offset a and slope s ≥ 0 of the log-odds a + s x of y = +1, with the smoothed targets of Platt (1999).

    >>> a, s = platt(np.array([-1.0, -1.0, 1.0, 1.0]), np.array([-1.0, -1.0, 1.0, 1.0]), np.ones(4))
    >>> bool(abs(a) < 0.1), bool(0.5 < s < 2)
    (True, True)
    >>> platt(np.zeros(0), np.zeros(0), np.zeros(0))
    array([0., 1.])
    """
    if not x.size:
        return np.array([0.0, 1.0])
    positive = y > 0
    yes, no = float(w[positive].sum()), float(w[~positive].sum())
    target = np.where(positive, (yes + 1) / (yes + 2), 1 / (no + 2))
    size = float(np.abs(x).max()) or 1.0

    def loss(line: Array) -> tuple[float, Array]:
        z = line[0] + line[1] * (x / size)
        g = w * (expit(z) - target)
        return float(w @ (np.logaddexp(0, z) - target * z)), np.array([g.sum(), g @ (x / size)])

    start = np.array([np.log((yes + 1) / (no + 1)), 1.0])
    solution = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(None, None), (0, None)]).x
    return np.array([solution[0], solution[1] / size])


def mixture(predictions: Array, y: Array, w: Array, *, binary: bool) -> Array:
    """The weights, at least 0 with the sum 1, of the least log loss of log-odds or the least squared error.

    >>> y = np.array([1.0, 2.0, 3.0])
    >>> mixture(np.array([y + 1, y - 1, 5 - y]), y, np.ones(3), binary=False).round(2)
    array([0.5, 0.5, 0. ])
    """
    n_components = len(predictions)
    if not binary:
        root = np.sqrt(w)
        sum_is_one = 1e3 * np.sqrt(1 + (root**2 @ (predictions**2).T).max()) * np.ones((1, n_components))
        beta = nnls(np.vstack([(root * predictions).T, sum_is_one]), np.append(root * y, sum_is_one[0, 0]))[0]
        return _without_small(beta, predictions)

    def loss(free: Array) -> tuple[float, Array]:
        z = free[0] + free[1:] @ predictions
        g = w * (expit(z) - (y > 0))
        return float(w @ (np.logaddexp(0, z) - (y > 0) * z)), np.concatenate([[g.sum()], predictions @ g])

    start = np.concatenate([[0.0], np.full(n_components, 1 / n_components)])
    bounds = [(None, None), *[(0.0, None)] * n_components]
    return _without_small(minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x[1:], predictions)


def _without_small(beta: Array, predictions: Array) -> Array:
    """Weights in proportion to `beta`, without those of components that hardly change the mean."""
    effects = beta * predictions.std(axis=1)
    if effects.sum() <= 0:
        return np.full(beta.size, 1 / beta.size)
    weights = np.where(effects < SMALLEST * effects.sum(), 0.0, beta)
    return np.asarray(weights / weights.sum())
