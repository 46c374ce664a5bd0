"""The weights of the components of a stacked ensemble, from their predictions for held-out entries.

Weights of a kind are at least 0 and sum to 1. A few entries do not determine them, so that there is a safe result for
each kind.

Binary relations: scores are brought to one scale first, the log-odds a + s x of each component (Platt). With weights v,
prior weights a of the components and κ entries that these count for,

    Σ log(1 + exp(−y Σ_c v_c x_c)) + κ Σ_c a_c log(a_c / v_c)

is minimized. AUPRC itself is too noisy on small data: weights chosen by it lose to the prior ones.

Other kinds: by the metric that λ is chosen by, one small step after the other (Caruana and others 2004), on random
halves of the held-out entries, whose mean is taken: what depends on chance differs between halves. These weights are
shrunk towards one component, with the difference d of the held-out scores and its standard error e by e² / (e² + d²).
With few levels or heavy tails, a model can predict worse than one value for all pairs. That value alone has a weight if
it is better by more than the noise; for counts, whose tails are the heaviest, unless the mean is clearly better.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, softmax

from ..model.validation_splits import PARTS, standard_error
from ..typing import Array

HALVES, STEPS = 6, 8
"""The number of random halves of the held-out entries, and of the steps of the selection on each."""

PRIOR_ENTRIES, PRIOR_FRACTION = 10.0, 0.05
"""The prior weights count for this many entries, or this fraction of the entries if that is more: log loss is not the
metric, and prefers the component whose probabilities have the best shape."""

LEAST_GAIN: Mapping[str, float] = {"ordinal": -0.5, "real": -0.5, "count": 2.0}
"""The least gain of the mean over one value for all pairs, in standard errors, with which it is used."""

SMALLEST = 0.05
"""A component with less than this part of the variation of the mean log-odds has no weight: it costs a fit. Levels are
rounded, and small weights decide where to."""

LEAST_SLOPE = 0.1
"""The least change of log-odds over a standard deviation of x. By chance few entries can have a negative slope, and
with slope 0 a component would not rank any more."""

ROUNDING = 1e-12
"""The standard deviation of equal numbers is at most this fraction of them."""

Score = Callable[[Array, Sequence[int]], float]
"""The score of predictions for some of the `PARTS` parts of the held-out entries."""


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
    def unscored(cls, prior: Array) -> Blend:
        """The mean with prior weights, of components for which no entry is held out."""
        lines = np.tile([0.0, 1.0], (prior.size, 1))
        return cls(prior, lines, np.full(prior.size, np.nan))


def blend(
    predictions: Array,
    y: Array,
    w: Array,
    score: Score,
    rng: np.random.Generator,
    *,
    kind: str,
    prior: Array,
    constant: int | None = None,
) -> Blend:
    """A good weighted mean of components for held-out entries of one kind.

    `prior` are the prior weights, with sum 1, and `constant` is the component that predicts one value. Weights of
    levels and real values are shrunk towards the component with the largest prior weight, those of counts towards the
    constant.

    >>> y = np.array([1.0, -1.0] * 50)
    >>> predictions = np.array([y, np.tile([0.1, -0.2, -0.1, 0.3], 25)])
    >>> def score(x, parts):
    ...     return float(np.mean(x * y > 0))
    >>> rng = np.random.default_rng(0)
    >>> blend(predictions, y, np.ones(100), score, rng, prior=np.array([0.5, 0.5]), kind="binary").weights
    array([1., 0.])
    """
    binary = kind == "binary"
    lines = np.array([platt(x, y, w) if binary else (0.0, 1.0) for x in predictions])
    same_scale = lines[:, :1] + lines[:, 1:] * predictions
    scores = np.array([score(x, range(PARTS)) for x in same_scale])
    if not y.size:
        return Blend.unscored(prior)
    if binary:
        chosen = prior if np.isnan(scores).all() else log_loss_weights(same_scale, y, w, prior)
        weights = _without_small(chosen, same_scale)
        # The mean of several log-odds is nearer to 0 than that of a calibrated probability.
        offset, slope = platt(weights @ same_scale, y, w)
        lines = np.column_stack([offset + slope * lines[:, 0], slope * lines[:, 1]])
        return Blend(weights, lines, scores)
    halves = [rng.permutation(PARTS)[: PARTS // 2].tolist() for _ in range(HALVES)]
    selected = [selection(same_scale, partial(_at_parts, score, half)) for half in halves]
    alone = np.eye(len(predictions))
    safe = constant if kind == "count" and constant is not None else int(np.argmax(prior))
    weights = shrunk(np.mean([*filter(np.any, selected)] or [alone[safe]], axis=0), alone[safe], same_scale, score)
    if constant is not None:
        gain, noise = gain_of(weights @ same_scale, same_scale[constant], score)
        if gain < LEAST_GAIN[kind] * np.nan_to_num(noise):
            weights = alone[constant]
    return Blend(weights, lines, scores)


def log_loss_weights(log_odds: Array, y: Array, w: Array, prior: Array) -> Array:
    """The weights with the least log loss of the mean log-odds, near the prior weights if there are few entries.

    >>> y = np.array([1.0, -1.0] * 500)
    >>> good, noise = y, np.random.default_rng(0).normal(size=1000)
    >>> log_loss_weights(np.array([good, noise]), y, np.ones(1000), np.array([0.5, 0.5])).round(1)
    array([0.9, 0.1])
    >>> log_loss_weights(np.array([good, noise])[:, :2], y[:2], np.ones(2), np.array([0.5, 0.5])).round(1)
    array([0.5, 0.5])
    """
    used = np.flatnonzero(prior)
    x, a = log_odds[used], prior[used]
    strength = max(PRIOR_ENTRIES, PRIOR_FRACTION * float(w.sum()))

    def loss(z: Array) -> tuple[float, Array]:
        v = softmax(z)
        mean = v @ x
        slopes = x @ (-w * y * expit(-y * mean))
        value = float(w @ np.logaddexp(0, -y * mean)) - strength * float(a @ np.log(v))
        return value, v * (slopes - v @ slopes) + strength * (v - a)

    weights = np.zeros(prior.size)
    weights[used] = softmax(minimize(loss, np.log(a), jac=True, method="L-BFGS-B").x)
    return weights


def _at_parts(score: Score, parts: Sequence[int], x: Array) -> float:
    return score(x, parts)


def selection(predictions: Array, score: Callable[[Array], float]) -> Array:
    """The best weights of a path that starts at the best component and adds one in each step; 0 without scores.

    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> selection(x, lambda mean: -float(np.abs(mean - 0.5).sum()))
    array([0.5, 0.5])
    """
    n_components = len(predictions)
    counts, total = np.zeros(n_components), np.zeros(predictions.shape[1])
    best, chosen = -np.inf, np.zeros(n_components)
    for step in range(1, STEPS + 2):
        values = np.array([score((total + x) / step) for x in predictions])
        if np.isnan(values).all():
            break
        added = int(np.nanargmax(values))
        counts[added] += 1
        total = total + predictions[added]
        if values[added] > best:
            best, chosen = float(values[added]), counts / step
    return chosen


def shrunk(weights: Array, single: Array, predictions: Array, score: Score) -> Array:
    """Weights moved towards those of a single component, the more the less certain it is that they are better.

    >>> one, other = np.eye(2)
    >>> shrunk(other, one, np.eye(2), lambda x, parts: x[1])  # certainly better
    array([0., 1.])
    >>> shrunk(other, one, np.eye(2), lambda x, parts: x[0])  # not better at all
    array([1., 0.])
    """
    gain, noise = gain_of(weights @ predictions, single @ predictions, score)
    if not gain > 0:
        return single
    towards = 1.0 if np.isnan(noise) else noise**2 / (noise**2 + gain**2)
    return np.asarray((1 - towards) * weights + towards * single)


def gain_of(x: Array, other: Array, score: Score) -> tuple[float, float]:
    """The score of predictions less that of others, and its standard error.

    >>> gain_of(np.ones(2), np.zeros(2), lambda x, parts: x.sum())
    (2.0, 0.0)
    """

    def gain(parts: Sequence[int]) -> float:
        return float(score(x, parts) - score(other, parts))

    others = [[part for part in range(PARTS) if part != left_out] for left_out in range(PARTS)]
    return gain(range(PARTS)), standard_error([gain(parts) for parts in others])


def mean_loss(x: Array, y: Array, w: Array, *, binary: bool) -> float:
    """The mean log loss of log-odds, or half the mean squared error; 0 without entries.

    >>> round(mean_loss(np.zeros(2), np.array([1.0, -1.0]), np.ones(2), binary=True), 3)
    0.693
    """
    losses = np.logaddexp(0, -y * x) if binary else 0.5 * (x - y) ** 2
    return float(np.average(losses, weights=w)) if x.size else 0.0


def platt(x: Array, y: Array, w: Array) -> Array:
    """Offset a and slope s > 0 of the log-odds a + s x of y = +1, with the smoothed targets of Platt (1999).

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
    size = float(x.std())
    if size <= ROUNDING * float(np.abs(x).max()):
        size = 1.0

    def loss(line: Array) -> tuple[float, Array]:
        z = line[0] + line[1] * (x / size)
        g = w * (expit(z) - target)
        return float(w @ (np.logaddexp(0, z) - target * z)), np.array([g.sum(), g @ (x / size)])

    start = np.array([np.log((yes + 1) / (no + 1)), 1.0])
    solution = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(None, None), (LEAST_SLOPE, None)]).x
    return np.array([solution[0], solution[1] / size])


def _without_small(weights: Array, predictions: Array) -> Array:
    """The weights without those of components that hardly change the mean."""
    effects = weights * predictions.std(axis=1)
    kept = np.where(effects < SMALLEST * effects.sum(), 0.0, weights)
    return np.asarray(kept / kept.sum())
