"""The decomposition in one picture: X_k ≈ φ_k(A R_k Aᵀ + b_k), small enough to stand beside two sentences.

The cells are no decoration. Nine objects in three groups have planted factors; the slices shown are what the formula
gives for them, and some of their cells are left unknown, as in data.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ..typing import Array
from .colours import Shades, ground, ink, shades

CELL, STEP = 12.0, 7.0
"""The side of a cell, and how far a slice stands behind the one before it."""

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
"""The share of cells that is left unknown."""

FONTS = "Helvetica, Arial, sans-serif"

WORDS = (
    ("X", "k", "what is known;", "grey is not"),
    ("A", "", "a row an", "object"),
    ("R", "k", "a table a", "relation"),
    ("Aᵀ", "", "the same factors,", "lying down"),
)


def planted() -> tuple[Array, Array, Array]:
    """A (9, 3), R (3, 3, 3), and the slices (3, 9, 9) of ±1 that they make, NaN where a cell is left unknown.

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
    """An SVG of the decomposition: as wide as its place, about 200 pixels high in a place of 500.

    >>> picture = decomposition_picture(dark=True)
    >>> picture.startswith("<svg") and picture.endswith("</svg>")
    True
    """
    look, letters = shades(dark), ink(dark)
    A, R, X = planted()
    middle, height, place = 78.0, 9 * CELL, 4.0
    parts: list[str] = []
    centres: list[float] = []
    for array, gap in ((X, 70.0), (A, 14.0), (R, 14.0), (A.T, 0.0)):
        slices = array if array.ndim == 3 else array[None]
        rows, columns = slices.shape[1:]
        top = middle - rows * CELL / 2
        behind = STEP * (len(slices) - 1)
        parts += [
            _cells(slices[back], place + STEP * back, top - STEP * back, look, letters)
            for back in reversed(range(len(slices)))
        ]
        centres.append(place + (columns * CELL + behind) / 2)
        place += columns * CELL + behind + gap
    below = middle + height / 2 + 20
    for centre, words in zip(centres, WORDS, strict=True):
        parts.append(_caption(centre, below, *words))
    opens, shuts = centres[1] - A.shape[1] * CELL / 2 - 8, place + 4
    parts.append(_sign(opens, middle, f"≈ φ{_low('k')} (", "end"))
    parts.append(_sign(shuts, middle, f"+ b{_low('k')} )", "start"))
    width, tall = shuts + 62, below + 34
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {tall:g}" width="100%" role="img" '
        'aria-label="Every relation X_k is about φ_k of A times R_k times A transposed, plus b_k: one table A of '
        'factors for all relations, and a small table R_k for each" '
        f'style="max-width:{1.15 * width:g}px;display:block" fill="{letters}" font-family="{FONTS}">'
        f'<rect width="100%" height="100%" fill="{ground(dark)}"/>{"".join(parts)}</svg>'
    )


def planted_cells() -> pd.DataFrame:
    """The numbers behind the picture: a row a cell of A, of each R_k and of each X_k, empty where it is not known.

    >>> cells = planted_cells()
    >>> cells["table"].value_counts().to_dict()
    {'X1': 81, 'X2': 81, 'X3': 81, 'A': 27, 'R1': 9, 'R2': 9, 'R3': 9}
    """
    A, R, X = planted()
    tables = {"A": A} | {f"{letter}{k + 1}": one for letter, some in (("R", R), ("X", X)) for k, one in enumerate(some)}
    rows = [(name, i + 1, j + 1, value) for name, table in tables.items() for (i, j), value in np.ndenumerate(table)]
    return pd.DataFrame(rows, columns=["table", "row", "column", "value"])


def _cells(values: Array, left: float, top: float, look: Shades, letters: str) -> str:
    """One slice: a square a cell, in one path a colour, with a frame."""
    rows, columns = values.shape
    high = values == values[~np.isnan(values)].max()
    paths = []
    for colour, where in ((look.unknown, np.isnan(values)), (look.tie, high), (look.no_tie, ~high & ~np.isnan(values))):
        squares = "".join(
            f"M{left + CELL * j + 0.5:g} {top + CELL * i + 0.5:g}h{CELL - 1:g}v{CELL - 1:g}h{1 - CELL:g}z"
            for i, j in np.argwhere(where)
        )
        paths.append(f'<path fill="{colour}" d="{squares}"/>')
    frame = f'x="{left:g}" y="{top:g}" width="{columns * CELL:g}" height="{rows * CELL:g}"'
    ground = f'<rect {frame} fill="{look.line}" stroke="{letters}" stroke-width="0.8"/>'
    return f"<g>{ground}{''.join(paths)}</g>"


def _caption(centre: float, top: float, letter: str, index: str, *lines: str) -> str:
    name = f"{letter}{_low(index)}" if index else letter
    at = f'x="{centre:g}" text-anchor="middle"'
    rest = "".join(
        f'<text {at} y="{top + 15 + 13 * row:g}" font-size="11" opacity="0.85">{line}</text>'
        for row, line in enumerate(lines)
    )
    return f'<text {at} y="{top:g}" font-size="15" font-weight="600">{name}</text>{rest}'


def _sign(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y + 7:g}" font-size="20" text-anchor="{anchor}">{text}</text>'


def _low(index: str) -> str:
    return f'<tspan font-size="70%" dy="0.3em">{index}</tspan><tspan dy="-0.21em">\u200b</tspan>'
