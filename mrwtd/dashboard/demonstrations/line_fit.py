"""What a loss does to a fit: a straight line x = s u + c through a dozen points, one of which is odd.

The points are values of one kind of relation at places u. The line is the least sum of losses with a touch of
regularisation on s, and values that are neither classes nor levels are centred and scaled as in `MrWTD.fit`. It is
fitted with the odd point and without it; the difference is how far the loss lets one point pull.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from ...data.relations import Relation
from ...model.losses import LOSSES, loss_named

Vector = npt.NDArray[np.float64]

RIDGE = 0.2
PLACES = np.linspace(-3.0, 9.0, 241)
"""Where the fitted lines are drawn."""

LEVELS = (0.0, 1.0, 2.0, 3.0)


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
class LineFit:
    """A line fitted with a loss.

    Attributes:
        loss: the name of the loss.
        with_odd, without: what the line predicts at each of `PLACES`, with the odd point and without it.
        at, at_without: the number that tells where the line is: for classes and levels the place u where the prediction
            passes the middle one, else the prediction at u = 0. NaN where it passes nowhere.
    """

    loss: str
    with_odd: Vector
    without: Vector
    at: float
    at_without: float

    @property
    def moved(self) -> float:
        """How far the odd point has moved the line."""
        return self.at - self.at_without


def points(kind: str, odd: float) -> tuple[Vector, Vector]:
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
    >>> abs(fits["huber"].moved) < abs(fits["quadratic"].moved)
    True
    """
    u, y = points(kind, odd)
    return {name: _both(name, kind, u, y) for name, loss in LOSSES.items() if kind in loss.kinds}


def _both(name: str, kind: str, u: Vector, y: Vector) -> LineFit:
    lines = [predictions(name, kind, u, y), predictions(name, kind, u[:-1], y[:-1])]
    return LineFit(name, lines[0], lines[1], _where(kind, lines[0]), _where(kind, lines[1]))


def predictions(name: str, kind: str, u: Vector, y: Vector) -> Vector:
    """φ(s u + c) at each of `PLACES`, for the line of least loss through the points; for classes, x itself.

    >>> line = predictions("quadratic", "real", np.array([-1.0, 1.0]), np.array([-1.0, 1.0]))
    >>> bool(line[0] < line[-1])
    True
    """
    loss = loss_named(name)
    relation = Relation("line", kind, True, LEVELS if kind == "ordinal" else ())
    scaled = loss.standardizes and kind != "binary"
    centre, scale = (float(y.mean()), float(y.std()) or 1.0) if scaled else (0.0, 1.0)
    target, size = (y - centre) / scale, loss.extras(relation)

    def total(theta: Vector) -> tuple[float, Vector]:
        s, extras = theta[0], theta[1:]
        value, slope, more = loss.evaluate(target, s * u, extras)
        gradient = np.concatenate([[slope @ u + RIDGE * s], more.sum(axis=1)])
        return float(value.sum()) + 0.5 * RIDGE * float(s * s), gradient

    start = np.concatenate([[0.1], np.linspace(-1, 1, size) if size > 1 else np.zeros(1)])
    theta = minimize(total, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    cuts = np.sort(theta[1:])
    x = theta[0] * PLACES + (cuts[0] if size == 1 else 0.0)
    if kind == "binary":
        return np.asarray(x)
    return np.asarray(loss.predict(centre + scale * x, relation, cuts), dtype=np.float64)


def _where(kind: str, line: Vector) -> float:
    if kind in ("real", "count"):
        return float(np.interp(0.0, PLACES, line))
    middle = 0.0 if kind == "binary" else 1.5
    above = line > middle
    if above.all() or not above.any() or above[0]:
        return float("nan")
    after = int(above.argmax())
    if kind == "ordinal":
        return float(PLACES[after])
    rise = (middle - line[after - 1]) / (line[after] - line[after - 1])
    return float(PLACES[after - 1] + rise * (PLACES[after] - PLACES[after - 1]))
