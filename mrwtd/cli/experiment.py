"""`mrwtd experiment`: a learning curve, ranks, values of λ or times on any data set."""

from pathlib import Path
from typing import Any

import click

from ..baselines import METHODS
from ..experiments import DATA_EXPERIMENTS
from ..model.parameters import COMMON
from .data_options import DataOptions, data_options
from .experiment_run import comma_separated, run_experiment, whole_numbers
from .method_options import jobs_option, option, scheduler_option
from .option_types import json_option
from .output import echo_notes

EXAMPLES = """
\b
Examples:
  mrwtd experiment learning-curve ties.csv --quick
  mrwtd experiment ranks ties.csv --methods RESCAL,MrWTD --rank 2,5,10,20 --runs 5
  mrwtd experiment lambdas ties.csv --lam 0.1,1,10 --out results     (run it again to resume)
  mrwtd experiment times kinship --train 0.1,0.2,0.4,0.8
"""

fractions = comma_separated(float, "fractions such as 0.2,0.5,0.8")


@click.command(epilog=EXAMPLES)
@click.argument("experiment", type=click.Choice(list(DATA_EXPERIMENTS)), metavar=f"[{'|'.join(DATA_EXPERIMENTS)}]")
@data_options
@click.option("--quick", is_flag=True, help="Fewer methods, points and runs.")
@click.option(
    "--methods",
    "--method",
    multiple=True,
    callback=comma_separated(lambda name: METHODS[name].name, ", ".join(METHODS)),
    metavar="NAME,…",
    help="Methods to compare.",
)
@click.option(
    "--train", multiple=True, callback=fractions, metavar="FRACTION,…", help="Fractions of the entries to train on."
)
@click.option("--rank", multiple=True, callback=whole_numbers, metavar="N,…", help="Numbers of hidden factors.")
@click.option(
    "--lam", multiple=True, callback=comma_separated(float, "numbers such as 0.1,1"), metavar="λ,…", help="Values of λ."
)
@click.option("--runs", type=click.IntRange(1), metavar="N", help="Splits per point.")
@option(COMMON["seed"])
@jobs_option
@scheduler_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs/experiments"),
    show_default=True,
    help="Folder for the results.",
)
@click.option("--restart", is_flag=True, help="Delete the stored fits of this experiment, and run them again.")
@json_option
def experiment(
    experiment: str,
    source: DataOptions,
    quick: bool,
    jobs: int,
    out: Path,
    restart: bool,
    as_json: bool,
    **changes: Any,
) -> None:
    """Run an experiment on DATA: the name of a sample (mrwtd datasets), a file, or - for standard input.

    learning-curve varies the training fraction, ranks the number of hidden factors, lambdas the strength of the
    regularization, and times measures fits of growing training data. The folder contains NAME.csv (the table),
    NAME-runs.csv (one row per run), NAME.md, NAME.html (the figure) and, where λ was searched, NAME-lam.csv. Every
    finished fit is stored in the subfolder `finished`: after an interruption the same command resumes.
    """
    data = source.load(changes["seed"])
    if not as_json:
        echo_notes(data)
    chosen = DATA_EXPERIMENTS[experiment].on(data, source.reference(data).title, source.data)
    run_experiment(
        chosen, changes, quick=quick, jobs=jobs, out=out, restart=restart, as_json=as_json,
        experiment=experiment, data=source.data,
    )  # fmt: skip
