"""`mrwtd paper`: an experiment of the paper, with its numbers beside ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from ..baselines import METHODS
from ..errors import DataError, Problem
from ..experiments import EXPERIMENTS, Experiment, Options, Outcome, write_report
from ..experiments.reports import sentences
from ..version import results_version
from .method_options import takes_workers
from .output import Status, echo_json

EXAMPLES = """
\b
Examples:
  mrwtd paper real --quick
  mrwtd paper real --data FOLDER --runs 3 --train 0.05,0.1,0.25
  mrwtd paper synth --methods RESCAL,BPTF,MrWTD-L --out results     (run it again to go on where it stopped)
  mrwtd paper rank --rank 5,10,20 --runs 3
  mrwtd paper timing --sizes 500,1000,2000 --json
"""


def several(kind: Callable[[str], Any], what: str) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """A callback for an option that takes values with commas between them, and may be repeated.

    >>> several(int, "whole numbers")(click.Context(click.Command("paper")), click.Option(["--rank"]), ("5,10", "20"))
    (5, 10, 20)
    """

    def convert(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[Any, ...]:
        found = []
        for text in (part.strip() for whole in value for part in whole.split(",")):
            try:
                found.append(kind(text))
            except ValueError:
                raise click.BadParameter(f"{text!r} is not one of {what}.", ctx, param) from None
        return tuple(found)

    return convert


def _method(text: str) -> str:
    if text not in METHODS:
        raise ValueError(text)
    return text


@click.command(epilog=EXAMPLES)
@click.argument("experiment", type=click.Choice(list(EXPERIMENTS)), metavar=f"[{'|'.join(EXPERIMENTS)}]")
@click.option("--quick", is_flag=True, help="Fewer methods, sizes and runs: minutes in place of hours.")
@click.option(
    "--methods",
    "--method",
    multiple=True,
    callback=several(_method, ", ".join(METHODS)),
    metavar="NAME,…",
    help="Without it, the paper's.",
)
@click.option(
    "--train",
    multiple=True,
    callback=several(float, "shares such as 0.05,0.1"),
    metavar="SHARE,…",
    help="The shares of the pairs to learn from.",
)
@click.option(
    "--rank", multiple=True, callback=several(int, "whole numbers"), metavar="N,…", help="How many hidden factors."
)
@click.option(
    "--sizes",
    multiple=True,
    callback=several(int, "whole numbers"),
    metavar="N,…",
    help="Of timing: the numbers of objects.",
)
@click.option("--runs", type=click.IntRange(1), metavar="N", help="Fits for each cell of the table.")
@click.option(
    "--seed", type=click.IntRange(0), metavar="N", default=0, show_default=True, help="Of every random choice."
)
@click.option("--data", "folder", metavar="FOLDER", help="Where your files of the MIT data sets are.")
@takes_workers
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to write to.  [default: runs/paper]",
)
@click.option("--restart", is_flag=True, help="Delete the kept fits of this experiment, and run them again.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, for other programs.")
def paper(
    experiment: str,
    quick: bool,
    methods: tuple[str, ...],
    train: tuple[float, ...],
    rank: tuple[int, ...],
    sizes: tuple[int, ...],
    runs: int | None,
    seed: int,
    folder: str | None,
    jobs: int,
    scheduler: str | None,
    out: Path | None,
    restart: bool,
    as_json: bool,
) -> None:
    """Run an experiment of the paper, and write a table with the paper's numbers beside ours, and a figure.

    Without options it is the paper's experiment in full, which takes hours. The folder gets NAME.csv (the table),
    NAME-runs.csv (a row a run), NAME.md, NAME.html (the figure, which needs no network) and NAME-lam.csv (the scores of
    every λ that was tried). Every finished fit is kept in its folder `finished`: interrupted or killed, the same
    command goes on where it was, and more --runs add to those that are there. Fits of another version of mrwtd are
    refused: --restart deletes them. Fits that are timed run one by one, whatever --jobs says.
    """
    chosen = EXPERIMENTS[experiment]
    options = chosen.presets["quick" if quick else "full"].change(
        seed=seed, folder=folder, n_jobs=jobs, scheduler=scheduler
    )
    given = {"methods": methods, "train": train, "rank": rank, "sizes": sizes, "runs": runs}
    if sizes and chosen.axis != "n_objects":
        raise click.UsageError(f"--sizes has no meaning for {experiment!r}, whose data has the size that it has.")
    if folder is not None and not chosen.takes_folder:
        raise click.UsageError(f"--data has no meaning for {experiment!r}, which makes its own data.")
    if scheduler is not None and chosen.axis == "n_objects":
        raise click.UsageError(f"--scheduler has no meaning for {experiment!r}, which times fits on this machine.")
    options = chosen.check(options.change(**{name: value for name, value in given.items() if value}))
    place = out if out is not None else Path("runs") / "paper"
    place.mkdir(parents=True, exist_ok=True)
    if restart:
        chosen.restart(options, place)
    with Status() as status:
        outcome = chosen.run(options, place, status.bar)
    failures = outcome.scores[outcome.scores["metric"] == ""]
    if len(failures) == len(outcome.scores):
        raise DataError(Problem(f"no method that works ({failures['reason'].iloc[0]})", "at least one"))
    files = write_report(chosen, outcome, place, chosen.command(options))
    _say(chosen, options, outcome, files, as_json)


def _say(experiment: Experiment, options: Options, outcome: Outcome, files: tuple[Path, ...], as_json: bool) -> None:
    table = experiment.table(outcome.scores)
    said = sentences(outcome, table)
    if as_json:
        echo_json(
            {
                "experiment": experiment.name,
                "options": vars(options),
                "command": experiment.command(options),
                "version": results_version(),
                "summary": table.summary,
                "notes": said,
                "files": [str(file) for file in files],
            }
        )
        return
    click.echo(f"{experiment.title}\n\n{table.markdown}\n")
    for sentence in said:
        click.echo(sentence)
    for file in files:
        click.echo(f"Wrote {file}")
