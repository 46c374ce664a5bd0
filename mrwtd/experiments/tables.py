"""Scores as the paper prints them: a row a training size, a column a method, mean (standard deviation), ties bold.

Below each row of ours stands the paper's, where it has one for the same data, training size and rank.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..evaluation import summarize
from ..metrics import METRICS
from .paper_results import KEYS, METHODS, paper_results

if TYPE_CHECKING:
    from .experiment import Experiment

BASE_COLUMNS = ("data", "method", "train", "run", "rank", "relation", "kind", "metric", "value", "reason")
"""The columns that scores have even where there are none."""

AXES = {"train": "Tr %", "rank": "rank", "n_objects": "n"}
DIGITS = {"seconds": 2, "peak_gb": 2}
PAPER_DIGITS = 2


@dataclass(frozen=True)
class Cell:
    """A cell of a table."""

    text: str
    bold: bool = False


@dataclass(frozen=True)
class Table:
    """A table in the paper's layout.

    Attributes:
        summary: its numbers, tidy: a row a method and cell, ours and the paper's.
        frame: its cells as text.
        rows: its cells, with which of them are bold: tied with the best of their row.
        markdown: the same as Markdown.
        notes: what a reader has to know, in sentences.
    """

    summary: pd.DataFrame
    frame: pd.DataFrame
    rows: tuple[tuple[Cell, ...], ...]
    markdown: str
    notes: tuple[str, ...]


def summary(experiment: Experiment, scores: pd.DataFrame) -> pd.DataFrame:
    """Mean, sd, n and ties of the metrics that the experiment shows, with paper_mean, paper_sd and paper_tied."""
    shown = scores[scores["metric"].isin([*experiment.metrics, ""])]
    shown = shown if "n_objects" in shown.columns else shown.assign(n_objects=0)
    found = summarize(shown)
    paper = paper_results(experiment.source).rename(columns={name: f"paper_{name}" for name in ("mean", "sd", "tied")})
    for frame in (found, paper):
        frame["train"] = frame["train"].astype(float).round(6)
    joined = found.merge(paper, on=list(KEYS), how="left")
    joined["paper_tied"] = joined["paper_tied"].eq(True)
    places = {name: at for at, name in enumerate(METHODS)}
    rank = {metric: at for at, metric in enumerate(experiment.metrics)}
    data = {name: at for at, name in enumerate(scores["data"].drop_duplicates())}
    order = pd.DataFrame(
        {
            "metric": joined["metric"].map(rank),
            "data": joined["data"].map(data),
            "axis": joined[experiment.axis],
            "method": [places.get(name, len(places)) for name in joined["method"]],
        }
    ).sort_values(["data", "metric", "axis", "method"], kind="stable")
    return joined.loc[order.index].reset_index(drop=True)


def table(experiment: Experiment, scores: pd.DataFrame, paper: bool = True) -> Table:
    """The table of these scores, with the paper's numbers beside ours."""
    found = summary(experiment, scores)
    methods = _in_order(found["method"].unique())
    rows: list[tuple[Cell, ...]] = []
    for (data, kind, metric), group in found.groupby(["data", "kind", "metric"], sort=False):
        several = len(set(found.loc[found["data"] == data, "kind"])) > 1
        title = f"{data}, {kind}" if several else str(data)
        title += f" ({METRICS[str(metric)].label})"
        for place, own in group.groupby(experiment.axis, sort=False):
            cells = {str(row["method"]): row for row in own.to_dict("records")}
            lines = [("ours", "", DIGITS.get(str(metric), 3))]
            if paper and own["paper_mean"].notna().any():
                lines.append(("paper", "paper_", PAPER_DIGITS))
            for who, prefix, digits in lines:
                named = (Cell(title), Cell(_where(experiment.axis, place)), Cell(who))
                rows.append((*named, *(_cell(cells.get(name), prefix, digits) for name in methods)))
                title = ""
    columns = ["Data", AXES[experiment.axis], "", *methods]
    frame = pd.DataFrame([[cell.text for cell in row] for row in rows], columns=columns)
    marked = ([f"**{cell.text}**" if cell.bold else cell.text for cell in row] for row in rows)
    return Table(found, frame, tuple(rows), markdown(columns, marked), notes(experiment, scores, found, paper))


def markdown(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; the first column is aligned left, the others right.

    >>> print(markdown(["Data", "n"], [["a", "1"]]))
    | Data | n |
    |:---|---:|
    | a | 1 |
    """
    names = list(columns)
    lines = ["| " + " | ".join(names) + " |", "|:---|" + "---:|" * (len(names) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def notes(experiment: Experiment, scores: pd.DataFrame, found: pd.DataFrame, paper: bool = True) -> tuple[str, ...]:
    """How to read the table: what is bold, of how many runs, and what is missing from it."""
    said = []
    runs = sorted(set(found.loc[found["n"] > 0, "n"]))
    if runs:
        ours = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        beside = f" The paper's are of {experiment.paper_runs}." if paper and found["paper_mean"].notna().any() else ""
        plural = "" if runs == [1] else "s"
        said.append(f"Cells are mean (standard deviation) of {ours} run{plural}.{beside}")
    if found["tied_with_best"].any():
        bold = "Bold is tied with the best of its row by a two-sample t-test at 0.05"
        said.append(
            f"{bold}." if runs[-1:] != [1] else "Bold is the best of its row: one run leaves nothing to test by."
        )
    failures = scores[scores["metric"] == ""]
    for (method, reason), rows in failures.groupby(["method", "reason"], sort=False):
        said.append(f"{method} failed in {len(rows)} fit{'s' * (len(rows) > 1)}: {reason}.")
    if "out_of" in found.columns:
        short = found[(found["relations"] < found["out_of"]) & (found["n"] > 0)]
        for data, rows in short.groupby("data", sort=False):
            said.append(
                f"{data}: a relation whose test entries are all of one class has no score; averages cover at "
                f"least {int(rows['relations'].min())} of {int(rows['out_of'].max())} relations."
            )
    return tuple(said)


def by_method(experiment: Experiment, scores: pd.DataFrame, column: str, text: Callable[[Any], str]) -> str:
    """One number of each fit, such as its seconds or its λ, as a Markdown table; empty where there is none."""
    keys = ["data", experiment.axis, "method", "run"]
    fits = scores.dropna(subset=[column]).drop_duplicates(keys)
    if fits.empty:
        return ""
    methods = _in_order(fits["method"].unique())
    lines, before = [], None
    for (data, place), own in fits.groupby(["data", experiment.axis], sort=False):
        where = _where(experiment.axis, place)
        cells = [
            text(own.loc[own["method"] == name, column]) if (own["method"] == name).any() else "" for name in methods
        ]
        lines.append([str(data) if data != before else "", where, *cells])
        before = data
    return markdown(["Data", AXES[experiment.axis], *methods], lines)


def _in_order(names: Iterable[str]) -> list[str]:
    """The paper's methods in the order of its columns, then the others."""
    places = {name: at for at, name in enumerate(METHODS)}
    return sorted(names, key=lambda name: places.get(name, len(places)))


def _where(axis: str, place: Any) -> str:
    return f"{round(100 * place, 6):g}" if axis == "train" else f"{place:g}"


def _cell(row: Mapping[Any, Any] | None, prefix: str, digits: int) -> Cell:
    """`0.472 (.024)`, as the paper writes it.

    >>> _cell({"mean": 0.4716, "sd": 0.0242, "n": 3, "tied_with_best": True}, "", 3)
    Cell(text='0.472 (.024)', bold=True)
    >>> _cell({"mean": float("nan"), "sd": float("nan"), "n": 0, "tied_with_best": False}, "", 3)
    Cell(text='failed', bold=False)
    """
    if row is None:
        return Cell("")
    mean, sd = row[f"{prefix}mean"], row[f"{prefix}sd"]
    if np.isnan(mean):
        return Cell("" if prefix else "failed")
    spread = "–" if np.isnan(sd) else f"{sd:.{digits}f}".removeprefix("0")
    return Cell(f"{mean:.{digits}f} ({spread})", bool(row["paper_tied" if prefix else "tied_with_best"]))
