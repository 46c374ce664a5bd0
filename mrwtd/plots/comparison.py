"""Methods side by side: one number each."""

from __future__ import annotations

import html

import numpy as np
import pandas as pd

from .colours import look

MAIN = {"auprc": "mean AUPRC", "mae": "mean absolute error", "r2": "mean R²"}
"""The score that stands for a kind of relation, by the order in which they are looked for."""

ROW = "display: grid; grid-template-columns: {left}ch 1fr 5ch; gap: 0.6rem; align-items: center; margin: 0.35rem 0"


def bars(scores: pd.DataFrame) -> str:
    """The mean of the main score over the relations, a bar a method, the best on top: HTML, which stands at once.

    >>> rows = [("MrWTD", "auprc", 0.5), ("MrWTD", "auprc", 0.7), ("RESCAL", "auprc", 0.4)]
    >>> text = bars(pd.DataFrame(rows, columns=["method", "metric", "value"]))
    >>> text.index("MrWTD") < text.index("0.600") < text.index("RESCAL") < text.index("0.400")
    True
    """
    metric = next((name for name in MAIN if (scores["metric"] == name).any()), "auprc")
    means = scores[scores["metric"] == metric].groupby("method", sort=False)["value"].mean()
    means = means.sort_values(ascending=metric == "mae")
    row = ROW.format(left=max(map(len, means.index), default=0))
    longest = max(float(means.max()), 1e-9) if len(means) else 1.0
    lines = [
        f'<div style="{row}"><span style="text-align: right">{html.escape(str(name))}</span>'
        f'<span style="width: {100 * np.clip(value / longest, 0.005, 1):.1f}%; height: 1.3rem; '
        f'background: {look(str(name), number).colour}"></span><span>{value:.3f}</span></div>'
        for number, (name, value) in enumerate(means.items())
    ]
    return f'<div style="font-size: 0.875rem">{"".join(lines)}<div style="opacity: 0.8">{MAIN[metric]}</div></div>'
