"""`Metric`: one number about the predictions for one relation, and everything that is known about it.

Tables, figures, tooltips, the search for λ and the tests of significance read these attributes, so a new metric is
one class in a module of this package. The functions below say which metrics a kind of relation has.
"""

import math
from itertools import pairwise

import numpy as np

from ..registry import Registry
from ..typing import Array, Int64Array
from .predictions import Predictions


class Metric:
    """A metric; its docstring is the formula.

    >>> METRICS["nmse"].label, METRICS["nmse"].direction, METRICS["nmse"].worse_than_constant(1.3)
    ('MSE ÷ variance', 'lower', True)

    Attributes:
        name: in frames and files.
        label: in tables and figures.
        help: one line for tooltips, without a full stop.
        kinds: of the relations that it is computed for.
        direction: "higher" or "lower" is better, or "" where methods are not ranked by it.
        perfect: the value of perfect predictions, if there is one.
        constant: the value of the same prediction for every pair, unless it depends on the test values (see
            `constant_score`).
        constant_predictor: what such a prediction is, to complete "worse than …".
        bounds: the lowest and the highest value.
        quantity: "share" for values written as percentages, "unit" for those in the unit of the data, else "score".
        main_for: the kinds whose methods are compared by it first: tables, bars, trust.
        shown_for: further kinds for which tables and bars show it. Their means over relations should make sense.
        selects_for: the kinds for which λ is chosen by it. 1 has to be perfect there, and 0 useless.
        reported: whether `mrwtd.evaluate` has a row for it.
        order: its place among the metrics; those of this package come first.
    """

    name: str
    label: str
    help: str
    kinds: tuple[str, ...] = ()
    direction: str = ""
    perfect: float | None = None
    constant: float | None = None
    constant_predictor: str = "predicting the mean for every pair"
    bounds: tuple[float, float] = (-math.inf, math.inf)
    quantity: str = "score"
    main_for: tuple[str, ...] = ()
    shown_for: tuple[str, ...] = ()
    selects_for: tuple[str, ...] = ()
    reported: bool = True
    order: int = 100

    def compute(self, predictions: Predictions) -> float:
        """The value; NaN where it has no meaning."""
        raise NotImplementedError

    def missing(self, predictions: Predictions) -> str:
        """Why these predictions have no value, such as test values of one class; empty if they have one."""
        return ""

    def score(self, predictions: Predictions) -> float | str:
        """The value, or the reason why there is none.

        >>> y = np.array([1.0, 2.0])
        >>> METRICS["mae"].score(Predictions("ordinal", y, y, np.array([1.0, 3.0])))
        0.5
        >>> METRICS["auprc"].score(Predictions("binary", np.ones(2), y, y))
        'all 2 test entries are positive'
        """
        return predictions.problem or self.missing(predictions) or self.compute(predictions)

    def influence(self, predictions: Predictions) -> Array:
        """How much each test entry changes the value, for its standard error (see `jackknife`); NaN if not known."""
        return np.full(predictions.y.shape, np.nan)

    def constant_score(self, y: Array, pairs: Array | None = None) -> float:
        """The value of the same prediction for every pair: the mean of the test values y, or the median of levels.

        `pairs` is that of `Predictions`.
        """
        return math.nan if self.constant is None else self.constant

    def gain(self, predictions: Predictions) -> float:
        """How far the value is on the way from a constant prediction (0) to a perfect one (1); NaN if not known.

        >>> y = np.array([0.0, 1.0, 2.0])
        >>> METRICS["mae"].gain(Predictions("ordinal", y, y, np.array([0.0, 1.0, 1.0])))
        0.5
        """
        if not predictions.y.size or self.perfect is None:
            return math.nan
        constant = self.constant_score(predictions.y, predictions.pairs)
        room = self.perfect - constant
        return (self.compute(predictions) - constant) / room if room else math.nan

    def values(self, kind: str, y: Array, given: Array, bounds: Int64Array, pairs: Array | None = None) -> Array:
        """The values of several relations, whose entries are bounds[s] … bounds[s + 1] − 1."""
        parts = [slice(*ends) for ends in pairwise(bounds)]
        weights = [None if pairs is None else pairs[part] for part in parts]
        rows = zip(parts, weights, strict=True)
        return np.array(
            [self.compute(Predictions(kind, y[part], given[part], given[part], pairs=w)) for part, w in rows]
        )

    def worse_than_constant(self, value: float) -> bool:
        """Whether a value is worse than that of a constant prediction, if that is known without the test values."""
        if self.constant is None:
            return False
        return value > self.constant if self.direction == "lower" else value < self.constant

    @property
    def worse_side(self) -> str:
        """Where values are worse than that of a constant prediction.

        >>> METRICS["nmse"].worse_side
        'above 1'
        """
        return f"{'above' if self.direction == 'lower' else 'below'} {self.constant:g}"

    @property
    def drawn_range(self) -> tuple[float, float]:
        """The range of bars: a constant prediction is in its middle, so that no bar is too long for the others.

        >>> METRICS["deviance_explained"].drawn_range
        (-1.0, 1.0)
        """
        if self.constant is None or self.perfect is None:
            return self.bounds
        worst = 2 * self.constant - self.perfect
        return min(self.perfect, worst), max(self.perfect, worst)

    @property
    def title(self) -> str:
        """The label at the start of a sentence.

        >>> METRICS["accuracy"].title
        'Accuracy'
        """
        return self.label[0].upper() + self.label[1:]

    def mean_label(self, n: int) -> str:
        """The label of a mean over n relations.

        >>> METRICS["auprc"].mean_label(3), METRICS["auprc"].mean_label(1)
        ('mean AUPRC', 'AUPRC')
        """
        return self.label if n == 1 else f"mean {self.label}"


METRICS = Registry[Metric]("metric", "mrwtd.metrics", make=lambda cls: cls())
"""Every metric by name."""


def metrics_of(kind: str) -> list[Metric]:
    """The metrics that `mrwtd.evaluate` reports for a kind of relation.

    >>> [metric.name for metric in metrics_of("ordinal")]
    ['mae', 'accuracy']
    """
    return [metric for metric in METRICS.values() if kind in metric.kinds and metric.reported]


def shown_metrics(kind: str) -> list[Metric]:
    """The metrics of a kind that tables and bars show, the main one first.

    >>> [metric.name for metric in shown_metrics("count")]
    ['nmse', 'deviance_explained']
    """
    shown = [metric for metric in METRICS.values() if kind in metric.main_for + metric.shown_for]
    return sorted(shown, key=lambda metric: kind not in metric.main_for)


def main_metric(kind: str) -> Metric:
    """The metric by which methods are compared first, and by which predictions are trusted.

    >>> main_metric("binary").name
    'auprc'
    """
    return shown_metrics(kind)[0]


def selection_metric(kind: str) -> Metric:
    """The metric by which λ is chosen.

    >>> selection_metric("real").name
    'r2'
    """
    return next(metric for metric in METRICS.values() if kind in metric.selects_for)
