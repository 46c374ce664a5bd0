"""Effect of a loss on a fit: a straight line x = s u + c through a dozen points, one of which is an outlier.

The points are values of one kind of relation at positions u. The line minimizes the sum of the losses plus a small
penalty on s; values that are neither classes nor levels are centred and scaled as in `MrWTD.fit`. It is fitted with and
without the outlier; the difference shows how strongly the loss lets one point pull.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import bisect, minimize

from .....data.relations import Relation
from .....model.losses import LOSSES
from .....typing import Array

RIDGE = 0.2
"""Twice the factor of s² in the objective: without it, s would grow without bound on separable ties."""

POSITIONS = np.linspace(-3.0, 9.0, 241)
"""Where the fitted lines are drawn."""

LEVELS = (0.0, 1.0, 2.0, 3.0)

MIDDLES = {"binary": 0.0, "ordinal": 1.5}
"""The value between the lower and the upper half of the classes or levels."""

OUTLIERS = {
    "binary": (-3.0, 9.0, 0.5, 8.0),
    "real": (-10.0, 10.0, 0.5, -8.0),
    "count": (0.0, 60.0, 2.0, 60.0),
    "ordinal": (-3.0, 9.0, 0.5, 3.0),
}
"""Minimum, maximum, step and start of the slider that moves the outlier."""


@dataclass(frozen=True)
class Line:
    """A line x = s u + c, and the predictions of a loss.

    Attributes:
        loss, kind: the loss of the fit, and the kind of the values.
        s: the slope.
        c: the intercept, or the cut points of the ordinal loss.
        centre, scale: the values were centred and scaled by these before the fit.
    """

    loss: str
    kind: str
    s: float
    c: Array
    centre: float = 0.0
    scale: float = 1.0

    def predict(self, u: Array) -> Array:
        """φ(s u + c) at positions u, in the unit of the values; for classes, x itself.

        >>> Line("quadratic", "binary", 2.0, np.array([1.0])).predict(np.array([0.0, 3.0])).tolist()
        [1.0, 7.0]
        """
        x = self.s * u + (self.c[0] if self.c.size == 1 else 0.0)
        if self.kind == "binary":
            return np.asarray(x)
        relation = Relation("line", self.kind, True, LEVELS if self.kind == "ordinal" else ())
        predicted = LOSSES[self.loss].predict(self.centre + self.scale * x, relation, self.c)
        return np.asarray(predicted, dtype=np.float64)

    @property
    def crossing(self) -> float:
        """Position u within `POSITIONS` where the prediction passes the middle class or level; NaN if there is none.

        >>> round(Line("quadratic", "binary", 2.0, np.array([1.0])).crossing, 6)
        -0.5
        """
        middle = MIDDLES[self.kind]
        above = self.predict(POSITIONS) > middle
        changes = np.flatnonzero(above[1:] != above[:-1])
        if not changes.size:
            return float("nan")

        def side(u: float) -> float:  # predictions of levels are steps, so there is nothing to interpolate
            return 1.0 if self.predict(np.array([u]))[0] > middle else -1.0

        return float(bisect(side, POSITIONS[changes[0]], POSITIONS[changes[0] + 1]))


@dataclass(frozen=True)
class LineFit:
    """Lines fitted with and without the outlier.

    Attributes:
        with_outlier, without_outlier: the predictions of the two lines at `POSITIONS`.
        crossing, crossing_without: for classes and levels, the positions u where the two predictions pass the middle:
            NaN if they do not pass it, and for numbers.
        moved: how far the outlier moves the fit. For classes and levels the distance of the crossings; for numbers
            the root mean square change of the prediction over the range of the points.
    """

    with_outlier: Array
    without_outlier: Array
    crossing: float
    crossing_without: float
    moved: float


def points(kind: str, outlier: float) -> tuple[Array, Array]:
    """Positions u and values y, the outlier last.

    >>> u, y = points("binary", outlier=8.0)
    >>> float(u[-1]), float(y[-1]), len(u)
    (8.0, 1.0, 13)
    """
    u = np.linspace(-2.5, 2.5, 12)
    noise = np.random.default_rng(4).normal(size=u.size)
    if kind == "binary":
        return np.append(u, outlier), np.append(np.where(u > 0, 1.0, -1.0), 1.0)
    if kind == "ordinal":
        return np.append(u, outlier), np.append(np.clip(np.floor(u / 1.25 + 2), 0, 3), 0.0)
    if kind == "count":
        return np.append(u, 2.5), np.append(np.rint(np.exp(0.8 + 0.5 * u) + 0.5 * noise).clip(0), round(outlier))
    return np.append(u, 2.5), np.append(u + 0.5 * noise, outlier)


def fit_lines(kind: str, outlier: float) -> dict[str, LineFit]:
    """Fits of the points of a kind with every loss for that kind.

    >>> fits = fit_lines("real", outlier=-8.0)
    >>> fits["huber"].moved < fits["quadratic"].moved
    True
    """
    u, y = points(kind, outlier)
    return {
        name: compare_lines(fit_line(name, kind, u, y), fit_line(name, kind, u[:-1], y[:-1]), u)
        for name, loss in LOSSES.items()
        if kind in loss.kinds
    }


def compare_lines(line: Line, without_outlier: Line, u: Array) -> LineFit:
    """Difference of two lines: of their crossings, or of their predictions over the range of the points u.

    >>> lines = (Line("quadratic", "real", 1.0, np.array([c])) for c in (0.5, 0.2))
    >>> round(compare_lines(*lines, np.array([-1.0, 1.0])).moved, 3)
    0.3
    """
    crossings = float("nan"), float("nan")
    if line.kind in MIDDLES:
        crossings = line.crossing, without_outlier.crossing
        moved = abs(crossings[0] - crossings[1])
    else:
        between = np.linspace(u.min(), u.max(), POSITIONS.size)
        change = line.predict(between) - without_outlier.predict(between)
        moved = float(np.sqrt(np.mean(change**2)))
    return LineFit(line.predict(POSITIONS), without_outlier.predict(POSITIONS), *crossings, moved)


def fit_line(name: str, kind: str, u: Array, y: Array) -> Line:
    """The line that minimizes Σ ℓ(y, s u + c) + RIDGE/2 s².

    >>> line = fit_line("quadratic", "binary", np.array([-2.0, 2.0]), np.array([-1.0, 1.0]))
    >>> round(line.s, 4)  # 4 / (8 + 0.2)
    0.4878
    """
    loss = LOSSES[name]
    scaled = loss.standardizes and kind != "binary"
    centre, scale = (float(y.mean()), float(y.std()) or 1.0) if scaled else (0.0, 1.0)
    target = (y - centre) / scale
    size = loss.extras(Relation("line", kind, True, LEVELS if kind == "ordinal" else ()))

    def total(theta: Array) -> tuple[float, Array]:
        s, extras = theta[0], theta[1:]
        value, slope, more = loss.evaluate(target, s * u, extras)
        gradient = np.concatenate([[slope @ u + RIDGE * s], more.sum(axis=1)])
        return float(value.sum()) + 0.5 * RIDGE * float(s * s), gradient

    start = np.concatenate([[0.1], np.linspace(-1, 1, size) if size > 1 else np.zeros(1)])
    theta = minimize(total, start, jac=True, method="L-BFGS-B", options={"maxiter": 500, "ftol": 1e-14, "gtol": 1e-9}).x
    return Line(name, kind, float(theta[0]), np.sort(theta[1:]), centre, scale)
