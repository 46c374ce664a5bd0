"""The values of λ that searches try, and that sliders and suggested fixes offer: half decades."""

import math

GRID = tuple(float(f"{10 ** (half / 2):.4g}") for half in range(6, -7, -1))
"""From 1000 down to 0.001."""

STEP = (GRID[0] / GRID[-1]) ** (1 / (len(GRID) - 1))
"""The ratio of two neighbours."""


def nearest(lam: float) -> float:
    """The value of the grid nearest to λ, by their ratio.

    >>> nearest(2.5), nearest(0.0), nearest(1e9)
    (3.162, 0.001, 1000.0)
    """
    if lam <= GRID[-1]:
        return GRID[-1]
    return min(GRID, key=lambda value: abs(math.log(value / lam)))
