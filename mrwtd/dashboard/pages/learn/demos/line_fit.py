"""What a loss does to a fit: a straight line x = s u + c through a dozen points, one of which is odd.

The points are values of one kind of relation at places u. The line is the least sum of losses with a touch of
regularisation on s, and values that are neither classes nor levels are centred and scaled as in `MrWTD.fit`. It is
fitted with the odd point and without it; the difference is how far the loss lets one point pull.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from .....data.relations import Relation
from .....model.losses import LOSSES
from .....typing import Array

RIDGE = 0.2
"""Twice the factor of s² in what a line makes least: without it, ties that can be told apart have no steepest line."""

PLACES = np.linspace(-3.0, 9.0, 241)
"""Where the fitted lines are drawn."""

LEVELS = (0.0, 1.0, 2.0, 3.0)

MIDDLES = {"binary": 0.0, "ordinal": 1.5}
"""Where the prediction of classes and levels changes from one half to the other."""

HALVINGS = 40
"""Bisections that find a crossing: from 0.05 apart to the last digits."""


@dataclass(frozen=True)
class Oddity:
    """The odd point of a kind: what can be moved about it.

    Attributes:
        words: what the slider says.
        low, high, begin: the range of the slider, and where it starts.
        step: how far it moves at a time.
    """

    words: str
    low: float
    high: float
    begin: float
    step: float = 0.5


ODD = {
    "binary": Oddity("Place u of one more tie", -3.0, 9.0, 8.0),
    "real": Oddity("Value y of the last point", -10.0, 10.0, -8.0),
    "count": Oddity("Count y of the last point", 0.0, 60.0, 60.0, 2.0),
    "ordinal": Oddity("Place u of one more point at the lowest level", -3.0, 9.0, 3.0),
}

SIDES = {"binary": "x, and y = ±1", "real": "y", "count": "y", "ordinal": "level"}
"""What the lines of each kind show."""


@dataclass(frozen=True)
class Line:
    """A line x = s u + c, and what a loss predicts from it.

    Attributes:
        loss, kind: the loss that it was fitted with, and the kind of the values.
        s: the slope.
        c: the intercept, or the cut points of the ordinal loss, which take its place.
        centre, scale: values were centred and scaled by these before the fit.
    """

    loss: str
    kind: str
    s: float
    c: Array
    centre: float = 0.0
    scale: float = 1.0

    def predict(self, u: Array) -> Array:
        """φ(s u + c) at places u, in the unit of the values; for classes, x itself.

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
        """The place u within `PLACES` where the prediction passes the middle class or level; NaN where there is none.

        >>> round(Line("quadratic", "binary", 2.0, np.array([1.0])).crossing, 6)
        -0.5
        """
        middle = MIDDLES[self.kind]
        above = self.predict(PLACES) > middle
        changes = np.flatnonzero(above[1:] != above[:-1])
        if not changes.size:
            return float("nan")
        low, high = PLACES[changes[0]], PLACES[changes[0] + 1]
        for _ in range(HALVINGS):  # predictions of levels are steps: nothing to interpolate between
            mid = (low + high) / 2
            passed = bool(self.predict(np.array([mid]))[0] > middle) != bool(above[changes[0]])
            low, high = (low, mid) if passed else (mid, high)
        return float(low + high) / 2


@dataclass(frozen=True)
class LineFit:
    """A line fitted with a loss, with the odd point and without it.

    Attributes:
        with_odd, without: what the two lines predict at each of `PLACES`.
        place, place_without: for classes and levels, the places u where the two predictions pass the middle one: NaN
            where they pass it nowhere, and for numbers.
        moved: how far the odd point moves the fit. For classes and levels the distance of those places; for numbers
            the root mean square of the change of the prediction over the range of the points.
    """

    with_odd: Array
    without: Array
    place: float
    place_without: float
    moved: float


def points(kind: str, odd: float) -> tuple[Array, Array]:
    """The places u and values y, the odd point last.

    >>> u, y = points("binary", odd=8.0)
    >>> float(u[-1]), float(y[-1]), len(u)
    (8.0, 1.0, 13)
    """
    u = np.linspace(-2.5, 2.5, 12)
    wobble = np.random.default_rng(4).normal(size=u.size)
    if kind == "binary":
        return np.append(u, odd), np.append(np.where(u > 0, 1.0, -1.0), 1.0)
    if kind == "ordinal":
        return np.append(u, odd), np.append(np.clip(np.floor(u / 1.25 + 2), 0, 3), 0.0)
    if kind == "count":
        return np.append(u, 2.5), np.append(np.rint(np.exp(0.8 + 0.5 * u) + 0.5 * wobble).clip(0), round(odd))
    return np.append(u, 2.5), np.append(u + 0.5 * wobble, odd)


def fit_lines(kind: str, odd: float) -> dict[str, LineFit]:
    """The points of a kind fitted with every loss that takes it.

    >>> fits = fit_lines("real", odd=-8.0)
    >>> fits["huber"].moved < fits["quadratic"].moved
    True
    """
    u, y = points(kind, odd)
    return {
        name: compare_lines(fit_line(name, kind, u, y), fit_line(name, kind, u[:-1], y[:-1]), u)
        for name, loss in LOSSES.items()
        if kind in loss.kinds
    }


def compare_lines(with_odd: Line, without: Line, u: Array) -> LineFit:
    """How two lines differ: in the place where the prediction changes, or over the range of the points u.

    >>> lines = (Line("quadratic", "real", 1.0, np.array([c])) for c in (0.5, 0.2))
    >>> round(compare_lines(*lines, np.array([-1.0, 1.0])).moved, 3)
    0.3
    """
    drawn, drawn_without = with_odd.predict(PLACES), without.predict(PLACES)
    if with_odd.kind in MIDDLES:
        places = with_odd.crossing, without.crossing
        return LineFit(drawn, drawn_without, *places, abs(places[0] - places[1]))
    between = np.linspace(u.min(), u.max(), PLACES.size)
    change = with_odd.predict(between) - without.predict(between)
    return LineFit(drawn, drawn_without, float("nan"), float("nan"), float(np.sqrt(np.mean(change**2))))


def fit_line(name: str, kind: str, u: Array, y: Array) -> Line:
    """The line with the least Σ ℓ(y, s u + c) + RIDGE/2 s² through the points.

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
