"""One entry of X_k ≈ A R_k Aᵀ + b_k multiplied out: the tables laid so that rows and columns meet.

R_k stands in the corner, Aᵀ to its right and A below it; X_k fills the rest. The row of A that belongs to an entry of
X_k is then in line with it, and so is the column of Aᵀ.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from ..typing import Array
from .colours import ORANGE, Shades, shades
from .labels import safe
from .margins import STILL, around, letters

GAP = 1
"""Cells between the tables."""

REACH = 30
"""Pixels from the middle of an entry within which a click means it."""

MAX_NUMBERED = 6
"""Up to this rank every lit number is written into its cell."""


def factor_map(
    A: Array,
    R: Array,
    X: Array,
    names: Sequence[str],
    lit: tuple[int, int],
    *,
    binary: bool,
    hover: Sequence[Sequence[str]] | None = None,
    dark: bool = False,
) -> go.Figure:
    """The four tables, with what belongs to the entry `lit` framed. Its cells can be selected: they are the last trace.

    >>> figure = factor_map(np.ones((3, 2)), np.eye(2), np.eye(3), ["a", "b", "c"], (0, 2), binary=True)
    >>> len(figure.data[-1].x), figure.data[-1].customdata[2]
    (9, [0, 2])

    Args:
        A: a row an object.
        R: of the relation.
        X: the values of all pairs, NaN where they are not known.
        names: of the objects.
        lit: row and column of the entry that is multiplied out.
        binary: whether X holds 1 for a tie and 0 for none, rather than numbers.
        hover: a line for each cell of X.
        dark: for a dark background.
    """
    n, r = A.shape
    look, i, j = shades(dark), *lit
    start = r + GAP
    written = [safe(name) for name in names]
    figure = go.Figure([_factors(A, R, look), _entries(X, start, look, binary)])
    _light(figure, r, i, j)
    if r <= MAX_NUMBERED:
        _write(figure, A, R, i, j, start, dark)
    row, column = np.divmod(np.arange(n * n), n)
    lines = [line for lines in hover for line in lines] if hover else [""] * (n * n)
    figure.add_trace(
        go.Scatter(
            x=column + start,
            y=row + start,
            mode="markers",
            marker={"symbol": "square", "size": 14, "opacity": 0},
            selected={"marker": {"opacity": 0}},
            unselected={"marker": {"opacity": 0}},
            # Lists: a browser would give rows of an array back as something that is none.
            customdata=np.column_stack([row, column]).tolist(),
            text=[f"{written[a]} → {written[b]}<br>{line}" for a, b, line in zip(row, column, lines, strict=True)],
            hovertemplate="%{text}<extra></extra>",
            name="entries",
            showlegend=False,
        )
    )
    _arrange(figure, r, n, written)
    return figure


def _factors(A: Array, R: Array, look: Shades) -> go.Heatmap:
    """R, A and Aᵀ as one picture, for a browser draws one sooner than three: numbers as shares of their largest."""
    n, r = A.shape
    start = r + GAP
    shares, tells = np.full((start + n, start + n), np.nan), np.full((start + n, start + n), "", dtype=object)
    first, last = slice(r), slice(start, None)
    for label, values, place in (("R", R, (first, first)), ("Aᵀ", A.T, (first, last)), ("A", A, (last, first))):
        shares[place] = values / (np.abs(values).max(initial=0.0) or 1.0)
        tells[place] = [[f"{label}: {value:.3f}" for value in row] for row in values]
    return go.Heatmap(
        z=shares,
        zmin=-1,
        zmax=1,
        colorscale=[[0, look.below], [0.5, look.low], [1, look.high]],
        showscale=False,
        xgap=1,
        ygap=1,
        text=tells,
        hoverongaps=False,
        hovertemplate="%{text}<extra></extra>",
        name="factors",
    )


def _entries(X: Array, start: float, look: Shades, binary: bool) -> go.Heatmap:
    known = X[~np.isnan(X)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    scale: list[tuple[float, str]] = [(0, look.low), (0.5, look.middle), (1, look.high)]
    if binary:
        low, high, scale = 0.0, 1.0, [(0, look.no_tie), (1, look.tie)]
    elif low < 0 < high:
        high = max(-low, high)
        low, scale = -high, [(0, look.below), (0.5, look.low), (1, look.high)]
    place = start + np.arange(len(X))
    # What is not known is drawn as cells of their own, on a ground that is not theirs.
    shown = np.where(np.isnan(X), low - (high - low or 1.0), X)
    grey = [[0, look.unknown], [0.499, look.unknown], *([0.5 + 0.5 * at, colour] for at, colour in scale)]
    return go.Heatmap(
        z=shown, x=place, y=place, zmin=low - (high - low or 1.0), zmax=high if high > low else low + 1,
        colorscale=grey, showscale=False, xgap=1, ygap=1, name="X", hoverinfo="skip",
    )  # fmt: skip


def _light(figure: go.Figure, r: int, i: int, j: int) -> None:
    """Frames around a_i, R_k, a_j and the entry, and lines that lead from the one to the other."""
    start = r + GAP
    frame = {"type": "rect", "line": {"color": ORANGE, "width": 2.5}, "layer": "above"}
    boxes = (
        (-0.5, start + i - 0.5, r - 0.5, start + i + 0.5),
        (start + j - 0.5, -0.5, start + j + 0.5, r - 0.5),
        (-0.5, -0.5, r - 0.5, r - 0.5),
        (start + j - 0.5, start + i - 0.5, start + j + 0.5, start + i + 0.5),
    )
    for x0, y0, x1, y1 in boxes:
        figure.add_shape(x0=x0, y0=y0, x1=x1, y1=y1, **frame)
    lead = {"type": "line", "line": {"color": ORANGE, "width": 1.2, "dash": "dot"}, "layer": "above"}
    figure.add_shape(x0=r - 0.5, y0=start + i, x1=start + j - 0.5, y1=start + i, **lead)
    figure.add_shape(x0=start + j, y0=r - 0.5, x1=start + j, y1=start + i - 0.5, **lead)


def _write(figure: go.Figure, A: Array, R: Array, i: int, j: int, start: float, dark: bool) -> None:
    wide, high = float(np.abs(A).max()), float(np.abs(R).max())
    cells: list[tuple[float, float, float, float]] = []
    for f in range(len(R)):
        cells += [(f, start + i, A[i, f], wide), (start + j, f, A[j, f], wide)]
        cells += [(g, f, R[f, g], high) for g in range(len(R))]
    for x, y, value, edge in cells:
        strong = abs(value) > 0.55 * (edge or 1.0)  # far from the page's colour
        ink = "#FFFFFF" if strong != dark else "#12171D"
        figure.add_annotation(
            x=x, y=y, text=f"{value + 0.0:.1f}".replace("-0.0", "0.0"), showarrow=False, font={"size": 9, "color": ink}
        )


def _arrange(figure: go.Figure, r: int, n: int, names: list[str]) -> None:
    start, end = r + GAP, r + GAP + n - 0.5
    short = [name if len(name) <= 12 else name[:11] + "…" for name in names]
    side = {
        "tickmode": "array",
        "tickvals": [start + at for at in range(n)],
        "ticktext": short,
        "tickfont": {"size": 10},
        "showgrid": False,
        "zeroline": False,
        "ticks": "",
        "title": None,
        "constrain": "domain",
        "fixedrange": True,
        **STILL,
    }
    for text, x, y in (("R<sub>k</sub>", (r - 1) / 2, -1.1), ("A", (r - 1) / 2, end + 0.7)):
        figure.add_annotation(x=x, y=y, text=f"<b>{text}</b>", showarrow=False, font={"size": 14})
    right = (("Aᵀ", (r - 1) / 2), ("X<sub>k</sub>", start + n / 2 - 0.5))
    for text, y in right:
        figure.add_annotation(
            x=end + 0.2, y=y, text=f"<b>{text}</b>", showarrow=False, xanchor="left", font={"size": 14}
        )
    figure.update_layout(
        xaxis=side | {"side": "top", "tickangle": -60, "range": [-0.6, end + 1.6]},
        yaxis=side | {"range": [end + 1.2, -1.7], "scaleanchor": "x", "constraintoward": "top"},
        plot_bgcolor="rgba(0,0,0,0)",
        **around(left=letters(short, 10), top=12 + 0.87 * letters(short, 10)),
        clickmode="event+select",
        dragmode=False,
        hoverlabel={"align": "left"},
        hoverdistance=REACH,
    )
