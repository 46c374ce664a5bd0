"""The stacked ensemble against the best other method of each cell of a board, in pairs over splits."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mrwtd.metrics import METRICS

STACKED = "MrWTD-E"

LEAST_SPLITS = 3
"""Splits below which two methods are not compared."""


def against_best(scores: pd.DataFrame) -> pd.DataFrame:
    """The stacked ensemble against the best other method of each cell: mean difference, standard error and splits.

    Compared are the methods that have all splits of the stacked ensemble. `difference` is that from the method of the
    best mean on these splits, which is to its advantage; `from_others` that from the method of the best mean on the
    other splits, for each of them.
    """
    rows = []
    for (name, kind, train), cells in scores.groupby(["data", "kind", "train"], sort=False):
        sign = -1.0 if METRICS[cells["metric"].iloc[0]].direction == "lower" else 1.0
        table = sign * cells.pivot_table(index="run", columns="method", values="value")
        if STACKED not in table:
            continue
        # All methods on the same splits: the mean of a method on a few lucky ones would be the best.
        table = table.dropna(subset=STACKED).dropna(axis="columns")
        others = table.drop(columns=STACKED)
        if len(table) >= LEAST_SPLITS and len(others.columns):
            best = others.mean().idxmax()
            difference = table[STACKED] - table[best]
            on_others = [others.drop(index=run).mean().idxmax() for run in difference.index]
            from_others = (
                table.loc[run, STACKED] - table.loc[run, method]
                for run, method in zip(difference.index, on_others, strict=True)
            )
            row = (best, difference.mean(), difference.std() / len(difference) ** 0.5, len(difference))
            rows.append((name, kind, train, *row, np.mean([*from_others])))
    columns = ["data", "kind", "train", "best", "difference", "error", "splits", "from_others"]
    return pd.DataFrame(rows, columns=columns)


def totals(frame: pd.DataFrame) -> str:
    """A row for all cells, and one for each metric: their differences have different units."""
    groups = {"all": frame} | dict([*frame.groupby("kind", sort=False)])
    return "\n".join(
        f"| {name} | {len(cells)} | {cells['difference'].mean():+.4f} | {cells['from_others'].mean():+.4f} | "
        f"{int((cells['difference'] < -2 * cells['error']).sum())} |"
        for name, cells in groups.items()
    )


def stacked_table(frame: pd.DataFrame, fractions: Sequence[float]) -> list[dict[str, object]]:
    """One row per data set and kind, one column per training fraction."""
    rows = []
    for (name, kind), cells in frame.groupby(["data", "kind"], sort=False):
        texts = {
            f"{cell.train:.0%}": f"{cell.difference:+.3f} ± {cell.error:.3f} ({cell.best}; {cell.splits}); "
            f"{cell.from_others:+.3f}"
            for cell in cells.itertuples()
        }
        rows.append({"data": name, "relations": kind} | {f"{train:.0%}": "" for train in fractions} | texts)
    return rows
