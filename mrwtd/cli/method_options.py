"""The parameters of the methods, as options."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from ..data.reciprocity import SPLIT_BY
from ..data.relational import RelationalData
from ..model import MrWTD
from ..model.parameters import AUTO, LOSS, POSITIVE_WEIGHT, RANK, Choice, Number, Parameter
from .option_types import Command, for_all_or_some, number, with_options, word_or_number

HELP = {
    "rank": f"How many hidden factors. [default: {RANK}, or less for small data]",
    "lam": "The strength λ of the regularisation; auto searches it on held-out training entries.",
    "seed": "Of every random choice.",
    "loss": "A loss, for one relation or for all. May be repeated.",
    "positive_weight": "A factor on positive binary entries, for one relation or for all. May be repeated.",
}
"""Where the help of a form does not suit a terminal."""


def option(parameter: Parameter) -> Callable[[Command], Command]:
    """The option for a parameter of a method. Without it the parameter has its default."""
    name = f"--{parameter.name.replace('_', '-')}"
    text = HELP.get(parameter.name, f"{parameter.help}.")
    if parameter in (LOSS, POSITIVE_WEIGHT):
        kind = "NAME" if parameter is LOSS else "NUMBER"
        return click.option(name, multiple=True, metavar=f"[RELATION=]{kind}", help=text)
    if isinstance(parameter, Choice):
        return click.option(name, type=click.Choice(list(parameter.options)), help=text)
    assert isinstance(parameter, Number)
    if parameter.automatic:
        return click.option(name, callback=word_or_number(AUTO), metavar="[auto|NUMBER]", default=AUTO,
                            show_default=True, help=text)  # fmt: skip
    values = click.IntRange(int(parameter.low)) if parameter.whole else click.FloatRange(parameter.low)
    default = 0 if parameter.name == "seed" else None
    return click.option(name, type=values, metavar="N", default=default, show_default=default == 0,
                        help=text)  # fmt: skip


OFFERED = {name: one for name, one in MrWTD.all_parameters().items() if one.offered}


HOLD_OUT = (
    click.option(
        "--by", type=click.Choice(list(SPLIT_BY)), default="auto", show_default=True,
        help="What is held out of directed relations: single entries, pairs in both directions, or pairs where most "
        "ties are mutual.",
    ),
)  # fmt: skip


WORKERS = (
    click.option(
        "--jobs", type=int, metavar="N", default=2, show_default=True,
        help="Processes; -1 for as many as there are cores.",
    ),
    click.option(
        "--scheduler", metavar="tcp://HOST:PORT",
        help="Send the work to the workers of a Dask cluster, in place of processes here.",
    ),
)  # fmt: skip


def takes_hold_out(command: Command) -> Command:
    """Give a command the option that says what its splits hold out: `by`."""
    return with_options(command, HOLD_OUT)


def takes_workers(command: Command) -> Command:
    """Give a command the options that say who does the work: `jobs`, and `scheduler` or None."""
    return with_options(command, WORKERS)


def takes_parameters(command: Command) -> Command:
    """Give a command the parameters that all methods share, then those of MrWTD alone."""
    return with_options(command, tuple(option(parameter) for parameter in OFFERED.values()))


def chosen_parameters(data: RelationalData, **given: Any) -> dict[str, Any]:
    """Those of the parameters that were given, as methods take them.

    >>> import mrwtd
    >>> chosen_parameters(mrwtd.load_dataset("florentine"), loss=("quadratic", "marriage=logistic"), init=None)
    {'loss': {'business': 'quadratic', 'marriage': 'logistic'}}
    >>> chosen_parameters(mrwtd.load_dataset("florentine"), positive_weight=("2",))
    {'positive_weight': 2.0}
    """
    names = [relation.name for relation in data.relations]
    chosen = {name: value for name, value in given.items() if value not in (None, ())}
    if "loss" in chosen:
        chosen["loss"] = for_all_or_some("--loss", chosen["loss"], names)
    if "positive_weight" in chosen:
        weights = for_all_or_some("--positive-weight", chosen["positive_weight"], names)
        chosen["positive_weight"] = (
            number("--positive-weight", weights)
            if isinstance(weights, str)
            else {name: number("--positive-weight", text) for name, text in weights.items()}
        )
    return chosen
