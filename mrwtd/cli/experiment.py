"""`mrwtd experiment`: a learning curve, ranks, values of λ or times on any data set."""

from typing import Any

import click

from ..experiments.on_data.data_experiment import DATA_EXPERIMENTS
from .data_options import DataOptions, data_options
from .experiment_run import comma_separated, experiment_options, run_experiment

EXAMPLES = """
\b
Examples:
  mrwtd experiment learning-curve ties.csv --quick
  mrwtd experiment ranks ties.csv --methods RESCAL,MrWTD --rank 2,5,10,20 --runs 5
  mrwtd experiment lambdas ties.csv --lam 0.1,1,10 --out results     (run it again to resume)
  mrwtd experiment times kinship --train 0.1,0.2,0.4,0.8
"""

numbers = comma_separated(float, "numbers such as 0.1,1")


@click.command(epilog=EXAMPLES)
@click.argument("experiment", type=click.Choice(list(DATA_EXPERIMENTS)), metavar=f"[{'|'.join(DATA_EXPERIMENTS)}]")
@data_options
@experiment_options(
    "runs/experiments",
    quick="Fewer methods, points and runs.",
    methods="Methods to compare.",
    train="Fractions of the entries to train on.",
    runs="Splits per point.",
    further=[click.option("--lam", multiple=True, callback=numbers, metavar="λ,…", help="Values of λ.")],
)
def experiment(experiment: str, source: DataOptions, **options: Any) -> None:
    """Run an experiment on DATA: the name of a sample (mrwtd datasets), a file, or - for standard input.

    learning-curve varies the training fraction, ranks the number of hidden factors, lambdas the strength of the
    regularization, and times measures fits of growing training data. The folder contains NAME.csv (the table),
    NAME-runs.csv (one row per run), NAME.md, NAME.html (the figure) and, where λ was searched, NAME-lam.csv. Every
    finished fit is stored in the subfolder `finished`: after an interruption the same command resumes.
    """
    data = source.load_with_notes(options["seed"], as_json=options["as_json"])
    chosen = DATA_EXPERIMENTS[experiment].on(data, source.reference(data).title, source.data)
    run_experiment(chosen, {"experiment": experiment, "data": source.data}, **options)
