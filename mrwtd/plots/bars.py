"""Bars with names and numbers: as HTML for a page, which a browser draws at once, and as an SVG file."""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

import numpy as np
import pandas as pd

from ..analysis.interpretation import format_score
from ..metrics import Metric, shown_metrics
from ..model.explanation import Explanation
from .colours import BLUE, GREY, ORANGE, SKY, background, style_of, text_colour
from .figure_layout import short_label

SLITS = (18, 14, 10, 6)
"""Where the two slits in a cut-off bar start and end: pixels from its end."""

TABLE = (
    "display: grid; grid-template-columns: fit-content(50%) 1fr max-content; column-gap: 0.6rem; "
    "align-items: center; font-size: 0.875rem"
)
NUMBER = "text-align: right; font-variant-numeric: tabular-nums"

WIDTH, LINE, LETTER, EDGE = 640, 28, 8, 12
"""Of an SVG file, in pixels: its width, the height of a row, the width of the widest letter, and the margin."""

MAX_NAME = 36
"""At most this many characters of a name are in an SVG file."""


@dataclass(frozen=True)
class Bar:
    """One bar: its name, where it starts and ends, its colour, its value as text, and whether it is cut off.

    An interval is drawn as a thin line through the end of the bar.
    """

    name: str
    start: float
    end: float
    colour: str
    value: str
    cut: bool = False
    interval: tuple[float, float] | None = None


@dataclass(frozen=True)
class Bars:
    """Bars on one scale, a caption below them, and help on the caption."""

    rows: tuple[Bar, ...]
    caption: str = ""
    help: str = ""

    def html(self) -> str:
        """The bars in the colours of the page, without the caption.

        >>> Bars((Bar("MrWTD", 0.0, 0.5, BLUE, "0.500"),)).html().count("0.500")
        1
        """
        low, width = self._scale
        # A line at zero through all bars, if some are below it.
        zero = f"linear-gradient({GREY}, {GREY}) {100 * -low / width:.2f}% 0 / 1px 100% no-repeat"
        behind = zero if low < 0 else "none"
        cells = []
        for bar in self.rows:
            left, length = (100 * fraction for fraction in self._extent(bar))
            title = ' title="longer than drawn"' if bar.cut else ""
            cells.append(
                f'<span style="text-align: right; overflow-wrap: anywhere">{html.escape(bar.name)}</span>'
                f'<span style="padding: 0.18rem 0; background: {behind}"><span style="display: block; height: 1.3rem; '
                f'margin-left: {left:.2f}%; width: {length:.2f}%; background: {_fill(bar)}"{title}></span>'
                f"{self._interval_html(bar)}</span>"
                f'<span style="{NUMBER}">{bar.value}</span>'
            )
        return f'<div style="{TABLE}">{"".join(cells)}</div>'

    def _interval_html(self, bar: Bar) -> str:
        """The interval of a bar as a box of lines, drawn over the bar that was drawn before it."""
        if bar.interval is None:
            return ""
        left, length = (100 * fraction for fraction in self._extent(Bar("", *bar.interval, "", "")))
        return (
            f'<span style="display: block; height: 0.6rem; margin: -0.95rem 0 0.35rem {left:.2f}%; '
            f"width: {length:.2f}%; border: solid currentColor; border-width: 0 1.5px; "
            f'background: linear-gradient(currentColor, currentColor) 0 50% / 100% 1.5px no-repeat"></span>'
        )

    def _interval_svg(self, bar: Bar, left_edge: float, across: float, top: float) -> str:
        if bar.interval is None:
            return ""
        start, length = (across * fraction for fraction in self._extent(Bar("", *bar.interval, "", "")))
        low, high, middle = left_edge + start, left_edge + start + length, top + LINE / 2
        ends = f"M{low:.1f} {middle - 5:g}v10M{high:.1f} {middle - 5:g}v10"
        return f'<path d="M{low:.1f} {middle:g}H{high:.1f}{ends}" stroke="currentColor" stroke-width="1.5"/>'

    def _svg_parts(self) -> tuple[str, float]:
        """Bars and caption as parts of an SVG file, and their height."""
        left_edge = EDGE + LETTER * min(max((len(bar.name) for bar in self.rows), default=0), MAX_NAME)
        value_width = LETTER * max((len(bar.value) for bar in self.rows), default=0) + EDGE
        across = WIDTH - left_edge - value_width - 16
        low, width = self._scale
        parts = []
        for row, bar in enumerate(self.rows):
            left, length = (across * fraction for fraction in self._extent(bar))
            top = EDGE + LINE * row
            parts.append(
                f'<text x="{left_edge:g}" y="{top + 18}" text-anchor="end">{short_label(bar.name, MAX_NAME)}</text>'
                f"{_svg_bar(bar, left_edge + 8 + left, length, top + 3)}"
                f"{self._interval_svg(bar, left_edge + 8, across, top)}"
                f'<text x="{WIDTH - EDGE}" y="{top + 18}" text-anchor="end">{bar.value}</text>'
            )
        bottom = EDGE + LINE * len(self.rows)
        if low < 0:
            zero = left_edge + 8 - across * low / width
            parts.append(f'<path d="M{zero:.1f} {EDGE}V{bottom}" stroke="{GREY}"/>')
        lines = wrap(self.caption, int((WIDTH - 2 * EDGE) / LETTER))
        parts += [
            f'<text x="{EDGE}" y="{bottom + 20 + 18 * row}" opacity="0.8">{html.escape(line)}</text>'
            for row, line in enumerate(lines)
        ]
        return "".join(parts), bottom + EDGE + 18 * len(lines) + 4

    @property
    def _scale(self) -> tuple[float, float]:
        """Start and length of the scale."""
        ends = [0.0, *(end for bar in self.rows for end in (bar.start, bar.end, *(bar.interval or ())))]
        return min(ends), (max(ends) - min(ends)) or 1.0

    def _extent(self, bar: Bar) -> tuple[float, float]:
        """Start and length of a bar as fractions of the scale; the shortest is still visible."""
        low, width = self._scale
        length = np.clip(abs(bar.end - bar.start) / width, 0.005, 1.0)
        return (min(bar.start, bar.end) - low) / width, float(length)


def _fill(bar: Bar) -> str:
    """Background of a bar: its colour, with two slits near the end if it is cut off."""
    if not bar.cut:
        return bar.colour
    a, b, c, d = (f"calc(100% - {edge}px)" for edge in SLITS)
    return (
        f"linear-gradient(to {'right' if bar.end >= bar.start else 'left'}, {bar.colour} {a}, transparent {a} {b}, "
        f"{bar.colour} {b} {c}, transparent {c} {d}, {bar.colour} {d})"
    )


def _svg_bar(bar: Bar, left: float, length: float, top: float) -> str:
    """A bar as SVG, in three parts if it is cut off."""
    a, b, c, d = SLITS
    parts = [(0.0, length - a), (length - b, b - c), (length - d, d)] if bar.cut else [(0.0, length)]
    if bar.end < bar.start:
        parts = [(length - start - width, width) for start, width in parts]
    return "".join(
        f'<rect x="{left + start:.1f}" y="{top:g}" width="{width:.1f}" height="{LINE - 6}" fill="{bar.colour}"/>'
        for start, width in parts
    )


def bars_svg(groups: Sequence[Bars], dark: bool = False) -> str:
    """Groups of bars, one below the other, as an SVG file.

    >>> bars = Bars((Bar("MrWTD", 0.0, 0.5, BLUE, "0.500"),), "mean AUPRC")
    >>> bars_svg([bars, bars]).count("<rect")
    3
    """
    parts, height = "", 0.0
    for group in groups:
        group_parts, group_height = group._svg_parts()
        parts += f'<g transform="translate(0 {height:g})">{group_parts}</g>'
        height += group_height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}" height="{height:g}" '
        f'viewBox="0 0 {WIDTH:g} {height:g}" fill="{text_colour(dark)}" font-family="Helvetica, Arial, sans-serif" '
        f'font-size="13"><rect width="100%" height="100%" fill="{background(dark)}"/>{parts}</svg>'
    )


def score_bars(scores: pd.DataFrame) -> tuple[Bars, ...]:
    """One group of bars per kind of relation and metric: the mean score, one bar per method, best on top.

    The scores of several splits (column `run`) have intervals, which cover their mean with a probability of 95%.

    >>> rows = [("MrWTD", "likes", 0.5), ("MrWTD", "knows", 0.7), ("RESCAL", "likes", 0.4)]
    >>> scores = pd.DataFrame(rows, columns=["method", "relation", "value"]).assign(kind="binary", metric="auprc")
    >>> (bars,) = score_bars(scores)
    >>> [(bar.name, bar.value) for bar in bars.rows], bars.caption
    ([('MrWTD', '0.600'), ('RESCAL', '0.400')], 'Mean AUPRC (higher is better) on the held-out entries.')
    """
    scores = scores[scores["value"].notna()]
    methods = scores["method"].astype(str).unique()
    colours = {name: style_of(name, number).colour for number, name in enumerate(methods)}
    groups = []
    for kind in scores["kind"].unique():
        for metric in shown_metrics(kind):
            rows = scores[(scores["kind"] == kind) & (scores["metric"] == metric.name)]
            if len(rows):
                groups.append(_score_group(rows, metric, colours, scores["relation"].nunique()))
    return tuple(groups)


def _score_group(scores: pd.DataFrame, metric: Metric, colours: Mapping[str, str], n_relations: int) -> Bars:
    splits = scores["run"].nunique() if "run" in scores else 1
    by_split = scores.assign(run=scores["run"] if splits > 1 else 0).groupby(["method", "run"], sort=False)["value"]
    by_method = by_split.mean().groupby("method", sort=False)
    means = by_method.mean().sort_values(ascending=metric.direction == "lower")
    errors = {str(name): float(error) for name, error in by_method.sem().items()}
    rows = tuple(
        _score_bar(str(name), float(mean), metric, colours[str(name)], errors[str(name)], splits)
        for name, mean in means.items()
    )
    caption = f"{_score_name(scores, metric, n_relations)} on the held-out entries."
    if splits > 1:
        caption += f" Means over {splits} random splits with their 95% intervals."
    if any(metric.worse_than_constant(float(mean)) for mean in means):
        caption += f" A value {metric.worse_side} is worse than {metric.constant_predictor}."
    return Bars(rows, caption, metric.help)


def _score_bar(name: str, mean: float, metric: Metric, colour: str, error: float, splits: int) -> Bar:
    low, high = metric.drawn_range
    bar = Bar(name, 0.0, min(max(mean, low), high), colour, format_score(mean), cut=not low <= mean <= high)
    if splits < 2 or bar.cut or np.isnan(error):
        return bar
    half = error * _t_quantile(splits - 1)
    interval = (max(mean - half, low), min(mean + half, high))
    return replace(bar, value=f"{bar.value} ± {format_score(half)}", interval=interval)


def _t_quantile(freedom: int) -> float:
    """The 97.5% quantile of Student's t-distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))


def _score_name(scores: pd.DataFrame, metric: Metric, n_relations: int) -> str:
    """The metric, its direction, and the relations it is averaged over."""
    names = scores["relation"].unique()
    direction = f" ({metric.direction} is better)" if metric.direction else ""
    if len(names) == 1:
        return metric.title + direction + f" of {names[0]}," * (n_relations > 1)
    kind = f" of the {len(names)} {scores['kind'].iloc[0]} relations," * (n_relations > len(names))
    return f"Mean {metric.label}{direction}{kind}"


def sum_bars(terms: Sequence[tuple[str, float]], total: str, *, dark: bool = False) -> Bars:
    """Terms that add up: each bar starts where the previous one ends, and the last one is the sum.

    >>> [bar.value for bar in sum_bars([("bias", -1.0), ("1 × 2", 1.5)], "x").rows]
    ['−1.00', '+1.50', '+0.50']
    """
    positive, running = SKY if dark else BLUE, 0.0
    rows: list[Bar] = []
    for name, value in terms:
        rows.append(Bar(name, running, running + value, positive if value >= 0 else ORANGE, _signed(value)))
        running += value
    return Bars((*rows, Bar(total, 0.0, running, GREY, _signed(running))))


def contributions(explanation: Explanation, top: int = 6, *, dark: bool = False) -> Bars:
    """Bars that add up to the score: the bias of the relation, the strongest pairs of factors, and the rest.

    >>> import mrwtd
    >>> data = mrwtd.load_dataset("florentine")
    >>> explanation = mrwtd.MrWTD(rank=3, lam=1.0).fit(data).explain("Medici", "Ridolfi", "marriage")
    >>> bars = contributions(explanation, top=2).rows
    >>> bars[0].name, bars[-2].name, bars[-1].name, bars[-1].value
    ('relation bias', 'all others', 'score', '+5.82')
    """
    strongest, rest = explanation.factors.head(top), explanation.factors.iloc[top:]
    columns = (strongest[name] for name in ("source_factor", "target_factor", "contribution"))
    terms = [("relation bias", explanation.bias)]
    terms += [(f"factor {f + 1} × factor {g + 1}", float(value)) for f, g, value in zip(*columns, strict=True)]
    if len(rest):
        terms.append(("all others", float(rest["contribution"].sum())))
    return sum_bars(terms, "score", dark=dark)


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-0.00", "+0.00").replace("-", "−")
