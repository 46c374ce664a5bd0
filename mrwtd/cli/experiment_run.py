"""Shared by `mrwtd paper` and `mrwtd experiment`: their options, and a run with its report."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from ..baselines import METHODS
from ..experiments.experiment import Experiment
from ..experiments.reports import table_notes, write_report
from ..model.parameters import COMMON
from ..runs import estimated_notes
from ..version import results_version
from .method_options import jobs_option, option, scheduler_option
from .option_types import Command, json_option, out_option, with_options
from .output import Status, echo_report, failed_fits


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


def experiment_options(
    out: str, *, quick: str, methods: str, train: str, runs: str, further: Iterable[Callable[[Command], Command]] = ()
) -> Callable[[Command], Command]:
    """Add the options of both commands, and `further` options of one.

    `out` is the default folder for the results; the other texts are the help texts of options.
    """
    fractions = comma_separated(float, "fractions such as 0.05,0.1")
    names = comma_separated(lambda name: METHODS[name].name, ", ".join(METHODS))
    options: list[Callable[[Command], Command]] = [
        click.option("--quick", is_flag=True, help=quick),
        click.option("--methods", "--method", multiple=True, callback=names, metavar="NAME,…", help=methods),
        click.option("--train", multiple=True, callback=fractions, metavar="FRACTION,…", help=train),
        click.option(
            "--rank", multiple=True, callback=whole_numbers, metavar="N,…", help="Numbers of hidden factors."
        ),
        *further,
        click.option("--runs", type=click.IntRange(1), metavar="N", help=runs),
        option(COMMON["seed"]),
        jobs_option,
        scheduler_option,
        out_option(out),
        click.option("--restart", is_flag=True, help="Delete the stored fits of this experiment, and run them again."),
        json_option,
    ]  # fmt: skip
    return lambda command: with_options(command, options)


def run_experiment(
    experiment: Experiment,
    facts: Mapping[str, Any],
    /,
    *,
    quick: bool,
    jobs: int,
    out: Path,
    restart: bool,
    as_json: bool,
    **changes: Any,
) -> None:
    """Run an experiment with its preset and the options that were given, write its files, and print its table.

    `facts` are added to the JSON.
    """
    preset = experiment.presets["quick" if quick else "full"]
    options = experiment.check(preset.change(n_jobs=jobs, **{name: value for name, value in changes.items() if value}))
    out.mkdir(parents=True, exist_ok=True)
    if restart:
        experiment.restart(options, out)
    with Status() as status:
        outcome = experiment.run(options, out, status.bar)
    failed_fits(outcome.scores)
    outcome = replace(outcome, notes=(*outcome.notes, *estimated_notes(outcome.scores)))
    files = write_report(experiment, outcome, out, experiment.command(options))
    table = experiment.table(outcome.scores)
    command = experiment.command(options)
    facts = {**facts, "options": vars(options), "command": command, "version": results_version()}
    echo_report(
        {**facts, "summary": table.summary}, f"{experiment.title}\n\n{table.markdown}\n", table_notes(outcome, table),
        files, as_json=as_json,
    )  # fmt: skip
