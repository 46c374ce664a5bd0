"""Losses as curves: the loss of one value y for a range of scores x, and lines fitted with each loss."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ..data.relations import Relation
from ..model.losses import LOSSES
from ..typing import Array
from .colours import AMBER, BLUE, GREEN, GREY, ORANGE, PINK, SKY
from .figure_layout import margins, set_grid

LOW, HIGH = -3.0, 3.0
"""The range of x."""

LEVELS = 4
"""Number of levels of the example of an ordinal relation."""

WIDER = 4.0
"""The axis of the derivatives extends beyond the chosen loss by at most this many times its height."""

MAX_DISPLAYED = 20
"""Formulas with more characters are inline, because displayed ones do not wrap."""

EXAMPLES = {"binary": 1.0, "real": 0.0, "count": 3.0, "ordinal": 1.0}
"""The value y that the losses of each kind of relation are shown for."""

LOSS_COLOURS = (GREEN, PINK, BLUE, AMBER, SKY, "#882255")
LOSS_DASHES = ("solid", "dash", "longdash", "dashdot", "longdashdot", "solid")
"""Colours and dashes of the losses, which differ not by colour alone. Orange is the colour of what the user moves."""

BOTTOM_LEGEND = {"orientation": "h", "yanchor": "top", "xanchor": "left", "x": 0}


@dataclass(frozen=True)
class LossCurve:
    """The value of a loss and its derivative in x, for one y.

    Attributes:
        kind: the kind of relation that y belongs to.
        y: the observed value.
        x: the scores.
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
    """A loss over a range of x, for a value y of a kind: by default its first kind, and that kind's example.

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
    """Values of a loss from x = −3 to 3, for a small line in a table.

    >>> [round(value, 2) for value in sparkline("quadratic", points=4)]
    [8.0, 2.0, 0.0, 2.0]
    """
    return list(map(float, curve(name, x=np.linspace(LOW, HIGH, points)).value))


def loss_figure(curves: Mapping[str, LossCurve], chosen: str, x: float, *, dark: bool = False) -> go.Figure:
    """Values and derivatives of losses for one y; the chosen one is bold, with a point at `x` and its tangent.

    >>> figure = loss_figure({name: curve(name) for name in ("quadratic", "logistic")}, "logistic", x=0.0)
    >>> round(float(figure.data[-2].y[0]), 3), round(float(figure.data[-1].y[0]), 3)
    (0.693, -0.5)
    """
    figure = make_subplots(
        2, 1, shared_xaxes=True, vertical_spacing=0.09, subplot_titles=("loss ℓ(y, x)", "derivative ∂ℓ/∂x")
    )
    for name, loss in curves.items():
        hover = f"{name}<br>x = %{{x:.2f}}: %{{y:.3f}}<extra></extra>"
        options = _loss_style(name, chosen) | {"legendgroup": name, "hovertemplate": hover}
        for row, values in ((1, loss.value), (2, loss.slope)):
            figure.add_scatter(x=loss.x, y=values, showlegend=row == 1, **options, row=row, col=1)
    bold = curves[chosen]
    value, slope = (float(np.interp(x, bold.x, values)) for values in (bold.value, bold.slope))
    hidden = {"showlegend": False, "hoverinfo": "skip"}
    tangent = {"x": [x - 0.7, x + 0.7], "y": [value - 0.7 * slope, value + 0.7 * slope]}
    figure.add_scatter(**tangent, mode="lines", line={"color": ORANGE, "width": 2}, **hidden, row=1, col=1)
    point = {"size": 12, "color": ORANGE, "line": {"width": 2, "color": "#FFFFFF"}}
    for row, height in ((1, value), (2, slope)):
        figure.add_scatter(x=[x], y=[height], mode="markers", marker=point, **hidden, row=row, col=1)
    set_grid(figure, dark, zerolinecolor=GREY)
    figure.update_xaxes(range=[float(bold.x[0]), float(bold.x[-1])])
    # Values are on the scale of the chosen loss, and others may leave the figure. Derivatives are compared: their axis
    # includes those of all losses, as long as those of the chosen one remain visible.
    for row, values, others in ((1, bold.value, []), (2, bold.slope, [loss.slope for loss in curves.values()])):
        low, high = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
        reach = WIDER * (high - low)
        low = max(min([low, *(float(other.min()) for other in others)]), low - reach)
        high = min(max([high, *(float(other.max()) for other in others)]), high + reach)
        room = 0.06 * (high - low)
        figure.update_yaxes(range=[low - room, high + room], row=row, col=1)
    figure.update_xaxes(title={"text": "score x", "standoff": 4}, row=2, col=1)
    figure.update_annotations(font_size=12)
    figure.update_layout(legend=BOTTOM_LEGEND | {"y": -0.16}, hovermode="closest", **margins(top=24))
    return figure


def line_figure(
    u: Array,
    y: Array,
    positions: Array,
    lines: Mapping[str, Array],
    chosen: str,
    without_outlier: Array,
    *,
    y_title: str = "y",
    dark: bool = False,
) -> go.Figure:
    """Points and a line fitted with each loss; the last point is the outlier.

    >>> positions = np.array([0.0, 1.0])
    >>> figure = line_figure(positions, positions, positions, {"quadratic": positions}, "quadratic", positions)
    >>> [trace.name for trace in figure.data]
    ['without the outlier', 'quadratic', 'points', 'the outlier']

    Args:
        u: the positions of the points.
        y: their values.
        positions: where the lines are drawn.
        lines: the fitted values of each loss.
        chosen: the loss that is drawn bold.
        without_outlier: its fitted values without the outlier.
        y_title: title of the vertical axis.
        dark: for a dark background.
    """
    dotted = {"color": GREY, "dash": "dot", "width": 2, "simplify": False}
    figure = go.Figure(
        go.Scatter(x=positions, y=without_outlier, mode="lines", name="without the outlier", line=dotted)
    )
    for name, values in lines.items():
        figure.add_scatter(x=positions, y=values, **_loss_style(name, chosen))
    dot, diamond = ({"size": 8, "color": GREY}, {"size": 13, "color": ORANGE, "symbol": "diamond"})
    figure.add_scatter(x=u[:-1], y=y[:-1], mode="markers", name="points", marker=dot)
    figure.add_scatter(x=u[-1:], y=y[-1:], mode="markers", name="the outlier", marker=diamond)
    room = 0.12 * (float(y.max() - y.min()) or 1.0)
    set_grid(figure, dark)
    figure.update_layout(
        xaxis={"title": {"text": "u", "standoff": 2}, "zeroline": False},
        yaxis={
            "title": {"text": y_title, "standoff": 2},
            "range": [float(y.min()) - room, float(y.max()) + room],
            "zerolinecolor": GREY,
        },
        legend=BOTTOM_LEGEND | {"y": -0.18},
        hovermode="closest",
        **margins(),
    )
    return figure


def _loss_style(name: str, chosen: str) -> dict[str, Any]:
    """Name and line of a loss. Plotly would simplify a smooth line to a polygon."""
    bold = name == chosen
    number = list(LOSSES).index(name) % len(LOSS_COLOURS)
    dash = "solid" if bold else LOSS_DASHES[number]
    line = {"color": LOSS_COLOURS[number], "width": 3.5 if bold else 1.5, "dash": dash}
    return {"mode": "lines", "name": name, "opacity": 1.0 if bold else 0.55, "line": line | {"simplify": False}}


def formula_markdown(formula: str) -> str:
    r"""The formula of a loss as Markdown, ℓ(y, x) = …: displayed if it is short and has no words.

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
            parts.append((True, []))  # a comma between cases is part of the sentence
    if len(parts) == 1:
        sign = "$$" if len(formula) <= MAX_DISPLAYED else "$"
        return f"{sign}{_latex(' '.join(parts[0][1]))}{sign}"
    shown = []
    for word, tokens in parts:
        text = " ".join(tokens)
        # Braces keep a case on one line.
        comma = "," if text.endswith(",") and not word else ""
        shown.append(text if word else f"${{{_latex(text.rstrip(','))}}}${comma}")
    return " ".join(filter(None, shown))


def _latex(text: str) -> str:
    symbols = {"−": "-", "²": "^2", "Σ": r"\sum", "θ": r"\theta", "∓": r"\mp", "φ": r"\varphi", "ℓ": r"\ell"}
    for sign, code in symbols.items():
        text = text.replace(sign, f"{code} " if code[-1].isalpha() and sign != "ℓ" else code)
    text = re.sub(r" (\([^()]*\))", r" {\1}", text)  # braces keep a parenthesis on one line
    return re.sub(r"\b(log|exp)\b", r"\\\1", text).strip()
