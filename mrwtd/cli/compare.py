"""`mrwtd compare`: compare methods on the same splits, with statistical ties."""

import math
from pathlib import Path
from typing import Any

import click
import pandas as pd

from ..baselines import METHODS
from ..comparison import ResultCache
from ..comparison import compare as compare_methods
from ..comparison import make_jobs as every_job
from ..comparison.jobs import RUNS
from ..data.splitting import TRAINING_FRACTION, describe_split
from ..evaluation import summarize
from ..metrics import shown_metrics
from ..model.parameters import default_rank
from .data_options import DataOptions, data_options
from .method_options import chosen_parameters, hold_out_option, jobs_option, parameter_options, scheduler_option
from .option_types import json_option
from .output import Status, echo_estimated, echo_json, failed_fits, shape

QUICK_RUNS = 2

EXAMPLES = """
\b
Examples:
  mrwtd compare kinship --symmetric --method MrWTD-L --method RESCAL --train 0.05 --train 0.1
  mrwtd compare ties.csv --loss calls=poisson --quick
  mrwtd compare ties.csv --folds 5 --method MrWTD --method RESCAL
  mrwtd compare ties.csv --runs 20 --jobs 4 --out comparison     (run it again to resume)
  mrwtd compare ties.csv --scheduler tcp://127.0.0.1:8786
"""


@click.command(epilog=EXAMPLES)
@data_options
@click.option(
    "--method",
    "methods",
    type=click.Choice(METHODS),
    multiple=True,
    help="Method to compare. May be repeated.  [default: all]",
)
@click.option(
    "--train",
    "fractions",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="FRACTION",
    multiple=True,
    help=f"Fraction of the entries to train on. May be repeated.  [default: {TRAINING_FRACTION}]",
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    metavar="N",
    help=f"Splits per training fraction.  [default: {RUNS}, with --quick {QUICK_RUNS}]",
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    metavar="K",
    help="K-fold cross-validation instead of random splits: each entry is tested once.",
)
@parameter_options
@hold_out_option
@click.option("--stratify", is_flag=True, help="Preserve the fraction of each class in the splits.")
@click.option("--quick", is_flag=True, help="Few runs, for a first look.")
@jobs_option
@scheduler_option
@click.option("--correction", type=click.Choice(["holm"]), help="Correct the t-tests for multiple comparisons.")
@click.option("--per-relation", is_flag=True, help="Summarize each relation instead of their average.")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the results.")
@click.option("--restart", is_flag=True, help="Delete the stored fits of this comparison in --out, and run them again.")
@json_option
def compare(
    source: DataOptions,
    methods: tuple[str, ...],
    fractions: tuple[float, ...],
    rank: int | str | None,
    runs: int | None,
    folds: int | None,
    seed: int,
    by: str,
    quick: bool,
    jobs: int,
    scheduler: str | None,
    correction: str | None,
    per_relation: bool,
    out: Path | None,
    restart: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Compare methods on the same random splits or folds of DATA, with the same rank and the same search for λ.

    --loss, --positive-weight, --init and --ensemble apply to the method MrWTD only. --out FOLDER writes scores.csv and
    summary.csv, and stores every finished fit in FOLDER/finished: an interrupted comparison resumes from there. Fits of
    another version of mrwtd are refused; --restart deletes them.
    """
    if out is not None:
        (out / "finished").mkdir(parents=True, exist_ok=True)  # before the fits: fail early if it cannot be created
    data = source.load_with_notes(seed, as_json=as_json)
    common = {"seed": seed, "by": by, "lam": options.pop("lam"), "stratify": options.pop("stratify")}
    parameters = chosen_parameters(data, **options)
    chosen = methods or METHODS
    if parameters and "MrWTD" not in chosen:
        option = next(iter(parameters)).replace("_", "-")
        raise click.UsageError(f"--{option} is for the method MrWTD, which is not compared.")
    if folds is not None and (fractions or runs or quick):
        raise click.UsageError(
            "--folds replaces --train, --runs and --quick: K folds are K fits on (K - 1)/K of the data."
        )
    if restart and out is None:
        raise click.UsageError("--restart has no meaning without --out: no fits are stored.")
    finished = None if out is None else ResultCache(out / "finished", data)
    request: dict[str, Any] = {
        "methods": {name: {"method": name} | (parameters if name == "MrWTD" else {}) for name in chosen},
        "rank": default_rank(data.n_objects) if rank is None else rank,
        **common,
    }
    if folds is None:
        request |= {"train": fractions or (TRAINING_FRACTION,), "runs": runs or (QUICK_RUNS if quick else RUNS)}
    else:
        request["folds"] = folds
    if restart and finished is not None:
        finished.restart(job.key for job in every_job(**request))
    with Status() as status:
        scores = compare_methods(
            data,
            **request,
            n_jobs=jobs,
            scheduler=scheduler,
            progress=status.progress,
            save=None if finished is None else finished.save,
            cached=finished,
        )
    failures = failed_fits(scores)
    summary = summarize(scores, correction=correction, per_relation=per_relation)
    files = []
    if out is not None:
        files = [str(out / "scores.csv"), str(out / "summary.csv")]
        scores.to_csv(files[0], index=False)
        summary.to_csv(files[1], index=False)
    held_out = describe_split(data, by)
    if as_json:
        echo_json({"data": shape(data), "held_out": held_out, "summary": summary, "scores": scores, "files": files})
        return
    click.echo(as_text(summary))
    click.echo(held_out)
    echo_estimated(scores)
    for (method, reason), rows in failures.groupby(["method", "reason"], sort=False):
        click.echo(f"{method} failed in {len(rows)} fits: {reason}")
    for file in files:
        click.echo(f"Wrote {file}")


def as_text(summary: pd.DataFrame) -> str:
    """Tables of the main metrics: one row per method, one column per training fraction.

    >>> print(as_text(pd.DataFrame({"kind": "binary", "metric": "auprc", "train": [0.1], "method": ["CP"],
    ...     "mean": [0.5], "sd": [0.01], "n": [20], "tied_with_best": [True]})))
    auprc of binary relations, mean (standard deviation)
    method        train 0.1
        CP 0.5000 (0.0100)*
    * tied with the best: not significantly different by a 2-sample t-test at 0.05
    """
    by = ["kind", *(["relation"] if "relation" in summary else [])]
    tables = []
    for group, group_rows in summary.groupby(by, sort=False):
        title = group[-1] if len(group) > 1 else f"{group[0]} relations"
        for metric in shown_metrics(str(group[0])):
            rows = group_rows[group_rows["metric"] == metric.name]
            # The column of each cell: the training fraction, or the number of folds.
            columns = rows["folds"].astype(str) + " folds" if "folds" in rows else "train " + rows["train"].astype(str)
            cells = rows.assign(train=columns, cell=rows.apply(_cell, axis=1))
            wide = cells.pivot_table(index="method", columns="train", values="cell", aggfunc="first")
            wide = wide.reindex(index=cells["method"].unique(), columns=cells["train"].unique()).reset_index()
            tables.append(f"{metric.name} of {title}, mean (standard deviation)\n{wide.to_string(index=False)}\n")
    test = "corrected resampled t-test over the folds" if "folds" in summary else "2-sample t-test"
    tied = f"tied with the best: not significantly different by a {test} at 0.05"
    tables.append(f"* {tied if (summary['n'] > 1).any() else 'the best; a single run allows no test'}")
    return "\n".join(tables)


def _cell(row: pd.Series) -> str:
    if row["n"] == 0:
        return "failed"
    deviation = "–" if math.isnan(row["sd"]) else _short(row["sd"])
    return f"{_short(row['mean'])} ({deviation}){'*' if row['tied_with_best'] else ' '}"


def _short(value: float) -> str:
    """A number with four decimals, or in scientific notation if it is large.

    >>> _short(0.5), _short(90_261_385_262.172)
    ('0.5000', '9.026e+10')
    """
    return f"{value:.4f}" if abs(value) < 1e4 else f"{value:.4g}"
