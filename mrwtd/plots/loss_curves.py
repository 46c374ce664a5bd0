"""Curves of the losses: what each says about one value y, as the reconstruction x moves past it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..data.relations import Relation
from ..model.losses import LOSSES
from ..typing import Array
from .colours import AMBER, BLUE, GREEN, GREY, ORANGE, PINK, SKY, shades

LOW, HIGH = -3.0, 3.0
"""The range of x that curves are drawn over."""

LEVELS = 4
"""How many levels the example of an ordinal relation has."""

WIDER = 4.0
"""The scale of the derivatives reaches beyond that of the chosen loss by at most this many times its height."""

SHORT = 20
"""Longer formulas run with the text, because displayed ones do not break."""

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
    x: Array
    value: Array
    slope: Array
    extras: Array


def curve(name: str, kind: str | None = None, y: float | None = None, x: npt.ArrayLike | None = None) -> LossCurve:
    """A loss over a range of x, for a y of a kind that it takes: by default the first kind, and that kind's example.

    >>> curve("quadratic", "real", y=1.0, x=[0, 1, 3]).value
    array([0.5, 0. , 2. ])
    """
    loss = LOSSES[name]
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


def loss_figure(curves: Mapping[str, LossCurve], chosen: str, at: float, *, dark: bool = False) -> go.Figure:
    """Value and derivative of losses for one y, the chosen one strong, with a point on it and its tangent.

    >>> figure = loss_figure({name: curve(name) for name in ("quadratic", "logistic")}, "logistic", at=0.0)
    >>> round(float(figure.data[-2].y[0]), 3), round(float(figure.data[-1].y[0]), 3)
    (0.693, -0.5)
    """
    figure = make_subplots(
        2, 1, shared_xaxes=True, vertical_spacing=0.09, subplot_titles=("loss ℓ(y, x)", "derivative ∂ℓ/∂x")
    )
    for name, one in curves.items():
        strong = name == chosen
        for row, values in ((1, one.value), (2, one.slope)):
            figure.add_trace(
                go.Scatter(
                    x=one.x,
                    y=values,
                    mode="lines",
                    name=name,
                    legendgroup=name,
                    showlegend=row == 1,
                    opacity=1.0 if strong else 0.55,
                    line=_line(name, strong=strong),
                    hovertemplate=f"{name}<br>x = %{{x:.2f}}: %{{y:.3f}}<extra></extra>",
                ),
                row=row,
                col=1,
            )
    own = curves[chosen]
    value, slope = (float(np.interp(at, own.x, values)) for values in (own.value, own.slope))
    figure.add_trace(
        go.Scatter(
            x=[at - 0.7, at + 0.7],
            y=[value - 0.7 * slope, value + 0.7 * slope],
            mode="lines",
            line={"color": ORANGE, "width": 2},
            showlegend=False,
            hoverinfo="skip",
        ),
        row=1,
        col=1,
    )
    point = {"size": 12, "color": ORANGE, "line": {"width": 2, "color": "#FFFFFF"}}
    for row, height in ((1, value), (2, slope)):
        figure.add_trace(
            go.Scatter(x=[at], y=[height], mode="markers", marker=point, showlegend=False, hoverinfo="skip"),
            row=row,
            col=1,
        )
    line = shades(dark).line
    figure.update_xaxes(gridcolor=line, zerolinecolor=GREY, range=[float(own.x[0]), float(own.x[-1])])
    figure.update_yaxes(gridcolor=line, zerolinecolor=GREY)
    # Values are on the scale of the chosen loss, and others may rise out of sight. Forces are there to be compared: the
    # scale takes in those of all losses, as far as those of the chosen one remain in sight.
    for row, values, others in ((1, own.value, []), (2, own.slope, [one.slope for one in curves.values()])):
        low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
        reach = WIDER * (high - low)
        low = max(min([low, *(float(other.min()) for other in others)]), low - reach)
        high = min(max([high, *(float(other.max()) for other in others)]), high + reach)
        room = 0.06 * (high - low)
        figure.update_yaxes(range=[low - room, high + room], row=row, col=1)
    figure.update_xaxes(title={"text": "reconstruction x", "standoff": 4}, row=2, col=1)
    figure.update_annotations(font_size=12)
    figure.update_layout(
        margin={"l": 8, "r": 8, "t": 24, "b": 8},
        legend={"orientation": "h", "yanchor": "top", "y": -0.16, "xanchor": "left", "x": 0},
        hovermode="closest",
    )
    return figure


def line_figure(
    u: Array,
    y: Array,
    places: Array,
    lines: Mapping[str, Array],
    chosen: str,
    before: Array,
    *,
    side: str = "y",
    dark: bool = False,
) -> go.Figure:
    """Points and the lines that losses draw through them; the last point is the odd one.

    >>> places = np.array([0.0, 1.0])
    >>> figure = line_figure(places, places, places, {"quadratic": places}, "quadratic", places)
    >>> [trace.name for trace in figure.data]
    ['without the odd point', 'quadratic', 'points', 'the odd point']

    Args:
        u: the places of the points.
        y: their values.
        places: where the lines are drawn.
        lines: what each loss makes of the points.
        chosen: the loss that is drawn strong.
        before: its line without the odd point.
        side: what stands at the side.
        dark: for a dark background.
    """
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            x=places,
            y=before,
            mode="lines",
            name="without the odd point",
            line={"color": GREY, "dash": "dot", "width": 2, "simplify": False},
        )
    )
    for name, values in lines.items():
        strong = name == chosen
        figure.add_trace(
            go.Scatter(
                x=places,
                y=values,
                mode="lines",
                name=name,
                opacity=1.0 if strong else 0.55,
                line=_line(name, strong=strong),
            )
        )
    dot, odd = ({"size": 8, "color": GREY}, {"size": 13, "color": ORANGE, "symbol": "diamond"})
    figure.add_trace(go.Scatter(x=u[:-1], y=y[:-1], mode="markers", name="points", marker=dot))
    figure.add_trace(go.Scatter(x=u[-1:], y=y[-1:], mode="markers", name="the odd point", marker=odd))
    room = 0.12 * (float(y.max() - y.min()) or 1.0)
    line = shades(dark).line
    figure.update_layout(
        xaxis={"title": {"text": "u", "standoff": 2}, "gridcolor": line, "zeroline": False},
        yaxis={
            "title": {"text": side, "standoff": 2},
            "range": [float(y.min()) - room, float(y.max()) + room],
            "gridcolor": line,
            "zerolinecolor": GREY,
        },
        margin={"l": 8, "r": 8, "t": 8, "b": 8},
        legend={"orientation": "h", "yanchor": "top", "y": -0.18, "xanchor": "left", "x": 0},
        hovermode="closest",
    )
    return figure


def _line(name: str, *, strong: bool) -> dict[str, object]:
    """How the line of a loss is drawn: as smooth as it is, which Plotly would simplify."""
    return {
        "color": loss_colour(name),
        "width": 3.5 if strong else 1.5,
        "dash": "solid" if strong else loss_dash(name),
        "simplify": False,
    }


def loss_colour(name: str) -> str:
    """The colour of a loss in every figure.

    >>> loss_colour("logistic") == BLUE
    True
    """
    # The orange stays with what the visitor moves.
    colours = (GREEN, PINK, BLUE, AMBER, SKY, "#882255")
    return colours[list(LOSSES).index(name) % len(colours)]


def loss_dash(name: str) -> str:
    """The dash of a loss, so that colour is not all that tells it.

    >>> loss_dash("quadratic")
    'solid'
    """
    dashes = ("solid", "dash", "longdash", "dashdot", "longdashdot", "solid")
    return dashes[list(LOSSES).index(name) % len(dashes)]


def formula_markdown(formula: str) -> str:
    r"""The formula of a loss as Markdown, ℓ(y, x) = …: displayed where it is short and all mathematics.

    >>> formula_markdown("log(1 + exp(−yx))")
    '$$\\ell(y, x) = \\log(1 + \\exp(-yx))$$'
    >>> formula_markdown("1/2 − yx below 0, 0 above")
    '${\\ell(y, x) = 1/2 - yx}$ below ${0}$, ${0}$ above'
    """
    parts: list[tuple[bool, list[str]]] = [(False, ["ℓ(y, x)", "="])]
    for token in formula.split():
        letters = token.rstrip(",")
        word = letters.isalpha() and letters not in ("log", "exp") and not set(letters) <= set("xydΣθ")
        if word != parts[-1][0]:
            parts.append((word, []))
        parts[-1][1].append(token)
        if token.endswith(",") and not word:
            parts.append((True, []))  # a comma between cases belongs to the sentence
    if len(parts) == 1:
        sign = "$$" if len(formula) <= SHORT else "$"
        return f"{sign}{_latex(' '.join(parts[0][1]))}{sign}"
    shown = []
    for word, tokens in parts:
        text = " ".join(tokens)
        # Braces, because a line may not break within a case.
        comma = "," if text.endswith(",") and not word else ""
        shown.append(text if word else f"${{{_latex(text.rstrip(','))}}}${comma}")
    return " ".join(filter(None, shown))


def _latex(text: str) -> str:
    symbols = {"−": "-", "²": "^2", "Σ": r"\sum", "θ": r"\theta", "∓": r"\mp", "φ": r"\varphi", "ℓ": r"\ell"}
    for sign, code in symbols.items():
        text = text.replace(sign, f"{code} " if code[-1].isalpha() and sign != "ℓ" else code)
    return re.sub(r"\b(log|exp)\b", r"\\\1", text).strip()
