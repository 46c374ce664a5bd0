"""The decomposition in one picture: X_k ≈ φ_k(A R_k Aᵀ + b_k), small enough for the first page.

The cells are computed. Nine objects in three groups have planted factors; the slices are what the formula gives for
them, and some of their cells are left unknown, as in real data.
"""

import numpy as np
import pandas as pd

from ..typing import Array
from .colours import Shades, background, shades, text_colour

CELL, STEP = 12.0, 7.0
"""Side of a cell, and offset of a slice behind the one in front of it."""

GROUPS = np.repeat(np.arange(3), 3)
RELATIONS = np.array(
    [
        [[2.0, 0, 0], [0, 2.0, 0], [0, 0, 2.0]],  # ties within groups
        [[0, 2.0, 0], [2.0, 0, 0], [0, 0, 2.0]],  # two groups tie to each other
        [[2.0, 2.0, 2.0], [2.0, 0, 0], [2.0, 0, 0]],  # one group ties to all
    ]
)
BIAS = -1.0
UNKNOWN = 0.25
"""Fraction of cells that are left unknown."""

FONTS = "Helvetica, Arial, sans-serif"
SUBSCRIPT_K = '<tspan font-size="70%" dy="0.3em">k</tspan><tspan dy="-0.21em">\u200b</tspan>'

CAPTIONS = (
    (f"X{SUBSCRIPT_K}", "known values;", "grey is unknown"),
    ("A", "one row", "per object"),
    (f"R{SUBSCRIPT_K}", "one table", "per relation"),
    ("Aᵀ", "A turned", "on its side"),
)


def planted() -> tuple[Array, Array, Array]:
    """A (9, 3), R (3, 3, 3), and the slices (3, 9, 9) of ±1 that they give, NaN in unknown cells.

    >>> A, R, X = planted()
    >>> bool(np.nanmin(X[0, :3, :3]) == 1.0), A.shape
    (True, (9, 3))
    """
    A = np.eye(3)[GROUPS]
    X = np.where(A @ RELATIONS @ A.T + BIAS >= 0, 1.0, -1.0)
    hidden = np.triu(np.random.default_rng(3).random(X.shape) < UNKNOWN)
    X[hidden | hidden.transpose(0, 2, 1)] = np.nan
    return A, RELATIONS, X


def decomposition_picture(dark: bool = False) -> str:
    """An SVG of the decomposition, as wide as its container: 500 pixels of width give about 200 of height.

    >>> picture = decomposition_picture(dark=True)
    >>> picture.startswith("<svg") and picture.endswith("</svg>")
    True
    """
    palette, ink = shades(dark), text_colour(dark)
    A, R, X = planted()
    middle, height, left = 78.0, 9 * CELL, 4.0
    parts: list[str] = []
    centres: list[float] = []
    for array, gap in ((X, 70.0), (A, 30.0), (R, 22.0), (A.T, 0.0)):
        slices = array if array.ndim == 3 else array[None]
        rows, columns = slices.shape[1:]
        top = middle - rows * CELL / 2
        behind = STEP * (len(slices) - 1)
        parts += [
            _cells(slices[depth], left + STEP * depth, top - STEP * depth, palette, ink)
            for depth in reversed(range(len(slices)))
        ]
        centres.append(left + (columns * CELL + behind) / 2)
        left += columns * CELL + behind + gap
    below = middle + height / 2 + 20
    parts += [_caption(centre, below, *lines) for centre, lines in zip(centres, CAPTIONS, strict=True)]
    opening, closing = centres[1] - A.shape[1] * CELL / 2 - 8, left + 4
    for x, text, anchor in ((opening, f"≈ φ{SUBSCRIPT_K} (", "end"), (closing, f"+ b{SUBSCRIPT_K} )", "start")):
        parts.append(f'<text x="{x:g}" y="{middle + 7:g}" font-size="20" text-anchor="{anchor}">{text}</text>')
    width, total_height = closing + 62, below + 34
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {total_height:g}" width="100%" role="img" '
        'aria-label="Every relation X_k is about φ_k of A times R_k times A transposed, plus b_k: one table A of '
        'factors for all relations, and a small table R_k for each" '
        f'style="max-width:{1.15 * width:g}px;display:block" fill="{ink}" font-family="{FONTS}">'
        f'<rect width="100%" height="100%" fill="{background(dark)}"/>{"".join(parts)}</svg>'
    )


def planted_cells() -> pd.DataFrame:
    """The numbers behind the picture: one row per cell of A, of each R_k and of each X_k, empty where unknown.

    >>> cells = planted_cells()
    >>> cells["table"].value_counts().to_dict()
    {'X1': 81, 'X2': 81, 'X3': 81, 'A': 27, 'R1': 9, 'R2': 9, 'R3': 9}
    """
    A, R, X = planted()
    slices = {f"{name}{k}": table for name, tables in (("R", R), ("X", X)) for k, table in enumerate(tables, 1)}
    rows = [
        (name, i + 1, j + 1, value)
        for name, table in ({"A": A} | slices).items()
        for (i, j), value in np.ndenumerate(table)
    ]
    return pd.DataFrame(rows, columns=["table", "row", "column", "value"])


def _cells(values: Array, left: float, top: float, palette: Shades, ink: str) -> str:
    """One slice: one square per cell, one path per colour, and a frame."""
    rows, columns = values.shape
    unknown, high = np.isnan(values), values == np.nanmax(values)
    paths = []
    for colour, where in ((palette.unknown, unknown), (palette.tie, high), (palette.no_tie, ~high & ~unknown)):
        squares = "".join(
            f"M{left + CELL * j + 0.5:g} {top + CELL * i + 0.5:g}h{CELL - 1:g}v{CELL - 1:g}h{1 - CELL:g}z"
            for i, j in np.argwhere(where)
        )
        paths.append(f'<path fill="{colour}" d="{squares}"/>')
    frame = f'x="{left:g}" y="{top:g}" width="{columns * CELL:g}" height="{rows * CELL:g}"'
    return f'<g><rect {frame} fill="{palette.line}" stroke="{ink}" stroke-width="0.8"/>{"".join(paths)}</g>'


def _caption(centre: float, top: float, name: str, *lines: str) -> str:
    position = f'x="{centre:g}" text-anchor="middle"'
    rest = "".join(
        f'<text {position} y="{top + 15 + 13 * row:g}" font-size="11" opacity="0.85">{line}</text>'
        for row, line in enumerate(lines)
    )
    return f'<text {position} y="{top:g}" font-size="15" font-weight="600">{name}</text>{rest}'
