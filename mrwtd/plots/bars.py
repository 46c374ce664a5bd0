"""Bars beside words and numbers: as HTML for a page, where they stand at once, and as a picture to take along."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

import numpy as np
import pandas as pd

from ..analysis.interpretation import format_score
from ..metrics import Metric, shown_metrics
from .colours import BLUE, GREY, ORANGE, SKY, ground, ink, style_of
from .labels import cut

SLITS = (18, 14, 10, 6)
"""Where two slits begin and end that tell a bar which is longer than drawn: pixels from its end."""

BEYOND = "longer than drawn"

TABLE = (
    "display: grid; grid-template-columns: fit-content(50%) 1fr max-content; column-gap: 0.6rem; "
    "align-items: center; font-size: 0.875rem"
)
NUMBER = "text-align: right; font-variant-numeric: tabular-nums"

WIDTH, LINE, LETTER, EDGE = 640, 28, 8, 12
"""Of a picture: its width, the height of a bar's line, what a letter takes at most, and the space around, in pixels."""

LONGEST = 36
"""So many letters of a name stand beside a bar of a picture."""


@dataclass(frozen=True)
class Bar:
    """What it is, where it begins and ends, its colour, its value in figures, and whether it would go on beyond."""

    name: str
    begin: float
    end: float
    colour: str
    value: str
    cut: bool = False


@dataclass(frozen=True)
class Bars:
    """Bars on one scale, a sentence below them, and help on it."""

    rows: tuple[Bar, ...]
    caption: str = ""
    help: str = ""

    def html(self) -> str:
        """The bars for a page, in its colours; what is below them is the page's.

        >>> Bars((Bar("MrWTD", 0.0, 0.5, BLUE, "0.500"),)).html().count("0.500")
        1
        """
        low, width = self._scale
        # A line at zero through all bars, where some lie below it.
        zero = f"linear-gradient({GREY}, {GREY}) {100 * -low / width:.2f}% 0 / 1px 100% no-repeat"
        behind = zero if low < 0 else "none"
        cells = []
        for bar in self.rows:
            left, long = (100 * share for share in self._place(bar))
            cells.append(
                f'<span style="text-align: right; overflow-wrap: anywhere">{html.escape(bar.name)}</span>'
                f'<span style="padding: 0.18rem 0; background: {behind}"><span style="display: block; height: 1.3rem; '
                f'margin-left: {left:.2f}%; width: {long:.2f}%; background: {_fill(bar)}"{_beyond(bar)}></span></span>'
                f'<span style="{NUMBER}">{bar.value}</span>'
            )
        return f'<div style="{TABLE}">{"".join(cells)}</div>'

    def _drawn(self) -> tuple[str, float]:
        """The same and the note as parts of an SVG picture, and how high they are together."""
        names = EDGE + LETTER * min(max((len(bar.name) for bar in self.rows), default=0), LONGEST)
        ends = LETTER * max((len(bar.value) for bar in self.rows), default=0) + EDGE
        across = WIDTH - names - ends - 16
        low, width = self._scale
        parts = []
        for row, bar in enumerate(self.rows):
            left, long = (across * share for share in self._place(bar))
            top = EDGE + LINE * row
            parts.append(
                f'<text x="{names:g}" y="{top + 18}" text-anchor="end">{cut(bar.name, LONGEST)}</text>'
                f"{_drawn_bar(bar, names + 8 + left, long, top + 3)}"
                f'<text x="{WIDTH - EDGE}" y="{top + 18}" text-anchor="end">{bar.value}</text>'
            )
        foot = EDGE + LINE * len(self.rows)
        if low < 0:
            at = names + 8 - across * low / width
            parts.append(f'<path d="M{at:.1f} {EDGE}V{foot}" stroke="{GREY}"/>')
        lines = wrap(self.caption, int((WIDTH - 2 * EDGE) / LETTER)) if self.caption else []
        parts += [
            f'<text x="{EDGE}" y="{foot + 20 + 18 * row}" opacity="0.8">{html.escape(line)}</text>'
            for row, line in enumerate(lines)
        ]
        return "".join(parts), foot + EDGE + 18 * len(lines) + 4

    @property
    def _scale(self) -> tuple[float, float]:
        """Where the scale begins, and how long it is."""
        ends = [0.0, *(end for bar in self.rows for end in (bar.begin, bar.end))]
        return min(ends), (max(ends) - min(ends)) or 1.0

    def _place(self, bar: Bar) -> tuple[float, float]:
        """Where a bar begins and how long it is, as shares of the scale; the least is still seen."""
        low, width = self._scale
        long = np.clip(abs(bar.end - bar.begin) / width, 0.005, 1.0)
        return (min(bar.begin, bar.end) - low) / width, float(long)


def _fill(bar: Bar) -> str:
    """The background of a bar: its colour, with two slits near the end of one that is longer than drawn."""
    if not bar.cut:
        return bar.colour
    a, b, c, d = (f"calc(100% - {edge}px)" for edge in SLITS)
    return (
        f"linear-gradient(to {'right' if bar.end >= bar.begin else 'left'}, {bar.colour} {a}, transparent {a} {b}, "
        f"{bar.colour} {b} {c}, transparent {c} {d}, {bar.colour} {d})"
    )


def _beyond(bar: Bar) -> str:
    """What a pointer at such a bar is shown."""
    return f' title="{BEYOND}"' if bar.cut else ""


def _drawn_bar(bar: Bar, left: float, long: float, top: float) -> str:
    """A bar of a picture, in three parts where it is longer than drawn."""
    a, b, c, d = SLITS
    parts = [(0.0, long - a), (long - b, b - c), (long - d, d)] if bar.cut else [(0.0, long)]
    if bar.end < bar.begin:
        parts = [(long - begin - wide, wide) for begin, wide in parts]
    return "".join(
        f'<rect x="{left + begin:.1f}" y="{top:g}" width="{wide:.1f}" height="{LINE - 6}" fill="{bar.colour}"/>'
        for begin, wide in parts
    )


def bars_svg(groups: Sequence[Bars], dark: bool = False) -> str:
    """Groups of bars, one below the other, as an SVG file of its own.

    >>> bars = Bars((Bar("MrWTD", 0.0, 0.5, BLUE, "0.500"),), "mean AUPRC")
    >>> bars_svg([bars, bars]).count("<rect")
    3
    """
    parts, top = "", 0.0
    for group in groups:
        own, height = group._drawn()
        parts += f'<g transform="translate(0 {top:g})">{own}</g>'
        top += height
    return svg(parts, WIDTH, top, dark)


def svg(parts: str, width: float, height: float, dark: bool) -> str:
    """Drawn parts as a picture with a ground of its own: it may be opened anywhere.

    >>> svg("<g/>", 10, 5, dark=False).startswith('<svg xmlns="http://www.w3.org/2000/svg" width="10" height="5"')
    True
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" fill="{ink(dark)}" font-family="Helvetica, Arial, sans-serif" '
        f'font-size="13"><rect width="100%" height="100%" fill="{ground(dark)}"/>{parts}</svg>'
    )


def score_bars(scores: pd.DataFrame) -> tuple[Bars, ...]:
    """A group of bars for each kind of relation and each of its scores: the mean, one bar per method, best on top.

    >>> rows = [("MrWTD", "likes", 0.5), ("MrWTD", "knows", 0.7), ("RESCAL", "likes", 0.4)]
    >>> scores = pd.DataFrame(rows, columns=["method", "relation", "value"]).assign(kind="binary", metric="auprc")
    >>> (bars,) = score_bars(scores)
    >>> [(bar.name, bar.value) for bar in bars.rows], bars.caption
    ([('MrWTD', '0.600'), ('RESCAL', '0.400')], 'Mean AUPRC (higher is better) on the held-out entries.')
    """
    scores = scores[scores["value"].notna()]
    colours = {
        str(name): style_of(str(name), number).colour for number, name in enumerate(dict.fromkeys(scores["method"]))
    }
    groups = []
    for kind in dict.fromkeys(scores["kind"]):
        for metric in shown_metrics(kind):
            rows = scores[(scores["kind"] == kind) & (scores["metric"] == metric.name)]
            if len(rows):
                groups.append(_score_group(rows, metric, colours, scores["relation"].nunique()))
    return tuple(groups)


def _score_group(scores: pd.DataFrame, metric: Metric, colours: Mapping[str, str], n_relations: int) -> Bars:
    means = scores.groupby("method", sort=False)["value"].mean().sort_values(ascending=metric.direction == "lower")
    rows = tuple(_score_bar(str(name), float(mean), metric, colours[str(name)]) for name, mean in means.items())
    note = f"{_caption(scores, metric, n_relations)} on the held-out entries."
    if any(metric.worse_than_constant(float(mean)) for mean in means):
        note += f" A value {metric.worse_side} is worse than {metric.constant_predictor}."
    return Bars(rows, note, metric.help)


def _score_bar(name: str, mean: float, metric: Metric, colour: str) -> Bar:
    low, high = metric.drawn_range
    return Bar(name, 0.0, min(max(mean, low), high), colour, format_score(mean), cut=not low <= mean <= high)


def _caption(scores: pd.DataFrame, metric: Metric, n_relations: int) -> str:
    """Which scores of which of the relations."""
    names = scores["relation"].unique()
    direction = f" ({metric.direction} is better)" if metric.direction else ""
    if len(names) == 1:
        return metric.title + direction + f" of {names[0]}," * (n_relations > 1)
    kind = f" of the {len(names)} {scores['kind'].iloc[0]} relations," * (n_relations > len(names))
    return f"Mean {metric.label}{direction}{kind}"


def sum_bars(terms: Sequence[tuple[str, float]], total: str, *, dark: bool = False) -> Bars:
    """How terms add up: each bar begins where the one before it has ended, and the last one is the sum.

    >>> [bar.value for bar in sum_bars([("bias", -1.0), ("1 × 2", 1.5)], "x").rows]
    ['-1.00', '+1.50', '+0.50']
    """
    above, at = SKY if dark else BLUE, 0.0
    rows: list[Bar] = []
    for name, value in terms:
        rows.append(Bar(name, at, at + value, above if value >= 0 else ORANGE, _signed(value)))
        at += value
    return Bars((*rows, Bar(total, 0.0, at, GREY, _signed(at))))


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-0.00", "+0.00")
