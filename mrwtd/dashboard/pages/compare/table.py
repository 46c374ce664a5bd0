"""The relation × method table, from this split or from several."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import streamlit as st

from ....analysis.interpretation import parameter, score_text
from ....evaluation.standings import MEAN, several_splits
from ....metrics import METRICS
from ....plots.score_bars import score_bands
from ...state.current_run import Result
from ...widgets import figures, inputs
from ...widgets.formatting import plain, took
from . import compare_cache, splits

BEST, TIED = " ●", " ○"
"""Marks behind numbers: the best, and what is statistically tied with it."""

COLUMN = "The scores of {} on the test entries. ● best, ○ tied with the best"

LAMBDA = "**λ**: the strength of the regularisation, – where a method has none."

ONE = (
    "● best, ○ tied with it: the difference is within 1.96 standard errors by a paired jackknife over the test "
    "entries, which is what a bootstrap over them would give. That is about the luck of which entries were tested, not "
    "of the split: ask for several splits for that."
)
MANY = (
    "Mean ± standard deviation over the splits. ● best, ○ tied with it: a two-sample t-test does not tell them apart "
    "at 0.05, as in the paper."
)


def show(result: Result) -> None:
    """The table, and with several splits the bands."""
    left, right = st.columns([5, 4], vertical_alignment="bottom")
    with left:
        count = splits.choose()
    if count == 1:
        fits = result.scores.drop_duplicates("method").set_index("method")
        _table(compare_cache.standings(result), fits, ONE)
        return
    repeated = splits.repeated(result, count)
    if repeated is None:
        return
    scores = repeated.scores
    found, done = several_splits(scores), scores["run"].nunique()
    st.markdown(compare_cache.verdict(found, f"Over these {done} splits"))
    numbers = scores.groupby("method", sort=False)[["seconds", "lam"]].median()
    _table(found, numbers, f"{MANY} Seconds and λ are medians.", spread=True)
    singles = found[found["relation"] != MEAN]
    metrics = [metric for metric in METRICS if metric in set(singles["metric"])]
    with right:
        metric = (
            inputs.choose(
                "Score", "compare.metric", metrics, show=lambda name: METRICS[name].label, hint="What the bands show"
            )
            if len(metrics) > 1
            else metrics[0]
        )
    names = singles.loc[singles["metric"] == metric, "relation"].unique()
    of = f"{plain(str(names[0]))}. " if len(names) == 1 else ""
    figures.show(
        score_bands(singles, metric, dark=figures.dark()),
        "scores-over-splits",
        alt=f"{METRICS[metric].label} by relation, a line for each method with a band of one standard deviation",
        data=scores,
        height=380,
        caption=f"{of}Means over {done} splits, each with one standard deviation on both sides.",
    )


def _table(found: pd.DataFrame, fits: pd.DataFrame, says: str, *, spread: bool = False) -> None:
    methods = list(dict.fromkeys(found["method"]))
    shown, marks = wide(found, spread=spread)
    # Means, seconds and λ first: they are what is looked for, and long tables scroll.
    top = [name for name in shown.index if name.startswith("Mean ")]
    extra = pd.DataFrame(
        {
            method: [_quantity(fits, method, "seconds", took), _quantity(fits, method, "lam", parameter)]
            for method in methods
        },
        index=["Seconds to fit", "λ"],
    )
    table = pd.concat([shown.loc[top], extra, shown.drop(index=top)])
    table.index.name = "Relation"
    bold = marks.reindex(index=table.index, columns=table.columns).fillna("")

    def style(column: pd.Series) -> list[str]:
        return ["font-weight: 700" if mark == BEST else "" for mark in bold[column.name]]

    st.dataframe(
        table.style.apply(style),
        height="content" if len(table) <= 12 else 440,
        column_config={
            "Relation": st.column_config.TextColumn(width="medium", help=f"{compare_cache.scores_help()}\n\n{LAMBDA}"),
            **{method: st.column_config.TextColumn(help=COLUMN.format(plain(method))) for method in methods},
        },
        alt="Scores by relation and method, with the best and its statistical ties marked",
    )
    known = fits[["seconds", "lam"]].reset_index()
    figures.download("relation-by-method", lambda: found.merge(known, on="method", how="left"), caption=says)


def wide(found: pd.DataFrame, *, spread: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Standings as text, a row a relation and a column a method, and the mark of each cell.

    >>> found = pd.DataFrame({"relation": "likes", "kind": "binary", "metric": "auprc", "method": ["CP", "BPTF"],
    ...     "value": [0.5, 0.4], "spread": 0.01, "best": [True, False], "tied_with_best": True})
    >>> wide(found)[0].loc["likes"].tolist()
    ['0.500 ●', '0.400 ○']
    """
    several_kinds = len(found["kind"].unique()) > 1
    several = len(found[["kind", "metric"]].drop_duplicates()) > 1
    one = found["relation"] != MEAN
    scored = found[one & found["value"].notna()].groupby("kind")["relation"].nunique()
    found = found[one | (found["kind"].map(scored) > 1)]  # the mean of one relation would say the same again
    cells: dict[str, dict[str, str]] = {}
    marks: dict[str, dict[str, str]] = {}
    for relation, kind, metric, method, value, own, best, tied in zip(
        *(
            found[name]
            for name in ("relation", "kind", "metric", "method", "value", "spread", "best", "tied_with_best")
        ),
        strict=True,
    ):
        name = str(relation)
        if relation == MEAN:
            name = f"Mean {METRICS[metric].label}" + (f", {kind}" if several_kinds else "")
        elif several:
            name = f"{name} ({METRICS[metric].label})"
        mark = BEST if best else TIED if tied else ""
        text = score_text(value)
        if spread and abs(value) < 1_000 and np.isfinite(own):
            text += f" ± {score_text(own)}"
        cells.setdefault(name, {})[method] = text + mark
        marks.setdefault(name, {})[method] = mark
    return pd.DataFrame.from_dict(cells, orient="index"), pd.DataFrame.from_dict(marks, orient="index")


def _quantity(fits: pd.DataFrame, method: str, name: str, said: Callable[[float], str]) -> str:
    value = pd.to_numeric(pd.Series([fits[name].get(method)]), errors="coerce").iloc[0] if name in fits else np.nan
    return said(value) if np.isfinite(value) else "–"
