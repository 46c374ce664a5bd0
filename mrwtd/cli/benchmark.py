"""`mrwtd benchmark`: the tables that others published on Kinship, UMLS and Nations, run again."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..experiments.published import reports
from ..experiments.published.ranking import run_ranking
from ..experiments.published.rescal2011 import FOLDS, PRESETS, run_rescal2011, setting_of
from ..experiments.published.settings import DATA, LABELS, QUICK_LABELS, Setting, check_label, settings
from ..version import results_version
from .option_types import Command, json_option, out_option, with_options
from .output import Status, echo_report

EXAMPLES = """
\b
Examples:
  mrwtd benchmark ranking --data nations --quick
  mrwtd benchmark ranking --method MrWTD-L --method "MrWTD-L, turned"     (run it again to resume)
  mrwtd benchmark rescal2011 --data kinship --method RESCAL
"""

NOTHING = "No setting of these methods is tried on these data sets: they take too long there."

SHARED = (
    click.option("--data", "names", multiple=True, type=click.Choice(DATA), help="Data set; may be repeated."),
    click.option("--method", "methods", multiple=True, metavar="NAME", help="Method; may be repeated."),
    out_option("runs/benchmark"),
    click.option("--restart", is_flag=True, help="Delete the stored fits of these settings, and run them again."),
    json_option,
)


def shared_options(command: Command) -> Command:
    """Add the options of all benchmarks."""
    return with_options(command, SHARED)


@click.group(epilog=EXAMPLES)
def benchmark() -> None:
    """Run a published benchmark on Kinship, UMLS and Nations, and print our numbers next to the published ones.

    The data is part of the package. Every finished fit is stored in the subfolder `finished`: after an interruption,
    the same command resumes.
    """


@benchmark.command()
@shared_options
@click.option("--quick", is_flag=True, help="Two methods, with one rank and λ each.")
def ranking(names: tuple[str, ...], methods: tuple[str, ...], quick: bool, **options: Any) -> None:
    """Filtered MRR and Hits@1, 3 and 10 of the standard split; rank and λ are chosen on the valid ties.

    A method is one of mrwtd.METHODS; with ", turned" it is fitted to the tensor from several sides.
    """
    labels = [check_label(method) for method in methods] or list(QUICK_LABELS if quick else LABELS)
    chosen = [(data, setting) for data in names or DATA for setting in settings(labels, data, quick)]
    words = _words(names, methods) + ["--quick"] * quick
    _report(
        "ranking", "Filtered ranks of the standard split", reports.ranking_table, reports.RANKING_NOTES, words,
        run_ranking, chosen, **options,
    )  # fmt: skip


@benchmark.command()
@shared_options
@click.option(
    "--folds", type=click.IntRange(1, FOLDS), default=FOLDS, show_default=True, help="Number of folds to run."
)
@click.option("--rank", type=click.IntRange(1), metavar="N", help="Rank, instead of the preset one.")
@click.option("--lam", type=click.FloatRange(0), metavar="λ", help="λ, instead of the preset one.")
def rescal2011(
    names: tuple[str, ...],
    methods: tuple[str, ...],
    folds: int,
    rank: int | None,
    lam: float | None,
    **options: Any,
) -> None:
    """AUC-PR by 10-fold cross-validation over all cells, as in the paper on RESCAL (2011).

    A method is one of mrwtd.METHODS; with ", turned" it is fitted to the tensor from several sides.
    """
    labels = [check_label(method) for method in methods] or list(PRESETS)
    tried = [(data, setting_of(label, data, rank, lam)) for data in names or DATA for label in labels]
    chosen = [(data, setting) for data, setting in tried if setting is not None]
    words = _words(names, methods)
    for name, value in (("folds", None if folds == FOLDS else folds), ("rank", rank), ("lam", lam)):
        words += [] if value is None else [f"--{name} {value:g}"]
    _report(
        "rescal2011", "AUC-PR over all cells, 10 folds", reports.rescal2011_table, reports.RESCAL_NOTES, words,
        partial(run_rescal2011, folds=folds), chosen, **options,
    )  # fmt: skip


def _words(names: Iterable[str], methods: Iterable[str]) -> list[str]:
    quoted = [f"'{method}'" if " " in method else method for method in methods]
    return [f"--data {name}" for name in names] + [f"--method {method}" for method in quoted]


def _report(
    name: str,
    title: str,
    make_table: Callable[[pd.DataFrame], pd.DataFrame],
    notes: tuple[str, ...],
    words: list[str],
    run: Callable[..., pd.DataFrame],
    chosen: list[tuple[str, Setting]],
    *,
    out: Path,
    restart: bool,
    as_json: bool,
) -> None:
    """Run a benchmark, write its files, and print its table."""
    if not chosen:
        raise click.UsageError(NOTHING)
    out.mkdir(parents=True, exist_ok=True)
    with Status() as status:
        scores = run(chosen, folder=out, progress=status.progress, restart=restart)
    table = make_table(scores)
    command = " ".join(["python -m mrwtd benchmark", name, *words])
    files = reports.write_tables(name, title, table, notes, out, command)
    facts = {"command": command, "version": results_version(), "table": table}
    echo_report(facts, f"{title}\n\n{reports.markdown_tables(table)}\n", notes, files, as_json=as_json)
