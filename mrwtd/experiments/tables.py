"""Tables in the paper's layout: rows are training fractions, columns methods, cells mean (sd), ties bold.

Below each row is that of the paper, if it has one for the same data, training fraction and rank.
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
"""The columns of empty scores."""

AXES = {"train": "train %", "rank": "rank", "n_objects": "n", "fixed_lam": "λ"}
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
        summary: the numbers in tidy form, ours and the paper's: one row per cell.
        frame: the cells as text.
        rows: the cells; those tied with the best of their row are bold.
        markdown: the table as Markdown.
        notes: sentences for readers.
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
    ours = summarize(shown)
    paper = paper_results(experiment.source).rename(columns={name: f"paper_{name}" for name in ("mean", "sd", "tied")})
    for frame in (ours, paper):
        frame["train"] = frame["train"].astype(float).round(6)
    joined = ours.merge(paper, on=list(KEYS), how="left")
    joined["paper_tied"] = joined["paper_tied"].eq(True)
    orders = {name: {item: number for number, item in enumerate(items)} for name, items in
              (("data", scores["data"].unique()), ("metric", experiment.metrics))}  # fmt: skip
    keys = {name: joined[name].map(order) for name, order in orders.items()}
    keys |= {"axis": joined[experiment.axis], "method": joined["method"].map(_method_order)}
    order = pd.DataFrame(keys).sort_values([*keys], kind="stable").index
    return joined.loc[order].reset_index(drop=True)


def table(experiment: Experiment, scores: pd.DataFrame, paper: bool = True) -> Table:
    """The table of these scores, with the numbers of the paper below ours."""
    numbers = summary(experiment, scores)
    methods = sorted(numbers["method"].unique(), key=_method_order)
    rows: list[tuple[Cell, ...]] = []
    for (data, kind, metric), group in numbers.groupby(["data", "kind", "metric"], sort=False):
        several = len(set(numbers.loc[numbers["data"] == data, "kind"])) > 1
        title = f"{data}, {kind}" if several else str(data)
        title += f" ({METRICS[str(metric)].label})"
        for position, cell_rows in group.groupby(experiment.axis, sort=False):
            cells = {str(row["method"]): row for row in cell_rows.to_dict("records")}
            lines = [("ours", "", DIGITS.get(str(metric), 3))]
            if paper and cell_rows["paper_mean"].notna().any():
                lines.append(("paper", "paper_", PAPER_DIGITS))
            for who, prefix, digits in lines:
                header = (Cell(title), Cell(_axis_text(experiment.axis, position)), Cell(who))
                rows.append((*header, *(_cell(cells.get(name), prefix, digits) for name in methods)))
                title = ""
    columns = ["Data", AXES[experiment.axis], "", *methods]
    if not experiment.source:  # no numbers of the paper to tell ours from
        columns, rows = [*columns[:2], *methods], [(*row[:2], *row[3:]) for row in rows]
    frame = pd.DataFrame([[cell.text for cell in row] for row in rows], columns=columns)
    marked = ([f"**{cell.text}**" if cell.bold else cell.text for cell in row] for row in rows)
    return Table(numbers, frame, tuple(rows), markdown(columns, marked), notes(experiment, scores, numbers, paper))


def markdown(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table; the first column is aligned left, the others right.

    >>> print(markdown(["Data", "n"], [["a", "1"]]))
    | Data | n |
    |:---|---:|
    | a | 1 |
    """
    names = list(columns)
    lines = ["| " + " | ".join(names) + " |", "|:---|" + "---:|" * (len(names) - 1)]
    # The name of a data set may contain the separator.
    cells = ([cell.replace("|", "\\|") for cell in row] for row in rows)
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in cells)])


def notes(experiment: Experiment, scores: pd.DataFrame, numbers: pd.DataFrame, paper: bool = True) -> tuple[str, ...]:
    """Notes for readers of the table: the number of runs, the meaning of bold, and what is missing."""
    sentences = []
    runs = sorted(set(numbers.loc[numbers["n"] > 0, "n"]))
    if runs:
        ours = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        plural = "" if runs == [1] else "s"
        sentences.append(f"Cells are mean (standard deviation) of {ours} run{plural}.")
        if paper and numbers["paper_mean"].notna().any():
            sentences[-1] += f" The paper's are of {experiment.paper_runs}."
    if numbers["tied_with_best"].any():
        bold = "Bold is tied with the best of its row by a two-sample t-test at 0.05"
        sentences.append(
            f"{bold}." if runs[-1:] != [1] else "Bold is the best of its row; a single run allows no test."
        )
    failures = scores[scores["metric"] == ""]
    for (method, reason), rows in failures.groupby(["method", "reason"], sort=False):
        sentences.append(f"{method} failed in {len(rows)} fit{'s' * (len(rows) > 1)}: {reason}.")
    if "out_of" in numbers.columns:
        partial = numbers[(numbers["relations"] < numbers["out_of"]) & (numbers["n"] > 0)]
        for data, rows in partial.groupby("data", sort=False):
            sentences.append(
                f"{data}: a relation whose test entries are all of one class has no score; averages cover at "
                f"least {int(rows['relations'].min())} of {int(rows['out_of'].max())} relations."
            )
    return tuple(sentences)


def by_method(experiment: Experiment, scores: pd.DataFrame, column: str, text: Callable[[Any], str]) -> str:
    """One number per fit, such as its seconds or its λ, as a Markdown table; empty if there is none."""
    keys = ["data", experiment.axis, "method", "run"]
    fits = scores.dropna(subset=[column]).drop_duplicates(keys)
    if fits.empty:
        return ""
    methods = sorted(fits["method"].unique(), key=_method_order)
    lines, before = [], None
    for (data, position), rows in fits.groupby(["data", experiment.axis], sort=False):
        values = dict(iter(rows.groupby("method")[column]))
        cells = [text(values[name]) if name in values else "" for name in methods]
        lines.append([str(data) if data != before else "", _axis_text(experiment.axis, position), *cells])
        before = data
    return markdown(["Data", AXES[experiment.axis], *methods], lines)


def _method_order(name: str) -> int:
    """The paper's methods in the order of its columns, then the others."""
    return METHODS.index(name) if name in METHODS else len(METHODS)


def _axis_text(axis: str, position: Any) -> str:
    return f"{round(100 * position, 6):g}" if axis == "train" else f"{position:g}"


def _cell(row: Mapping[Any, Any] | None, prefix: str, digits: int) -> Cell:
    """A cell such as `0.472 (.024)`, as in the paper.

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
