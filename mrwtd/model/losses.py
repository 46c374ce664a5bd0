"""The losses: how far a reconstruction x is from an observed value y.

A loss is a class with a name, the kinds of relation that it is for, and `value_and_slope(y, x)`: the loss and its
derivative in x, element by element, in plain NumPy. Everything else has a default here: one bias b is added to x, the
mapping φ is the identity (the sign for binary relations), and there is no probability. `register`
makes a loss known by its name to the model, the command line and the dashboard.

The numbers that a loss learns for a relation besides A and R_k are its *extras*: one bias by default, the cut points of
an ordinal relation.
"""

from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from ..data.relations import KINDS, Relation
from ..errors import DataError, Problem
from ..registry import Registry
from ..typing import Array

GROUP = 64
"""The product of this many numbers between 1 and 2 cannot overflow."""


class Loss:
    """The base class of losses. A new loss needs `name`, `kinds` and `value_and_slope`.

    >>> @register
    ... class Cosh(Loss):
    ...     '''ℓ = log cosh(x − y)'''
    ...     name, kinds = "log-cosh", ("real",)
    ...     def value_and_slope(self, y, x):
    ...         return np.logaddexp(x - y, y - x) - np.log(2), np.tanh(x - y)
    >>> "log-cosh" in LOSSES
    True
    >>> LOSSES.unregister("log-cosh")

    Attributes:
        name: for `MrWTD(loss=…)`.
        formula: the loss in one line, for display.
        kinds: the kinds of relation that it is for.
        refusal: why it is not for the others.
        standardizes: whether values that are not binary are centred and scaled before the fit.
        joins_cuts: whether `evaluate` also takes the extras of each entry, (extras, entries), so that relations with
            equally many cut points are evaluated together.
    """

    name: ClassVar[str]
    formula: ClassVar[str] = ""
    kinds: ClassVar[tuple[str, ...]] = ("binary",)
    refusal: ClassVar[str] = ""
    standardizes: ClassVar[bool] = False
    joins_cuts: ClassVar[bool] = False

    def value_and_slope(self, y: Array, x: Array) -> tuple[Array, Array]:
        """The loss ℓ(y, x) and its derivative in x."""
        raise NotImplementedError(f"{type(self).__name__} needs value_and_slope(y, x)")

    def total_and_slope(self, y: Array, x: Array) -> tuple[float, Array]:
        """The sum of the loss over the entries, and its derivative; for a loss whose sum costs less than its values."""
        value, slope = self.value_and_slope(y, x)
        return float(value.sum()), slope

    def predict(self, x: Array, relation: Relation, extras: Array) -> Array:
        """The mapping φ: the expected value of the relation for the reconstruction x."""
        if relation.kind == "binary":
            return np.where(x >= 0, 1.0, -1.0)
        if relation.kind == "ordinal":
            return np.clip(np.rint(x), 0, len(relation.levels) - 1)
        return x

    def probability(self, x: Array) -> Array:
        """P(y = +1) if the loss has one, else NaN."""
        return np.full(x.shape, np.nan)

    def dispersion(self, y: Array) -> float:
        """How much more the values vary than the likelihood of the loss expects; the loss is divided by it."""
        return 1.0

    def extras(self, relation: Relation) -> int:
        """The number of extras of a relation."""
        return 1

    @property
    def has_cuts(self) -> bool:
        """Whether it learns cut points, or anything but one bias."""
        return type(self).extras is not Loss.extras

    def evaluate(self, y: Array, x: Array, extras: Array) -> tuple[Array, Array, Array]:
        """Loss, derivative in x and derivative in the extras (one row per extra), for x without the bias."""
        value, slope = self.value_and_slope(y, x + extras[0])
        return value, slope, slope[None]

    def check(self, relation: Relation) -> None:
        """Refuse a relation of another kind, with the reason."""
        if relation.kind not in self.kinds:
            expected = f"{' and '.join(self.kinds)} relations" + f": {self.refusal}" * bool(self.refusal)
            found = f"the loss {self.name!r} for the {relation.kind} relation {relation.name!r}"
            raise DataError(Problem(found, expected))


LOSSES = Registry[Loss]("loss", make=lambda cls: cls())
"""Every loss by name."""

register = LOSSES.register


def default_loss(kind: str) -> str:
    """The loss of `"auto"` for a kind of relation.

    >>> [default_loss(kind) for kind in KINDS]
    ['logistic', 'ordinal', 'poisson', 'quadratic']
    """
    return {"binary": "logistic", "ordinal": "ordinal", "count": "poisson", "real": "quadratic"}[kind]


@register
class Quadratic(Loss):
    """ℓ = (x − y)² / 2, for any kind of relation.

    >>> Quadratic().value_and_slope(np.array([1.0]), np.array([3.0]))
    (array([2.]), array([2.]))
    """

    name = "quadratic"
    formula = "(x − y)² / 2"
    kinds = KINDS
    standardizes = True

    def value_and_slope(self, y: Array, x: Array) -> tuple[Array, Array]:
        """The loss and its derivative."""
        slope = x - y
        value = slope * 0.5
        value *= slope
        return value, slope


@register
class SmoothHinge(Loss):
    """ℓ = h(yx) with h(z) = 1/2 − z for z ≤ 0, (1 − z)²/2 for 0 < z < 1, 0 for z ≥ 1.

    >>> SmoothHinge().value_and_slope(np.ones(2), np.array([-1.0, 0.5]))
    (array([1.5  , 0.125]), array([-1. , -0.5]))
    """

    name = "smooth-hinge"
    formula = "1/2 − yx below 0, (1 − yx)²/2 between 0 and 1, 0 above"
    refusal = "the margin yx has a meaning for y = ±1 only"

    def value_and_slope(self, y: Array, x: Array) -> tuple[Array, Array]:
        """The loss and its derivative."""
        short = y * x
        np.subtract(1, short, out=short)  # how far the margin is below 1
        slope = np.clip(short, 0, 1)
        value = slope * -0.5
        value += short
        value *= slope
        slope *= y
        return value, np.negative(slope, out=slope)


@register
class Logistic(Loss):
    """ℓ = log(1 + exp(−yx)): minus the log-likelihood of a logistic model.

    >>> Logistic().value_and_slope(np.array([1.0, -1.0]), np.array([1000.0, 1000.0]))
    (array([   0., 1000.]), array([0., 1.]))
    """

    name = "logistic"
    formula = "log(1 + exp(−yx))"
    refusal = "it is the likelihood of y = ±1"

    def value_and_slope(self, y: Array, x: Array) -> tuple[Array, Array]:
        """The loss and its derivative, from one exponential that cannot overflow: e = exp(−|x|)."""
        size = np.abs(x)
        e = np.exp(-size)
        value = np.log1p(e)
        size -= y * x
        size *= 0.5
        value += size  # max(−yx, 0) = (|x| − yx) / 2
        e += 1
        return value, self._slope(y, x, e)

    def total_and_slope(self, y: Array, x: Array) -> tuple[float, Array]:
        """The sum and the derivative of each entry."""
        total, e = self.total(y, x)
        return total, self._slope(y, x, e)

    @staticmethod
    def total(y: Array, x: Array) -> tuple[float, Array]:
        """The sum over the entries, and 1 + exp(−|x|).

        One logarithm is enough for `GROUP` entries: Σ log(1 + e) = log Π (1 + e).

        >>> round(Logistic.total(np.ones(100), np.zeros(100))[0] / np.log(2))
        100
        """
        size = np.abs(x)
        total = 0.5 * (float(size.sum()) - float(y @ x))
        np.negative(size, out=size)
        e = np.exp(size, out=size)
        e += 1
        end = e.size - e.size % GROUP
        for factors in (np.multiply.reduce(e[:end].reshape(GROUP, -1)), e[end:]):
            total += float(np.log(factors).sum())
        return total, e

    @staticmethod
    def _slope(y: Array, x: Array, e: Array) -> Array:
        """By symmetry the slope is sign(x) (1 / (1 + e) − 1/2) − y/2; `e` holds 1 + e, and is written over."""
        np.divide(1, e, out=e)
        e -= 0.5
        slope = np.copysign(e, x, out=e)
        slope -= 0.5 * y
        return slope

    def probability(self, x: Array) -> Array:
        """P(y = +1) = 1 / (1 + exp(−x))."""
        e = np.exp(-np.abs(x))
        return np.where(x >= 0, 1.0, e) / (1.0 + e)


@register
class Huber(Loss):
    """ℓ = d²/2 for |d| ≤ 1 and |d| − 1/2 beyond, with d = x − y in standard deviations: outliers pull less.

    >>> Huber().value_and_slope(np.zeros(2), np.array([0.5, 3.0]))
    (array([0.125, 2.5  ]), array([0.5, 1. ]))
    """

    name = "huber"
    formula = "d²/2 up to |d| = 1, |d| − 1/2 beyond, d = x − y"
    kinds = ("real", "count")
    refusal = "a value of two classes or levels has no outliers"
    standardizes = True

    def value_and_slope(self, y: Array, x: Array) -> tuple[Array, Array]:
        """The loss and its derivative."""
        d = x - y
        slope = np.clip(d, -1, 1)
        return slope * (d - 0.5 * slope), slope


@register
class Poisson(Loss):
    """ℓ = exp(x) − yx + (y log y − y): half the deviance of counts with rate exp(x), 0 where the rate is y.

    Above x = 20, or above e times the largest count, the exponential is continued by its tangent, so that nothing
    overflows. A tangent below a count would have no minimum.

    >>> Poisson().value_and_slope(np.array([1.0, 0.0]), np.array([0.0, 0.0]))
    (array([0., 1.]), array([0., 1.]))
    """

    name = "poisson"
    formula = "exp(x) − yx + (y log y − y)"
    kinds = ("count",)
    refusal = "it is the likelihood of counts 0, 1, 2, …"
    steepest: ClassVar[float] = 20.0
    highest: ClassVar[float] = 350.0  # above the logarithm of any count that is allowed
    left_over: ClassVar[float] = 0.7  # about the fraction of the variance that a fit to half of real counts leaves

    def value_and_slope(self, y: Array, x: Array) -> tuple[Array, Array]:
        """The loss and its derivative."""
        steepest = self.steepest
        if y.size and (largest := y.max()) > 1:
            steepest = max(steepest, 1 + float(np.log(largest)))
        low = np.minimum(x, steepest)
        rate = np.exp(low)
        return rate * (1 + (x - low)) - y * x + (xlogy(y, y) - y), rate - y

    def dispersion(self, y: Array) -> float:
        """Variance over mean after a typical fit, at least 1: large counts must not dominate other relations."""
        return max(1.0, self.left_over * float(y.var() / y.mean())) if y.any() else 1.0

    def predict(self, x: Array, relation: Relation, extras: Array) -> Array:
        """The rate exp(x)."""
        return np.exp(np.minimum(x, self.highest))


@register
class Ordinal(Loss):
    """ℓ = Σ_c log(1 + exp(−s_c (x − θ_c))), s_c = +1 where y is at or above level c, else −1: all-threshold logistic.

    The cut points θ take the place of the bias. At the optimum they are in ascending order by themselves.

    >>> loss, cuts = Ordinal(), np.array([-1.0, 1.0])
    >>> loss.predict(np.array([-2.0, 0.0, 5.0]), Relation("r", "ordinal", True, (1, 2, 3)), cuts)
    array([0., 1., 2.])
    """

    name = "ordinal"
    formula = "Σ over cut points θ of log(1 + exp(∓(x − θ)))"
    kinds = ("ordinal",)
    refusal = "it needs a few ordered levels"
    joins_cuts = True

    def extras(self, relation: Relation) -> int:
        """One cut point between every two levels."""
        return max(len(relation.levels) - 1, 1)

    def evaluate(self, y: Array, x: Array, extras: Array) -> tuple[Array, Array, Array]:
        """Loss, derivative in x, and derivatives in the cut points."""
        cuts = extras.reshape(len(extras), -1)
        above = np.where(y > np.arange(len(cuts))[:, None], 1.0, -1.0)
        values, slopes = LOSSES["logistic"].value_and_slope(above, x - cuts)
        return values.sum(axis=0), slopes.sum(axis=0), np.negative(slopes)

    def predict(self, x: Array, relation: Relation, extras: Array) -> Array:
        """The level between the two cut points around x."""
        return np.searchsorted(extras, x).astype(np.float64)
