"""The tables of `mrwtd benchmark` as Markdown and CSV, with the published numbers, their sources and our version."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ...data.datasets.samples import dataset_info
from ...evaluation.ranking import RANKING_METRICS
from ..reports import Provenance, stamped_csv, write_files
from .published_results import AUC_PR, RANKING, Published
from .ranking import chosen
from .rescal2011 import NORMALIZED, PLAIN, summary

OURS = "mrwtd"

RANKING_NOTES = (
    "Training: the train ties are positive; every other pair of the n × n × m grid is negative, those of an object "
    "with itself and the held-out ties included. Rank and λ are those with the highest MRR on the valid ties; the "
    "test ties are ranked for that setting only. Nothing is fitted to the valid ties.",
    "Each tie is ranked twice, by its head and by its tail, among all objects; all other ties of train, valid and test "
    "are removed first. Equal scores have the mean of the best and the worst rank.",
    "“turned”: x is the mean over several views of the tensor, with one matrix per relation, source or target; without "
    "it, one matrix per relation. The views are in the column of settings.",
    "The data is that of the published numbers: the files of the public package are equal to those of ConvE. "
    "Reverse relations make 95% of Nations and 48% of Kinship easy, says ConvE's README, which calls both unsuitable "
    "for research. The copies lack the ties of an object with itself (104 in Kinship, 223 in UMLS) and 424 pairs of "
    "Nations that are unknown in the original count as negative.",
    "The ranks and λ to try were narrowed in trials whose test ranks were seen too; among those listed, the valid ties "
    "decide. One split and one seed: differences of 0.01 say little, and on Nations (201 test ties) of 0.03.",
)

RESCAL_NOTES = (
    "All n²m cells are shuffled and divided into ten folds. One precision–recall curve of all held-out cells of a "
    "fold, of all relations together; its area by the trapezoidal rule. Mean ± standard deviation over the folds.",
    "normalized: predictions of a pair are divided by their norm over all relations and rounded to three digits, as in "
    "the published example. It suits data whose pairs have one relation at most, and hurts where they have several.",
    "Our copies are not the original files: Kinship has 25 relations instead of 26, without “self” and its 104 ties; "
    "UMLS has 46 instead of 49, and lacks 223 ties of a concept with itself; Nations has 55 instead of 56, and counts "
    "424 unknown pairs as negative, which the original leaves out. Missing self-ties are easy ones in Kinship.",
    "RESCAL has the rank and λ of the published example, and 1 and 0 as values; on Nations rank 20. Those of other "
    "methods were chosen among a few on the first folds, so their numbers are slightly too good.",
    "“turned”: x is the mean over several views of the tensor, with one matrix per relation, source or target. The "
    "views are in the column of settings.",
)

UNCHECKED = "not checked against the paper"


def ranking_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Our chosen settings and the published numbers, by data set: one row per method."""
    best = chosen(scores)
    rows: list[dict[Any, object]] = []
    for data in dict.fromkeys(scores["data"]):
        rows += _published(RANKING, data)
        ours = best[best["data"] == data].sort_values("valid mrr", kind="stable")
        rows += ours.rename(columns={"label": "method"}).assign(source=OURS).to_dict("records")
    columns = ["data", "method", *RANKING_METRICS, "valid mrr", "setting", "tried", "seconds", "source"]
    return pd.DataFrame(rows).reindex(columns=columns)


def rescal2011_table(scores: pd.DataFrame) -> pd.DataFrame:
    """Our areas with and without normalization, and the published ones, by data set: one row per method."""
    ours = summary(scores)
    rows: list[dict[Any, object]] = []
    for data in dict.fromkeys(scores["data"]):
        rows += _published(AUC_PR, data)
        for _, part in ours[ours["data"] == data].groupby("setting", sort=False):
            plain, other = (part[part["form"] == form].iloc[0] for form in (PLAIN, NORMALIZED))
            shown = plain.rename({"label": "method", "mean": "auc_pr"}).to_dict()
            rows.append(shown | {"normalized": other["mean"], "normalized sd": other["sd"], "source": OURS})
    columns = ["data", "method", "auc_pr", "sd", "normalized", "normalized sd", "setting", "folds", "seconds", "source"]
    return pd.DataFrame(rows).reindex(columns=columns)


def markdown_tables(table: pd.DataFrame) -> str:
    """One Markdown table per data set, with its title as heading."""
    parts = []
    for data, rows in table.groupby("data", sort=False):
        shown = rows.drop(columns="data")
        lines = ["| " + " | ".join(shown.columns) + " |", "|" + "---|" * len(shown.columns)]
        lines += ["| " + " | ".join(_cell(*item) for item in row.items()) + " |" for row in shown.to_dict("records")]
        parts += [f"## {dataset_info(str(data)).title}", "\n".join(lines)]
    return "\n\n".join(parts)


def write_tables(
    name: str, title: str, table: pd.DataFrame, notes: Iterable[str], folder: Path, command: str
) -> tuple[Path, ...]:
    """Write NAME.md and NAME.csv with the date, the versions and the command."""
    origin = Provenance.now(command)
    page = [f"# {title}", f"`{command}`", f"{origin}.", markdown_tables(table), *(f"- {note}" for note in notes)]
    return write_files(folder / name, {".md": "\n\n".join(page) + "\n", ".csv": stamped_csv(table, origin)})


def _published(results: Sequence[Published], data: str) -> list[dict[str, object]]:
    """The rows of the published numbers on a data set."""
    return [
        {"data": data, "method": row.method, **row.scores, "source": row.source + f", {UNCHECKED}" * (not row.checked)}
        for row in results
        if row.data == data
    ]


def _cell(column: object, value: object) -> str:
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return ""
    if not isinstance(value, float):
        return str(value)
    return f"{value:.0f}" if column in ("seconds", "folds", "tried") else f"{value:.3f}"
