"""Reports of an experiment: CSV files, a Markdown page and an HTML page, each with date, versions and command."""

from __future__ import annotations

import html
import os
import platform
from collections.abc import Mapping
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
<p><code>{command}</code><br>{origin}</p>
</body>
</html>
"""


@dataclass(frozen=True)
class Provenance:
    """The date, versions and command that made a file."""

    date: str
    versions: str
    command: str

    @classmethod
    def now(cls, command: str) -> Provenance:
        """The provenance of files made now, on this machine.

        >>> Provenance.now("python -m mrwtd paper real").versions.startswith("mrwtd ")
        True
        """
        packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
        versions = f"mrwtd {results_version()}, Python {platform.python_version()}, {packages}, {os.cpu_count()} cores"
        return cls(f"{datetime.now(UTC):%Y-%m-%d}", versions, command)

    def __str__(self) -> str:
        return f"{self.date}, {self.versions}"


def write_report(
    experiment: Experiment, result: ExperimentResult, folder: str | PathLike[str], command: str
) -> tuple[Path, ...]:
    """Write NAME.csv, NAME-runs.csv, NAME.md and NAME.html, and NAME-lam.csv where λ was searched.

    NAME.csv has the cells of the table, ours and the paper's; NAME-runs.csv has one row per run. Each file is complete
    or does not exist, and has the date and the command that made it.
    """
    origin, table = Provenance.now(command), experiment.table(result.scores)
    texts = {
        ".csv": stamped_csv(table.summary, origin),
        "-runs.csv": stamped_csv(run_scores(experiment, result.scores), origin),
        ".md": markdown_page(experiment, result, table, origin),
        ".html": _html(experiment, result, table, origin),
    }
    if len(result.lam_paths):
        texts["-lam.csv"] = stamped_csv(result.lam_paths, origin)
    return write_files(Path(folder) / experiment.name, texts)


def write_files(start: Path, texts: Mapping[str, str]) -> tuple[Path, ...]:
    """Write texts to files that start with the same path, by their endings. Each is complete or does not exist."""
    start.parent.mkdir(parents=True, exist_ok=True)
    files = []
    for ending, text in texts.items():
        file = start.with_name(start.name + ending)
        part = file.with_name(file.name + ".part")
        part.write_text(text, encoding="utf-8")
        files.append(part.replace(file))
    return tuple(files)


def run_scores(experiment: Experiment, scores: pd.DataFrame) -> pd.DataFrame:
    """One row per run and metric of the table: the mean score over the relations, λ and seconds."""
    shown = scores[scores["metric"].isin(experiment.metrics)]
    names = dict.fromkeys(("data", "n_objects", "method", "train", "rank", "run", experiment.axis))
    keys = [name for name in names if name in shown.columns]
    fits = shown.drop_duplicates(keys)[
        [*keys, *(name for name in ("lam", "seconds", "evaluations") if name in shown.columns)]
    ]
    return average(shown).merge(fits, on=keys)


def markdown_page(experiment: Experiment, result: ExperimentResult, table: tables.Table, origin: Provenance) -> str:
    """The Markdown page: the table, notes, and the time and λ of the fits."""
    parts = [f"# {experiment.title}", experiment.about, f"`{origin.command}`", str(origin) + ".", table.markdown]
    parts.append("\n".join(f"- {sentence}" for sentence in table_notes(result, table)))
    seconds = tables.by_method(experiment, result.scores, "seconds", lambda values: f"{values.median():.3g}")
    if seconds and "seconds" not in experiment.metrics:
        parts += ["## Seconds per fit", "The median, including the search for λ.", seconds]
    if "lam" in result.scores.columns:
        lam = tables.by_method(experiment, result.scores, "lam", _span)
        parts += ["## λ", "The range of the values that the search chose.", lam] if lam else []
    return "\n\n".join(parts) + "\n"


def table_notes(result: ExperimentResult, table: tables.Table) -> list[str]:
    """All notes for readers of the table."""
    open_fits = result.total - result.done
    short = [f"Not complete: {open_fits} of {result.total} fits are not done."] if open_fits else []
    return [*short, *table.notes, *result.notes]


def _span(values: pd.Series[float]) -> str:
    low, high = f"{values.min():.3g}", f"{values.max():.3g}"
    return low if low == high else f"{low}–{high}"


def stamped_csv(frame: pd.DataFrame, origin: Provenance) -> str:
    """A table as CSV, with the date, the versions and the command."""
    frame = frame.drop(columns="n_objects") if "n_objects" in frame.columns and not frame["n_objects"].any() else frame
    # In the first row only: on every row it would be longer than the numbers.
    stamp = {name: [value, *[""] * (len(frame) - 1)] for name, value in vars(origin).items()}
    stamped = frame.assign(**stamp) if len(frame) else frame
    return str(stamped.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


def _html(experiment: Experiment, result: ExperimentResult, table: tables.Table, origin: Provenance) -> str:
    # plotly.js is included, so the file can be read offline.
    figure = experiment.figure(result.scores).to_html(full_html=False, include_plotlyjs=True)
    notes = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in table_notes(result, table))
    return PAGE.format(
        title=html.escape(experiment.title),
        about=html.escape(experiment.about),
        figure=figure,
        table=_html_table(table),
        search=_search(result),
        notes=notes,
        command=html.escape(origin.command),
        origin=html.escape(str(origin)),
    )


def _search(result: ExperimentResult) -> str:
    if result.lam_paths.empty:
        return ""
    figure = lam_paths(result.lam_paths).to_html(full_html=False, include_plotlyjs=False)
    return f"<h2>The search for λ</h2>\n<p>The score on held-out training entries, mean over the runs.</p>\n{figure}"


def _html_table(table: tables.Table) -> str:
    head = "".join(f"<th>{html.escape(name)}</th>" for name in table.frame.columns)
    lines = []
    for row in table.rows:
        cells = (f"<b>{html.escape(cell.text)}</b>" if cell.bold else html.escape(cell.text) for cell in row)
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
