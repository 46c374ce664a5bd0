"""`mrwtd paper`: run an experiment of the paper and compare with its numbers."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..baselines import METHODS
from ..experiments import EXPERIMENTS, write_report
from ..experiments.reports import table_notes
from ..model.parameters import COMMON
from ..version import results_version
from .method_options import jobs_option, option, scheduler_option
from .option_types import json_option
from .output import Status, echo_json, failed_fits

EXAMPLES = """
\b
Examples:
  mrwtd paper real --quick
  mrwtd paper real --data FOLDER --runs 3 --train 0.05,0.1,0.25
  mrwtd paper synth --methods RESCAL,BPTF,MrWTD-L --out results     (run it again to resume)
  mrwtd paper rank --rank 5,10,20 --runs 3
  mrwtd paper timing --sizes 500,1000,2000 --json
"""


def comma_separated(
    convert: Callable[[str], Any], expected: str
) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """Callback of an option that accepts comma-separated values and may be repeated.

    >>> parse = comma_separated(int, "whole numbers")
    >>> parse(click.Context(click.Command("paper")), click.Option(["--rank"]), ("5,10", "20"))
    (5, 10, 20)
    """

    def parse(ctx: click.Context, param: click.Parameter, texts: tuple[str, ...]) -> tuple[Any, ...]:
        values = []
        for text in ",".join(texts).split(",") if texts else ():
            try:
                values.append(convert(text.strip()))
            except ValueError:
                raise click.BadParameter(f"{text.strip()!r} is not one of {expected}.", ctx, param) from None
        return tuple(values)

    return parse


whole_numbers = comma_separated(int, "whole numbers")


@click.command(epilog=EXAMPLES)
@click.argument("experiment", type=click.Choice(list(EXPERIMENTS)), metavar=f"[{'|'.join(EXPERIMENTS)}]")
@click.option("--quick", is_flag=True, help="Fewer methods, sizes and runs: minutes instead of hours.")
@click.option(
    "--methods",
    "--method",
    multiple=True,
    callback=comma_separated(lambda name: METHODS[name].name, ", ".join(METHODS)),
    metavar="NAME,…",
    help="Methods to compare.  [default: the paper's]",
)
@click.option(
    "--train",
    multiple=True,
    callback=comma_separated(float, "fractions such as 0.05,0.1"),
    metavar="FRACTION,…",
    help="Fractions of the pairs to train on.",
)
@click.option("--rank", multiple=True, callback=whole_numbers, metavar="N,…", help="Numbers of hidden factors.")
@click.option("--sizes", multiple=True, callback=whole_numbers, metavar="N,…", help="For timing: numbers of objects.")
@click.option("--runs", type=click.IntRange(1), metavar="N", help="Fits per cell of the table.")
@option(COMMON["seed"])
@click.option("--data", "folder", metavar="FOLDER", help="Folder with your files of the MIT data sets.")
@jobs_option
@scheduler_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("runs/paper"),
    show_default=True,
    help="Folder for the results.",
)
@click.option("--restart", is_flag=True, help="Delete the stored fits of this experiment, and run them again.")
@json_option
def paper(experiment: str, quick: bool, jobs: int, out: Path, restart: bool, as_json: bool, **changes: Any) -> None:
    """Run an experiment of the paper, and write a table with our numbers and the paper's, and a figure.

    Without options this is the paper's full experiment, which takes hours. The folder contains NAME.csv (the table),
    NAME-runs.csv (one row per run), NAME.md, NAME.html (the figure, which needs no network) and NAME-lam.csv (the
    scores of every λ tried). Every finished fit is stored in the subfolder `finished`: after an interruption the same
    command resumes, and more --runs add to the stored ones. Fits of another version of mrwtd are refused; --restart
    deletes them. Timed fits run one after another, regardless of --jobs.
    """
    chosen = EXPERIMENTS[experiment]
    if changes["sizes"] and chosen.axis != "n_objects":
        raise click.UsageError(f"--sizes has no meaning for {experiment!r}, whose data has a fixed size.")
    if changes["folder"] is not None and not chosen.accepts_folder:
        raise click.UsageError(f"--data has no meaning for {experiment!r}, which generates its data.")
    if changes["scheduler"] is not None and chosen.axis == "n_objects":
        raise click.UsageError(f"--scheduler has no meaning for {experiment!r}, which times fits on this machine.")
    preset = chosen.presets["quick" if quick else "full"]
    options = chosen.check(preset.change(n_jobs=jobs, **{name: value for name, value in changes.items() if value}))
    out.mkdir(parents=True, exist_ok=True)
    if restart:
        chosen.restart(options, out)
    with Status() as status:
        outcome = chosen.run(options, out, status.bar)
    failed_fits(outcome.scores)
    files = write_report(chosen, outcome, out, chosen.command(options))
    table = chosen.table(outcome.scores)
    notes = table_notes(outcome, table)
    if as_json:
        echo_json(
            {
                "experiment": experiment,
                "options": vars(options),
                "command": chosen.command(options),
                "version": results_version(),
                "summary": table.summary,
                "notes": notes,
                "files": [str(file) for file in files],
            }
        )
        return
    click.echo(f"{chosen.title}\n\n{table.markdown}\n")
    for sentence in notes:
        click.echo(sentence)
    for file in files:
        click.echo(f"Wrote {file}")
