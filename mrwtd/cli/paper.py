"""`mrwtd paper`: run an experiment of the paper and compare with its numbers."""

from typing import Any

import click

from ..experiments.experiment import EXPERIMENTS
from .experiment_run import experiment_options, run_experiment, whole_numbers

EXAMPLES = """
\b
Examples:
  mrwtd paper real --quick
  mrwtd paper real --data FOLDER --runs 3 --train 0.05,0.1,0.25
  mrwtd paper synth --methods RESCAL,BPTF,MrWTD-L --out results     (run it again to resume)
  mrwtd paper rank --rank 5,10,20 --runs 3
  mrwtd paper timing --sizes 500,1000,2000 --json
"""


@click.command(epilog=EXAMPLES)
@click.argument("experiment", type=click.Choice(list(EXPERIMENTS)), metavar=f"[{'|'.join(EXPERIMENTS)}]")
@experiment_options(
    "runs/paper",
    quick="Fewer methods, sizes and runs: minutes instead of hours.",
    methods="Methods to compare.  [default: the paper's]",
    train="Fractions of the pairs to train on.",
    runs="Fits per cell of the table.",
    further=[
        click.option(
            "--sizes", multiple=True, callback=whole_numbers, metavar="N,…", help="For timing: numbers of objects."
        ),
        click.option("--data", "folder", metavar="FOLDER", help="Folder with your files of the MIT data sets."),
    ],
)
def paper(experiment: str, **options: Any) -> None:
    """Run an experiment of the paper, and write a table with our numbers and the paper's, and a figure.

    Without options this is the paper's full experiment, which takes hours. The folder contains NAME.csv (the table),
    NAME-runs.csv (one row per run), NAME.md, NAME.html (the figure, which needs no network) and NAME-lam.csv (the
    scores of every λ tried). Every finished fit is stored in the subfolder `finished`: after an interruption the same
    command resumes, and more --runs add to the stored ones. Fits of another version of mrwtd are refused; --restart
    deletes them. Timed fits run one after another, regardless of --jobs.
    """
    chosen = EXPERIMENTS[experiment]
    if options["sizes"] and chosen.axis != "n_objects":
        raise click.UsageError(f"--sizes has no meaning for {experiment!r}, whose data has a fixed size.")
    if options["folder"] is not None and not chosen.accepts_folder:
        raise click.UsageError(f"--data has no meaning for {experiment!r}, which generates its data.")
    if options["scheduler"] is not None and chosen.axis == "n_objects":
        raise click.UsageError(f"--scheduler has no meaning for {experiment!r}, which times fits on this machine.")
    run_experiment(chosen, {"experiment": experiment}, **options)
