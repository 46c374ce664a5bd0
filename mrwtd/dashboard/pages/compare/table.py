"""Table: scores by relation and method, from this split or from several."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st

from ....analysis.interpretation import format_parameter, format_score
from ....evaluation.standings import MEAN, standings_over_splits
from ....metrics import METRICS
from ....plots.score_curves import score_bands
from ...state.current_run import Result
from ...state.stored_splits import read_splits
from ...widgets import figures, inputs
from ...widgets.formatting import escape_markdown, format_elapsed
from . import compare_cache, splits
from . import compare_texts as texts

BEST, TIED = " ●", " ○"
"""Marks after the score of the best method and of those statistically tied with it."""


def render(result: Result) -> None:
    """Draw the table and, for several splits, the scores as bands."""
    chosen = splits.choose(result)
    if chosen.number == 1:
        fits = result.scores.drop_duplicates("method").set_index("method")
        _table(compare_cache.standings(result), fits, texts.ONE_SPLIT)
        return
    repeated = splits.fit_on_splits(result, chosen)
    if repeated is None:
        return
    scores = repeated.scores
    standings, done = standings_over_splits(scores), replace(chosen, number=repeated.number)
    if repeated is not read_splits(result.run):  # else the top of the page has it
        st.markdown(texts.verdict(standings, f"Over these {done},"))
    fits = scores.groupby("method", sort=False)[["seconds", "lam"]].median()
    _table(standings, fits, texts.MANY_FOLDS if chosen.folds else texts.MANY_SPLITS, spread=True)
    standings = standings[standings["relation"] != MEAN]
    metrics = {name: METRICS[name].label for name in METRICS if name in set(standings["metric"])}
    metric = inputs.choose_if_several("Score", "compare.metric", metrics, help=texts.METRIC_HELP)
    names = standings.loc[standings["metric"] == metric, "relation"].unique()
    prefix = f"{escape_markdown(str(names[0]))}. " if len(names) == 1 else ""
    figure, caption = score_bands(standings, metric, dark=figures.dark()), texts.BANDS_CAPTION.format(splits=done)
    alt = f"{metrics[metric]} by relation, one line per method with a band of one standard deviation"
    figures.show(figure, "scores-over-splits", alt=alt, data=scores, height=380, caption=prefix + caption)


def _table(standings: pd.DataFrame, fits: pd.DataFrame, caption: str, *, spread: bool = False) -> None:
    methods = list(standings["method"].unique())
    cells, means = wide(standings, spread=spread)
    # Means, seconds and λ come first: they matter most, and long tables scroll.
    numbers = fits[["seconds", "lam"]].apply(pd.to_numeric, errors="coerce").reindex(methods).astype(object)
    numbers["seconds"] = numbers["seconds"].map(format_elapsed, na_action="ignore")
    numbers["lam"] = numbers["lam"].map(format_parameter, na_action="ignore")
    numbers = numbers.rename(columns={"seconds": "Time to fit", "lam": "λ"}).fillna("–")
    table = pd.concat([cells.loc[means], numbers.T, cells.drop(index=means)]).rename_axis("Relation")
    helps = {method: texts.METHOD_COLUMN_HELP.format(method=escape_markdown(method)) for method in methods}
    helps["Relation"] = f"{texts.scores_help()}\n\n{texts.LAMBDA_HELP}"
    show(table, helps, "Scores by relation and method, with the best and those statistically tied with it marked")
    data = standings.merge(fits[["seconds", "lam"]].reset_index(), on="method", how="left")
    figures.download_buttons("relation-by-method", data, caption=caption)


def show(table: pd.DataFrame, helps: Mapping[str, str], alt: str) -> None:
    """Draw a table of texts with the best in bold, and a help text for each column."""
    st.dataframe(
        table.style.map(lambda cell: "font-weight: 700" if cell.endswith(BEST) else "")
        if table.index.is_unique
        else table,
        height="content" if len(table) <= 12 else 440,
        column_config={
            name: st.column_config.TextColumn(help=text, width="medium" if name == "Relation" else None)
            for name, text in helps.items()
        },
        alt=alt,
    )


def wide(standings: pd.DataFrame, *, spread: bool = False) -> tuple[pd.DataFrame, list[str]]:
    """Standings as text, one row per relation and one column per method, and the rows of means.

    >>> standings = pd.DataFrame({"relation": "likes", "kind": "binary", "metric": "auprc", "method": ["CP", "BPTF"],
    ...     "value": [0.5, 0.4], "spread": 0.01, "best": [True, False], "tied_with_best": True})
    >>> wide(standings)[0].loc["likes"].tolist()
    ['0.500 ●', '0.400 ○']
    """
    several_kinds = len(standings["kind"].unique()) > 1
    several_metrics = len(standings[["kind", "metric"]].drop_duplicates()) > 1
    single = standings["relation"] != MEAN
    counts = standings[single & standings["value"].notna()].groupby("kind")["relation"].nunique()
    standings = standings[single | (standings["kind"].map(counts) > 1)]  # the mean of one relation would repeat it
    cells: dict[str, dict[str, str]] = {}
    means: dict[str, None] = {}
    for row in standings.to_dict("records"):
        name, value, metric = str(row["relation"]), row["value"], METRICS[row["metric"]].label
        if name == MEAN:
            name = f"Mean {metric}" + (f", {row['kind']}" if several_kinds else "")
            means[name] = None
        elif several_metrics:
            name = f"{name}: {metric}"
        text = format_score(value)
        if spread and abs(value) < 1_000 and np.isfinite(row["spread"]):
            text += f" ± {format_score(row['spread'])}"
        text += BEST if row["best"] else TIED if row["tied_with_best"] else ""
        cells.setdefault(name, {})[row["method"]] = text
    return pd.DataFrame.from_dict(cells, orient="index"), list(means)
