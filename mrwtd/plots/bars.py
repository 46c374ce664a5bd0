"""Bars beside words and numbers, as HTML: where a few values are to be compared, they stand at once."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from .colours import BLUE, GREY, ORANGE, SKY, look

MAIN = {"auprc": "mean AUPRC", "mae": "mean absolute error (lower is better)", "r2": "mean R²"}
"""The score that stands for a kind of relation, by the order in which they are looked for."""

HINTS = {
    "auprc": "Area under the precision-recall curve: 1 is perfect, the share of ties among the pairs is guessing",
    "mae": "How far predicted levels are from the true ones on average, in levels",
    "r2": "The share of the variance that is explained: 1 is perfect, 0 is no better than the mean",
}
"""A line on each, for the mouse."""

TABLE = (
    "display: grid; grid-template-columns: fit-content(50%) 1fr max-content; column-gap: 0.6rem; "
    "align-items: center; font-size: 0.875rem"
)
BELOW = "margin-top: 0.35rem; font-size: 0.875rem; opacity: 0.8"
NUMBER = "text-align: right; font-variant-numeric: tabular-nums"

Row = tuple[str, float, float, str, str]
"""What it is, where its bar begins and ends, its colour, and its value in figures."""


def score_bars(scores: pd.DataFrame, note: str = "") -> str:
    """The mean of the main score over the relations, a bar a method, the best on top, and below it what it is.

    >>> rows = [("MrWTD", "auprc", 0.5), ("MrWTD", "auprc", 0.7), ("RESCAL", "auprc", 0.4)]
    >>> text = score_bars(pd.DataFrame(rows, columns=["method", "metric", "value"]))
    >>> text.index("MrWTD") < text.index("0.600") < text.index("RESCAL") < text.index("0.400")
    True
    """
    scores = scores[scores["value"].notna()]
    metric = next((name for name in MAIN if (scores["metric"] == name).any()), "")
    means = scores[scores["metric"] == metric].groupby("method", sort=False)["value"].mean()
    colours = {name: look(str(name), number).colour for number, name in enumerate(means.index)}
    means = means.sort_values(ascending=metric == "mae")
    rows: list[Row] = [
        (str(name), 0.0, max(float(value), 0.0), colours[name], f"{value:.3f}") for name, value in means.items()
    ]
    over = scores[scores["metric"] == metric]["relation"].nunique() if "relation" in scores else 0
    every = scores["relation"].nunique() if "relation" in scores else 0
    of = f" of {over} of {every} relations," if over < every else ""
    says = f"{MAIN.get(metric, '')}{of} on the held-out entries. {note}".strip()
    return _table(rows) + f'<div style="{BELOW}" title="{HINTS.get(metric, "")}">{html.escape(says)}</div>'


def sum_bars(terms: Sequence[tuple[str, float]], total: str, *, dark: bool = False) -> str:
    """How terms add up: each bar begins where the one before it has ended, and the last one is the sum.

    >>> text = sum_bars([("bias", -1.0), ("1 × 2", 1.5)], "x")
    >>> text.index("-1.00") < text.index("+1.50") < text.index("+0.50")
    True
    """
    above, at = SKY if dark else BLUE, 0.0
    rows: list[Row] = []
    for name, value in terms:
        rows.append((name, at, at + value, above if value >= 0 else ORANGE, _signed(value)))
        at += value
    return _table([*rows, (total, 0.0, at, GREY, _signed(at))])


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-0.00", "+0.00")


def _table(rows: Iterable[Row]) -> str:
    rows = list(rows)
    ends = [0.0, *(end for _, *span, _, _ in rows for end in span)]
    low, width = min(ends), (max(ends) - min(ends)) or 1.0
    zero = 100 * -low / width
    # A line at zero through all bars, where some lie below it.
    ground = f"linear-gradient({GREY}, {GREY}) {zero:.2f}% 0 / 1px 100% no-repeat" if low < 0 else "none"
    cells = []
    for name, begin, end, colour, value in rows:
        left, long = 100 * (min(begin, end) - low) / width, 100 * abs(end - begin) / width
        cells.append(
            f'<span style="text-align: right; overflow-wrap: anywhere">{html.escape(name)}</span>'
            f'<span style="padding: 0.18rem 0; background: {ground}"><span style="display: block; height: 1.3rem; '
            f'margin-left: {left:.2f}%; width: {np.clip(long, 0.5, 100):.2f}%; background: {colour}"></span></span>'
            f'<span style="{NUMBER}">{value}</span>'
        )
    return f'<div style="{TABLE}">{"".join(cells)}</div>'
