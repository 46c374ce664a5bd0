"""Bars beside words and numbers: as HTML for a page, where they stand at once, and as a picture to take along."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap

import numpy as np
import pandas as pd

from ..evaluation.jackknife import SHOWN
from ..evaluation.measures import MEASURES
from ..evaluation.standings import worse_than_mean
from ..evaluation.wording import score_text
from .colours import BLUE, GREY, ORANGE, SKY, ground, ink, look
from .labels import cut
from .standings import NAMES

DRAWN = {"nmse": (0.0, 2.0), "deviance_explained": (-1.0, 1.0)}
"""Scores without bounds are drawn within these: one of hundreds would leave nothing of the others."""

WORSE = {
    "nmse": "A value above 1 is worse than predicting the mean for every pair.",
    "deviance_explained": "A value below 0 is worse than predicting the mean for every pair.",
}
"""What is said below bars of which one is that bad."""

SLITS = (18, 14, 10, 6)
"""Where two slits begin and end that tell a bar which is longer than drawn: pixels from its end."""

HINTS = {
    "auprc": "Area under the precision-recall curve: 1 is perfect, the share of ties among the pairs is guessing",
    "mae": "How far predicted levels are from the true ones on average, in levels",
    "nmse": "The mean squared error over the variance of the values: 0 is perfect, above 1 is worse than predicting "
    "the mean for every pair. A few large values decide it",
    "deviance_explained": "The share of the Poisson deviance that is explained: 1 is perfect, below 0 is worse than "
    "predicting the mean for every pair. Errors are weighed by the size of the count",
}
"""A line on each; the style of the page shows it on demand."""

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
    """Bars on one scale, a sentence below them, and a hint on that."""

    rows: tuple[Bar, ...]
    note: str = ""
    hint: str = ""

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
        lines = wrap(self.note, int((WIDTH - 2 * EDGE) / LETTER)) if self.note else []
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


def stacked(groups: Sequence[Bars], dark: bool = False) -> str:
    """Groups of bars, one below the other, as an SVG file of its own.

    >>> bars = Bars((Bar("MrWTD", 0.0, 0.5, BLUE, "0.500"),), "mean AUPRC")
    >>> stacked([bars, bars]).count("<rect")
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
    >>> [(bar.name, bar.value) for bar in bars.rows], bars.note
    ([('MrWTD', '0.600'), ('RESCAL', '0.400')], 'Mean AUPRC on the held-out entries.')
    """
    scores = scores[scores["value"].notna()]
    colours = {name: look(str(name), number).colour for number, name in enumerate(dict.fromkeys(scores["method"]))}
    groups = []
    shown = [(kind, metric) for kind in dict.fromkeys(scores["kind"]) for metric in SHOWN.get(kind, ())]
    for kind, metric in shown:
        own = scores[(scores["kind"] == kind) & (scores["metric"] == metric)]
        if own.empty:
            continue
        lower = MEASURES[metric].better == "lower"
        means = own.groupby("method", sort=False)["value"].mean().sort_values(ascending=lower)
        rows = tuple(_score_bar(str(name), float(mean), metric, colours[name]) for name, mean in means.items())
        note = f"{_of_which(own, scores['relation'].nunique())} on the held-out entries."
        if any(worse_than_mean(metric, float(mean)) for mean in means):
            note += f" {WORSE[metric]}"
        groups.append(Bars(rows, note, HINTS[metric]))
    return tuple(groups)


def _score_bar(name: str, mean: float, metric: str, colour: str) -> Bar:
    least, most = DRAWN.get(metric, (-np.inf, np.inf))
    return Bar(name, 0.0, min(max(mean, least), most), colour, score_text(mean), cut=not least <= mean <= most)


def _of_which(own: pd.DataFrame, every: int) -> str:
    """What the scores of a kind of relation are, where so many relations have one."""
    names, metric = own["relation"].unique(), own["metric"].iloc[0]
    # Counts have two scores, of which lower and higher are better: both say so.
    direction = "" if metric == "auprc" else f" ({MEASURES[metric].better} is better)"
    words = NAMES[metric] + direction
    if len(names) == 1:
        return words[0].upper() + words[1:] + f" of {names[0]}," * (every > 1)
    return f"Mean {words}" + f" of the {len(names)} {own['kind'].iloc[0]} relations," * (every > len(names))


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
