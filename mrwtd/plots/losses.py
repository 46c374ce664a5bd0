"""Curves of the losses: what each says about one value y, as the reconstruction x moves past it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..data.relations import Relation
from ..model.losses import loss_named

Vector = npt.NDArray[np.float64]

LOW, HIGH = -3.0, 3.0
"""The range of x that curves are drawn over."""

LEVELS = 4
"""How many levels the example of an ordinal relation has."""

EXAMPLES = {"binary": 1.0, "real": 0.0, "count": 3.0, "ordinal": 1.0}
"""For each kind of relation, the value y that its losses are shown for."""


@dataclass(frozen=True)
class LossCurve:
    """The value of a loss and its derivative in x, for one y.

    Attributes:
        kind: the kind of relation that y belongs to.
        y: the observed value.
        x: the reconstructions.
        value, slope: the loss and its derivative at each x.
        extras: the bias (0), or the cut points of an ordinal relation.
    """

    kind: str
    y: float
    x: Vector
    value: Vector
    slope: Vector
    extras: Vector


def curve(name: str, kind: str | None = None, y: float | None = None, x: npt.ArrayLike | None = None) -> LossCurve:
    """A loss over a range of x, for a y of a kind that it takes: by default the first kind, and that kind's example.

    >>> curve("quadratic", "real", y=1.0, x=[0, 1, 3]).value
    array([0.5, 0. , 2. ])
    """
    loss = loss_named(name)
    kind = kind or loss.kinds[0]
    y = EXAMPLES[kind] if y is None else float(y)
    points = np.linspace(LOW, HIGH, 121) if x is None else np.asarray(x, dtype=np.float64)
    size = loss.extras(Relation("example", kind, True, tuple(range(LEVELS)) if kind == "ordinal" else ()))
    extras = np.linspace(-1.5, 1.5, size) if size > 1 else np.zeros(1)
    value, slope, _ = loss.evaluate(np.full(points.shape, y), points, extras)
    return LossCurve(kind, y, points, value, slope, extras)


def sparkline(name: str, points: int = 25) -> list[float]:
    """The value of a loss from x = −3 to 3, for a small line in a table.

    >>> [round(value, 2) for value in sparkline("quadratic", points=4)]
    [8.0, 2.0, 0.0, 2.0]
    """
    return [float(value) for value in curve(name, x=np.linspace(LOW, HIGH, points)).value]
