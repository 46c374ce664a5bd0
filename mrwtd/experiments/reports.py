"""What an experiment leaves for people: a CSV, a Markdown page and a figure, each with date, versions and command."""

from __future__ import annotations

import html
import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from os import PathLike
from pathlib import Path

import pandas as pd

from ..evaluation import average
from ..plots.score_curves import lam_paths
from ..version import results_version
from . import tables
from .experiment import Experiment, ExperimentResult

PACKAGES = ("numpy", "scipy", "numba", "pandas")

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; color: #1B2530; max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }}
p {{ max-width: 50rem; line-height: 1.45; }}
table {{ border-collapse: collapse; margin: 1.5rem 0; font-size: 0.9rem; }}
th, td {{ padding: 0.25rem 0.7rem; text-align: right; border-bottom: 1px solid #D5DBE1; white-space: nowrap; }}
th:first-child, td:first-child {{ text-align: left; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{about}</p>
{figure}
{table}
{notes}
{search}
<p><code>{command}</code><br>{made}</p>
</body>
</html>
"""


@dataclass(frozen=True)
class Provenance:
    """When, by what and how a file was made."""

    date: str
    versions: str
    command: str

    @classmethod
    def now(cls, command: str) -> Provenance:
        """Made today, on this machine.

        >>> Provenance.now("python -m mrwtd paper real").versions.startswith("mrwtd ")
        True
        """
        packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
        versions = f"mrwtd {results_version()}, Python {platform.python_version()}, {packages}, {os.cpu_count()} cores"
        return cls(f"{datetime.now(UTC):%Y-%m-%d}", versions, command)

    def __str__(self) -> str:
        return f"{self.date}, {self.versions}"


def write_report(
    experiment: Experiment, outcome: ExperimentResult, folder: str | PathLike[str], command: str
) -> tuple[Path, ...]:
    """Write NAME.csv, NAME-runs.csv, NAME.md and NAME.html, and NAME-lam.csv where λ was searched.

    NAME.csv holds the cells of the table, ours and the paper's; NAME-runs.csv a row a run. Each file is there as a
    whole or not at all, and says when and by which command it was made.
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    made, table = Provenance.now(command), experiment.table(outcome.scores)
    texts = {
        ".csv": _csv(table.summary, made),
        "-runs.csv": _csv(run_scores(experiment, outcome.scores), made),
        ".md": markdown_page(experiment, outcome, table, made),
        ".html": _html(experiment, outcome, table, made),
    }
    if len(outcome.lam_paths):
        texts["-lam.csv"] = _csv(outcome.lam_paths, made)
    files = []
    for ending, text in texts.items():
        file = place / f"{experiment.name}{ending}"
        part = file.with_name(file.name + ".part")
        part.write_text(text, encoding="utf-8")
        files.append(part.replace(file))
    return tuple(files)


def run_scores(experiment: Experiment, scores: pd.DataFrame) -> pd.DataFrame:
    """A row for each run and measure of the table: its score as the mean over the relations, λ and seconds."""
    shown = scores[scores["metric"].isin(experiment.metrics)]
    keys = [name for name in ("data", "n_objects", "method", "train", "rank", "run") if name in shown.columns]
    fits = shown.drop_duplicates(keys)[
        [*keys, *(name for name in ("lam", "seconds", "evaluations") if name in shown.columns)]
    ]
    return average(shown).merge(fits, on=keys)


def markdown_page(experiment: Experiment, outcome: ExperimentResult, table: tables.Table, made: Provenance) -> str:
    """The Markdown page: the table, how to read it, and what the fits took."""
    parts = [f"# {experiment.title}", experiment.about, f"`{made.command}`", str(made) + ".", table.markdown]
    parts.append("\n".join(f"- {sentence}" for sentence in table_notes(outcome, table)))
    seconds = tables.by_method(experiment, outcome.scores, "seconds", lambda own: f"{own.median():.3g}")
    if seconds and "seconds" not in experiment.metrics:
        parts += ["## Seconds a fit", "The median; the search for λ is included.", seconds]
    if "lam" in outcome.scores.columns:
        lam = tables.by_method(experiment, outcome.scores, "lam", _span)
        parts += ["## λ", "What the search chose: the least to the greatest of the runs.", lam] if lam else []
    return "\n\n".join(parts) + "\n"


def table_notes(outcome: ExperimentResult, table: tables.Table) -> list[str]:
    """All that a reader of the table has to know."""
    open_fits = outcome.total - outcome.done
    short = [f"Not complete: {open_fits} of {outcome.total} fits are not done."] if open_fits else []
    return [*short, *table.notes, *outcome.notes]


def _span(values: pd.Series[float]) -> str:
    low, high = f"{values.min():.3g}", f"{values.max():.3g}"
    return low if low == high else f"{low}–{high}"


def _csv(frame: pd.DataFrame, made: Provenance) -> str:
    frame = frame.drop(columns="n_objects") if "n_objects" in frame.columns and not frame["n_objects"].any() else frame
    # Once is enough: on every row it would outweigh the numbers.
    stamp = {name: [value, *[""] * (len(frame) - 1)] for name, value in vars(made).items()}
    stamped = frame.assign(**stamp) if len(frame) else frame
    return str(stamped.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def _html(experiment: Experiment, outcome: ExperimentResult, table: tables.Table, made: Provenance) -> str:
    # The whole of plotly.js goes into the file: it can be read without a network.
    figure = experiment.figure(outcome.scores).to_html(full_html=False, include_plotlyjs=True)
    said = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in table_notes(outcome, table))
    return PAGE.format(
        title=html.escape(experiment.title),
        about=html.escape(experiment.about),
        figure=figure,
        table=_html_table(table),
        search=_search(outcome),
        notes=said,
        command=html.escape(made.command),
        made=html.escape(str(made)),
    )


def _search(outcome: ExperimentResult) -> str:
    if outcome.lam_paths.empty:
        return ""
    figure = lam_paths(outcome.lam_paths).to_html(full_html=False, include_plotlyjs=False)
    return f"<h2>The search for λ</h2>\n<p>The score on held-out training entries, mean over the runs.</p>\n{figure}"


def _html_table(table: tables.Table) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.frame.columns)
    lines = []
    for row in table.rows:
        cells = (f"<b>{html.escape(cell.text)}</b>" if cell.bold else html.escape(cell.text) for cell in row)
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
